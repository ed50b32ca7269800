package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// maxPending is how many frames may wait for the store before the run waits for it too.
const maxPending = 4096

// A recorder writes a run's frames to the log: in order, in batches, behind the run's back. A commit takes
// along what is pending, so that nothing committed is ever ahead of the log.
type recorder struct {
	store state.Writer
	lease *state.Lease
	fail  func(error)
	away  func() // the store did not answer
	// patience is how long a store that is away is waited for.
	patience time.Duration
	kick     chan struct{}
	quit     chan struct{}
	ended    chan struct{}

	write sync.Mutex // held while the store is written; taken before mu
	// last is the newest frame the store has of this fence; guarded by write.
	last agui.FrameID

	mu      sync.Mutex
	room    sync.Cond // pending got shorter
	pending []agui.Frame
	seq     uint64
	held    bool  // pending waits for a commit
	err     error // the log cannot be written any more
}

func newRecorder(store state.Writer, lease *state.Lease, patience time.Duration, fail func(error), away func()) *recorder {
	r := &recorder{
		store: store, lease: lease, patience: patience, fail: fail, away: away,
		kick: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{}),
	}
	r.room.L = &r.mu
	return r
}

// add puts a frame behind the others. It waits only if the store is far behind.
func (r *recorder) add(f agui.Frame) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.pending) >= maxPending && !r.held && r.err == nil {
		r.room.Wait()
	}
	if r.err != nil {
		return r.err
	}
	r.seq++
	f.ID = agui.FrameID{Fence: r.lease.Fence, Seq: r.seq}
	r.pending = append(r.pending, f)
	if !r.held {
		select {
		case r.kick <- struct{}{}:
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
		case <-r.kick:
			r.flush()
		case <-r.quit:
			return
		}
	}
}

func (r *recorder) flush() {
	r.write.Lock()
	defer r.write.Unlock()
	r.mu.Lock()
	if r.held || len(r.pending) == 0 || r.err != nil {
		r.mu.Unlock()
		return
	}
	frames := r.pending
	r.pending = nil
	r.room.Broadcast()
	r.mu.Unlock()
	// The run's own context may be done already; what it said is written all the same.
	err := r.retry(context.Background(), func(ctx context.Context) error { return r.store.Append(ctx, r.lease, r.last, frames) })
	if err != nil {
		r.broken(err)
		return
	}
	r.last = frames[len(frames)-1].ID
}

// hold keeps frames back for the next commit: those that restate what it commits must not be seen before it.
func (r *recorder) hold() {
	r.mu.Lock()
	r.held = true
	r.mu.Unlock()
}

// holding reports whether frames wait for a commit.
func (r *recorder) holding() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held
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
	c.Frames = r.pending
	c.After = r.last
	r.pending, r.held = nil, false
	r.room.Broadcast()
	r.mu.Unlock()
	var t *state.Thread
	err := r.retry(ctx, func(ctx context.Context) (err error) {
		t, err = r.store.Commit(ctx, r.lease, c)
		return err
	})
	if err != nil {
		r.broken(err)
		return nil, err
	}
	if len(c.Frames) > 0 {
		r.last = c.Frames[len(c.Frames)-1].ID
	}
	return t, nil
}

// retry makes a call again while the store is away: all of them may be repeated, for the frames have their ids. A call
// that hangs is given up when patience is at its end.
func (r *recorder) retry(ctx context.Context, call func(context.Context) error) error {
	const least, most = 5 * time.Millisecond, time.Second
	until := time.Now().Add(r.patience)
	for wait := least; ; wait = min(2*wait, most) {
		left := time.Until(until)
		calling, cancel := context.WithTimeout(ctx, max(left, storeTimeout))
		err := call(calling)
		cancel()
		if err == nil || final(err) || errors.Is(err, state.ErrLeaseLost) || errors.Is(err, state.ErrGap) {
			return err
		}
		r.away()
		if left = time.Until(until); left <= 0 {
			return err
		}
		time.Sleep(min(wait, left))
	}
}

func (r *recorder) broken(err error) {
	r.mu.Lock()
	r.err = err
	r.room.Broadcast()
	r.mu.Unlock()
	r.fail(err)
}

// lost reports whether the log is another's now, or nobody's.
func (r *recorder) lost() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Is(r.err, state.ErrLeaseLost) || errors.Is(r.err, state.ErrDamaged)
}

// stop ends the loop and waits for it.
func (r *recorder) stop() {
	close(r.quit)
	<-r.ended
}
