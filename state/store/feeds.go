package store

import (
	"context"
	"errors"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// pollPeriod is the time until the next reading of a log that could not be read, or has no notices of growth.
const pollPeriod = time.Second / 4

// join returns the feed of a thread with a log up to at, for one more reader that has read it. [store.leave] gives
// it back.
func (s *store) join(ctx context.Context, key state.Key, born string, at state.FrameID) *feed {
	thread := key.Digest()
	s.mu.Lock()
	before := s.feeds[thread]
	f := before
	made := f == nil || f.born != born || f.over() != nil
	if made && before != nil && before.readers == 0 {
		s.drop(before)
		before = nil
	}
	if made {
		f = s.newFeed(key, thread, born, at)
	}
	f.readers++
	last, shown := s.shown[thread]
	s.mu.Unlock()
	if made && before != nil && before.over() == nil && s.follower != nil {
		// its readers learn that their thread is gone: there is no later event that would wake them
		s.refreshFeed(before)
	}
	switch {
	case !made || shown && last == at: // the attempt gives the next frames to the feed
	case s.follower != nil:
		s.refreshFeed(f)
	default:
		s.lookAgain(ctx, thread) // for frames from before the feed
	}
	return f
}

// newFeed makes the feed of a thread. The caller holds the store's lock.
func (s *store) newFeed(key state.Key, thread, born string, at state.FrameID) *feed {
	s.numbered = max(s.numbered+1, time.Now().UnixMicro())
	f := &feed{
		key: key, thread: thread, born: born, number: s.numbered, leaves: make(chan struct{}),
		from: at, last: at, wake: make(chan struct{}),
	}
	s.feeds[thread] = f
	return f
}

// expect has a feed ready for the reader of a run that an owner here has begun behind a frame: most are read at once,
// from their beginning on.
func (s *store) expect(r *Record, at state.FrameID) {
	thread := r.Thread.Key.Digest()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owners[attemptKey{thread, r.Thread.Fence}] == nil {
		return // the run is over, and its end would not let go of the feed any more
	}
	f := s.feeds[thread]
	if f == nil {
		f = s.newFeed(r.Thread.Key, thread, r.Born, at)
	}
	if f.born == r.Born && f.over() == nil && f.end() == at {
		f.begun = state.FrameID{Fence: r.Thread.Fence}
	}
}

// joinRun returns the feed of a thread for a reader at the beginning of the run of this process, nil if the feed does
// not reach back to that. [store.leave] gives it back.
func (s *store) joinRun(key state.Key, at state.FrameID) *feed {
	thread := key.Digest()
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.feeds[thread]
	if f == nil || at.IsZero() || f.begun != at || s.owners[attemptKey{thread, at.Fence}] == nil {
		return nil
	}
	f.readers++
	return f
}

// leave is the end of a reader.
func (s *store) leave(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.readers--; f.readers == 0 {
		s.drop(f)
	}
}

// dropUnread lets go of the feed of a thread if it has no reader, and reports whether there is one that has.
func (s *store) dropUnread(thread string) (read bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.feeds[thread]
	if f != nil && f.readers == 0 {
		s.drop(f)
		return false
	}
	return f != nil
}

// drop lets go of a feed that has no reader. The caller holds the store's lock.
func (s *store) drop(f *feed) {
	close(f.leaves)
	if s.feeds[f.thread] == f {
		delete(s.feeds, f.thread)
	}
	if f.given() {
		s.follower.UnfollowLog(f.key, f.number)
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

// refresh has the feed of a thread, or every feed if none is named, brought up to the log's end, because somebody else
// may have written it.
func (s *store) refresh(thread string) {
	s.mu.Lock()
	feeds := s.feeds
	if thread != "" {
		feeds = map[string]*feed{}
		if f := s.feeds[thread]; f != nil {
			feeds[thread] = f
		}
		delete(s.shown, thread) // the next reader that joins looks, too
	}
	var looks []*feed
	for _, f := range feeds {
		if f.readers == 0 {
			s.drop(f)
			continue
		}
		f.begun = state.FrameID{} // nor is the feed to be relied on
		looks = append(looks, f)
	}
	s.mu.Unlock()
	for _, f := range looks {
		s.refreshFeed(f)
	}
}

// endFeed is the end of a run here for the feed of its thread. Most readers of the run leave at once, and following the
// log would be wasted; some are a little behind.
func (s *store) endFeed(thread string) {
	if !s.dropUnread(thread) {
		return
	}
	time.AfterFunc(pollPeriod/4, func() {
		if s.follower != nil {
			s.refresh(thread)
		} else {
			s.clearFeed(thread) // the backend has the log from here on
		}
	})
}

// refreshFeed has a feed brought up to the log's end, by one goroutine at a time.
func (s *store) refreshFeed(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock() // so that closing waits for whoever begins before
	if s.ready(context.Background()) == nil && f.beginRefresh() {
		s.running.Go(func() { s.refreshUntilTold(f) })
	}
}

// refreshUntilTold reads the log until the backend follows it, the feed has no reader, or its thread is gone. A backend
// that is away is waited for.
func (s *store) refreshUntilTold(f *feed) {
	for {
		told := false
		err := s.protect(func() (err error) {
			told, err = s.advance(f)
			return err
		})
		if final(err) {
			f.fail(err)
			return
		}
		wait := pollPeriod
		if err == nil && told {
			if s.endRefresh(f) {
				return
			}
			wait = 0
		}
		select {
		case <-f.leaves:
			s.endRefresh(f)
			return
		case <-s.closed:
			return
		case <-time.After(wait):
		}
	}
}

// endRefresh reports whether a refresh is over: it is not if another one was requested meanwhile.
func (s *store) endRefresh(f *feed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	over, followed := f.endRefresh()
	if f.readers > 0 {
		return over
	}
	if followed {
		s.follower.UnfollowLog(f.key, f.number)
	}
	return true
}

// final reports whether waiting does not help a reader. A backend that is away may come back; a thread does not.
func final(err error) bool {
	return errors.Is(err, state.ErrUnknownThread) || errors.Is(err, state.ErrDamaged) ||
		errors.Is(err, state.ErrLater) || errors.Is(err, state.ErrTrimmed)
}

// refollowPeriod is how often followed logs are read without a notice: a backend drops silent followers.
const refollowPeriod = 6 * time.Hour

// refollow looks at the logs that are followed, until the store is closed.
func (s *store) refollow() {
	for ticker := time.NewTicker(refollowPeriod); ; {
		select {
		case <-ticker.C:
			s.refresh("")
		case <-s.closed:
			ticker.Stop()
			return
		}
	}
}

// advance reads the log, and reports whether the backend follows it. Frames of an owner in this process come directly.
func (s *store) advance(f *feed) (told bool, err error) {
	ctx := context.Background() // closing the backend is what ends a call
	for {
		f.follow()
		after := f.end()
		page, told, err := s.follower.FollowLog(ctx, f.key, after, f.number)
		if err != nil {
			return told, err
		}
		if more, err := f.take(page, after); err != nil || !more {
			return told, err
		}
	}
}

// catchUp reads what there is.
func (s *store) catchUp(ctx context.Context, f *feed) error {
	for {
		after := f.end()
		page, err := s.backend.ReadLog(ctx, f.key, after)
		if err != nil {
			return err
		}
		if more, err := f.take(page, after); err != nil || !more {
			return err
		}
	}
}

// show gives the readers here what an owner here has written behind the frame before, on the thread of a birth.
func (s *store) show(ctx context.Context, thread, born string, frames []state.Frame, before state.FrameID) {
	if len(frames) == 0 {
		return
	}
	last := frames[len(frames)-1].ID
	s.mu.Lock()
	f := s.feeds[thread]
	unread := f != nil && f.readers == 0
	// not an attempt of another store, which shows the next frame there
	if s.owners[attemptKey{thread, last.Fence}] != nil {
		s.shown[thread] = last
	}
	s.mu.Unlock()
	switch {
	case f == nil:
	case f.born == born && f.continues(frames, before):
		if size := f.add(frames, last); unread && size > unreadBytes {
			s.dropUnread(thread)
		}
		f.wakeReaders()
	// frames are missing between, the backend has lost some, or the readers' thread is gone and this is another one
	case s.follower != nil:
		s.refreshFeed(f)
	default:
		s.lookAgain(ctx, thread)
	}
}

// clearFeed lets go of all frames of a thread's feed: readers that are behind read the backend.
func (s *store) clearFeed(thread string) {
	s.mu.Lock()
	f := s.feeds[thread]
	s.mu.Unlock()
	if f == nil {
		return
	}
	f.mu.Lock()
	f.frames, f.size, f.from = nil, 0, f.last
	f.mu.Unlock()
	f.wakeReaders()
}
