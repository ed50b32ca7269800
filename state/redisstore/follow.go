package redisstore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// How much of a log a feed keeps for readers that are a little behind; those that are further go to Redis.
const (
	feedFrames = 1024
	feedBytes  = 512 << 10
)

// A feed is the newest part of one thread's log, for the readers this process has of it. It is filled by one
// follower however many they are, and straight from memory by an owner of the thread that lives here.
type feed struct {
	slot   slot
	born   string
	poked  chan struct{} // the follower is to look again
	leaves chan struct{} // closed when the last reader has left

	readers int // guarded by the store's lock

	mu         sync.Mutex
	frames     []state.Frame // all there are behind from, up to last; only ever appended to or replaced
	size       int
	from, last state.FrameID
	err        error // the log is over
	wake       chan struct{}
}

// join returns the feed of a thread whose log reaches up to at, for one more reader who has read it. [Store.part] gives
// it back.
func (s *Store) join(h slot, born string, at state.FrameID) *feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.feeds[h]
	if f == nil || f.born != born || f.over() != nil {
		f = &feed{
			slot: h, born: born, poked: make(chan struct{}, 1), leaves: make(chan struct{}),
			from: at, last: at, wake: make(chan struct{}),
		}
		s.feeds[h] = f
		s.running.Go(func() { s.follow(f) })
	}
	f.readers++
	return f
}

// part is the end of a reader.
func (s *Store) part(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.readers--; f.readers > 0 {
		return
	}
	close(f.leaves)
	if s.feeds[f.slot] == f {
		delete(s.feeds, f.slot)
	}
}

// follow fills a feed until nobody reads it or its thread is gone. A Redis that is away is waited for.
func (s *Store) follow(f *feed) {
	ctx := context.Background() // closing the connections is what ends a blocked read
	for {
		err := s.protect(func() error { return s.advance(ctx, f) })
		if final(err) {
			f.fail(err)
			return
		}
		wait := time.Duration(0)
		if err != nil {
			wait = block / 4
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

// final reports whether waiting does not help a reader. A Redis that is away may come back; a thread does not.
func final(err error) bool {
	return errors.Is(err, state.ErrUnknownThread) || errors.Is(err, state.ErrDamaged) || errors.Is(err, state.ErrTrimmed) || errors.Is(err, errFrame)
}

// advance waits for what comes next, for a while. While an owner of the thread lives here it brings most by itself:
// the follower comes by now and then, for what the owner may not know.
func (s *Store) advance(ctx context.Context, f *feed) error {
	if !s.owns(f.slot) {
		return s.await(ctx, f)
	}
	select {
	case <-time.After(block):
	case <-f.poked:
	case <-f.leaves:
	case <-s.closed:
	}
	return s.catchUp(ctx, f)
}

// await reads what comes next, for as long as a read blocks: one entry, which may be large, and then what else there is,
// in pieces. When nothing comes it looks whether the thread is still there: a deletion, or a Redis that lost it, wakes no
// reader.
func (s *Store) await(ctx context.Context, f *feed) error {
	streams, err := s.blocking.XRead(ctx, &redis.XReadArgs{
		Streams: []string{s.key(f.slot, partLog), f.end().String()}, Count: 1, Block: block,
	}).Result()
	if errors.Is(err, redis.Nil) || errors.Is(err, redis.ErrPoolTimeout) { // or there is no connection left to wait on
		return s.catchUp(ctx, f)
	}
	if err != nil {
		return err
	}
	for _, stream := range streams {
		for _, entry := range stream.Messages {
			fields := make(map[string]string, len(entry.Values))
			for name, value := range entry.Values {
				fields[name], _ = value.(string)
			}
			id, err := state.ParseFrameID(entry.ID)
			if err != nil {
				return err
			}
			frame, ok, err := parseFrame(entry.ID, fields)
			end := f.end()
			switch {
			case id.Fence != end.Fence || id.Seq != end.Seq+1: // what was between may be trimmed
				return s.catchUp(ctx, f)
			case err != nil:
				return err
			case ok:
				f.add([]state.Frame{frame}, id)
			case fields["d"] != "" && fields["d"] != f.born:
				return state.ErrUnknownThread // deleted, and made again
			default:
				f.add(nil, id)
			}
		}
	}
	f.rouse()
	return s.catchUp(ctx, f)
}

// catchUp reads what there is.
func (s *Store) catchUp(ctx context.Context, f *feed) error {
	for {
		part, err := s.readLog(ctx, f.slot, f.end())
		if err != nil {
			return err
		}
		if !part.of(f.born) {
			return state.ErrUnknownThread
		}
		if f.end().Less(part.cut) {
			return state.ErrTrimmed
		}
		f.add(part.frames, part.end)
		f.rouse()
		if !part.more && part.born != "" {
			return nil
		}
	}
}

// show gives the readers here what an owner here has written behind the frame before, on the thread of a birth.
func (s *Store) show(h slot, born string, frames []state.Frame, before state.FrameID) {
	s.mu.Lock()
	f := s.feeds[h]
	s.mu.Unlock()
	if f == nil || len(frames) == 0 {
		return
	}
	f.mu.Lock()
	behind := f.last.Less(before) // then frames are missing between: the follower brings them all
	f.mu.Unlock()
	if behind || f.born != born { // or the readers' thread is gone, and this is another one: the follower finds out
		f.poke()
		return
	}
	f.add(frames, frames[len(frames)-1].ID)
	f.rouse()
}

func (f *feed) poke() {
	select {
	case f.poked <- struct{}{}:
	default:
	}
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

// add appends what is new of frames, which are all there are up to end.
func (f *feed) add(frames []state.Frame, end state.FrameID) {
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

// rouse wakes the readers.
func (f *feed) rouse() {
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
	f.rouse()
}

// behind returns the frames behind at, or what to wait on if there are none; not ok: the feed does not reach back
// that far.
func (f *feed) behind(at state.FrameID) (batch []state.Frame, wake <-chan struct{}, ok bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at.Less(f.from) {
		return nil, nil, false, f.err
	}
	i, found := slices.BinarySearchFunc(f.frames, at, func(frame state.Frame, at state.FrameID) int { return frame.ID.Compare(at) })
	if found {
		i++
	}
	if i < len(f.frames) {
		return slices.Clip(f.frames[i:]), nil, true, nil
	}
	return nil, f.wake, f.err == nil, f.err
}
