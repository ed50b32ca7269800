package state

import (
	"context"
	"iter"
	"slices"
	"time"
)

// A log is the frames of a thread's runs, as far back as they are kept. It is guarded by its room's lock.
type log struct {
	frames []Frame  // only ever appended to or replaced, so that readers may hold a part of it
	last   FrameID  // also when frames is empty
	ends   []logEnd // of the runs that are over, oldest first
	// trimmed is the revision at which the newest run ended that is not kept any more, cut is its last frame.
	trimmed int64
	cut     FrameID
	grows   waker // wakes readers; also when the room is gone
}

// A logEnd is the end of a run in the log.
type logEnd struct {
	last FrameID
	at   time.Time
	rev  int64
}

// append adds the frames that are not there yet, and wakes the readers.
func (l *log) append(frames []Frame) {
	for len(frames) > 0 && frames[0].ID.Compare(l.last) <= 0 {
		frames = frames[1:]
	}
	if len(frames) == 0 {
		return
	}
	l.frames = append(l.frames, frames...)
	l.last = frames[len(frames)-1].ID
	l.grows.wakeAll()
}

// end notes that what is in the log now belongs to runs that are over at revision rev.
func (l *log) end(now time.Time, rev int64) {
	n := len(l.ends)
	switch {
	case len(l.frames) == 0:
		l.trimmed = rev
	case n > 0 && l.ends[n-1].last == l.last:
		l.ends[n-1].rev = rev
	default:
		l.ends = append(l.ends, logEnd{last: l.last, at: now, rev: rev})
	}
}

// oldest is when the oldest run that is kept ended.
func (l *log) oldest() (time.Time, bool) {
	if len(l.ends) == 0 {
		return time.Time{}, false
	}
	return l.ends[0].at, true
}

// trim lets go of the runs that ended at cutoff or before.
func (l *log) trim(cutoff time.Time) {
	n := 0
	for n < len(l.ends) && !l.ends[n].at.After(cutoff) {
		n++
	}
	l.drop(n)
}

// drop lets go of the n oldest runs that are over.
func (l *log) drop(n int) {
	if n == 0 {
		return
	}
	l.frames = slices.Clone(l.frames[l.find(l.ends[n-1].last):])
	l.trimmed, l.cut = l.ends[n-1].rev, l.ends[n-1].last
	l.ends = slices.Clone(l.ends[n:])
}

// find returns the index of the first frame behind id.
func (l *log) find(id FrameID) int {
	i, found := slices.BinarySearchFunc(l.frames, id, func(f Frame, id FrameID) int { return f.ID.Compare(id) })
	if found {
		i++
	}
	return i
}

func (l *log) has(id FrameID) bool {
	i := l.find(id)
	return i > 0 && l.frames[i-1].ID == id
}

// Tail yields the frames behind after; see [ThreadReader]. The batches are shared: nobody may change one.
func (m *Memory) Tail(ctx context.Context, key Key, after FrameID) iter.Seq2[[]Frame, error] {
	return func(yield func([]Frame, error) bool) {
		r := m.logged(key, after)
		if r == nil {
			yield(nil, ErrUnknownThread)
			return
		}
		for {
			batch, wake, err := m.behind(r, after)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(batch) > 0 {
				after = batch[len(batch)-1].ID
				if !yield(batch, nil) {
					return
				}
				continue
			}
			select {
			case <-wake:
			case <-ctx.Done():
				return
			case <-m.closed:
				return
			}
		}
	}
}

// logged returns the room whose log has, or had, the place after; nil if there is none. Of a thread that is gone only who
// knows a run reads on.
func (m *Memory) logged(key Key, after FrameID) *room {
	if r, err := m.existing(key); err == nil {
		defer m.leave(r)
		if !after.IsZero() && after.Fence < r.born {
			return nil
		}
		return r
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.dead {
		if r.key == key && after.Fence >= r.born && after.Fence <= r.log.last.Fence && !after.IsZero() {
			return r
		}
	}
	return nil
}

// behind returns what the room's log has behind after, and what to wait on if that is nothing. A room that is gone has
// its log still, for those who have been reading it.
func (m *Memory) behind(r *room, after FrameID) ([]Frame, <-chan struct{}, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trim(m.o.Now().Add(-m.o.LogTTL))
	if !after.IsZero() && after.Less(r.log.cut) {
		return nil, nil, ErrTrimmed
	}
	if frames := r.log.frames[r.log.find(after):]; len(frames) > 0 {
		return slices.Clip(frames), nil, nil
	}
	if r.gone || m.expired(r) {
		return nil, nil, ErrUnknownThread
	}
	return nil, r.log.grows.wait(), nil
}

// Holds reports whether the log still has the frame.
func (m *Memory) Holds(_ context.Context, key Key, id FrameID) (bool, error) {
	r, err := m.existing(key)
	if err != nil {
		return false, err
	}
	defer m.leave(r)
	r.trim(m.o.Now().Add(-m.o.LogTTL))
	return r.log.has(id), nil
}
