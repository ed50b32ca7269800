package travel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/travel"
)

const (
	loadTrips = 200
	// heapSlack is what two measurements of a heap that holds the same may differ by; the trips take many times that.
	heapSlack = 2 << 20
)

// TestLoad plans many trips concurrently, and then as many again, each to its end. A run that is over may leave neither
// a goroutine nor memory: only the thread is kept, until it is deleted. It is not parallel, because goroutines and heap
// are the process's.
func TestLoad(t *testing.T) {
	before := goleak.IgnoreCurrent()
	empty := heap()

	s := newLoadServer(t)
	s.trips(t, "first")
	s.forget(t, "first")
	idle, once := goleak.IgnoreCurrent(), heap()

	s.trips(t, "second")
	if kept := heap(); kept < once+heapSlack {
		t.Errorf("%d trips take %d bytes: too little to notice if they were not given back", loadTrips, kept-once)
	}
	s.forget(t, "second")
	s.http.CloseIdleConnections()
	goleak.VerifyNone(t, idle)
	if again := heap(); again > once+heapSlack {
		t.Errorf("heap is %d bytes after the first %d trips and %d after as many again", once, loadTrips, again)
	}

	s.close(t)
	goleak.VerifyNone(t, before)
	if after := heap(); after > empty+heapSlack {
		t.Errorf("heap is %d bytes without a gateway and %d after one", empty, after)
	}
}

// heap is the size of reachable memory.
func heap() uint64 {
	// Two collections: pools give up what they hold at the second.
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A loadServer is a gateway with the travel team, and the client that keeps it busy.
type loadServer struct {
	gateway *gateway.Gateway
	store   state.Store
	ahead   *atomic.Int64 // of the real time, in nanoseconds
	server  *httptest.Server
	http    *http.Client
}

func newLoadServer(t *testing.T) *loadServer {
	t.Helper()
	ahead := new(atomic.Int64)
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	store := memstore.New(memstore.Options{Now: now})
	g, err := gateway.New(gateway.Options{
		Agents: map[string]groupchat.Agent{"travel": travel.Team()},
		Store:  store,
		Now:    now,
		Log:    slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return &loadServer{
		gateway: g,
		store:   store,
		ahead:   ahead,
		server:  httptest.NewServer(g),
		http:    &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: loadTrips}},
	}
}

func (s *loadServer) close(t *testing.T) {
	t.Helper()
	s.server.Close()
	if err := s.gateway.Close(); err != nil {
		t.Error(err)
	}
	if err := s.store.Close(); err != nil {
		t.Error(err)
	}
	*s = loadServer{}
}

// trips plans concurrent trips, each in a new thread.
func (s *loadServer) trips(t *testing.T, round string) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range loadTrips {
		wg.Go(func() {
			if err := s.trip(t.Context(), fmt.Sprintf("%s-%d", round, i)); err != nil {
				t.Errorf("%s trip %d: %v", round, i, err)
			}
		})
	}
	wg.Wait()
}

// trip takes the three runs of a trip.
func (s *loadServer) trip(ctx context.Context, thread string) error {
	var resume []agui.ResumeEntry
	for run, payload := range []string{`{"airline":"KLM"}`, `{"name":"Hotel Zoe"}`, ""} {
		outcome, err := s.run(ctx, &agui.RunAgentInput{
			ProtocolVersion: agui.ProtocolVersion, ThreadID: thread, RunID: fmt.Sprint(run), Resume: resume,
			Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("Plan my trip")}},
		})
		switch {
		case err != nil:
			return fmt.Errorf("run %d: %w", run, err)
		case payload == "":
			if outcome.Type != agui.OutcomeSuccess {
				return fmt.Errorf("run %d ends as %s", run, outcome.Type)
			}
			return nil
		case len(outcome.Interrupts) != 1:
			return fmt.Errorf("run %d asks %d questions", run, len(outcome.Interrupts))
		}
		resume = []agui.ResumeEntry{{
			InterruptID: outcome.Interrupts[0].ID, Status: agui.ResumeResolved, Payload: json.RawMessage(payload),
		}}
	}
	return nil
}

// run posts one input and reads its stream, which must be a valid one, to the end.
func (s *loadServer) run(ctx context.Context, in *agui.RunAgentInput) (outcome *agui.Outcome, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	response, err := s.do(ctx, http.MethodPost, "/agents/travel", body)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	var verifier agui.Verifier
	var last agui.Event
	for record, err := range agui.ReadStream(response.Body, 1<<20) {
		if err != nil {
			return nil, err
		}
		if last, err = agui.Decode(record.Data, nil); err != nil {
			return nil, err
		}
		if err := verifier.Next(last); err != nil {
			return nil, err
		}
	}
	finished, ok := last.(*agui.RunFinished)
	if !ok || finished.Outcome == nil {
		return nil, fmt.Errorf("the stream ends with %+v", last)
	}
	return finished.Outcome, nil
}

// forget deletes the threads of a round, and waits until their logs are dropped, which are kept for readers.
func (s *loadServer) forget(t *testing.T, round string) {
	t.Helper()
	for i := range loadTrips {
		response, err := s.do(t.Context(), http.MethodDelete, fmt.Sprintf("/threads/%s-%d", round, i), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			t.Error(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		if response.StatusCode != http.StatusNoContent {
			t.Fatalf("DELETE: %s", response.Status)
		}
	}
	s.ahead.Add(int64(2 * state.DeadLogTTL))
	if _, err := s.store.Overdue(t.Context(), 1); err != nil { // the store drops them during its next operation
		t.Error(err)
	}
	s.http.CloseIdleConnections()
}

func (s *loadServer) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.server.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return s.http.Do(r)
}
