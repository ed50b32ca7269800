package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/statetest"
)

// anothersThread makes a thread of another principal with the agent echo, with a run ended by end; nil leaves it live.
// The channel gets the signals to the run.
func anothersThread(t *testing.T, store state.Store, id string, end *state.End, questions ...state.Token) (state.Key, <-chan state.Signal) {
	t.Helper()
	key := state.Key{Principal: "another", Agent: "echo", ID: id}
	begun, err := store.Begin(t.Context(), &state.Request{
		Key: key, RunID: "r1", Hash: "h",
		Messages: []agui.Message{{ID: "their-u1", Role: agui.RoleUser, Content: agui.PartsContent(agui.Part{Type: agui.PartText, Text: "their words"}, agui.Part{
			// the same
			Type: agui.PartDocument, Source: &agui.Source{Type: agui.SourceData, MimeType: "text/plain", Value: "dGhlaXIgd29yZHM="},
		})}},
	}, state.LeaseOptions{Attempt: id, TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	frame := func(n uint64, e agui.Event) state.Frame {
		data, err := agui.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		return state.Frame{ID: state.FrameID{Fence: begun.Lease.Fence, Seq: n}, Type: agui.TypeOf(e), Data: data}
	}
	first := frame(1, &agui.RunStarted{ThreadID: id, RunID: "r1"})
	if err := store.Append(t.Context(), begun.Lease, state.FrameID{}, []state.Frame{first}); err != nil {
		t.Fatal(err)
	}
	if end == nil {
		return key, begun.Lease.Signals
	}
	_, err = store.Commit(t.Context(), begun.Lease, state.Commit{
		Number: 1, State: json.RawMessage(`{"said":"their words"}`), Checkpoint: json.RawMessage(`{}`), Tokens: questions,
		Messages: []agui.Message{{ID: "their-a1", Role: agui.RoleAssistant, Content: agui.TextContent("their words")}},
		Frames:   []state.Frame{frame(2, &agui.RunFinished{ThreadID: id, RunID: "r1"})}, After: first.ID, End: end,
	})
	if err != nil {
		t.Fatal(err)
	}
	return key, begun.Lease.Signals
}

// A threadRoute is a request about {thread}; its path is spelled as the description of the routes does.
type threadRoute struct {
	method, path, query, body string
	header                    []string
}

// threadRoutes are all that name a thread in their path, and those of a page that name one in their body.
func threadRoutes() []threadRoute {
	const resume = `{"resume":[{"interruptId":"their-q1","status":"resolved","payload":"M"}]}`
	return []threadRoute{
		{"GET", "/threads/{id}", "", "", nil},
		{"GET", "/threads/{id}", "?agent=ask", "", nil},
		{"GET", "/threads/{id}", "?before=their-a1", "", nil},
		{"PATCH", "/threads/{id}", "", `{"title":"Mine"}`, nil},
		{"GET", "/threads/{id}/state", "", "", nil},
		{"PATCH", "/threads/{id}/state", "", `[{"op":"add","path":"/mine","value":1}]`, []string{"Content-Type", "application/json-patch+json"}},
		{"PATCH", "/threads/{id}/state", "", `{"mine":1}`, []string{"Content-Type", "application/merge-patch+json", "If-Match", "*"}},
		{"GET", "/threads/{id}/state/patches/{patch}", "", "", nil},
		{"GET", "/threads/{id}/approvals", "", "", nil},
		{"DELETE", "/threads/{id}/approvals/{approval}", "", "", nil},
		{"GET", "/threads/{id}/events", "", "", nil},
		{"GET", "/threads/{id}/events", "?follow=1", "", nil},
		{"GET", "/threads/{id}/events", "", "", []string{"Last-Event-ID", "1777636800000-1"}},
		{"GET", "/threads/{id}/events", "?trace=1", "", nil},
		{"GET", "/threads/{id}/messages/{message}/files/{file}", "", "", nil},
		{"GET", "/threads/{id}/runs/{run}", "", "", nil},
		{"GET", "/threads/{id}/runs/{run}/trace", "", "", nil},
		{"GET", "/threads/{id}/runs/{run}/trace", "?agent=ask", "", nil},
		{"GET", "/threads/{id}/runs/{run}/events", "?trace=1", "", nil},
		{"POST", "/threads/{id}/resume", "", resume, nil},
		{"POST", "/threads/{id}/resume", "", resume, []string{"Accept", "text/event-stream"}},
		{"POST", "/threads/{id}/stop", "", "", nil},
		{"POST", "/threads/{id}/fork", "", `{"messageId":"their-a1"}`, nil},
		{"DELETE", "/threads/{id}", "", "", nil},
		{"POST", "/api/copilotkit/agent/{agent}/stop/{thread}", "", "", nil},
		{"POST", "/api/copilotkit/agent/{agent}/stop/{thread}", "", `{"runId":"r1"}`, nil},
		{"POST", "/api/copilotkit/agent/{agent}/connect", "", pageInput("{thread}", "c1", nil), nil},
		{"POST", "/api/copilotkit", "", `{"method":"agent/connect","params":{"agentId":"{agent}"},"body":` + pageInput("{thread}", "c1", nil) + `}`, nil},
		{"POST", "/api/copilotkit", "", `{"method":"agent/stop","params":{"agentId":"{agent}","threadId":"{thread}"}}`, nil},
		{"GET", "/api/copilotkit/threads/{thread}/messages", "", "", nil},
		{"GET", "/api/copilotkit/threads/{thread}/events", "", "", nil},
		{"GET", "/api/copilotkit/threads/{thread}/state", "", "", nil},
		{"PATCH", "/api/copilotkit/threads/{thread}", "", `{"name":"Mine"}`, nil},
		{"DELETE", "/api/copilotkit/threads/{thread}", "", "", nil},
		{"POST", "/api/copilotkit/threads/{thread}/archive", "", "", nil},
		// Requests of runs come last: they make a thread of one's own.
		{"POST", "/agents/{agent}", "", input("{thread}", "r2", []string{"their-u1:Hi"}, answerTo("their-q1", "M")), nil},
		{"POST", "/agents/{agent}", "", input("{thread}", "r1", nil), nil},
		{"POST", "/agents/{agent}", "", input("{thread}", "r3", []string{"their-u1:Hi"}), nil},
		{"POST", "/agents/{agent}", "", input("{thread}", "r4", []string{"their-u1:Hi", "their-u2:Again"}), nil},
		{"POST", "/api/copilotkit/agent/{agent}/run", "", pageInput("{thread}", "r5", []string{"their-u1:Hi", "their-u2:Again", "their-u3:More"}), nil},
		{"GET", "/threads/{id}", "", "", nil},
		{"GET", "/threads/{id}/events", "", "", nil},
		{"GET", "/api/copilotkit/threads/{thread}/messages", "", "", nil},
		{"DELETE", "/threads/{id}", "", "", nil},
	}
}

// X2: on every route somebody else's thread is answered like one that does not exist, and nothing comes of it for them.
func TestAnothersThreadIsLikeNone(t *testing.T) {
	t.Parallel()
	clock := statetest.NewClock()
	store := closeLast(t, memstore.New(memstore.Options{Now: clock.Now}))
	w := newWorld(t, func(o *gateway.Options) { o.Store, o.Shared, o.Now = store, true, clock.Now })
	question := state.Token{Status: state.TokenOpen, Interrupt: agui.Interrupt{ID: "their-q1", Reason: "input_required", Message: "Which?"}}
	for name, end := range map[string]*state.End{"idle": {Status: state.RunSuccess}, "asks": {Status: state.RunInterrupt}, "live": nil} {
		var questions []state.Token
		if name == "asks" {
			questions = []state.Token{question}
		}
		key, signals := anothersThread(t, store, name+"-theirs", end, questions...)
		before := storedThread(t, store, key)
		for _, route := range threadRoutes() {
			theirs, none := w.askAbout(route, name+"-theirs"), w.askAbout(route, name+"-nobody")
			if diff := cmp.Diff(none, theirs); diff != "" {
				t.Errorf("%s: %s %s%s %s (-no thread +theirs):\n%s", name, route.method, route.path, route.query, route.body, diff)
			}
			if strings.Contains(theirs, "their words") {
				t.Errorf("%s: %s %s shows what they said: %s", name, route.method, route.path, theirs)
			}
		}
		if diff := cmp.Diff(before, storedThread(t, store, key)); diff != "" {
			t.Errorf("%s: their thread has changed (-before +after):\n%s", name, diff)
		}
		select {
		case signal := <-signals:
			t.Errorf("%s: their run was told to %s", name, signal)
		default:
		}
	}
	for _, path := range []string{"/threads", "/api/copilotkit/threads"} {
		if status, body := w.call("GET", path, ""); status != http.StatusOK || strings.Contains(body, "theirs") {
			t.Errorf("GET %s = %d %s", path, status, body)
		}
	}
}

// Every route that names a thread in its path is among those of the test above.
func TestEveryThreadRouteIsTriedOnAnothers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, body := w.call("GET", "/openapi.json", "")
	var description struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(body), &description); err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for _, route := range threadRoutes() {
		tried[route.method+" "+route.path] = true
	}
	n := 0
	for path, methods := range description.Paths {
		if !strings.Contains(path, "{id}") && !strings.Contains(path, "{thread}") {
			continue
		}
		for method := range methods {
			n++
			if route := strings.ToUpper(method) + " " + path; !tried[route] {
				t.Errorf("%s is not tried", route)
			}
		}
	}
	if n < 10 {
		t.Errorf("%d routes name a thread; this test has lost its way", n)
	}
}

// askAbout sends a request about a thread, and returns the answer without what differs from thread to thread.
func (w *world) askAbout(route threadRoute, thread string) string {
	w.t.Helper()
	fill := strings.NewReplacer("{id}", thread, "{thread}", thread, "{agent}", "echo", "{run}", "1", "{message}", "their-u1", "{file}", "1")
	ctx, cancel := context.WithTimeout(w.t.Context(), patience) // a stream of what they do may have no end
	defer cancel()
	response := w.request(ctx, route.method, fill.Replace(route.path)+route.query, fill.Replace(route.body), route.header...)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatalf("%s %s%s: %v after %s", route.method, route.path, route.query, err, body)
	}
	own := regexp.MustCompile(`\b(id\d+|[0-9]{13}-)|(?m:-[0-9]{1,10}$)|` + thread)
	return fmt.Sprint(response.StatusCode, " ", response.Header.Get("Content-Type"), "\n", own.ReplaceAllString(string(body), "X"))
}

// storedThread is a thread as its store has it.
func storedThread(t *testing.T, store state.Store, key state.Key) string {
	t.Helper()
	s, err := store.Snapshot(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
