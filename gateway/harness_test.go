package gateway_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/statetest"
)

// A world is a gateway with the agents of agents_test.go. It has a separate port, and the test controls its clock and ids.
type world struct {
	t      *testing.T
	g      *gateway.Gateway
	url    string
	client *http.Client
	clock  *statetest.Clock
	gate   chan struct{} // what the agents that wait wait for
	ids    atomic.Int64
	// patience bounds every wait for the gateway, by the clock that the gateway has.
	patience time.Duration
}

// patience limits each wait of a test. It is far more than a loaded machine needs, and ends the test of a gateway that
// hangs.
const patience = 2 * time.Minute

// newWorld starts a gateway; change may alter its options.
func newWorld(t *testing.T, change ...func(*gateway.Options)) *world {
	t.Helper()
	return startWorld(t, &http.Transport{}, httptest.NewServer, change...)
}

// startWorld is newWorld with another way between client and server.
func startWorld(t *testing.T, way *http.Transport, serve func(http.Handler) *httptest.Server, change ...func(*gateway.Options)) *world {
	t.Helper()
	w := &world{
		t: t, clock: statetest.NewClock(), gate: make(chan struct{}, 100), client: &http.Client{Transport: way}, patience: patience,
	}
	o := gateway.Options{
		Agents: agents(w.gate),
		Agent: map[string]gateway.AgentOptions{
			"slow-queue":     {OnBusy: gateway.Queue},
			"slow-supersede": {OnBusy: gateway.Supersede},
			"edits":          {Edits: true},
		},
		Legacy: "ask",
		Log:    slog.New(slog.NewTextHandler(t.Output(), nil)),
		Now:    w.clock.Now,
		NewID:  func() string { return "id" + strconv.FormatInt(w.ids.Add(1), 10) },
	}
	maps.Copy(o.Agent, typedAnswers(w.gate))
	for _, f := range change {
		f(&o)
	}
	g, err := gateway.New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.g = g
	server := serve(g)
	w.url = server.URL
	t.Cleanup(func() {
		w.client.CloseIdleConnections()
		if err := g.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
		close(w.gate) // the deaf hear nothing else
		server.CloseClientConnections()
		server.Close()
	})
	return w
}

// closeLast closes a store with the test, after the gateways that are started from here on.
func closeLast[S io.Closer](t *testing.T, store S) S {
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("store: Close() = %v", err)
		}
	})
	return store
}

// release lets the next waiting agent continue.
func (w *world) release() { w.gate <- struct{}{} }

// request sends a request; header is name, value, …
func (w *world) request(ctx context.Context, method, path, body string, header ...string) *http.Response {
	w.t.Helper()
	response, err := w.try(ctx, method, path, body, header...)
	if err != nil {
		w.t.Fatal(err)
	}
	return response
}

func (w *world) try(ctx context.Context, method, path, body string, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, w.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost || method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("X-Request-Id", "test")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Del(header[i])
		if header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	return w.client.Do(r)
}

// call sends a request and returns the whole of a plain answer.
func (w *world) call(method, path, body string, header ...string) (int, string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), w.patience)
	defer cancel()
	response := w.request(ctx, method, path, body, header...)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return response.StatusCode, string(data)
}

// input is the body of a run request. Messages are "id:text" of users; extra is more members.
func input(thread, run string, messages []string, extra ...string) string {
	list := make([]string, 0, len(messages))
	for _, m := range messages {
		id, text, _ := strings.Cut(m, ":")
		list = append(list, `{"id":`+quote(id)+`,"role":"user","content":`+quote(text)+`}`)
	}
	return `{"protocolVersion":"1.0","threadId":` + quote(thread) + `,"runId":` + quote(run) +
		`,"messages":[` + strings.Join(list, ",") + `]` + strings.Join(append([]string{""}, extra...), ",") + `}`
}

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// post runs an agent and reads its whole stream.
func (w *world) post(agent, body string, header ...string) *reader {
	w.t.Helper()
	r := w.begin(http.MethodPost, "/agents/"+agent, body, header...)
	defer r.hangUp()
	r.rest()
	return r
}

// open sends a request that is answered by a stream, which is closed with the test.
func (w *world) open(method, path, body string, header ...string) *reader {
	w.t.Helper()
	r := w.begin(method, path, body, header...)
	w.t.Cleanup(r.hangUp)
	return r
}

func (w *world) begin(method, path, body string, header ...string) *reader {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	late := time.AfterFunc(w.patience, cancel)
	response, err := w.try(ctx, method, path, body, header...) //nolint:bodyclose // the reader closes it
	if !late.Stop() || err != nil {
		cancel()
		w.t.Fatalf("%s %s is not answered: %v", method, path, err)
	}
	r := newReader(w.t, response, cancel, body)
	r.patience = w.patience
	return r
}

// threadDoc is what GET /threads/{id} answers, as far as tests look at it.
type threadDoc struct {
	ID, Agent, Status, Title string
	State                    json.RawMessage
	Messages                 []agui.Message
	Interrupts               []agui.Interrupt
	OpenCalls                []agui.ToolCall
	Runs                     []struct{ RunID, Status, Code string }
}

// thread returns the thread as it is served, empty if it is unknown.
func (w *world) thread(id string) threadDoc {
	w.t.Helper()
	status, body := w.call(http.MethodGet, "/threads/"+id, "")
	if status == http.StatusNotFound {
		return threadDoc{}
	}
	var raw struct {
		threadDoc
		Messages []json.RawMessage
	}
	if err := json.Unmarshal([]byte(body), &raw); err != nil {
		w.t.Fatalf("GET /threads/%s = %s: %v", id, body, err)
	}
	raw.threadDoc.Messages = messagesOf(w.t, raw.Messages)
	return raw.threadDoc
}

// shows holds what a reader of an idle thread is shown against the thread.
func (w *world) shows(id string) threadDoc {
	w.t.Helper()
	d := w.thread(id)
	r := w.open(http.MethodGet, "/threads/"+id+"/events?protocolVersion=1.0", "")
	r.rest()
	r.equals(d)
	return d
}

// messagesOf decodes messages by way of a snapshot, which knows how.
func messagesOf(t *testing.T, raw []json.RawMessage) []agui.Message {
	t.Helper()
	list, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	if raw == nil {
		list = []byte("[]")
	}
	e, err := agui.Decode([]byte(`{"type":"MESSAGES_SNAPSHOT","messages":`+string(list)+`}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e.(*agui.MessagesSnapshot).Messages
}

// receive returns the next value of a channel, or the zero value if the channel is closed.
func receive[T any](t *testing.T, what string, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(patience):
		t.Fatalf("never: %s", what)
	}
	return v
}

// eventually waits for something that happens by itself.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; !done(); pause = min(2*pause, 50*time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(pause)
	}
}

// idle waits until nothing runs on the thread.
func (w *world) idle(id string) threadDoc {
	w.t.Helper()
	var d threadDoc
	eventually(w.t, "the thread is idle", func() bool {
		d = w.thread(id)
		return d.Status != string(state.StatusRunning)
	})
	return d
}
