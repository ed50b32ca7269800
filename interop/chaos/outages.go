package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// interrupted is how many runs are live when Redis is killed. The replicas wait five seconds for it.
const (
	interrupted = 50
	shortOutage = 3 * time.Second
	longOutage  = 8 * time.Second
)

// outages kills Redis in the middle of runs. If it is back soon they continue; if not they end in an error and new ones
// are refused; and when it is back everything works, and no replica was restarted.
func outages(ctx context.Context, f *fleet, _ size) *result {
	out := &result{}
	out.outage(ctx, f, "brief", shortOutage, func(code string) bool { return code == "" }, nil)
	out.outage(ctx, f, "late", longOutage, func(code string) bool { return code == string(errcode.StoreUnavailable) },
		out.checkUnready)
	for i, r := range f.replicas {
		select {
		case <-r.ended:
			out.stats.problem("replica %d has ended", i)
		default:
		}
	}
	return out
}

// outage takes Redis away for a while and looks how the runs end; away is called before it comes back.
func (r *result) outage(ctx context.Context, f *fleet, name string, while time.Duration, right func(string) bool,
	away func(context.Context, *fleet)) {
	reading := r.readers()
	readers := make([]*reader, interrupted)
	ends := map[string]int{}
	var all sync.WaitGroup
	var mu sync.Mutex
	for i := range readers {
		readers[i] = reading.at(f.replicas[i%fleetSize], "long", fmt.Sprintf("%s-%d", name, i))
		all.Go(func() {
			in := &agui.RunAgentInput{RunID: "r", Messages: []agui.Message{user("Tell")}}
			end, err := readers[i].run(ctx, in)
			if err != nil {
				r.stats.problem("%s: %v", readers[i].thread, err)
				return
			}
			code := codeOf(end)
			if !right(code) || code == "" && !succeeded(end) {
				r.stats.problem("%s: it ends with %+v", readers[i].thread, end)
			}
			mu.Lock()
			defer mu.Unlock()
			ends[code]++
		})
	}
	r.await(ctx, runInMiddle, readers...)
	f.redis.kill()
	over := time.After(while)
	if away != nil {
		time.Sleep(longOutage - 2*time.Second)
		away(ctx, f)
	}
	<-over
	if err := f.redis.start(ctx); err != nil {
		r.stats.problem("%v", err)
		return
	}
	back := time.Now()
	r.awaitReady(ctx, f)
	ready := time.Since(back)
	all.Wait()
	for i, reader := range readers {
		all.Go(func() { r.complete(ctx, f, reader, i) })
	}
	all.Wait()
	r.add("Redis away for %v in the middle of %d runs: ended well %d, with store_unavailable %d; all replicas ready "+
		"%d ms after it was back",
		while, interrupted, ends[""], ends[string(errcode.StoreUnavailable)], ready.Milliseconds())
}

// complete sends the last request again: the thread comes to its end, wherever it was left.
func (r *result) complete(ctx context.Context, f *fleet, reader *reader, i int) {
	reader.where = func() string { return f.replicas[(i+1)%fleetSize].serving.Load().url }
	for try := range 5 {
		end, err := reader.run(ctx,
			&agui.RunAgentInput{RunID: fmt.Sprintf("again-%d", try), Messages: []agui.Message{user("Tell")}})
		if err != nil {
			r.stats.problem("%s, afterwards: %v", reader.thread, err)
			return
		}
		if code := codeOf(end); code != "" {
			r.stats.failure(code + " afterwards")
			continue
		}
		d, err := reader.agrees(ctx)
		if err == nil {
			err = checkLong(d)
		}
		if err != nil {
			r.stats.problem("%s, afterwards: %v", reader.thread, err)
		}
		return
	}
	r.stats.problem("%s cannot be brought to an end any more", reader.thread)
}

// checkLong checks that the run of long that made this thread did all it had to.
func checkLong(d *threadDocument) error {
	var state struct {
		Opened bool
		Told   int
	}
	if err := json.Unmarshal(d.State, &state); err != nil {
		return err
	}
	if !state.Opened || state.Told != 200 || len(d.Messages) != 3 {
		return fmt.Errorf("the thread has %d messages and the state %s", len(d.Messages), d.State)
	}
	return nil
}

// checkUnready checks that replicas without a store are not ready and refuse new runs.
func (r *result) checkUnready(ctx context.Context, f *fleet) {
	for i, replica := range f.replicas {
		reader := r.readers().at(replica, "long", "refused")
		if status, err := reader.awaitStatus(ctx,
			http.StatusServiceUnavailable); status != http.StatusServiceUnavailable {
			r.stats.problem("replica %d without a store: /readyz = %d, %v", i, status, err)
		}
		body, err := json.Marshal(agui.RunAgentInput{
			ThreadID: "refused", RunID: "r", ProtocolVersion: agui.ProtocolVersion,
			Messages: []agui.Message{user("Tell")},
		})
		if err != nil {
			r.stats.problem("%v", err)
			return
		}
		status, after, err := reader.status(ctx, http.MethodPost, "/agents/long", body)
		if err != nil || status != http.StatusServiceUnavailable || after == "" {
			r.stats.problem("replica %d without a store: a new run = %d, Retry-After %q, %v", i, status, after, err)
		}
	}
	r.add("without a store: /readyz and new runs are 503 with Retry-After on %d replicas", len(f.replicas))
}

// awaitReady waits until all replicas are ready.
func (r *result) awaitReady(ctx context.Context, f *fleet) {
	for i, replica := range f.replicas {
		if status, err := r.readers().at(replica, "long", "").awaitStatus(ctx, http.StatusOK); status != http.StatusOK {
			r.stats.problem("replica %d is not ready again: %d, %v", i, status, err)
		}
	}
}

// awaitStatus asks whether a replica is ready until the status of the answer is the one that is wanted, and returns the
// last one.
func (r *reader) awaitStatus(ctx context.Context, want int) (status int, err error) {
	for deadline := time.Now().Add(hungAfter); ; time.Sleep(20 * time.Millisecond) {
		status, _, err = r.status(ctx, http.MethodGet, "/readyz", nil)
		if status == want || ctx.Err() != nil || time.Now().After(deadline) {
			return status, err
		}
	}
}

// status asks for something and returns how it was answered.
func (r *reader) status(ctx context.Context, method, path string,
	body []byte) (status int, retryAfter string, err error) {
	ctx, cancel := context.WithTimeout(ctx, hungAfter)
	defer cancel()
	request, err := r.request(ctx, method, path, body)
	if err != nil {
		return 0, "", err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	return response.StatusCode, response.Header.Get("Retry-After"), response.Body.Close()
}
