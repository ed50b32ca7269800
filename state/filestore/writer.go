package filestore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// Every transaction is written with fsync, and one goroutine writes them all. Changes requested during a write, or
// shortly after, share the next transaction. Bbolt without fsync would not do: a disk may write its pages in any
// order, and after a power cut the newest tree may name pages that were not written.

// gather is how long jobs that can wait, such as appends to logs, wait for others to share a transaction. It limits
// the transactions, and so the fsyncs, to a few hundred per second.
const gather = 5 * time.Millisecond

// maxJobs is how many jobs share one transaction.
const maxJobs = 256

// An urgency says whether a job waits for others.
type urgency bool

const (
	canWait urgency = false // up to gather
	urgent  urgency = true
)

// A job is one change of the file.
type job struct {
	ctx     context.Context
	urgency urgency
	do      func(*txn) error
	done    chan error // has room
}

// A txn is one transaction, with the changes in memory that follow once it is written.
type txn struct {
	view

	b     *backend
	now   time.Time
	dirty bool // something was changed in the file

	live   map[state.Key]*attempt // nil: no run is live any more
	queues map[state.Key][]state.Ticket
	books  map[state.Key]*booking
	floor  uint64
}

// update makes a change and returns when it is on the disk. A change that fails before it has set dirty has changed
// nothing.
func (b *backend) update(ctx context.Context, u urgency, do func(*txn) error) error {
	if err := b.ready(ctx); err != nil {
		return err
	}
	j := &job{ctx: ctx, urgency: u, do: do, done: make(chan error, 1)}
	select {
	case b.jobs <- j:
	case <-b.closed:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-j.done:
		return damage(err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write runs the writer until the backend is closed.
func (b *backend) write() {
	defer close(b.ended)
	for {
		select {
		case first := <-b.jobs:
			b.transact(b.gathered(first))
		case <-b.closed:
			return
		}
	}
}

// gathered returns a job with those that share its transaction.
func (b *backend) gathered(first *job) []*job {
	jobs := []*job{first}
	timer := time.NewTimer(gather)
	defer timer.Stop()
	for hurry := first.urgency; len(jobs) < maxJobs; {
		var j *job
		if hurry {
			select {
			case j = <-b.jobs:
			default:
				return jobs
			}
		} else {
			select {
			case j = <-b.jobs:
			case <-timer.C:
				return jobs
			case <-b.closed:
				return jobs
			}
		}
		jobs = append(jobs, j)
		hurry = hurry || j.urgency
	}
	return jobs
}

// transact runs jobs in one transaction. If a job fails after it changed the file, it gets its error, and the
// others run again without it. A transaction that the disk refuses is tried once more with the room of the reserve.
func (b *backend) transact(jobs []*job) {
	for len(jobs) > 0 {
		answers := make([]error, len(jobs))
		bad := -1
		err := guarded(func() (err error) {
			bad, err = b.try(jobs, answers)
			return err
		})
		if bad >= 0 {
			jobs[bad].done <- answers[bad]
			jobs = slices.Delete(jobs, bad, bad+1)
			continue
		}
		if err != nil {
			b.mu.Lock()
			b.failed = true
			b.mu.Unlock()
		}
		if errors.Is(err, errDisk) && b.releaseReserve() {
			continue
		}
		for i, j := range jobs {
			if err != nil {
				answers[i] = err
			}
			j.done <- answers[i]
		}
		return
	}
}

// try runs jobs in one transaction and collects their errors. It returns the index of a job that failed after it
// changed the file; then nothing is written.
func (b *backend) try(jobs []*job, answers []error) (bad int, err error) {
	tx, err := b.db.Begin(true)
	if err != nil {
		return -1, err
	}
	defer func() { _ = tx.Rollback() }() // no effect after a commit
	x := &txn{
		view: view{tx: tx}, b: b, now: b.o.Now(), floor: b.floor,
		live: map[state.Key]*attempt{}, queues: map[state.Key][]state.Ticket{}, books: map[state.Key]*booking{},
	}
	dirty := false
	for i, j := range jobs {
		if answers[i] = j.ctx.Err(); answers[i] != nil {
			continue
		}
		x.dirty = false
		if answers[i] = j.do(x); x.err != nil {
			answers[i] = x.err
		}
		if answers[i] != nil && (x.dirty || x.err != nil) {
			return i, nil
		}
		dirty = dirty || x.dirty
	}
	if dirty {
		if err := x.commit(); err != nil {
			return -1, err
		}
	}
	x.publish()
	return -1, nil
}

// publish applies the changes in memory, once the file is written.
func (x *txn) publish() {
	b := x.b
	b.mu.Lock()
	for key, a := range x.live {
		if a == nil {
			delete(b.live, key)
		} else {
			b.live[key] = *a
		}
	}
	maps.Copy(b.queues, x.queues)
	maps.DeleteFunc(b.queues, func(_ state.Key, q []state.Ticket) bool { return len(q) == 0 })
	b.floor = x.floor
	b.mu.Unlock()
	x.publishBooks()
}
