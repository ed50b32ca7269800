package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// errands are what somebody does to a thread at a replica of the other version than the one that was asked to run it:
// states of trips are patched, and runs of long are stopped.
type errands struct {
	f       *fleet
	out     *result
	reading *readers
	stop    <-chan struct{}

	patches, stops atomic.Int64
}

// An errand is one of those threads.
type errand struct {
	*reader

	version string // that was asked to run it
	end     chan ended
}

// ended is the end of a run for its reader.
type ended struct {
	event agui.Event
	err   error
}

// stopRuns stops one run after the other.
func (e *errands) stopRuns(ctx context.Context) {
	for n := 0; isOpen(e.stop); n++ {
		at := e.f.replicas[n%len(e.f.replicas)].serving.Load()
		r := &errand{e.reading.reader(e.f, "long", fmt.Sprintf("stopped-%d", n)), at.version, make(chan ended, 1)}
		r.where = func() string {
			if r.cursor == "" && e.f.versionAt(at.url) != "" {
				return at.url
			}
			return e.f.any()
		}
		go func() {
			end, err := r.run(ctx, &agui.RunAgentInput{RunID: "r", Messages: []agui.Message{user("Tell")}})
			r.end <- ended{end, err}
		}()
		if err := e.stopRun(ctx, r); err != nil {
			e.out.stats.problem("%s: %v", r.thread, err)
			return
		}
	}
}

// patch patches the state of a trip with a question from version, at the other one.
func (e *errands) patch(ctx context.Context, t *trip, version string) error {
	return e.ask(ctx, &errand{reader: t.reader, version: version}, &e.patches, http.MethodPatch, "/state",
		fmt.Sprintf(`{"origin":%q}`, t.thread), nil)
}

// patched checks that the state of a thread has its patch.
func (r *reader) patched(ctx context.Context) error {
	d, err := r.fetch(ctx)
	if err != nil {
		return err
	}
	var state struct{ Origin string }
	if err := json.Unmarshal(d.State, &state); err != nil || state.Origin != r.thread {
		return fmt.Errorf("the patch is lost: %s", d.State)
	}
	return nil
}

// stopRun stops the live run: it ends for its reader, and not as if its work were done.
func (e *errands) stopRun(ctx context.Context, r *errand) error {
	var answer struct{ Stopped bool }
	if err := e.ask(ctx, r, &e.stops, http.MethodPost, "/stop", "{}", &answer); err != nil {
		return err
	}
	end := <-r.end
	if end.err != nil {
		return end.err
	}
	d, err := r.fetch(ctx) // who posts the run again after its end is shown the thread, and not how the run ended
	if err == nil && answer.Stopped && (len(d.Runs) != 1 || d.Runs[0].Status != "cancelled") {
		err = fmt.Errorf("it was stopped, and its runs are %+v", d.Runs)
	}
	return err
}

// ask sends a request about the thread, until it is answered, and counts it if it went to the other version. After a
// lost answer it sends the request again, and it waits for a missing thread.
func (e *errands) ask(ctx context.Context, r *errand, crossed *atomic.Int64, method, path, body string,
	answer any) error {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	for {
		url := e.f.other(r.version)
		version := e.f.versionAt(url)
		status, err := r.askAt(ctx, url, method, path, body, answer)
		switch {
		case status == http.StatusOK, status == http.StatusAccepted:
			if version != "" && version != r.version {
				crossed.Add(1)
			}
			return nil
		case status >= http.StatusBadRequest && status < http.StatusInternalServerError &&
			status != http.StatusNotFound:
			return fmt.Errorf("%s %s is %d", method, path, status)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s %s has no answer: %d, %w", method, path, status, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// askAt sends a request about the thread to a replica.
func (r *errand) askAt(ctx context.Context, url, method, path, body string, answer any) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url+"/threads/"+r.thread+path+"?agent="+r.agent,
		bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
		request.Header.Set("Idempotency-Key", `"`+r.thread+`"`)
		request.Header.Set("Prefer", "wait=0") // it waits for the turn, and its sender for nothing
	}
	response, err := r.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }() // decoded
	if answer != nil && response.StatusCode/100 == 2 && response.StatusCode != http.StatusNoContent {
		err = json.NewDecoder(response.Body).Decode(answer)
	}
	return response.StatusCode, err
}
