package store

import (
	"context"
	"iter"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// Tail yields the frames after a cursor; see [state.ThreadReader]. Old frames are read from the backend, new ones come
// from the one feed that all readers of the thread in this process share. Once it has begun, a tail waits for a backend
// that is away; one that restarts without the thread ends it. The batches are shared and immutable.
func (s *store) Tail(ctx context.Context, key state.Key, after state.FrameID) iter.Seq2[[]state.Frame, error] {
	return func(yield func([]state.Frame, error) bool) {
		t := &tail{store: s, key: key, at: after}
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
				later = time.After(pollPeriod)
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
	store *store
	key   state.Key
	at    state.FrameID
	born  string // the incarnation of the log
	feed  *feed  // nil until the reader has caught up
	waits bool   // the feed had nothing the last time
}

// next returns the next frames, or a channel to wait on if there are none yet.
func (t *tail) next(ctx context.Context) ([]state.Frame, <-chan struct{}, error) {
	if t.feed == nil && t.born == "" {
		if t.feed = t.store.joinRun(t.key, t.at); t.feed != nil {
			t.born = t.feed.born
		}
	}
	var wake <-chan struct{}
	if t.feed != nil {
		batch, next, ok, err := t.feed.behind(t.at)
		// the run may be lost before its first frame, which the feed never had
		unsure := t.at.Seq == 0 && t.waits && len(batch) == 0
		if err != nil || ok && !unsure {
			t.waits = len(batch) == 0
			t.move(batch)
			return batch, next, err
		}
		if ok {
			wake = next
		}
	}
	page, err := t.store.backend.ReadLog(ctx, t.key, t.at)
	if err != nil {
		return nil, nil, err
	}
	if t.born == "" {
		t.born = page.Born
	}
	unread := t.born == "" && t.at.IsZero()
	if unread || !page.of(t.born) || older(t.at, t.born) {
		return nil, nil, state.ErrUnknownThread
	}
	if page.Lost || !t.at.IsZero() && t.at.Less(page.Cut) {
		return nil, nil, state.ErrTrimmed
	}
	t.at = page.End
	if !page.More && t.feed == nil && page.Born != "" {
		t.feed = t.store.join(ctx, t.key, t.born, page.Last)
	}
	return page.Frames, wake, nil
}

func (t *tail) move(batch []state.Frame) {
	if len(batch) > 0 {
		t.at = batch[len(batch)-1].ID
	}
}

func (t *tail) end() {
	if t.feed != nil {
		t.store.leave(t.feed)
	}
}

// of reports whether the page is of the thread that was born so. One that is gone leaves its log behind, for whoever
// was reading it, or knows a run in it; in the middle of a run it is the log of that run's thread.
func (p *LogPage) of(born string) bool {
	if p.Born == "" {
		return len(p.Frames) > 0 && (p.Marker == "" || p.Marker == born)
	}
	return p.Born == born
}
