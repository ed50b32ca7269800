package recorder

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/internal/lock"
	"github.com/agui-gateway/gateway/state"
)

// Bounds of pending frames, and their bytes, before the run has to wait. Each writing goroutine may add one more.
const (
	maxPending      = 4096
	maxPendingBytes = 16 << 20
)

// maxCommitBytes bounds the bytes of frames in a commit; earlier frames are appended before it where possible.
const maxCommitBytes = 4 << 20

// Options configures a [Recorder]. All fields are required.
type Options struct {
	Store state.Writer
	Lease *state.Lease
	// Context is the context of store calls. It is never done, because the frames of a cancelled run are written too.
	Context context.Context
	// Patience bounds the wait for a store that is away; GiveUp is done when it ends.
	Patience time.Duration
	GiveUp   context.Context
	// NoteError is called when the store did not answer.
	NoteError func()
	// Wrote is called with how many frames the store has taken, and their bytes.
	Wrote func(frames, bytes int)
	// OnFailure is called when the log cannot be written any more.
	OnFailure func(error)
	// Now is the clock that events get their times from.
	Now func() time.Time
}

// A Recorder writes a run's frames to the log, in order and in batches, during the run. A commit includes the pending
// frames, so that nothing is committed before the log has its cause. It is safe for concurrent use.
type Recorder struct {
	Options
	writer sync.WaitGroup // goroutines that write during the run

	// write is held during writes to the store, also across the pauses of Retry. Only locks of package lock are held
	// across waits, and a commit waits for it with its context. It is locked before mu, and guards the fields below.
	write lock.Lock
	// last is the newest frame of this fence that the store has acknowledged; recent are those that it may lose.
	last    state.FrameID
	recent  recentFrames
	commits int // how many there were

	mu      sync.Mutex // guards the fields below
	room    sync.Cond  // signals that pending got shorter
	pending []state.Frame
	size    int // bytes of pending
	seq     uint64
	held    bool  // pending waits for a commit
	free    int   // number of pending frames that need not wait for it
	writing bool  // a goroutine writes the pending frames
	stopped bool  // there is to be none any more
	err     error // why the log cannot be written any more
	times   stamper
}

// New returns a recorder, which writes until Stop.
func New(o Options) *Recorder {
	r := &Recorder{Options: o, write: lock.New()}
	r.room.L, r.times.now = &r.mu, o.Now
	return r
}

// Throttle waits while too much is pending. Concurrent writers may pass it together, and each then adds a frame.
func (r *Recorder) Throttle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for (len(r.pending) >= maxPending || r.size >= maxPendingBytes) && !r.held && r.err == nil {
		r.room.Wait()
	}
}

// NotBefore makes events get no earlier time than at, in Unix milliseconds, which the log has already.
func (r *Recorder) NotBefore(at int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times.last = max(r.times.last, at)
}

// Add appends a frame with a new id and time. Its event is as of [agui.Encode], without a timestamp.
func (r *Recorder) Add(f state.Frame) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	r.times.stamp(&f)
	r.seq++
	f.ID = state.FrameID{Fence: r.Lease.Fence, Seq: r.seq}
	r.pending = append(r.pending, f)
	r.size += len(f.Data)
	if !r.held && !r.writing && !r.stopped {
		r.writing = true
		r.writer.Go(r.writePending)
	}
	return nil
}

// writePending appends pending frames until none are left, or they wait for a commit.
func (r *Recorder) writePending() {
	for {
		if err := calls.Protect(func() error { r.Flush(); return nil }); err != nil {
			r.Fail(err)
		}
		r.mu.Lock()
		r.writing = !r.held && len(r.pending) > 0 && r.err == nil && !r.stopped
		again := r.writing
		r.mu.Unlock()
		if !again {
			return
		}
	}
}

// Flush writes the pending frames, unless they wait for a commit.
func (r *Recorder) Flush() {
	r.write.Lock()
	defer r.write.Unlock()
	r.mu.Lock()
	if r.held || len(r.pending) == 0 || r.err != nil {
		r.mu.Unlock()
		return
	}
	frames, _, _ := r.take()
	r.mu.Unlock()
	if err := r.append(r.Context, frames); err != nil {
		r.Fail(err)
	}
}

// take empties pending, of which the first free frames need not wait for a commit. The caller holds mu.
func (r *Recorder) take() (frames []state.Frame, size, free int) {
	frames, size, free = r.pending, r.size, len(r.pending)
	if r.held {
		free = r.free
	}
	const most = 32
	r.pending = make([]state.Frame, 0, min(len(frames), most)) // as many may come until the next time
	r.size, r.held = 0, false
	r.room.Broadcast()
	return frames, size, free
}

// append writes frames after the last one. The caller holds write.
func (r *Recorder) append(ctx context.Context, frames []state.Frame) error {
	if len(frames) == 0 {
		return nil
	}
	err := r.callOverGap(ctx, func(ctx context.Context) error { return r.Store.Append(ctx, r.Lease, r.last, frames) })
	if err != nil {
		return err
	}
	r.last = frames[len(frames)-1].ID
	r.recent.add(frames)
	r.acknowledge(frames)
	return nil
}

// acknowledge records that the store has acknowledged frames.
func (r *Recorder) acknowledge(frames []state.Frame) {
	bytes := 0
	for _, f := range frames {
		bytes += len(f.Data)
	}
	r.Wrote(len(frames), bytes)
}

// callOverGap makes a call of the store. If the call finds a gap in the log, because the store has lost acknowledged
// frames in a crash or failover, it appends those again and repeats the call. If they were too many, the gap stays.
func (r *Recorder) callOverGap(ctx context.Context, call func(context.Context) error) error {
	err := r.Retry(ctx, call)
	if !errors.Is(err, state.ErrGap) || len(r.recent.frames) == 0 {
		return err
	}
	err = r.Retry(ctx, func(ctx context.Context) error {
		return r.Store.Append(ctx, r.Lease, r.recent.after, r.recent.frames)
	})
	if err != nil {
		return err
	}
	return r.Retry(ctx, call)
}

// Hold makes frames wait for the next commit: snapshots of what it stores must not be seen before.
func (r *Recorder) Hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.held {
		r.held, r.free = true, len(r.pending)
		r.room.Broadcast() // the commit that they wait for writes the pending frames
	}
}

// Holding reports whether frames wait for a commit.
func (r *Recorder) Holding() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held
}

// Commit writes c with all pending frames, and returns the thread. If ctx is done while it waits, it writes nothing.
func (r *Recorder) Commit(ctx context.Context, c state.Commit) (*state.Thread, error) {
	if err := r.write.LockContext(ctx); err != nil {
		return nil, err
	}
	defer r.write.Unlock()
	r.mu.Lock()
	if r.err != nil {
		r.mu.Unlock()
		return nil, r.err
	}
	frames, size, free := r.take()
	r.mu.Unlock()
	if size <= maxCommitBytes {
		free = 0
	}
	t, err := r.commitFrames(ctx, c, frames, min(free, len(frames)-1))
	if err != nil {
		r.Fail(err)
	}
	return t, err
}

// commitFrames appends the first frames, and writes c with the others. The caller holds write.
func (r *Recorder) commitFrames(ctx context.Context, c state.Commit, frames []state.Frame,
	first int) (t *state.Thread, err error) {
	if first > 0 {
		if err := r.append(ctx, frames[:first]); err != nil {
			return nil, err
		}
		frames = frames[first:]
	}
	r.commits++
	c.Number, c.Frames, c.After = r.commits, frames, r.last
	err = r.callOverGap(ctx, func(ctx context.Context) (err error) {
		t, err = r.Store.Commit(ctx, r.Lease, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(frames) > 0 {
		r.last = frames[len(frames)-1].ID
		r.acknowledge(frames)
	}
	r.recent.reset(r.last)
	return t, nil
}

// Retry repeats an idempotent call while the store is away, until ctx is done or Patience is over.
func (r *Recorder) Retry(ctx context.Context, call func(context.Context) error) error {
	const least, most = 5 * time.Millisecond, time.Second
	until := time.Now().Add(r.Patience)
	for wait := least; ; wait = min(2*wait, most) {
		left := time.Until(until)
		err := calls.Protect(func() error { return r.try(ctx, max(left, calls.StoreTimeout), call) })
		if err == nil || calls.Panicked(err) || calls.Permanent(err) || errors.Is(err, state.ErrLeaseLost) ||
			errors.Is(err, state.ErrGap) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.NoteError()
		if left = time.Until(until); left <= 0 {
			return err
		}
		select {
		case <-time.After(min(wait, left)):
		case <-r.GiveUp.Done():
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// try makes a call once, within limit and until GiveUp is done.
func (r *Recorder) try(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer context.AfterFunc(r.GiveUp, cancel)()
	return call(ctx)
}

// Fail makes every later call fail with err, and calls OnFailure.
func (r *Recorder) Fail(err error) {
	r.mu.Lock()
	r.err = err
	r.room.Broadcast()
	r.mu.Unlock()
	r.OnFailure(err)
}

// LeaseLost reports whether the lease is lost: another replica has the run, or the thread is damaged.
func (r *Recorder) LeaseLost() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Is(r.err, state.ErrLeaseLost) || errors.Is(r.err, state.ErrDamaged) ||
		errors.Is(r.err, state.ErrLater)
}

// Stop ends the recorder's goroutine, if there is one, and waits for it. Pending frames are not written.
func (r *Recorder) Stop() {
	r.mu.Lock()
	r.stopped = true
	r.mu.Unlock()
	r.writer.Wait()
}

// maxRecentBytes bounds the frames kept that the store has acknowledged since the last commit. A Redis that writes to
// disk once a second, or its replica after a failover, lacks less than two seconds of them.
const maxRecentBytes = 1 << 20

// recentFrames are the newest frames that the store has acknowledged and may lose all the same.
type recentFrames struct {
	after  state.FrameID // the frame before them; zero: none
	frames []state.Frame
	size   int
}

// add keeps frames, and drops the oldest if they are too many.
func (r *recentFrames) add(frames []state.Frame) {
	r.frames = append(r.frames, frames...)
	for _, f := range frames {
		r.size += len(f.Data)
	}
	n := 0
	for ; r.size > maxRecentBytes; n++ {
		r.size -= len(r.frames[n].Data)
		r.after = r.frames[n].ID
	}
	r.frames = slices.Delete(r.frames, 0, n)
}

// reset drops all frames after a commit: a store that loses a commit loses the run's lease too.
func (r *recentFrames) reset(last state.FrameID) { *r = recentFrames{after: last} }
