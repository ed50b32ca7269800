package gateway

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// How much may wait for the store before the run waits for it too.
const (
	maxPending      = 4096     // frames
	maxPendingBytes = 16 << 20 // and one frame more of each who writes
)

// maxCommitBytes is how much of a log a commit takes along, where there is a choice.
const maxCommitBytes = 4 << 20

// A recorder writes a run's frames to the log: in order, in batches, behind the run's back. A commit takes
// along what is pending, so that nothing committed is ever ahead of the log.
type recorder struct {
	store     state.Writer
	lease     *state.Lease
	onFailure func(error)
	noteError func() // the store did not answer
	// patience is how long a store that is away is waited for.
	patience time.Duration
	giveUp   context.Context // done when nothing is waited for any more
	wake     chan struct{}
	quit     chan struct{}
	ended    chan struct{}

	write sync.Mutex // held while the store is written; taken before mu
	// last is the newest frame the store has acknowledged of this fence, recent are the newest of those that it may still
	// lose; guarded by write.
	last   state.FrameID
	recent recentFrames
	// commits is how many there were; guarded by write.
	commits int

	mu       sync.Mutex
	room     sync.Cond // pending got shorter
	pending  []state.Frame
	size     int // bytes of pending
	seq      uint64
	heldBack bool  // pending waits for a commit
	free     int   // how many of pending need not wait for it
	err      error // the log cannot be written any more
}

func newRecorder(giveUp context.Context, store state.Writer, lease *state.Lease, patience time.Duration, fail func(error), away func()) *recorder {
	r := &recorder{
		store: store, lease: lease, patience: patience, giveUp: giveUp, onFailure: fail, noteError: away,
		wake: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{}),
	}
	r.room.L = &r.mu
	return r
}

// throttle waits while the store is far behind. Several who write at once may pass it together: each then adds a frame more.
func (r *recorder) throttle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for (len(r.pending) >= maxPending || r.size >= maxPendingBytes) && !r.heldBack && r.err == nil {
		r.room.Wait()
	}
}

// add puts a frame behind the others.
func (r *recorder) add(f state.Frame) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	r.seq++
	f.ID = state.FrameID{Fence: r.lease.Fence, Seq: r.seq}
	r.pending = append(r.pending, f)
	r.size += len(f.Data)
	if !r.heldBack {
		select {
		case r.wake <- struct{}{}:
		default: // the loop has not taken the last kick yet
		}
	}
	return nil
}

// loop appends what is pending until stop.
func (r *recorder) loop() {
	defer close(r.ended)
	for {
		select {
		case <-r.wake:
			if err := protect(func() error { r.flush(); return nil }); err != nil {
				r.fail(err)
			}
		case <-r.quit:
			return
		}
	}
}

func (r *recorder) flush() {
	r.write.Lock()
	defer r.write.Unlock()
	r.mu.Lock()
	if r.heldBack || len(r.pending) == 0 || r.err != nil {
		r.mu.Unlock()
		return
	}
	frames, _, _ := r.take()
	r.mu.Unlock()
	// The run's own context may be done already; what it said is written all the same.
	if err := r.append(context.Background(), frames); err != nil {
		r.fail(err)
	}
}

// take empties pending, of which free frames need not wait for a commit. The lock is held.
func (r *recorder) take() (frames []state.Frame, size, free int) {
	frames, size, free = r.pending, r.size, len(r.pending)
	if r.heldBack {
		free = r.free
	}
	r.pending, r.size, r.heldBack = nil, 0, false
	r.room.Broadcast()
	return frames, size, free
}

// append writes frames behind the last one. Write is held.
func (r *recorder) append(ctx context.Context, frames []state.Frame) error {
	if len(frames) == 0 {
		return nil
	}
	err := r.callOverGap(ctx, func(ctx context.Context) error { return r.store.Append(ctx, r.lease, r.last, frames) })
	if err != nil {
		return err
	}
	r.last = frames[len(frames)-1].ID
	r.recent.add(frames)
	return nil
}

// callOverGap makes a call that finds a gap in the log if the store has lost frames that it had acknowledged, as it may in a
// crash or a failover. They are then sent again, and the call is made again. If they are too many, the gap stays.
func (r *recorder) callOverGap(ctx context.Context, call func(context.Context) error) error {
	err := r.retry(ctx, call)
	if !errors.Is(err, state.ErrGap) || len(r.recent.frames) == 0 {
		return err
	}
	err = r.retry(ctx, func(ctx context.Context) error {
		return r.store.Append(ctx, r.lease, r.recent.after, r.recent.frames)
	})
	if err != nil {
		return err
	}
	return r.retry(ctx, call)
}

// holdForCommit keeps frames back for the next commit: those that restate what it commits must not be seen before it.
func (r *recorder) holdForCommit() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.heldBack {
		r.heldBack, r.free = true, len(r.pending)
		r.room.Broadcast() // the commit takes along what they were held back for
	}
}

// holding reports whether frames wait for a commit.
func (r *recorder) holding() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.heldBack
}

// commit writes c with all that is pending.
func (r *recorder) commit(ctx context.Context, c state.Commit) (*state.Thread, error) {
	r.write.Lock()
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
		r.fail(err)
	}
	return t, err
}

// commitFrames appends the first frames, and writes c with the others. Write is held.
func (r *recorder) commitFrames(ctx context.Context, c state.Commit, frames []state.Frame, first int) (t *state.Thread, err error) {
	if first > 0 {
		if err := r.append(ctx, frames[:first]); err != nil {
			return nil, err
		}
		frames = frames[first:]
	}
	r.commits++
	c.Number, c.Frames, c.After = r.commits, frames, r.last
	err = r.callOverGap(ctx, func(ctx context.Context) (err error) {
		t, err = r.store.Commit(ctx, r.lease, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(frames) > 0 {
		r.last = frames[len(frames)-1].ID
	}
	r.recent.reset(r.last)
	return t, nil
}

// retry makes a call again while the store is away: all of them may be repeated, for the frames have their ids. A call
// that hangs is given up when patience is at its end, and all are when ctx is done.
func (r *recorder) retry(ctx context.Context, call func(context.Context) error) error {
	const least, most = 5 * time.Millisecond, time.Second
	until := time.Now().Add(r.patience)
	for wait := least; ; wait = min(2*wait, most) {
		left := time.Until(until)
		err := protect(func() error { return r.try(ctx, max(left, storeTimeout), call) })
		if err == nil || panicked(err) || permanent(err) || errors.Is(err, state.ErrLeaseLost) || errors.Is(err, state.ErrGap) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.noteError()
		if left = time.Until(until); left <= 0 || pause(r.giveUp, min(wait, left)) != nil {
			return err
		}
	}
}

// try makes a call once, within limit and as long as anything is waited for.
func (r *recorder) try(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer context.AfterFunc(r.giveUp, cancel)()
	return call(ctx)
}

func (r *recorder) fail(err error) {
	r.mu.Lock()
	r.err = err
	r.room.Broadcast()
	r.mu.Unlock()
	r.onFailure(err)
}

// leaseLost reports whether the log is another's now, or nobody's.
func (r *recorder) leaseLost() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Is(r.err, state.ErrLeaseLost) || errors.Is(r.err, state.ErrDamaged)
}

// stop ends the loop and waits for it.
func (r *recorder) stop() {
	close(r.quit)
	<-r.ended
}

// maxRecentBytes is how much a run keeps of what its store has acknowledged since the last commit. A Redis that writes
// to disk once a second, or a replica that takes its place, lacks less than two seconds of it.
const maxRecentBytes = 1 << 20

// recentFrames are the newest frames of a run that its store has acknowledged and may lose all the same.
type recentFrames struct {
	after  state.FrameID // the frame before them; zero: none
	frames []state.Frame
	size   int
}

// add keeps frames, and lets go of the oldest where they are too many.
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

// reset lets go of all: a store that has lost a commit has lost the run's lease, and nothing is sent again.
func (r *recentFrames) reset(last state.FrameID) { *r = recentFrames{after: last} }
