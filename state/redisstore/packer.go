package redisstore

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/delta"
	"github.com/agui-gateway/gateway/state/store"
)

// The log of a run is packed some time after its end by the replica that has written all of it. It makes the packs
// as it writes, so that nothing is read again. A run with attempts of several replicas is not packed, and neither
// are later ones until it is trimmed.

// defaultPackDelay is the time from the end of a run to its packing: most readers have read it by then.
const defaultPackDelay = time.Second

// The most bytes of packs in memory, of one run and of all. Runs beyond that are not packed.
const (
	packsOfRun = 1 << 20
	packsOfAll = 64 << 20
)

// packTogether is the most runs that are packed in one round trip.
const packTogether = 32

// forgotten is the time after which a run without new frames is dropped: its lease was lost unnoticed.
const forgotten = time.Hour

// A packer has the packs of the live runs of this process, and of ended ones until they are written. It is safe for
// concurrent use.
type packer struct {
	held atomic.Int64 // bytes of all packs, with packingCost for each run

	mu    sync.Mutex
	live  map[hashTag]*packing
	over  []*packing // in the order of their ends
	swept time.Time
	wake  chan struct{} // signals the end of a run
}

// A packing has the packs of one run. Frames are written in order by one goroutine; the lock is for others that
// drop the run.
type packing struct {
	key   state.Key
	born  string
	fence uint64

	mu    sync.Mutex
	packs []*delta.Pack
	size  int       // bytes of the packs
	at    time.Time // of the newest frames
	gone  bool      // dropped
}

// packingCost is about the memory of a packing without its packs.
const packingCost = 512

// begin starts the packing of a run, with the fence of its lease.
func (p *packer) begin(key state.Key, born string, fence uint64) {
	p.sweep()
	if p.held.Load() > packsOfAll {
		return
	}
	p.drop(key)
	p.held.Add(packingCost)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live == nil {
		p.live = map[hashTag]*packing{}
	}
	p.live[hashTagOf(key)] = &packing{key: key, born: born, fence: fence, at: time.Now()}
}

// of returns the packing of a live run; nil if there is none.
func (p *packer) of(key state.Key, fence uint64) *packing {
	p.mu.Lock()
	defer p.mu.Unlock()
	if run := p.live[hashTagOf(key)]; run != nil && run.fence == fence {
		return run
	}
	return nil
}

// add packs frames written with the lease of a fence.
func (p *packer) add(key state.Key, fence uint64, frames []state.Frame) {
	if len(frames) == 0 {
		return
	}
	run := p.of(key, fence)
	if run == nil {
		return
	}
	run.mu.Lock()
	before := run.size
	whole := !run.gone && run.add(frames)
	p.held.Add(int64(run.size - before))
	run.mu.Unlock()
	if !whole || p.held.Load() > packsOfAll {
		p.drop(key)
	}
}

// add reports whether the packs have all frames of the run.
func (r *packing) add(frames []state.Frame) bool {
	r.at = time.Now()
	for i := range frames {
		f := &frames[i]
		last := state.FrameID{Fence: r.fence}
		var newest *delta.Pack
		if n := len(r.packs); n > 0 {
			newest = r.packs[n-1]
			last = newest.Last
		}
		if !last.Less(f.ID) {
			continue // sent twice
		}
		if newest != nil && !newest.Follows(f) || f.ID.Fence != r.fence || r.size+len(f.Data) > packsOfRun {
			return false
		}
		if newest == nil || newest.Full() {
			newest = &delta.Pack{}
			r.packs = append(r.packs, newest)
		}
		before := len(newest.Data)
		newest.Add(f)
		r.size += len(newest.Data) - before
	}
	return true
}

// drop ends the packing of a thread's live run, if there is one.
func (p *packer) drop(key state.Key) {
	p.mu.Lock()
	run := p.live[hashTagOf(key)]
	delete(p.live, hashTagOf(key))
	p.mu.Unlock()
	if run != nil {
		p.release(run)
	}
}

// release frees the packs of a run.
func (p *packer) release(run *packing) {
	run.mu.Lock()
	defer run.mu.Unlock()
	p.held.Add(-int64(run.size + packingCost))
	run.packs, run.size, run.gone = nil, 0, true
}

// sweep drops runs without new frames for long, now and then.
func (p *packer) sweep() {
	now := time.Now()
	var old []*packing
	p.mu.Lock()
	if now.Sub(p.swept) > forgotten/60 {
		p.swept = now
		for h, run := range p.live {
			run.mu.Lock()
			if now.Sub(run.at) > forgotten {
				delete(p.live, h)
				old = append(old, run)
			}
			run.mu.Unlock()
		}
	}
	p.mu.Unlock()
	for _, run := range old {
		p.release(run)
	}
}

// end returns the packs of an ended run; nil if they are not complete. Last is the newest frame of the log.
func (p *packer) end(key state.Key, fence uint64, last state.FrameID) *packing {
	run := p.of(key, fence)
	if run == nil {
		return nil
	}
	run.mu.Lock()
	whole := len(run.packs) > 0 && run.packs[len(run.packs)-1].Last == last
	run.at = time.Now()
	run.mu.Unlock()
	if !whole {
		p.drop(key)
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.live, hashTagOf(key))
	return run
}

// later schedules the packing of an ended run.
func (p *packer) later(run *packing) {
	p.mu.Lock()
	p.over = append(p.over, run)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// sameThread reports whether two runs are of one thread: they are packed in the order of the log.
func (r *packing) sameThread(other *packing) bool { return r.key == other.key }

// due returns the runs to pack now, at most one of each thread, or the time until the next; less than 0 if no run
// has ended.
func (p *packer) due(delay time.Duration) (runs []*packing, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for n < len(p.over) && n < packTogether && time.Since(p.over[n].at) >= delay {
		if slices.ContainsFunc(p.over[:n], p.over[n].sameThread) {
			break
		}
		n++
	}
	runs, p.over = p.over[:n:n], p.over[n:]
	if len(p.over) == 0 {
		p.over = nil // free the array
		return runs, -1
	}
	return runs, max(delay-time.Since(p.over[0].at), 0)
}

// packWritten updates the packer for a transition. Last is the newest frame of the log after it.
func (s *backend) packWritten(w *store.Write, last state.FrameID) {
	key, fence := w.Transition.Thread.Key, w.Transition.Thread.Fence
	switch {
	case w.Takes: // this replica does not have the frames before
		s.packer.drop(key)
	case w.Begins, w.Lease == nil && w.Ends: // the latter is a change of an idle thread, which is packed by itself
		s.packer.begin(key, w.Born, fence)
	}
	s.packer.add(key, fence, w.Transition.Frames)
	if !w.Ends {
		return
	}
	run := s.packer.end(key, fence, last)
	switch {
	case run == nil:
	case s.o.packDelay < 0:
		s.packRun(run)
	default:
		s.packer.later(run)
	}
}

// packOver packs ended runs when they are due, until the backend is closed.
func (s *backend) packOver() {
	for {
		runs, wait := s.packer.due(s.o.packDelay)
		var together sync.WaitGroup
		for _, run := range runs {
			together.Go(func() { s.packRun(run) })
		}
		together.Wait()
		var due <-chan time.Time
		if wait >= 0 {
			due = time.After(min(wait, s.o.packDelay))
		}
		select {
		case <-s.closing:
			return
		case <-s.packer.wake:
		case <-due:
		}
	}
}

// packRun replaces the frames of a run by its packs. If it fails, or the log has an older run, the frames stay.
func (s *backend) packRun(run *packing) {
	defer s.packer.release(run)
	first, last := run.packs[0].First, run.packs[len(run.packs)-1].Last
	keep := (s.o.LogTTL + time.Hour).Milliseconds()
	a := args{s.clock(), run.born, first.String(), last.String(), keep, len(run.packs)}
	for _, pack := range run.packs {
		a.add(pack.First.String(), pack.Last.String(), packText(pack))
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.o.timeout)
	defer cancel()
	r, err := s.batch(ctx, packScript, hashTagOf(run.key), a, run.size)
	if err != nil {
		s.o.Logger.DebugContext(ctx, "a log was not packed", slog.Any("error", err))
		return
	}
	if r.text(0) == didIt {
		s.countWrite(ctx, run.key)
	}
}
