package langgraph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A server has the part of LangGraph's HTTP API that is asked here. What its graph does is a test's: play is called for
// each run, in order; one run more plays the last again.
type server struct {
	*httptest.Server
	play []func(r *run)

	mu      sync.Mutex
	threads map[string]*storedThread
	runs    []*run
	cut     int                         // the next stream ends behind so many events; 0 is none
	deaf    bool                        // a joined stream has only later events
	late    bool                        // a stream is cut when its run is over
	joins   int                         // streams that were joined
	instead map[string]http.HandlerFunc // by the pattern of a route
	changed *sync.Cond
}

// A storedThread is one of the server's.
type storedThread struct {
	messages []map[string]any
	values   map[string]any
	asked    []asked
	metadata map[string]string
	cleared  int
}

// An asked is an interrupt that waits.
type asked struct {
	ID    string `json:"id,omitempty"`
	Value any    `json:"value"`
}

// A run is one of the server's.
type run struct {
	s         *server
	id        string
	threadID  string
	thread    *storedThread
	Input     map[string]json.RawMessage       `json:"input"`
	Command   struct{ Resume json.RawMessage } `json:"command"`
	Metadata  map[string]string                `json:"metadata"`
	Assistant string                           `json:"assistant_id"`
	events    []string
	status    string
	cancelled chan struct{}
}

func newServer(t testing.TB, play ...func(*run)) *server {
	s := &server{play: play, threads: map[string]*storedThread{}, instead: map[string]http.HandlerFunc{}}
	s.changed = sync.NewCond(&s.mu)
	mux := http.NewServeMux()
	for pattern, handle := range map[string]http.HandlerFunc{
		"POST /threads":                        s.create,
		"GET /threads/{id}":                    s.tell,
		"GET /threads/{id}/state":              s.state,
		"POST /threads/{id}/state":             s.clear,
		"POST /threads/{id}/runs/stream":       s.begin,
		"GET /threads/{id}/runs":               s.list,
		"GET /threads/{id}/runs/{run}":         s.status,
		"GET /threads/{id}/runs/{run}/stream":  s.join,
		"POST /threads/{id}/runs/{run}/cancel": s.cancel,
		"POST /assistants/search":              s.assistants,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			other := s.instead[pattern]
			s.mu.Unlock()
			if other != nil {
				other(w, r)
				return
			}
			handle(w, r)
		})
	}
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Cleanup(func() { // live runs end first
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, r := range s.runs {
			r.end("interrupted")
		}
	})
	return s
}

// do answers a route in another way.
func (s *server) do(pattern string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead[pattern] = h
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (s *server) create(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ID string `json:"thread_id"`
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.threads[in.ID] == nil {
		s.threads[in.ID] = &storedThread{values: map[string]any{}, metadata: map[string]string{}}
	}
	answer(w, map[string]any{"thread_id": in.ID, "status": s.statusOf(in.ID)})
}

// statusOf is how a thread stands. The lock is held, as in all that follows in small letters.
func (s *server) statusOf(id string) string {
	for _, r := range s.runs {
		if r.threadID == id && r.status == "running" {
			return "busy"
		}
	}
	return "idle"
}

// of calls f with a thread that is there.
func (s *server) of(w http.ResponseWriter, r *http.Request, f func(id string, t *storedThread)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.PathValue("id")
	if s.threads[id] == nil {
		http.Error(w, "Thread "+id+" not found", http.StatusNotFound)
		return
	}
	f(id, s.threads[id])
}

func (s *server) tell(w http.ResponseWriter, r *http.Request) {
	s.of(w, r, func(id string, _ *storedThread) { answer(w, map[string]any{"thread_id": id, "status": s.statusOf(id)}) })
}

func (s *server) state(w http.ResponseWriter, r *http.Request) {
	s.of(w, r, func(_ string, t *storedThread) {
		values := map[string]any{}
		for k, v := range t.values {
			values[k] = v
		}
		if len(t.messages) > 0 {
			values["messages"] = t.messages
		}
		tasks, next := []any{}, []string{}
		if len(t.asked) > 0 {
			tasks, next = append(tasks, map[string]any{"id": "task", "name": "ask", "interrupts": t.asked}), append(next, "ask")
		}
		answer(w, map[string]any{"values": values, "next": next, "tasks": tasks, "metadata": t.metadata})
	})
}

func (s *server) clear(w http.ResponseWriter, r *http.Request) {
	s.of(w, r, func(_ string, t *storedThread) {
		t.asked = nil
		t.cleared++
		answer(w, map[string]any{})
	})
}

func (s *server) begin(w http.ResponseWriter, r *http.Request) {
	one := &run{s: s, status: "running", cancelled: make(chan struct{})}
	_ = json.NewDecoder(r.Body).Decode(one)
	s.of(w, r, func(id string, t *storedThread) {
		if s.statusOf(id) == "busy" {
			http.Error(w, "Thread is already running a task.", http.StatusUnprocessableEntity)
			one = nil
			return
		}
		one.threadID, one.thread, one.id = id, t, "run"+strconv.Itoa(len(s.runs)+1)
		one.take()
		s.runs = append(s.runs, one)
		play := s.play[min(len(s.runs), len(s.play))-1]
		go func() {
			one.send("metadata", map[string]any{"run_id": one.id})
			play(one)
			s.mu.Lock()
			defer s.mu.Unlock()
			one.end("success")
		}()
	})
	if one != nil && one.thread != nil {
		s.stream(w, r, one, -1)
	}
}

// take folds the input into the thread.
func (r *run) take() {
	for name, raw := range r.Input {
		var v any
		_ = json.Unmarshal(raw, &v)
		if name != "messages" {
			r.thread.values[name] = v
			continue
		}
		for _, m := range v.([]any) {
			r.put(m.(map[string]any))
		}
	}
	if r.Metadata != nil {
		r.thread.metadata = r.Metadata
	}
	if r.Command.Resume != nil || r.Input != nil {
		r.thread.asked = nil
	}
}

// put adds a message, or replaces the one with its id.
func (r *run) put(m map[string]any) {
	for i, o := range r.thread.messages {
		if o["id"] != m["id"] {
			continue
		}
		r.thread.messages[i] = m
		if m["type"] == "remove" {
			r.thread.messages = append(r.thread.messages[:i:i], r.thread.messages[i+1:]...)
		}
		return
	}
	if m["type"] != "remove" {
		r.thread.messages = append(r.thread.messages, m)
	}
}

func (r *run) end(status string) {
	if r.status == "running" {
		r.status = status
		close(r.cancelled)
	}
	r.s.changed.Broadcast()
}

// send streams an event.
func (r *run) send(event string, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf("event: %s\ndata: %s\nid: %d\n\n", event, raw, len(r.events)))
	r.s.changed.Broadcast()
}

// awaitJoin waits until the run's stream is joined.
func (r *run) awaitJoin() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	for r.s.joins == 0 && r.status == "running" {
		r.s.changed.Wait()
	}
}

// say streams the words of a message, and keeps it in the thread.
func (r *run) say(id string, words ...string) {
	for _, w := range words {
		r.send("messages", []any{map[string]any{"id": id, "type": "AIMessageChunk", "content": w}, map[string]any{"langgraph_node": "speak"}})
	}
	r.keep(map[string]any{"id": id, "type": "ai", "content": strings.Join(words, "")})
}

// keep adds a message to the thread, of which no stream tells.
func (r *run) keep(m map[string]any) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.put(m)
}

// set changes the thread's state, and streams it.
func (r *run) set(name string, value any) {
	r.s.mu.Lock()
	r.thread.values[name] = value
	r.s.mu.Unlock()
	r.send("values", map[string]any{"messages": []any{}, name: value})
	r.send("updates", map[string]any{"speak": map[string]any{}})
}

// ask leaves questions open.
func (r *run) ask(list ...asked) {
	r.s.mu.Lock()
	r.thread.asked = list
	r.s.mu.Unlock()
	r.send("values", map[string]any{"__interrupt__": list})
	r.send("updates", map[string]any{"__interrupt__": list})
}

// stream sends the events of a run after last, until it ends.
func (s *server) stream(w http.ResponseWriter, r *http.Request, one *run, last int) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	for next := last + 1; ; next++ {
		s.mu.Lock()
		for next >= len(one.events) && one.status == "running" && r.Context().Err() == nil {
			s.changed.Wait()
		}
		if next >= len(one.events) || s.cut > 0 && next >= s.cut {
			half := s.cut > 0
			s.cut = 0
			for half && s.late && one.status == "running" {
				s.changed.Wait()
			}
			s.mu.Unlock()
			if half {
				_, _ = io.WriteString(w, "event: messages\ndata: [{\"id\":")
			}
			return
		}
		event := one.events[next]
		s.mu.Unlock()
		_, _ = io.WriteString(w, event)
		_ = flush.Flush()
	}
}

func (s *server) run(r *http.Request) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.runs {
		if one.id == r.PathValue("run") && one.threadID == r.PathValue("id") {
			return one
		}
	}
	return nil
}

func (s *server) join(w http.ResponseWriter, r *http.Request) {
	one := s.run(r)
	if one == nil {
		http.Error(w, "Run not found", http.StatusNotFound)
		return
	}
	last, err := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	s.mu.Lock()
	if err != nil || s.deaf {
		last = len(one.events) - 1
	}
	s.joins++
	s.changed.Broadcast()
	s.mu.Unlock()
	s.stream(w, r, one, last)
}

func (s *server) status(w http.ResponseWriter, r *http.Request) {
	one := s.run(r)
	if one == nil {
		http.Error(w, "Run not found", http.StatusNotFound)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer(w, map[string]any{"run_id": one.id, "status": one.status})
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	s.of(w, r, func(id string, _ *storedThread) {
		list := []any{}
		for _, one := range s.runs {
			if one.threadID == id && one.status == r.URL.Query().Get("status") {
				list = append(list, map[string]any{"run_id": one.id, "status": one.status, "metadata": one.Metadata})
			}
		}
		answer(w, list)
	})
}

func (s *server) cancel(_ http.ResponseWriter, r *http.Request) {
	if one := s.run(r); one != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		one.end("interrupted")
	}
}

func (s *server) assistants(w http.ResponseWriter, _ *http.Request) {
	answer(w, []any{map[string]any{"assistant_id": "7738f649-62ad-5c83-ad39-4573e5828c21", "graph_id": "agent"}})
}

// sent are the messages of the nth run's input, as type:id.
func (s *server) sent(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []struct{ Type, ID string }
	_ = json.Unmarshal(s.runs[n].Input["messages"], &list)
	var out []string
	for _, m := range list {
		out = append(out, m.Type+":"+m.ID)
	}
	return strings.Join(out, " ")
}

// only is the server's only thread.
func (s *server) only() *storedThread {
	for _, t := range s.threads {
		return t
	}
	return nil
}

// hash is an id of the form that servers give to questions.
func hash(of string) string { return strings.Repeat(fmt.Sprintf("%x", of[0]), 16) }

// contextWith is a context that can be done before the test is.
func contextWith(t testing.TB) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}
