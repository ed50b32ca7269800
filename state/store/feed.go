package store

import (
	"slices"
	"sync"

	"github.com/agui-gateway/gateway/state"
)

// How much of a log a feed keeps for readers that are a little behind; those that are further read the backend.
const (
	feedFrames = 1024
	feedBytes  = 512 << 10
	// unreadBytes is how much of a run is kept for a future reader.
	unreadBytes = 64 << 10
)

// A feed is the newest part of one thread's log, for the readers this process has of it. It is filled straight from
// memory by an owner of the thread that lives here and, if other processes write the backend too, by reading what the
// backend tells of, once however many readers there are. A feed of which nothing comes holds no goroutine.
type feed struct {
	key    state.Key
	thread string // the key's digest
	born   string
	number int64         // those of a thread grow
	leaves chan struct{} // closed when the last reader has left

	readers int // guarded by the store's lock
	// begun is the place before a run that an owner here began when nothing was missing in the feed, which is kept
	// while that run lives even if it has no reader. It is guarded by the store's lock.
	begun state.FrameID

	mu         sync.Mutex
	frames     []state.Frame // all there are behind from, up to last; only ever appended to or replaced
	size       int
	from, last state.FrameID
	err        error // the log is over
	wake       chan struct{}
	refreshing bool // a goroutine reads the backend
	again      bool // and is to look again
	followed   bool // the backend was asked to tell of the log
}

// take adds a page that was read from after on, and reports whether there may be more to read. If an owner in this
// process has added frames meanwhile, take reports true without adding the page, and the caller reads from the new end.
func (f *feed) take(page *LogPage, after state.FrameID) (more bool, err error) {
	if !page.of(f.born) {
		return false, state.ErrUnknownThread
	}
	end := f.end()
	if page.Lost || end.Less(page.Cut) {
		return false, state.ErrTrimmed
	}
	if end != after && end.Less(page.End) {
		return true, nil
	}
	f.add(page.Frames, page.End)
	f.wakeReaders()
	return page.More || page.Born == "", nil
}

// beginRefresh reports whether the caller has to refresh; otherwise the running refresh starts over.
func (f *feed) beginRefresh() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refreshing {
		f.again = true
		return false
	}
	f.refreshing = true
	return true
}

// endRefresh reports whether the refresh is over, without a request for another one meanwhile. Followed: the backend
// follows the log.
func (f *feed) endRefresh() (over, followed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refreshing, f.again = f.again, false
	return !f.refreshing, f.followed
}

// follow notes that the backend is asked to tell of the log.
func (f *feed) follow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.followed = true
}

// given reports whether the backend still follows the log although no refresh needs it.
func (f *feed) given() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.followed && !f.refreshing
}

func (f *feed) end() state.FrameID {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

func (f *feed) over() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// continues reports whether frames, which an owner in this process appended after the frame before, continue the feed.
// If the backend has lost frames of the feed, their owner may append them again. Frames of another fence then begin at
// an earlier place.
func (f *feed) continues(frames []state.Frame, before state.FrameID) bool {
	end := f.end()
	return before == end || before.Less(end) && frames[0].ID.Fence == end.Fence
}

// add appends the new ones of frames, which are complete up to end, and returns how many bytes the feed has then.
func (f *feed) add(frames []state.Frame, end state.FrameID) (size int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frames = slices.Grow(f.frames, len(frames))
	for _, frame := range frames {
		if f.last.Less(frame.ID) {
			f.frames = append(f.frames, frame)
			f.size += len(frame.Data)
			f.last = frame.ID
		}
	}
	if f.last.Less(end) {
		f.last = end
	}
	if len(f.frames) > feedFrames || f.size > feedBytes {
		f.shrink()
	}
	return f.size
}

// shrink lets go of the older half, which waiting readers have had long ago.
func (f *feed) shrink() {
	half := (len(f.frames) + 1) / 2
	f.from = f.frames[half-1].ID
	f.frames = slices.Clone(f.frames[half:])
	f.size = 0
	for _, frame := range f.frames {
		f.size += len(frame.Data)
	}
}

// wakeReaders wakes those who have read all there was.
func (f *feed) wakeReaders() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.wake)
	f.wake = make(chan struct{})
}

// fail ends the feed for its readers.
func (f *feed) fail(err error) {
	f.mu.Lock()
	f.err = err
	f.mu.Unlock()
	f.wakeReaders()
}

// behind returns the frames behind at, or what to wait on if there are none; not ok: the feed does not reach back that
// far.
func (f *feed) behind(at state.FrameID) (batch []state.Frame, wake <-chan struct{}, ok bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at.Less(f.from) {
		return nil, nil, false, nil
	}
	compare := func(frame state.Frame, at state.FrameID) int { return frame.ID.Compare(at) }
	i, found := slices.BinarySearchFunc(f.frames, at, compare)
	if found {
		i++
	}
	if i < len(f.frames) {
		if !found && at != f.from && at.Fence != f.frames[i].ID.Fence {
			return nil, nil, false, nil // the backend says whether the log has lost the reader's place
		}
		return slices.Clip(f.frames[i:]), nil, true, nil
	}
	return nil, f.wake, f.err == nil, f.err
}
