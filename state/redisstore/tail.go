package redisstore

import (
	"context"
	"iter"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// Tail yields the frames behind after; see [state.ThreadReader]. What is old is read from Redis, what is new comes
// from the one feed that all readers of the thread in this process share. Once it has begun, a tail waits for a Redis
// that is away; one that came back without the thread ends it. The batches are shared: nobody may change one.
func (s *Store) Tail(ctx context.Context, key state.Key, after state.FrameID) iter.Seq2[[]state.Frame, error] {
	return func(yield func([]state.Frame, error) bool) {
		t := &tail{store: s, slot: slotOf(key), at: after}
		defer t.end()
		for {
			batch, wake, err := t.next(ctx)
			var later <-chan time.Time
			switch {
			case s.ready(ctx) != nil:
				return
			case err != nil && (t.born == "" || final(err)):
				yield(nil, err)
				return
			case err != nil:
				later = time.After(block / 4)
			case len(batch) > 0:
				if !yield(batch, nil) {
					return
				}
				continue
			case wake == nil:
				continue // there is more to read
			}
			select {
			case <-wake:
			case <-later:
			case <-ctx.Done():
				return
			case <-s.closed:
				return
			}
		}
	}
}

// A tail is one reader's place in a log.
type tail struct {
	store *Store
	slot  slot
	at    state.FrameID
	born  string // whose log it is
	feed  *feed  // nil until the reader has caught up
}

// next returns what comes next, or what to wait on if that is nothing yet.
func (t *tail) next(ctx context.Context) ([]state.Frame, <-chan struct{}, error) {
	if t.feed != nil {
		batch, wake, ok, err := t.feed.behind(t.at)
		if ok || err != nil {
			t.move(batch)
			return batch, wake, err
		}
	}
	part, err := t.store.readLog(ctx, t.slot, t.at)
	if err != nil {
		return nil, nil, err
	}
	if t.born == "" {
		t.born = part.born
	}
	unread := t.born == "" && t.at.IsZero()
	if unread || !part.of(t.born) || older(t.at, t.born) {
		return nil, nil, state.ErrUnknownThread
	}
	if !t.at.IsZero() && t.at.Less(part.cut) {
		return nil, nil, state.ErrTrimmed
	}
	t.at = part.end
	if !part.more && t.feed == nil && part.born != "" {
		t.feed = t.store.join(t.slot, t.born, part.last)
	}
	return part.frames, nil, nil
}

func (t *tail) move(batch []state.Frame) {
	if len(batch) > 0 {
		t.at = batch[len(batch)-1].ID
	}
}

func (t *tail) end() {
	if t.feed != nil {
		t.store.part(t.feed)
	}
}
