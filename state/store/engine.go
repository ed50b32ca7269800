package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// Options configure a store. The zero value is good.
type Options struct {
	// ThreadTTL is how long a thread is kept after its last transition, [state.MaxTTL] at most; 0 means 30 days.
	ThreadTTL time.Duration
	// Logger gets panics of followers of logs; nil means slog.Default.
	Logger *slog.Logger
}

// New returns the store that keeps its threads in a backend. It owns the backend from now on: closing the store closes
// it.
func New(b Backend, o Options) state.Store {
	o.ThreadTTL = min(cmp.Or(o.ThreadTTL, 30*24*time.Hour), state.MaxTTL)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	s := &store{
		backend: b, o: o, closed: make(chan struct{}),
		owners: map[attemptKey]*owner{}, shown: map[string]state.FrameID{}, feeds: map[string]*feed{},
	}
	s.follower, _ = b.(LogFollower)
	s.copies, _ = b.(Replicator)
	b.Listen(s.deliver)
	if s.follower != nil {
		s.running.Go(s.refollow)
	}
	return s
}

// A store is the engine of every [state.Store]: it reads a thread, computes a transition, and has it written if the
// thread is unchanged.
type store struct {
	backend  Backend
	follower LogFollower // the backend, if other processes write it too; else nil
	copies   Replicator  // the backend, if it can wait for its copies; else nil
	o        Options

	observer atomic.Pointer[state.Observer]

	closed  chan struct{}
	closing sync.Once
	running sync.WaitGroup

	mu       sync.Mutex
	owners   map[attemptKey]*owner
	shown    map[string]state.FrameID // by digest, the newest frame that an attempt of owners gave to the feed
	feeds    map[string]*feed         // by digest
	numbered int64                    // the number of the newest feed

	waiting waitingRequests
}

var (
	_ state.Store = (*store)(nil)

	errClosed = errors.New("state: the store is closed")
	// errBusy is returned when a thread changed under every attempt to write it.
	errBusy = errors.New("state: too many writers at one thread")
)

// ready reports why nothing can be asked of the store now.
func (s *store) ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-s.closed:
		return errClosed
	default:
		return nil
	}
}

// Observe sets the observer; see [state.Store].
func (s *store) Observe(o state.Observer) { s.observer.Store(&o) }

// call makes a call with a result. It makes it again as long as the thread changed between its reading and its writing.
// The observer gets the call as one.
func call[T any](
	ctx context.Context, s *store, operation string, f func(context.Context) (T, error),
) (v T, err error) {
	if observe := s.observer.Load(); observe != nil {
		var end func(error)
		ctx, end = (*observe)(ctx, operation)
		defer func() { end(err) }()
	}
	for try := range maxTries {
		if err = s.ready(ctx); err != nil {
			return v, err
		}
		if v, err = f(ctx); !errors.Is(err, ErrConflict) {
			return v, err
		}
		if err = pause(ctx, try); err != nil {
			return v, err
		}
	}
	return v, errBusy
}

// run is call without a result.
func (s *store) run(ctx context.Context, operation string, f func(context.Context) error) error {
	_, err := call(ctx, s, operation, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}

// Ping reports whether the store can be reached and takes writes.
func (s *store) Ping(ctx context.Context) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	return s.backend.Ping(ctx)
}

// Close ends the store's tails, at once, and closes its backend. Leases it holds are not given back: they run out.
func (s *store) Close() error {
	var err error
	s.closing.Do(func() {
		s.mu.Lock()
		close(s.closed)
		s.mu.Unlock()
		err = s.backend.Close()
		s.running.Wait()
	})
	return err
}

// deliver passes on what happened to a thread. What goes wrong in it ends no goroutine of the backend's.
func (s *store) deliver(e Event) {
	_ = s.protect(func() error {
		s.dispatch(e)
		return nil
	})
}

func (s *store) dispatch(e Event) {
	switch e.Kind {
	case EventTurn:
		s.waiting.wake(e.Thread)
	case EventGrown:
		s.refresh(e.Thread)
	case EventRemoved:
		s.lookAgain(context.Background(), e.Thread)
		s.waiting.wake(e.Thread)
	case EventSignal:
		s.deliverSignal(attemptKey{e.Thread, e.Fence}, e.Signal)
	}
}

// notify delivers an event that the store itself has caused. A backend with other processes tells all of them, this one
// too.
func (s *store) notify(e Event) {
	if s.follower == nil {
		s.deliver(e)
	}
}

// protect turns a panic of f into an error, and logs it: the goroutines of a store outlive what went wrong in them.
func (s *store) protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("state: panic: %v", v)
			s.o.Logger.Error("panic", slog.Any("error", err), slog.String("stack", string(debug.Stack())))
		}
	}()
	return f()
}

// maxTries is how often a transition is computed anew because somebody else was faster.
const maxTries = 100

// pause waits a little before the next try; not before the second.
func pause(ctx context.Context, try int) error {
	if try == 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(mathrand.N(time.Duration(min(try, 20)) * time.Millisecond)):
		return nil
	}
}

// write has a transition written and returns the thread after it; also if that fails, for its name.
func (s *store) write(ctx context.Context, w *Write) (*Record, Written, error) {
	t, base := *w.Transition.Thread, w.Base
	after := &Record{
		Thread: &t, Tag: rand.Text(), Born: base.Born, Now: base.Now, Floor: base.Floor,
		Facts: factsAfter{base.Facts, w.Transition.Tokens},
	}
	if !base.Exists() {
		after.Born = strconv.FormatUint(t.Fence, 10) + "." + rand.Text()
	}
	w.Tag, w.Born = after.Tag, after.Born
	w.Deadline = state.Deadline(&t, after.Facts, s.o.ThreadTTL)
	w.AsksUntil = state.AsksUntil(&t, after.Facts)
	if err := base.Facts.Err(); err != nil {
		return after, Written{}, err
	}
	written, err := s.backend.Write(ctx, w)
	t.Last, after.Private = written.Last, written.Private
	if err == nil && t.Live == nil {
		s.notify(Event{Kind: EventTurn, Thread: t.Key.Digest()})
	}
	if err == nil && (len(w.Transition.Tokens) > 0 || !slices.Equal(base.Thread.Approvals, t.Approvals)) {
		err = s.replicated(ctx, after)
	}
	return after, written, err
}

// replicated waits until the copies of the backend have a thread as it was read or written. A question, an answer and
// an approval are not acknowledged before; also not to a caller who repeats a call, because the first one may have
// failed here.
func (s *store) replicated(ctx context.Context, r *Record) error {
	if s.copies == nil || !r.Exists() {
		return nil
	}
	return s.copies.Replicated(ctx, r.Thread.Key, r.Tag)
}

// factsAfter are the facts after a transition that wrote tokens.
type factsAfter struct {
	Lookup

	tokens []state.Token
}

// Token looks up a token.
func (f factsAfter) Token(id string) (state.Token, bool) {
	for _, token := range f.tokens {
		if token.Interrupt.ID == id {
			return token, true
		}
	}
	return f.Lookup.Token(id)
}
