package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// travellers is how many plan their trips at a time, one after another.
const travellers = 8

// restarts plays trips on one gateway with its threads in a file, while it is killed and started again: in the middle
// of runs, and while questions are open. At the end every trip is compared once more with what its traveller saw.
func restarts(ctx context.Context, f *fleet, size size) *result {
	out := &result{}
	reading := out.readers()
	stop := make(chan struct{})
	var mu sync.Mutex
	var done []*trip
	var all sync.WaitGroup
	for i := range travellers {
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				t := &trip{reader: reading.reader(f, "travel", fmt.Sprintf("trip-%d-%d", i, n))}
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
	during, asked, err := restart(ctx, f.replicas[0], size.restarts)
	close(stop)
	all.Wait()
	if err != nil {
		out.stats.problem("%v", err)
		return out
	}
	if _, _, err := restart(ctx, f.replicas[0], 1); err != nil {
		out.stats.problem("%v", err)
		return out
	}
	var threads []string
	for _, t := range done {
		threads = append(threads, t.thread)
		if err := t.arrived(ctx); err != nil {
			out.stats.problem("%s, after the last kill: %v", t.thread, err)
		}
	}
	out.add("%d threads of three runs; kills %d, during a run %d, with a question open %d; takeovers %d",
		len(threads), size.restarts+1, during, asked, f.takeovers.Load())
	if aimed := size.restarts / 3; during < aimed || asked < aimed {
		out.stats.problem("%d of %d kills hit a run, %d an open question: that shows too little", during, size.restarts,
			asked)
	}
	out.checkTrips(f, threads)
	return out
}

// restart kills the gateway and starts it again, n times, each after a second or so of service: by turns at once, as
// soon as a run is at work, and as soon as a question is open. It returns how many kills hit a run, and how many an
// open question.
func restart(ctx context.Context, r *replica, n int) (during, asked int, err error) {
	for i := range n {
		time.Sleep(300*time.Millisecond + rand.N(1200*time.Millisecond))
		working, open, err := r.aim(ctx, i%3 == 1, i%3 == 2)
		if err != nil {
			return during, asked, err
		}
		if open > 0 {
			asked++
		}
		if working > 0 {
			during++
		}
		r.kill()
		if err := r.start(ctx); err != nil {
			return during, asked, err
		}
	}
	return during, asked, nil
}

// aimFor is how long a kill is put off for what it is to hit: somebody is always on the way, so it comes soon.
const aimFor = 10 * time.Second

// aim waits until a run is at work, if one is wanted, or a question is open, if that is, and returns how many there
// are.
func (r *replica) aim(ctx context.Context, run, question bool) (working, open int, err error) {
	for deadline := time.Now().Add(aimFor); ; time.Sleep(5 * time.Millisecond) {
		if open, err = r.waiting(ctx); err != nil {
			return 0, 0, err
		}
		working = r.working(ctx)
		if (!run || working > 0) && (!question || open > 0) || time.Now().After(deadline) {
			return working, open, nil
		}
	}
}

// waiting is how many threads have an open question.
func (r *replica) waiting(ctx context.Context) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.serving.Load().url+"/threads?status=interrupted",
		nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }() // decoded
	var page struct{ Threads []json.RawMessage }
	err = json.NewDecoder(response.Body).Decode(&page)
	return len(page.Threads), err
}
