package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// A load is what a server is asked to carry.
type load struct {
	url  string
	runs int // in all
	// open is how many runs are open at a time: each is followed by the next. With a rate it is the most.
	open int
	// rate is how many runs begin in a second; 0 is as many as end.
	rate float64
	idle int // how many runs of which nothing comes are open beside these
	pid  int // the server's process, which is accounted for; 0 is none
}

// A result is the result of a load.
type result struct {
	runs, events, bytes, failed int
	firstEvent, firstText, took []time.Duration // of each run, in order of length once it is over
	elapsed                     time.Duration
	cpu                         time.Duration // of the server's process
	memory                      int64         // bytes that are resident in it, the most that was seen
	err                         error         // one of the runs' failures
}

// perEvent is the CPU time that the server used for each event.
func (r *result) perEvent() time.Duration { return r.cpu / time.Duration(max(1, r.events)) }

// percentile is the pth part of sorted times.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}

// play sends the load and waits for its end.
func (l load) play(ctx context.Context) (*result, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: l.open}}
	defer client.CloseIdleConnections()
	closeIdle, err := l.openIdle(ctx, client)
	defer closeIdle()
	if err != nil {
		return nil, err
	}
	before, err := l.used()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var all result
	var workers sync.WaitGroup
	begun := time.Now()
	turns := l.turns(ctx)
	for range l.open {
		workers.Go(func() {
			for range turns {
				one := l.run(ctx, client)
				mu.Lock()
				all.add(one)
				mu.Unlock()
			}
		})
	}
	watched := l.watch(&mu, &all)
	workers.Wait()
	all.elapsed = time.Since(begun)
	watched()
	after, err := l.used()
	if err != nil {
		return nil, err
	}
	all.cpu = after.cpu - before.cpu
	for _, times := range []*[]time.Duration{&all.firstEvent, &all.firstText, &all.took} {
		slices.Sort(*times)
	}
	return &all, ctx.Err()
}

// openIdle opens runs of which nothing comes but their beginning, and waits until all have begun. The function that it
// returns ends them.
func (l load) openIdle(ctx context.Context, client *http.Client) (closeAll func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var open sync.WaitGroup
	closeAll = func() {
		cancel()
		open.Wait()
	}
	const together = 16 // are begun at once
	begun, may := make(chan error, l.idle), make(chan struct{}, together)
	for range l.idle {
		may <- struct{}{}
		open.Go(func() {
			var told sync.Once
			tell := func(err error) {
				told.Do(func() {
					begun <- err
					<-may
				})
			}
			_, err := l.read(ctx, client, sayNothing, func(bool) { tell(nil) })
			tell(err)
		})
	}
	for range l.idle {
		err = errors.Join(err, <-begun)
	}
	return closeAll, err
}

// turns tells the workers when to begin a run, so many times.
func (l load) turns(ctx context.Context) <-chan struct{} {
	turns := make(chan struct{})
	go func() {
		defer close(turns)
		begun := time.Now()
		for n := range l.runs {
			if l.rate > 0 {
				due := begun.Add(time.Duration(float64(n) / l.rate * float64(time.Second)))
				select {
				case <-time.After(time.Until(due)):
				case <-ctx.Done():
					return
				}
			}
			select {
			case turns <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return turns
}

func (l load) used() (usage, error) {
	if l.pid == 0 {
		return usage{}, nil
	}
	return usageOf(l.pid)
}

// watch looks at the server's memory until the function that it returns is called.
func (l load) watch(mu *sync.Mutex, all *result) (done func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	look := func() {
		now, err := l.used()
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			all.memory = max(all.memory, now.memory)
		}
	}
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(200 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				look()
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		look()
	}
}

// add adds a run's result to that of all.
func (r *result) add(one result) {
	r.runs++
	r.events += one.events
	r.bytes += one.bytes
	r.failed += one.failed
	r.err = cmp.Or(r.err, one.err)
	r.firstEvent = append(r.firstEvent, one.firstEvent...)
	r.firstText = append(r.firstText, one.firstText...)
	r.took = append(r.took, one.took...)
}

// run asks for one run on a new thread, and reads it to its end.
func (l load) run(ctx context.Context, client *http.Client) result {
	begun := time.Now()
	var one result
	since := func(times *[]time.Duration) { *times = append(*times, time.Since(begun)) }
	seen, err := l.read(ctx, client, "Tell me about it.", func(text bool) {
		if text {
			since(&one.firstText)
			return
		}
		since(&one.firstEvent)
	})
	one.events, one.bytes = seen.events, seen.bytes
	if err == nil && seen.text == 0 {
		err = errors.New("nothing was said")
	}
	if err != nil {
		one.failed, one.err = 1, err
		return one
	}
	since(&one.took)
	return one
}

func (l load) read(ctx context.Context, client *http.Client, message string, first func(text bool)) (seen, error) {
	body, err := json.Marshal(map[string]any{
		"threadId": uuid.NewString(), "runId": uuid.NewString(), "state": map[string]any{}, "tools": []any{},
		"context":         []any{},
		"messages":        []any{map[string]string{"id": "u1", "role": "user", "content": message}},
		"forwardedProps":  map[string]any{},
		"protocolVersion": "1.0",
	})
	if err != nil {
		return seen{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, bytes.NewReader(body))
	if err != nil {
		return seen{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	response, err := client.Do(request)
	if err != nil {
		return seen{}, err
	}
	defer func() { _ = response.Body.Close() }() // read to its end, or given up
	if response.StatusCode != http.StatusOK {
		said, readErr := io.ReadAll(io.LimitReader(response.Body, 300))
		return seen{}, errors.Join(fmt.Errorf("%s: %s", response.Status, said), readErr)
	}
	s, err := readStream(response.Body, first)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body) // so that the connection can be used again
	}
	return s, err
}

func loadCommand(ctx context.Context, args []string) error {
	var l load
	flags := flag.NewFlagSet("bench load", flag.ContinueOnError)
	flags.StringVar(&l.url, "url", "", "URL of an AG-UI agent")
	flags.IntVar(&l.runs, "runs", 1000, "runs in all")
	flags.IntVar(&l.open, "open", 16, "runs that are open at a time; with -rate the most")
	flags.Float64Var(&l.rate, "rate", 0, "runs that begin in a second; 0 is as many as end")
	flags.IntVar(&l.idle, "idle", 0, "runs that are open beside these, to which the model of bench says nothing")
	flags.IntVar(&l.pid, "pid", 0, "process of the server, whose CPU time and memory are told")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r, err := l.play(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%d runs, %d events, %d bytes in %v; failed %d\n", r.runs, r.events, r.bytes,
		r.elapsed.Round(time.Millisecond), r.failed)
	for _, row := range []struct {
		what  string
		times []time.Duration
	}{{"first event", r.firstEvent}, {"first text", r.firstText}, {"whole run", r.took}} {
		fmt.Printf("%-12s p50 %8v  p99 %8v\n", row.what, percentile(row.times, .5).Round(time.Microsecond),
			percentile(row.times, .99).Round(time.Microsecond))
	}
	if l.pid != 0 {
		fmt.Printf("server: %v of CPU an event, %d MB resident\n", r.perEvent(), r.memory>>20)
	}
	if r.err != nil {
		fmt.Fprintln(os.Stderr, "one of the failures:", r.err)
		return errors.New("not every run was right")
	}
	return nil
}
