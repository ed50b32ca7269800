package state

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// How much of a log a feed keeps for readers that are a little behind; those that are further read the backend.
const (
	feedFrames = 1024
	feedBytes  = 512 << 10
)

// pollPeriod is how soon a log is looked at again that could not be read, or of which nobody tells when it grows.
const pollPeriod = time.Second / 4

// A feed is the newest part of one thread's log, for the readers this process has of it. It is filled straight from memory
// by an owner of the thread that lives here and, if other processes write the backend too, by reading what the backend tells of, once
// however many readers there are. A feed of which nothing comes holds no goroutine.
type feed struct {
	key    Key
	thread string // the key's digest
	born   string
	number int64         // those of a thread grow
	leaves chan struct{} // closed when the last reader has left

	readers int // guarded by the store's lock

	mu         sync.Mutex
	frames     []Frame // all there are behind from, up to last; only ever appended to or replaced
	size       int
	from, last FrameID
	err        error // the log is over
	wake       chan struct{}
	refreshing bool // a goroutine reads the backend
	again      bool // and is to look again
	followed   bool // the backend was asked to tell of the log
}

// join returns the feed of a thread whose log reaches up to at, for one more reader who has read it. [store.leave] gives
// it back.
func (s *store) join(ctx context.Context, key Key, born string, at FrameID) *feed {
	thread := key.Digest()
	s.mu.Lock()
	before := s.feeds[thread]
	f := before
	made := f == nil || f.born != born || f.over() != nil
	if made {
		s.numbered = max(s.numbered+1, time.Now().UnixMicro())
		f = &feed{
			key: key, thread: thread, born: born, number: s.numbered, leaves: make(chan struct{}),
			from: at, last: at, wake: make(chan struct{}),
		}
		s.feeds[thread] = f
	}
	f.readers++
	of := s.owned[thread]
	s.mu.Unlock()
	if made && before != nil && before.over() == nil && s.follower != nil {
		s.refreshFeed(before) // its readers learn that their thread is gone, which nobody would tell them any more
	}
	switch {
	case !made || of.owners > 0 && of.last == at: // what comes next will be shown
	case s.follower != nil:
		s.refreshFeed(f)
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

// refresh has the feed of a thread, or every feed if none is named, brought up to the log's end, because somebody else may have written it.
func (s *store) refresh(thread string) {
	s.mu.Lock()
	feeds := s.feeds
	if thread != "" {
		feeds = map[string]*feed{}
		if f := s.feeds[thread]; f != nil {
			feeds[thread] = f
		}
		if of, ok := s.owned[thread]; ok {
			s.owned[thread] = owned{owners: of.owners} // whoever joins next looks, too
		}
	}
	looks := slices.Collect(maps.Values(feeds))
	s.mu.Unlock()
	for _, f := range looks {
		s.refreshFeed(f)
	}
}

// refreshSoon is refresh for a thread whose run here has ended: most who have read it leave at once, and nobody has to follow it for them.
func (s *store) refreshSoon(thread string) {
	s.mu.Lock()
	read := s.feeds[thread] != nil
	s.mu.Unlock()
	if read {
		time.AfterFunc(pollPeriod/4, func() { s.refresh(thread) })
	}
}

// refreshFeed has a feed brought up to the log's end, by one goroutine at a time.
func (s *store) refreshFeed(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock() // so that closing waits for whoever begins before
	if s.ready(context.Background()) == nil && f.beginRefresh() {
		s.running.Go(func() { s.refreshUntilTold(f) })
	}
}

// refreshUntilTold reads what there is until the backend tells of what comes next, nobody reads the feed, or its thread is gone. A backend that
// is away is waited for.
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

// endRefresh reports whether a look is over: it is not if somebody has asked for another meanwhile.
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
	return errors.Is(err, ErrUnknownThread) || errors.Is(err, ErrDamaged) || errors.Is(err, ErrLater) || errors.Is(err, ErrTrimmed)
}

// refollowPeriod is how often every log that is followed is looked at all the same: a backend forgets who has long not been heard of.
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

// advance reads what there is, and reports whether the backend tells of what comes next. What an owner of the thread that lives here writes
// is not told but shown.
func (s *store) advance(f *feed) (told bool, err error) {
	ctx := context.Background() // closing the backend is what ends a call
	for {
		f.follow()
		page, told, err := s.follower.FollowLog(ctx, f.key, f.end(), f.number)
		if err != nil {
			return told, err
		}
		if more, err := f.take(page); err != nil || !more {
			return told, err
		}
	}
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
	if len(frames) == 0 {
		return
	}
	last := frames[len(frames)-1].ID
	s.mu.Lock()
	f := s.feeds[thread]
	if of, ok := s.owned[thread]; ok {
		of.last = last
		s.owned[thread] = of
	}
	s.mu.Unlock()
	switch {
	case f == nil:
	case f.born == born && !f.end().Less(before):
		f.add(frames, last)
		f.wakeReaders()
	case s.follower != nil: // frames are missing between, or the readers' thread is gone and this is another one
		s.refreshFeed(f)
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

// beginRefresh reports whether the caller is the one who looks; else whoever does will look again.
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

// endRefresh reports whether nobody has asked for another look meanwhile; then the caller's is over. Followed: the backend tells of the log.
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

// given reports whether the backend tells of the log to nobody who still looks, and is to be told so.
func (f *feed) given() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.followed && !f.refreshing
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
