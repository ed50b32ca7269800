package upgrades_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/statetest"
)

// A world is a gateway on a store, and a receiver of its webhooks.
type world struct {
	*testing.T
	*agents

	store  state.Store
	clock  *statetest.Clock
	client *http.Client
	url    string

	mu   sync.Mutex
	told map[string]bool // threads in notices to the webhook's receiver
	deaf bool            // it takes no notice
}

// lease is how long a run outlives its owner, by the clock of the world.
const lease = time.Second

// serve starts a gateway on a store.
func serve(t *testing.T, store state.Store, shared bool, clock *statetest.Clock, making bool) *world {
	t.Helper()
	w := &world{
		T: t, agents: &agents{queue: make(chan struct{}, 10), story: make(chan struct{}, 10), clerk: make(chan struct{}, 10), failing: making}, store: store, clock: clock,
		client: &http.Client{Transport: &http.Transport{}}, told: map[string]bool{}, deaf: making,
	}
	receiver := httptest.NewServer(http.HandlerFunc(w.receive))
	g, err := gateway.New(gateway.Options{
		Agents: w.all(), Agent: map[string]gateway.AgentOptions{"queue": {OnBusy: gateway.Queue}},
		Store: store, Shared: shared, Lease: lease, Legacy: "ask", Limits: gateway.Limits{Rate: -1},
		Webhook: gateway.WebhookOptions{URL: receiver.URL, Secret: "0123456789abcdef0123456789abcdef", Retry: time.Second},
		Log:     slog.New(slog.NewTextHandler(t.Output(), nil)),
		Principal: func(r *http.Request) (gateway.Principal, error) {
			if id := r.Header.Get("X-User"); id != "" {
				return gateway.Principal{ID: id, Roles: []string{"editor", "reader"}}, nil
			}
			return gateway.Principal{ID: "local"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(g)
	w.url = server.URL
	t.Cleanup(func() {
		w.client.CloseIdleConnections()
		if err := g.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
		server.CloseClientConnections()
		server.Close()
		receiver.Close()
		if err := store.Close(); err != nil {
			t.Errorf("store: Close() = %v", err)
		}
	})
	return w
}

// receive is the receiver of the webhook.
func (w *world) receive(rw http.ResponseWriter, r *http.Request) {
	var notice struct{ Thread string }
	err := json.NewDecoder(r.Body).Decode(&notice)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil || w.deaf {
		rw.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.told[notice.Thread] = true
}

// A principal owns threads. The empty value is the default principal.
type principal string

// call sends a request and returns its answer whole.
func (w *world) call(user principal, method, path, body string, header ...string) (int, string) {
	w.Helper()
	response := w.send(w.Context(), user, method, path, body, header...)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		w.Fatal(err)
	}
	return response.StatusCode, string(raw)
}

func (w *world) send(ctx context.Context, user principal, method, path, body string, header ...string) *http.Response {
	w.Helper()
	r, err := http.NewRequestWithContext(ctx, method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if user != "" {
		r.Header.Set("X-User", string(user))
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := w.client.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	return response
}

// must is call for a request that has to succeed.
func (w *world) must(user principal, method, path, body string, header ...string) string {
	w.Helper()
	status, answer := w.call(user, method, path, body, header...)
	if status >= http.StatusMultipleChoices {
		w.Fatalf("%s %s = %d %s", method, path, status, answer)
	}
	return answer
}

// A frame is an event of a log as a reader is sent it.
type frame struct {
	ID   string          `json:"id"`
	Data json.RawMessage `json:"data"`
}

// frames are the events of a stream that have an id.
func (w *world) frames(stream string) []frame {
	w.Helper()
	var list []frame
	for record, err := range agui.ReadStream(strings.NewReader(stream), 1<<20) {
		if err != nil {
			w.Fatalf("the stream is broken: %v\n%s", err, stream)
		}
		if record.ID != "" {
			list = append(list, frame{record.ID, record.Data})
		}
	}
	return list
}

// post is the body of a run's request with one message of a user's.
func post(thread, run, text string) string {
	raw, err := json.Marshal(map[string]any{
		"protocolVersion": "1.0", "threadId": thread, "runId": run,
		"messages": []any{map[string]string{"id": "u-" + run, "role": "user", "content": text}},
	})
	if err != nil {
		panic(err) // texts can be encoded
	}
	return string(raw)
}

// run runs an agent to the end of its stream, which it returns.
func (w *world) run(user principal, agent, thread, run, text string) string {
	w.Helper()
	return w.must(user, http.MethodPost, "/agents/"+agent, post(thread, run, text))
}

// open begins a run and returns when its agent waits. The run's connection stays open to the end of the test.
func (w *world) open(user principal, agent, thread, run string) {
	w.Helper()
	response := w.send(w.Context(), user, http.MethodPost, "/agents/"+agent+"?disconnect=detach", post(thread, run, "Go"))
	w.Cleanup(func() { _ = response.Body.Close() })
	for record, err := range agui.ReadStream(response.Body, 1<<20) {
		if err != nil {
			w.Fatal(err)
		}
		if strings.Contains(string(record.Data), "test.waiting") {
			return
		}
	}
	w.Fatalf("the run of %s ended", thread)
}

// framesUpTo are the frames of a thread's log up to an event that has some text.
func (w *world) framesUpTo(user principal, thread, text string) []frame {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	response := w.send(ctx, user, http.MethodGet, "/threads/"+thread+"/events?protocolVersion=1.0", "", "Last-Event-ID", "0-0")
	defer response.Body.Close()
	var list []frame
	for record, err := range agui.ReadStream(response.Body, 1<<20) {
		if err != nil {
			w.Fatalf("the log of %s: %v", thread, err)
		}
		list = append(list, frame{record.ID, record.Data})
		if strings.Contains(string(record.Data), text) {
			break
		}
	}
	return list
}

// A document is as much of a thread as the tests look at.
type document struct {
	Status, Title string
	State         map[string]any
	Messages      []struct{ ID, Role string }
	Interrupts    []struct {
		ID       string
		Metadata json.RawMessage
	}
	OpenCalls []struct{ ID string }
}

func (w *world) thread(user principal, id string) document {
	w.Helper()
	var d document
	if err := json.Unmarshal([]byte(w.must(user, http.MethodGet, "/threads/"+id, "")), &d); err != nil {
		w.Fatal(err)
	}
	return d
}

// answer answers every open question of a thread with the same, and reads the run to its end.
func (w *world) answer(id, payload string) {
	w.Helper()
	var list []string
	for _, q := range w.thread("", id).Interrupts {
		list = append(list, `{"interruptId":"`+q.ID+`","status":"resolved","payload":`+payload+`}`)
	}
	if len(list) == 0 {
		w.Fatalf("%s has no open question", id)
	}
	w.must("", http.MethodPost, "/threads/"+id+"/resume", `{"resume":[`+strings.Join(list, ",")+`]}`, "Accept", "text/event-stream")
}

// has holds the state of a thread at rest to members, given as name, value, ….
func (w *world) has(user principal, id string, members ...any) {
	w.Helper()
	d := w.thread(user, id)
	if d.Status != "idle" {
		w.Errorf("%s is %s", id, d.Status)
	}
	for i := 0; i < len(members); i += 2 {
		if name, _ := members[i].(string); d.State[name] != members[i+1] {
			w.Errorf("%s has the %s %v, want %v", id, name, d.State[name], members[i+1])
		}
	}
}
