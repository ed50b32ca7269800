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
		p, ok := readPlace(known, id)
		if !ok {
			s.fail(state.ErrDamaged)
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
	raw := messages.get(number8(uint64(slot)))
	if raw == nil {
		return
	}
	m, err := decodeMessage(raw)
	s.fail(err)
	s.keep(replacedMessage, m.Added, slices.Clone(raw))
}

func readPlace(known table, id string) (p state.Place, ok bool) {
	raw := known.get(textKey(id))
	if raw == nil {
		return p, false
	}
	known.decode("place", raw, &p)
	return p, true
}

func writePlace(known table, id string, p state.Place) {
	raw, err := marshal(p)
	known.fail(err)
	known.put(textKey(id), raw)
}

// Messages returns the conversation at a revision; see [store.Backend].
func (b *backend) Messages(ctx context.Context, key state.Key, rev int64) (state.Conversation, error) {
	var list []state.StoredMessage
	err := b.existing(ctx, key, func(l *loaded) { list = l.messagesAt(rev, b.trimmedAt(l)) })
	if err != nil {
		return nil, err
	}
	return state.NewConversation(list), nil
}

// messagesAt reads the messages of a revision in the order of their slots.
func (l *loaded) messagesAt(rev int64, trimmedAt func() int64) []state.StoredMessage {
	list := make([]state.StoredMessage, 0, l.doc.Thread.Count)
	present := rev < 0 || rev >= l.doc.Thread.Rev
	l.table.sub(messagesTable).each(nil, func(_, raw []byte) bool {
		m, err := decodeMessage(raw)
		l.table.fail(err)
		if present || m.Added <= rev {
			list = append(list, m)
		}
		return true
	})
	if present {
		return list
	}
	trimmed := trimmedAt()
	if rev <= trimmed && rev < l.droppedAt(trimmed) {
		l.table.fail(state.ErrRevision)
		return nil
	}
	l.replaced(replacedMessage, rev, trimmed, func(from int64, raw []byte) bool {
		if from > rev {
			return true
		}
		m, err := decodeMessage(raw)
		l.table.fail(err)
		list = append(list, m)
		return true
	})
	slices.SortFunc(list, func(a, b state.StoredMessage) int { return cmp.Compare(a.Slot, b.Slot) })
	return list
}

// droppedAt returns the revision that removed the newest message that is not kept once the log is trimmed up to a
// revision.
func (l *loaded) droppedAt(trimmed int64) int64 {
	dropped := l.doc.Dropped
	l.table.sub(replacedTable).each([]byte{replacedMessage}, func(key, _ []byte) bool {
		to := int64(numberOf(key[1:]))
		if key[0] != replacedMessage || to > trimmed+1 {
			return false
		}
		dropped = max(dropped, to)
		return true
	})
	return dropped
}

// lastMessages reads messages from a slot downwards, and returns the slot below them; negative: there is none.
func lastMessages(l *loaded, from, most int) (list []state.StoredMessage, next int) {
	t := l.table.sub(messagesTable)
	if t.b == nil {
		return nil, -1
	}
	c, size := t.b.Cursor(), 0
	key, sealed := c.Seek(number8(uint64(from)))
	if key == nil {
		key, sealed = c.Last()
	} else if int(numberOf(key)) > from {
		key, sealed = c.Prev()
	}
	for ; key != nil && t.err == nil; key, sealed = c.Prev() {
		slot := int(numberOf(key))
		if len(list) == most || size > pageBytes {
			return list, slot
		}
		raw, err := unseal(t.seed, key, sealed)
		t.fail(err)
		m, err := decodeMessage(raw)
		t.fail(err)
		list, size = append(list, m), size+len(raw)
	}
	return list, -1
}
