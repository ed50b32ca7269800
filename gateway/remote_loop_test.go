package gateway_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
)

// The longest way over remote agents, and the most runs of one such way on one gateway.
const (
	mostHops = 16
	mostRuns = 128
)

// at is a remote agent.
func at(t *testing.T, url string) groupchat.Agent {
	t.Helper()
	far, err := groupchat.NewRemote(groupchat.RemoteOptions{URL: url})
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
	w := &world{t: t, url: h.URL, client: h.Client()}
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
		{Name: "far", Agent: at(t, other.URL+"/agents/back"), OnError: groupchat.ErrorPolicy{Retries: 2}},
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
	skip := groupchat.ErrorPolicy{Skip: true}
	for name, team := range map[string]func(a, b groupchat.Participant) groupchat.Agent{
		"one after the other": func(a, b groupchat.Participant) groupchat.Agent {
			return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{a, b}}
		},
		"both at once": func(a, b groupchat.Participant) groupchat.Agent {
			return &groupchat.Fan{Participants: []groupchat.Participant{a, b}}
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
			one.run(t, "loop", "t2") // what ended counts no more
			if n := len(one.runs()); n < 2*mostRuns || n > 2*(2*mostRuns+2) {
				t.Errorf("%d runs were asked for", n)
			}
		})
	}
}
