package filestore

import (
	"cmp"
	"context"
	"slices"

	"github.com/agui-gateway/gateway/state"
)

// converse writes the messages that leave the conversation and those that join it.
func (s *applier) converse() {
	step := s.w.Transition
	if len(step.Left)+len(step.Append) == 0 {
		return
	}
	known, messages := s.table.make(knownTable), s.table.make(messagesTable)
	for _, id := range step.Left {
		p, ok, err := readPlace(known, id)
		if err != nil || !ok {
			s.fail(cmp.Or(err, state.ErrDamaged))
			return
		}
		s.takeOut(messages, p.Slot)
		messages.delete(number8(uint64(p.Slot)))
		p.Left = true
		writePlace(known, id, p)
	}
	for i := range step.Append {
		m := &step.Append[i]
		s.takeOut(messages, m.Slot)
		raw, err := encodeMessage(m)
		s.fail(err)
		messages.put(number8(uint64(m.Slot)), raw)
		writePlace(known, m.ID, m.Place())
	}
}

// takeOut keeps the message in a slot that a transition empties or fills.
func (s *applier) takeOut(messages table, slot int) {
	raw, err := messages.get(number8(uint64(slot)))
	s.fail(err)
	if raw == nil {
		return
	}
	m, err := decodeMessage(raw)
	s.fail(err)
	s.keep(replacedMessage, m.Added, slices.Clone(raw))
}

func readPlace(known table, id string) (p state.Place, ok bool, err error) {
	raw, err := known.get(textKey(id))
	if err != nil || raw == nil {
		return p, false, err
	}
	return p, true, unmarshal("place", raw, &p)
}

func writePlace(known table, id string, p state.Place) {
	raw, err := marshal(p)
	known.fail(err)
	known.put(textKey(id), raw)
}

// Messages returns the conversation at a revision; see [store.Backend].
func (b *backend) Messages(ctx context.Context, key state.Key, rev int64) (state.Conversation, error) {
	var list []state.StoredMessage
	err := b.existing(ctx, key, func(l *loaded) (err error) {
		list, err = l.messagesAt(rev, b.trimmedAt(l))
		return err
	})
	if err != nil {
		return nil, err
	}
	return state.NewConversation(list), nil
}

// messagesAt reads the messages of a revision in the order of their slots.
func (l *loaded) messagesAt(rev int64, trimmedAt func() (int64, error)) ([]state.StoredMessage, error) {
	list := make([]state.StoredMessage, 0, l.doc.Thread.Count)
	present := rev < 0 || rev >= l.doc.Thread.Rev
	err := l.table.sub(messagesTable).each(nil, func(_, raw []byte) (bool, error) {
		m, err := decodeMessage(raw)
		if present || m.Added <= rev {
			list = append(list, m)
		}
		return true, err
	})
	if err != nil || present {
		return list, err
	}
	trimmed, err := trimmedAt()
	if err != nil {
		return nil, err
	}
	if rev <= trimmed {
		dropped, err := l.droppedAt(trimmed)
		if err != nil {
			return nil, err
		}
		if rev < dropped {
			return nil, state.ErrRevision
		}
	}
	err = l.replaced(replacedMessage, rev, trimmed, func(from, _ int64, raw []byte) (bool, error) {
		if from > rev {
			return true, nil
		}
		m, err := decodeMessage(raw)
		list = append(list, m)
		return true, err
	})
	slices.SortFunc(list, func(a, b state.StoredMessage) int { return cmp.Compare(a.Slot, b.Slot) })
	return list, err
}

// droppedAt returns the revision that removed the newest message that is not kept once the log is trimmed up to a
// revision.
func (l *loaded) droppedAt(trimmed int64) (int64, error) {
	dropped := l.doc.Dropped
	err := l.table.sub(replacedTable).each([]byte{replacedMessage}, func(key, _ []byte) (bool, error) {
		to := int64(numberOf(key[1:]))
		if key[0] != replacedMessage || to > trimmed+1 {
			return false, nil
		}
		dropped = max(dropped, to)
		return true, nil
	})
	return dropped, err
}

// lastMessages reads messages from a slot downwards, and returns the slot below them; negative: there is none.
func lastMessages(l *loaded, from, most int) (list []state.StoredMessage, next int, err error) {
	t := l.table.sub(messagesTable)
	if t.b == nil {
		return nil, -1, nil
	}
	c, size := t.b.Cursor(), 0
	key, sealed := c.Seek(number8(uint64(from)))
	if key == nil {
		key, sealed = c.Last()
	} else if int(numberOf(key)) > from {
		key, sealed = c.Prev()
	}
	for ; key != nil; key, sealed = c.Prev() {
		slot := int(numberOf(key))
		if len(list) == most || size > pageBytes {
			return list, slot, nil
		}
		raw, err := unseal(t.seed, key, sealed)
		if err != nil {
			return nil, -1, err
		}
		m, err := decodeMessage(raw)
		if err != nil {
			return nil, -1, err
		}
		list, size = append(list, m), size+len(raw)
	}
	return list, -1, nil
}
