package gateway_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A house is a gateway behind an address that outlives it.
type house struct {
	*httptest.Server
	t       *testing.T
	network *network
	store   state.Store
	agents  map[string]groupchat.Agent
	in      atomic.Pointer[gateway.Gateway] // nil: no gateway answers

	mu    sync.Mutex
	asked []string // method, path and query
	// answer, if set, may take a request over.
	answer func(w http.ResponseWriter, r *http.Request) bool
}

func newHouse(t *testing.T, agents map[string]groupchat.Agent) *house {
	t.Helper()
	return newHouseOn(t, nil, agents)
}

// newHouseOn is newHouse on a network.
func newHouseOn(t *testing.T, n *network, agents map[string]groupchat.Agent) *house {
	t.Helper()
	h := &house{t: t, network: n, store: memstore.New(memstore.Options{}), agents: agents}
	h.Server = n.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.asked = append(h.asked, r.Method+" "+r.URL.RequestURI())
		answer := h.answer
		h.mu.Unlock()
		g := h.in.Load()
		switch {
		case answer != nil && answer(w, r):
		case g == nil:
			w.WriteHeader(http.StatusBadGateway)
		default:
			g.ServeHTTP(w, r)
		}
	}))
	h.open()
	t.Cleanup(func() {
		h.close()
		h.CloseClientConnections()
		h.Close()
		if err := h.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *house) open() {
	h.t.Helper()
	g, err := gateway.New(gateway.Options{Agents: h.agents, Store: h.store, Log: slog.New(slog.NewTextHandler(h.t.Output(), nil))})
	if err != nil {
		h.t.Fatal(err)
	}
	h.in.Store(g)
}

func (h *house) close() {
	if g := h.in.Swap(nil); g != nil {
		if err := g.Close(); err != nil {
			h.t.Errorf("Close() = %v", err)
		}
	}
}

// takeOver lets answer see every request first.
func (h *house) takeOver(answer func(w http.ResponseWriter, r *http.Request) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answer = answer
}

// runs are the requests that asked for runs.
func (h *house) runs() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(h.asked), func(s string) bool { return !strings.HasPrefix(s, "POST /agents/") })
}

// through is a team of one remote agent.
func through(t *testing.T, name, url string, o ...func(*groupchat.RemoteOptions)) *groupchat.Chat {
	t.Helper()
	options := groupchat.RemoteOptions{URL: url, State: groupchat.RemoteState{Path: "/" + name}}
	for _, f := range o {
		f(&options)
	}
	far, err := groupchat.NewRemote(options)
	if err != nil {
		t.Fatal(err)
	}
	return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: name, Agent: far}}}
}

// chain is a gateway before a gateway before the agents of a world.
func chain(t *testing.T, agent string, change ...func(*gateway.Options)) (front *world, middle *house, inner *world) {
	t.Helper()
	inner = newInner(t)
	middle = newHouse(t, map[string]groupchat.Agent{"relay": through(t, "inner", inner.url+"/agents/"+agent)})
	front = newFront(t, middle, change...)
	return front, middle, inner
}

// newInner is a world with deadlines that others can read.
func newInner(t *testing.T) *world {
	t.Helper()
	return newWorld(t, func(o *gateway.Options) { o.Now = time.Now })
}

// newInner is newInner on the network.
func (n *network) newInner(t *testing.T) *world {
	t.Helper()
	w := startWorld(t, n.client.Transport.(*http.Transport), n.serve, func(o *gateway.Options) { o.Now = time.Now })
	w.patience = bubblePatience
	return w
}

func newFront(t *testing.T, middle *house, change ...func(*gateway.Options)) *world {
	t.Helper()
	start := newWorld
	if middle.network != nil {
		start = newBubbleWorld
	}
	return start(t, append([]func(*gateway.Options){func(o *gateway.Options) {
		o.Agents = map[string]groupchat.Agent{"front": through(t, "far", middle.URL+"/agents/relay", middle.network.reached)}
		o.Agent, o.Legacy, o.Now = nil, "front", time.Now
	}}, change...)...)
}

// reached has a remote agent reached over the network.
func (n *network) reached(o *groupchat.RemoteOptions) { o.HTTP = n.http() }

// said counts the messages of a thread by their text.
func said(d threadDoc) map[string]int {
	counts := map[string]int{}
	for _, m := range d.Messages {
		if m.Role == agui.RoleAssistant && !m.Content.IsZero() {
			counts[m.Content.Text()]++
		}
	}
	return counts
}

func resumeOf(answers map[string]string) string {
	var list []string
	for id, value := range answers {
		list = append(list, `{"interruptId":`+quote(id)+`,"status":"resolved","payload":{"value":`+quote(value)+`}}`)
	}
	return `"resume":[` + strings.Join(list, ",") + `]`
}

// pendingCalls are the ids of a thread's open calls.
func pendingCalls(d threadDoc) []string {
	var ids []string
	for _, c := range d.OpenCalls {
		ids = append(ids, c.ID)
	}
	return ids
}

// everyThread is what a store keeps of its threads, as text.
func everyThread(t *testing.T, store state.Store) string {
	t.Helper()
	page, err := store.List(t.Context(), state.Query{Principal: "local", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, listed := range page.Threads {
		thread, _, err := store.Load(t.Context(), listed.Key)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(thread)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(raw))
	}
	if len(all) == 0 {
		t.Error("no threads")
	}
	return strings.Join(all, "\n")
}

// onlyThread is the one thread of a world.
func (w *world) onlyThread() threadDoc {
	w.t.Helper()
	_, page := w.call(http.MethodGet, "/threads", "")
	var list struct{ Threads []struct{ ID string } }
	if err := json.Unmarshal([]byte(page), &list); err != nil || len(list.Threads) != 1 {
		w.t.Fatalf("threads %s, %v", page, err)
	}
	return w.thread(list.Threads[0].ID)
}
