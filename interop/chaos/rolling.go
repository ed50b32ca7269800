package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// startRolling starts a fleet of replicas of the older version, in a new directory.
func startRolling(ctx context.Context, binary, dir string) (*fleet, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	older, err := buildOlder(ctx, dir)
	if err != nil {
		return nil, err
	}
	f, err := startFleet(ctx, older, dir)
	if err != nil {
		return nil, err
	}
	f.older, f.newer = older, binary
	return f, nil
}

// other is the address of any replica of another version than this one's; of any replica, if there is none.
func (f *fleet) other(version string) string {
	for _, i := range rand.Perm(len(f.replicas)) {
		if at := f.replicas[i].serving.Load(); at.version != version {
			return at.url
		}
	}
	return f.any()
}

// versionAt is the version of the replica at an address; empty if it is a proxy's, or was a replica's that is no more.
func (f *fleet) versionAt(url string) string {
	for _, r := range f.replicas {
		if at := r.serving.Load(); at.url == url {
			return at.version
		}
	}
	return ""
}

// rolling plays trips while replicas of an older version are killed and come back as those of this one, and the other
// way round: forward, back, and in the end forward. Answers go to another version than the one that asked, wherever
// there is one. Beside the trips there are runs that are stopped from the other version, and the trips' states are
// patched from there.
func rolling(ctx context.Context, f *fleet, size size) *result {
	out := &result{}
	reading := out.readers()
	stop := make(chan struct{})
	crossed, beside := &crossings{}, &errands{f: f, out: out, reading: reading, stop: stop}
	var mu sync.Mutex
	var done []*trip
	var all sync.WaitGroup
	for i := range travellers {
		all.Go(func() {
			for n := 0; isOpen(stop); n++ {
				t := &trip{reader: reading.reader(f, "travel", fmt.Sprintf("trip-%d-%d", i, n))}
				asker := crossed.watch(f, t.reader)
				t.think = func() error { return beside.patch(ctx, t, asker()) }
				if err := t.take(ctx); err != nil {
					out.stats.problem("%s: %v", t.thread, err)
					return
				}
				mu.Lock()
				done = append(done, t)
				mu.Unlock()
			}
		})
	}
	all.Go(func() { beside.stopRuns(ctx) })
	counts := map[string]*atomic.Int64{
		"answers": &crossed.answers, "readers": &crossed.readers, "patches": &beside.patches, "stops": &beside.stops,
	}
	steps := roll(ctx, f, size.cycles, func() bool { return missing(counts) == "" })
	close(stop)
	all.Wait()
	if steps.err != nil {
		out.stats.problem("%v", steps.err)
		return out
	}
	threads := make([]string, len(done))
	for i, t := range done { // every replica is of the newer version now
		threads[i] = t.thread
		if err := errors.Join(t.arrived(ctx), t.patched(ctx)); err != nil {
			out.stats.problem("%s, after the last kill: %v", t.thread, err)
		}
	}
	out.add("%d threads of three runs; kills %d, during a run %d, with a question open %d", len(threads), steps.killed,
		steps.during, steps.asked)
	out.add("runs taken over: %d from the older version by the newer and %d from the newer by the older, of %d in all",
		steps.forward, steps.back, f.takeovers.Load())
	out.add("answers that the other version asked for %d, runs with a reader from the other version %d; patched "+
		"from there %d, stopped from there %d",
		crossed.answers.Load(), crossed.readers.Load(), beside.patches.Load(), beside.stops.Load())
	steps.check(out)
	if what := missing(counts); what != "" {
		out.stats.problem("no %s went from one version to the other: that shows too little", what)
	}
	out.checkTrips(f, threads)
	return out
}

// missing names one of the counts that is nothing yet.
func missing(counts map[string]*atomic.Int64) string {
	for what, n := range counts {
		if n.Load() == 0 {
			return what
		}
	}
	return ""
}

// isOpen reports whether a channel is not closed yet.
func isOpen(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return false
	default:
		return true
	}
}

// crossings count what went from one version to the other.
type crossings struct{ answers, readers atomic.Int64 }

// watch lets a reader ask the other version than the one it has spoken with last, if it is known, and counts. Requests
// show the kind: an answer begins a stream without a cursor, a cut reader continues with one. The result says which
// version the reader has spoken with last; it is the reader's goroutine's to call.
func (c *crossings) watch(f *fleet, r *reader) (version func() string) {
	last, before := "", ""
	r.where = func() string {
		url := f.other(last)
		version := f.versionAt(url)
		if last != "" && version != "" && version != last {
			switch {
			case r.cursor != "":
				c.readers.Add(1)
			case before != "": // the first request of a trip has nothing before it
				c.answers.Add(1)
			}
		}
		before, last = last, version
		return url
	}
	return func() string { return last }
}

// steps are the results of the kills of a rolling start.
type steps struct {
	killed, during, asked int
	forward, back         int64 // runs that can only have been taken over by the other version
	cycles                int
	err                   error
}

// roll kills one replica after the other and starts it as one of the newer version, then back, n times there and back,
// and at last forward. By turns a kill is aimed at a question, at nothing, and at a run: at the last replica of its
// version, so that only the other version can take the run over. The second waits until enough has happened between the
// two versions.
func roll(ctx context.Context, f *fleet, n int, enough func() bool) *steps {
	s := &steps{cycles: n}
	for half := range 2*n + 1 {
		to, taken := f.newer, &s.forward
		if half%2 == 1 {
			to, taken = f.older, &s.back
		}
		for i, r := range f.replicas {
			time.Sleep(300*time.Millisecond + rand.N(1200*time.Millisecond))
			for deadline := time.Now().Add(aimFor); i == 1 && !enough() && time.Now().Before(deadline); {
				time.Sleep(5 * time.Millisecond)
			}
			last := i == len(f.replicas)-1
			working, asked, err := r.aim(ctx, last, i == 0)
			if err != nil {
				s.err = err
				return s
			}
			before := f.takeovers.Load()
			r.kill()
			s.note(working, asked)
			r.args[0] = to
			if s.err = r.start(ctx); s.err != nil {
				return s
			}
			if last && working > 0 {
				*taken += f.awaitTakeovers(before, 1)
			}
		}
	}
	return s
}

// note counts a kill.
func (s *steps) note(working, asked int) {
	s.killed++
	if working > 0 {
		s.during++
	}
	if asked > 0 {
		s.asked++
	}
}

// awaitTakeovers waits until there are n more takeovers than before, for as long as those need, and returns how many
// there are.
func (f *fleet) awaitTakeovers(before, n int64) int64 {
	for deadline := time.Now().Add(10 * lease); f.takeovers.Load()-before < n && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	return f.takeovers.Load() - before
}

// check wants as many hits as kills were aimed.
func (s *steps) check(out *result) {
	halves := 2*s.cycles + 1
	if s.during < halves || s.asked < halves {
		out.stats.problem("%d of %d kills hit a run, %d an open question: that shows too little", s.during, s.killed,
			s.asked)
	}
	if s.forward == 0 || s.back == 0 {
		out.stats.problem("%d runs were taken over by the newer version, %d by the older: that shows too little",
			s.forward, s.back)
	}
}
