package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/state/memstore"
)

// The longest way over remote agents, and the most runs of one such way on one gateway.
const (
	mostHops = 16
	mostRuns = 128
)

// at is a remote agent.
func at(t *testing.T, url string, change ...func(*groupchat.RemoteOptions)) groupchat.Agent {
	t.Helper()
	o := groupchat.RemoteOptions{URL: url}
	for _, f := range change {
		f(&o)
	}
	far, err := groupchat.NewRemote(o)
	if err != nil {
		t.Fatal(err)
	}
	return far
}

// limitedTo closes the gateway at the run request that is one too many, so that a test that fails takes nothing down.
func (h *house) limitedTo(runs int) {
	var mu sync.Mutex
	var closing sync.WaitGroup
	h.t.Cleanup(closing.Wait)
	h.takeOver(func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/agents/") {
			if runs--; runs == -1 {
				closing.Go(h.close)
			}
		}
		if runs >= 0 {
			return false
		}
		w.WriteHeader(http.StatusTeapot)
		return true
	})
}

// serveAgents makes agents those of the house, which may have its address in them.
func (h *house) serveAgents(agents map[string]groupchat.Agent) {
	h.close()
	h.agents = agents
	h.open()
}

// run is a client's run of an agent.
func (h *house) run(t *testing.T, agent, thread string) *reader {
	t.Helper()
	w := &world{t: t, url: h.URL, client: h.Client(), patience: patience}
	return w.post(agent, input(thread, "r", []string{"u:hi"}))
}

func (r *reader) errorCode() string {
	for _, e := range r.events {
		if failed, ok := e.(*agui.RunError); ok {
			return failed.Code
		}
	}
	return ""
}

// TestARemoteThatIsOneselfEnds after a number of hops, with an error that says so.
func TestARemoteThatIsOneselfEnds(t *testing.T) {
	t.Parallel()
	one := newHouse(t, nil)
	one.limitedTo(10 * mostHops)
	one.serveAgents(map[string]groupchat.Agent{"loop": at(t, one.URL+"/agents/loop")})
	if code := one.run(t, "loop", "t").errorCode(); code != "remote_loop" {
		t.Errorf("the run ended with %q", code)
	}
	if n := len(one.runs()); n != mostHops+1 {
		t.Errorf("%d runs were asked for, want the first and %d more", n, mostHops)
	}
}

// TestRemotesThatCallEachOtherEnd also where teams and retries are between them.
func TestRemotesThatCallEachOtherEnd(t *testing.T) {
	t.Parallel()
	one, other := newHouse(t, nil), newHouse(t, nil)
	one.limitedTo(10 * mostHops)
	other.limitedTo(10 * mostHops)
	retrying := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
		{Name: "far", Agent: at(t, other.URL+"/agents/back"), OnError: failure.Policy{Retries: 2}},
	}}
	one.serveAgents(map[string]groupchat.Agent{"there": retrying})
	other.serveAgents(map[string]groupchat.Agent{"back": at(t, one.URL+"/agents/there")})
	if code := one.run(t, "there", "t").errorCode(); code != "remote_loop" {
		t.Errorf("the run ended with %q", code)
	}
	if n := len(one.runs()) + len(other.runs()); n != mostHops+1 {
		t.Errorf("%d runs were asked for, want the first and %d more", n, mostHops)
	}
}

// TestALoopThatBranchesEnds: two remotes that lead back here would be 2^16 runs.
func TestALoopThatBranchesEnds(t *testing.T) {
	t.Parallel()
	skip := failure.Policy{Skip: true}
	const onceMore = "one after the other, twice"
	for name, team := range map[string]func(a, b groupchat.Participant) groupchat.Agent{
		onceMore: func(a, b groupchat.Participant) groupchat.Agent {
			return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{a, b}}
		},
		"both at once": func(a, b groupchat.Participant) groupchat.Agent {
			return &groupchat.Concurrent{Participants: []groupchat.Participant{a, b}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := newHouse(t, nil)
			one.limitedTo(4 * mostRuns)
			far := at(t, one.URL+"/agents/loop")
			one.serveAgents(map[string]groupchat.Agent{"loop": team(
				groupchat.Participant{Name: "a", Agent: far, OnError: skip}, groupchat.Participant{Name: "b", Agent: far, OnError: skip})})
			one.run(t, "loop", "t")
			// The first run and as many more as may be asked for twice each.
			first, most := len(one.runs()), 1+2*(1+mostRuns)
			if first < mostRuns || first > most {
				t.Errorf("%d runs were asked for, want at most %d", first, most)
			}
			if name != onceMore {
				return
			}
			one.run(t, "loop", "t2") // what ended counts no more
			if n := len(one.runs()) - first; n < mostRuns || n > most {
				t.Errorf("%d runs were asked for the second time, want at most %d", n, most)
			}
		})
	}
}

// wayTo is a remote agent's server that records the hops of its requests, and answers after a signal.
func wayTo(t *testing.T, n *network, answer <-chan struct{}) (url string, told chan string) {
	t.Helper()
	told = make(chan string, 10)
	server := n.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // the end of the connection is noticed only then
		told <- r.Header.Get(groupchat.HopsHeader) + " " + r.Header.Get(groupchat.ChainHeader)
		select {
		case <-answer:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n")
	}))
	t.Cleanup(server.Close)
	return server.URL + "/x", told
}

// TestHopsAreCounted on every way to run an agent, and over a takeover.
func TestHopsAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, hopsAreCounted)
}

func hopsAreCounted(t *testing.T) {
	answer, net := make(chan struct{}), newNetwork()
	url, told := wayTo(t, net, answer)
	store := closeLast(t, memstore.New(memstore.Options{}))
	start := func() *world {
		return newBubbleWorld(t, func(o *gateway.Options) {
			o.Agents, o.Agent, o.Legacy = map[string]groupchat.Agent{"far": at(t, url, net.reached)}, nil, "far"
			o.Store, o.Shared, o.Now, o.NewID = store, true, nil, nil
		})
	}
	first := start()
	run := first.open(http.MethodPost, "/agents/far?disconnect=detach", input("t", "r", []string{"u:hi"}), groupchat.HopsHeader, "7", groupchat.ChainHeader, "abc")
	if got := <-told; got != "8 abc" {
		t.Errorf("the remote is told %q", got)
	}
	if err := first.g.Close(); err != nil {
		t.Fatal(err)
	}
	run.hangUp()
	second := start()
	if got := <-told; got != "8 abc" {
		t.Errorf("after a takeover the remote is told %q", got)
	}
	close(answer)
	second.idle("t")

	const page = `"state":{},"tools":[],"context":[],"forwardedProps":{}`
	for path, body := range map[string]string{
		"/agents/far":                   input("t1", "r", []string{"u:hi"}),
		"/subgraphs":                    input("t2", "r", []string{"u:hi"}),
		"/api/copilotkit/agent/far/run": input("t3", "r", []string{"u:hi"}, page),
		"/api/copilotkit":               `{"method":"agent/run","params":{"agentId":"far"},"body":` + input("t4", "r", []string{"u:hi"}, page) + `}`,
	} {
		if status, got := second.call(http.MethodPost, path, body, groupchat.HopsHeader, "3"); status != http.StatusOK || !strings.Contains(got, "RUN_FINISHED") {
			t.Fatalf("POST %s = %d %s", path, status, got)
		}
		if got := <-told; !strings.HasPrefix(got, "4 ") || len(got) < 20 {
			t.Errorf("POST %s: the remote is told %q", path, got)
		}
		if status, got := second.call(http.MethodPost, path, body, groupchat.HopsHeader, "16"); status != http.StatusLoopDetected || !strings.Contains(got, "remote_loop") {
			t.Errorf("POST %s after 16 hops = %d %s", path, status, got)
		}
		if status, _ := second.call(http.MethodPost, path, body, groupchat.HopsHeader, "-1"); status != http.StatusBadRequest {
			t.Errorf("POST %s with nonsense = %d", path, status)
		}
	}
	if _, err := groupchat.NewRemote(groupchat.RemoteOptions{URL: url, Forward: []string{groupchat.HopsHeader, groupchat.ChainHeader}}); err == nil {
		t.Error("the count can be passed on as it is")
	}
}
