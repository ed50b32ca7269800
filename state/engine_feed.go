package state

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// How much of a log a feed keeps for readers that are a little behind; those that are further read the backend.
const (
	feedFrames = 1024
	feedBytes  = 512 << 10
)

// pollPeriod is how often a log is looked at that an owner here writes too: the backend may know what the owner does not.
const pollPeriod = time.Second

// A feed is the newest part of one thread's log, for the readers this process has of it. It is filled straight from memory
// by an owner of the thread that lives here and, if other processes write the backend too, by one follower however many
// readers there are.
type feed struct {
	key    Key
	thread string // the key's digest
	born   string
	poll   chan struct{} // the follower is to look again
	leaves chan struct{} // closed when the last reader has left

	readers int // guarded by the store's lock

	mu         sync.Mutex
	frames     []Frame // all there are behind from, up to last; only ever appended to or replaced
	size       int
	from, last FrameID
	err        error // the log is over
	wake       chan struct{}
}

// join returns the feed of a thread whose log reaches up to at, for one more reader who has read it. [store.leave] gives
// it back.
func (s *store) join(ctx context.Context, key Key, born string, at FrameID) *feed {
	thread := key.Digest()
	s.mu.Lock()
	f := s.feeds[thread]
	made := f == nil || f.born != born || f.over() != nil
	if made {
		f = &feed{
			key: key, thread: thread, born: born, poll: make(chan struct{}, 1), leaves: make(chan struct{}),
			from: at, last: at, wake: make(chan struct{}),
		}
		s.feeds[thread] = f
	}
	f.readers++
	s.mu.Unlock()
	switch {
	case !made:
	case s.waiter != nil:
		s.running.Go(func() { s.follow(f) })
	default:
		s.lookAgain(ctx, thread) // for what was written before anybody knew of the feed
	}
	return f
}

// leave is the end of a reader.
func (s *store) leave(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.readers--; f.readers > 0 {
		return
	}
	close(f.leaves)
	if s.feeds[f.thread] == f {
		delete(s.feeds, f.thread)
	}
}

// lookAgain brings the readers of a thread up to the log's end.
func (s *store) lookAgain(ctx context.Context, thread string) {
	s.mu.Lock()
	f := s.feeds[thread]
	s.mu.Unlock()
	if f == nil {
		return
	}
	if err := s.catchUp(ctx, f); final(err) { // else the follower finds out
		f.fail(err)
	}
}

// follow fills a feed until nobody reads it or its thread is gone. A backend that is away is waited for.
func (s *store) follow(f *feed) {
	ctx := context.Background() // closing the backend is what ends a wait
	for {
		err := s.protect(func() error { return s.advance(ctx, f) })
		if final(err) {
			f.fail(err)
			return
		}
		wait := time.Duration(0)
		if err != nil {
			wait = pollPeriod / 4
		}
		select {
		case <-f.leaves:
			return
		case <-s.closed:
			return
		case <-time.After(wait):
		}
	}
}

// final reports whether waiting does not help a reader. A backend that is away may come back; a thread does not.
func final(err error) bool {
	return errors.Is(err, ErrUnknownThread) || errors.Is(err, ErrDamaged) || errors.Is(err, ErrLater) || errors.Is(err, ErrTrimmed)
}

// advance waits for what comes next, for a while. While an owner of the thread lives here it brings most by itself: the
// follower comes by now and then, for what the owner may not know.
func (s *store) advance(ctx context.Context, f *feed) error {
	if !s.owns(f.thread) {
		page, err := s.waiter.WaitLog(ctx, f.key, f.end())
		if err != nil {
			return err
		}
		if more, err := f.take(page); err != nil || !more {
			return err
		}
		return s.catchUp(ctx, f)
	}
	select {
	case <-time.After(pollPeriod):
	case <-f.poll:
	case <-f.leaves:
	case <-s.closed:
	}
	return s.catchUp(ctx, f)
}

// catchUp reads what there is.
func (s *store) catchUp(ctx context.Context, f *feed) error {
	for {
		page, err := s.backend.ReadLog(ctx, f.key, f.end())
		if err != nil {
			return err
		}
		if more, err := f.take(page); err != nil || !more {
			return err
		}
	}
}

// show gives the readers here what an owner here has written behind the frame before, on the thread of a birth.
func (s *store) show(ctx context.Context, thread, born string, frames []Frame, before FrameID) {
	s.mu.Lock()
	f := s.feeds[thread]
	s.mu.Unlock()
	switch {
	case f == nil || len(frames) == 0:
	case f.born == born && !f.end().Less(before):
		f.add(frames, frames[len(frames)-1].ID)
		f.wakeReaders()
	case s.waiter != nil: // frames are missing between, or the readers' thread is gone and this is another one
		f.requestPoll()
	default:
		s.lookAgain(ctx, thread)
	}
}

// take adds a page, and reports whether there may be more to read.
func (f *feed) take(page *LogPage) (more bool, err error) {
	if !page.of(f.born) {
		return false, ErrUnknownThread
	}
	if f.end().Less(page.Cut) {
		return false, ErrTrimmed
	}
	f.add(page.Frames, page.End)
	f.wakeReaders()
	return page.More || page.Born == "", nil
}

func (f *feed) requestPoll() {
	select {
	case f.poll <- struct{}{}:
	default:
	}
}

func (f *feed) end() FrameID {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

func (f *feed) over() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// add appends what is new of frames, which are all there are up to end.
func (f *feed) add(frames []Frame, end FrameID) {
	f.mu.Lock()
	defer f.mu.Unlock()
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

// clear lets go of all frames: readers that are behind read the backend.
func (f *feed) clear() {
	f.mu.Lock()
	f.frames, f.size, f.from = nil, 0, f.last
	f.mu.Unlock()
	f.wakeReaders()
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

// behind returns the frames behind at, or what to wait on if there are none; not ok: the feed does not reach back that far.
func (f *feed) behind(at FrameID) (batch []Frame, wake <-chan struct{}, ok bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at.Less(f.from) {
		return nil, nil, false, nil
	}
	i, found := slices.BinarySearchFunc(f.frames, at, func(frame Frame, at FrameID) int { return frame.ID.Compare(at) })
	if found {
		i++
	}
	if i < len(f.frames) {
		return slices.Clip(f.frames[i:]), nil, true, nil
	}
	return nil, f.wake, f.err == nil, f.err
}
