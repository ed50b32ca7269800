package filestore

import (
	"context"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// Write applies a transition; see [store.Backend]. It returns once the transition is on the disk.
func (b *backend) Write(ctx context.Context, w *store.Write) (store.Written, error) {
	if err := b.books.Admit(w, b.limits(), b.evict(ctx)); err != nil {
		return store.Written{}, err
	}
	var written store.Written
	err := b.update(ctx, urgent, func(x *txn) (err error) {
		written, err = x.write(w)
		return err
	})
	if err != nil {
		return store.Written{}, err
	}
	return written, nil
}

func (x *txn) write(w *store.Write) (store.Written, error) {
	key := w.Transition.Thread.Key
	l, was, tag := x.read(key)
	if tag == w.Tag {
		return store.Written{Before: was.Last, Last: was.Last}, nil
	}
	next, err := w.Prepare(was, tag, x.now)
	if err != nil {
		return store.Written{}, err
	}
	if w.Begins && tag == "" && next.Fence <= x.floor {
		return store.Written{}, store.ErrConflict // another thread of this name was removed meanwhile
	}
	x.dirty = true
	if l == nil {
		l = x.create(key)
	}
	s := &applier{txn: x, loaded: l, w: w, was: was, next: next}
	s.past()
	s.converse()
	s.tokens()
	s.append(was.Last, w.Transition.Frames)
	if next.Live == nil {
		s.endLog(next.Last, x.now, next.Rev)
	}
	s.attempts()
	s.books()
	s.document()
	return store.Written{Before: was.Last, Last: next.Last}, nil
}

// create makes the table of a thread, and removes the log of an earlier one with its name.
func (x *txn) create(key state.Key) *loaded {
	if old := x.find(key); old != nil {
		x.remove(old)
	}
	l := &loaded{key: key, name: threadName(key)}
	l.table = x.root(threadsTable).make(l.name)
	return l.counting()
}

// An applier writes one transition.
type applier struct {
	*txn
	*loaded
	w         *store.Write
	was, next *state.Thread
}

// tokens writes the tokens that are new or have changed, and deletes the evicted ones.
func (s *applier) tokens() {
	if len(s.w.Transition.Tokens)+len(s.w.Transition.Evicted) == 0 {
		return
	}
	t := s.table.make(tokensTable)
	for _, token := range s.w.Transition.Tokens {
		raw, err := marshal(token)
		s.fail(err)
		t.put(textKey(token.Interrupt.ID), raw)
	}
	for _, id := range s.w.Transition.Evicted {
		t.delete(textKey(id))
	}
}

// attempts writes the live attempt, and the list of live runs in memory.
func (s *applier) attempts() {
	if s.w.Lease != nil {
		s.table.remove(memoTable)
	}
	if s.next.Live == nil {
		s.live[s.key] = nil
		s.table.remove(liveRecord)
		s.table.delete(stoppedKey)
		return
	}
	a := attemptOf(s.next)
	s.live[s.key] = &a
	live := *s.next.Live
	live.Memo, live.Stopped, live.ReadUntil = nil, false, time.Time{}
	raw, err := marshal(live)
	s.fail(err)
	s.setValue(liveRecord, raw)
	if s.was.Live == nil {
		s.table.delete(stoppedKey)
	}
}

// books updates the indexes of the thread.
func (s *applier) books() {
	index := s.root(indexTable)
	if s.was.Rev > 0 {
		index.delete(indexName(s.key.Principal, state.CursorOf(s.was)))
	}
	index.put(indexName(s.key.Principal, state.CursorOf(s.next)), nil)
	s.queues[s.key] = s.next.Queue
	live := s.root(liveTable)
	if s.next.Live != nil {
		live.put(s.name, nil)
	} else if s.was.Live != nil {
		live.delete(s.name)
	}
}

// document writes the document last, because the other parts change it.
func (s *applier) document() {
	s.doc.Tag, s.doc.Deadline, s.doc.Asks = s.w.Tag, s.w.Deadline, s.w.AsksUntil
	if s.was.Rev == 0 {
		s.doc.Born = s.w.Born
	}
	s.setValue(checkpointRecord, s.next.Checkpoint)
	s.doc.Thread = s.next
	s.trim(s.loaded, s.now.Add(-s.b.o.LogTTL))
	s.save(s.loaded)
}

// save writes the document of a thread, and its next deadline.
func (x *txn) save(l *loaded) {
	next := x.nextDue(l)
	if !next.Equal(l.doc.Due) {
		due := x.root(dueTable)
		if !l.doc.Due.IsZero() {
			due.delete(dueName(l.doc.Due, l.name))
		}
		if !next.IsZero() {
			due.put(dueName(next, l.name), nil)
		}
		l.doc.Due = next
	}
	t := *l.doc.Thread
	t.Checkpoint, t.Live, t.Queue, t.Last = nil, nil, nil, state.FrameID{}
	doc := l.doc
	doc.Thread = &t
	raw, err := marshal(doc)
	x.fail(err)
	l.table.put(docKey, raw)
	x.book(l)
}
