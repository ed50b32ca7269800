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
	l, was, tag, err := x.read(key)
	if err != nil {
		return store.Written{}, err
	}
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
		if l, err = x.create(key); err != nil {
			return store.Written{}, err
		}
	}
	s := &applier{txn: x, loaded: l, w: w, was: was, next: next}
	if err := s.write(); err != nil {
		return store.Written{}, err
	}
	return store.Written{Before: was.Last, Last: next.Last}, nil
}

// create makes the table of a thread, and removes the log of an earlier one with its name.
func (x *txn) create(key state.Key) (*loaded, error) {
	old, err := find(x.tx, key)
	if err != nil {
		return nil, err
	}
	if old != nil {
		if err := x.remove(old); err != nil {
			return nil, err
		}
	}
	l := &loaded{key: key, name: threadName(key)}
	l.table, err = rootTable(x.tx, threadsTable).make(l.name)
	return l.counting(), err
}

// An applier writes one transition.
type applier struct {
	*txn
	*loaded
	w         *store.Write
	was, next *state.Thread
}

func (s *applier) write() error {
	for _, part := range []func() error{s.past, s.converse, s.tokens, s.frames, s.attempts, s.books, s.document} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// tokens writes the tokens that are new or have changed, and deletes the evicted ones.
func (s *applier) tokens() error {
	if len(s.w.Transition.Tokens)+len(s.w.Transition.Evicted) == 0 {
		return nil
	}
	t, err := s.table.make(tokensTable)
	if err != nil {
		return err
	}
	for _, token := range s.w.Transition.Tokens {
		raw, err := marshal(token)
		if err != nil {
			return err
		}
		if err := t.put(textKey(token.Interrupt.ID), raw); err != nil {
			return err
		}
	}
	for _, id := range s.w.Transition.Evicted {
		if err := t.delete(textKey(id)); err != nil {
			return err
		}
	}
	return nil
}

// frames writes the frames, and the end of a run.
func (s *applier) frames() error {
	if err := s.append(s.was.Last, s.w.Transition.Frames); err != nil {
		return err
	}
	if s.next.Live != nil {
		return nil
	}
	return s.endLog(s.next.Last, s.now, s.next.Rev)
}

// attempts writes the live attempt, and the list of live runs in memory.
func (s *applier) attempts() error {
	if s.w.Lease != nil {
		if err := s.table.remove(memoTable); err != nil {
			return err
		}
	}
	if s.next.Live == nil {
		s.live[s.key] = nil
		if err := s.table.remove(liveRecord); err != nil {
			return err
		}
		return s.table.delete(stoppedKey)
	}
	a := attemptOf(s.next)
	s.live[s.key] = &a
	live := *s.next.Live
	live.Memo, live.Stopped, live.ReadUntil = nil, false, time.Time{}
	raw, err := marshal(live)
	if err != nil {
		return err
	}
	if err := s.setValue(liveRecord, raw); err != nil {
		return err
	}
	if s.was.Live == nil {
		return s.table.delete(stoppedKey)
	}
	return nil
}

// books updates the indexes of the thread.
func (s *applier) books() error {
	index := rootTable(s.tx, indexTable)
	if s.was.Rev > 0 {
		if err := index.delete(indexName(s.key.Principal, state.CursorOf(s.was))); err != nil {
			return err
		}
	}
	if err := index.put(indexName(s.key.Principal, state.CursorOf(s.next)), nil); err != nil {
		return err
	}
	s.queues[s.key] = s.next.Queue
	live := rootTable(s.tx, liveTable)
	if s.next.Live != nil {
		if err := live.put(s.name, nil); err != nil {
			return err
		}
	} else if s.was.Live != nil {
		if err := live.delete(s.name); err != nil {
			return err
		}
	}
	return nil
}

// document writes the document last, because the other parts change it.
func (s *applier) document() error {
	s.doc.Tag, s.doc.Deadline, s.doc.Asks = s.w.Tag, s.w.Deadline, s.w.AsksUntil
	if s.was.Rev == 0 {
		s.doc.Born = s.w.Born
	}
	if err := s.setValue(checkpointRecord, s.next.Checkpoint); err != nil {
		return err
	}
	s.doc.Thread = s.next
	if err := s.trim(s.loaded, s.now.Add(-s.b.o.LogTTL)); err != nil {
		return err
	}
	return s.save(s.loaded)
}

// save writes the document of a thread, and its next deadline.
func (x *txn) save(l *loaded) error {
	next, err := x.nextDue(l)
	if err != nil {
		return err
	}
	if !next.Equal(l.doc.Due) {
		due := rootTable(x.tx, dueTable)
		if !l.doc.Due.IsZero() {
			if err := due.delete(dueName(l.doc.Due, l.name)); err != nil {
				return err
			}
		}
		if !next.IsZero() {
			if err := due.put(dueName(next, l.name), nil); err != nil {
				return err
			}
		}
		l.doc.Due = next
	}
	t := *l.doc.Thread
	t.Checkpoint, t.Live, t.Queue, t.Last = nil, nil, nil, state.FrameID{}
	doc := l.doc
	doc.Thread = &t
	raw, err := marshal(doc)
	if err != nil {
		return err
	}
	if err := l.table.put(docKey, raw); err != nil {
		return err
	}
	return x.book(l)
}
