package gateway_test

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
	"testing/synctest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A knower is an agent that notes who it works for, waits, and asks.
type knower struct {
	gate chan struct{}

	mu    sync.Mutex
	knows []string
}

func (k *knower) Run(ctx context.Context, t *groupchat.Turn) error {
	p := t.Principal()
	claims, err := json.Marshal(p.Claims)
	if err != nil {
		return err
	}
	k.mu.Lock()
	k.knows = append(k.knows, p.ID+" "+strings.Join(p.Roles, ",")+" "+string(claims))
	k.mu.Unlock()
	p.Roles, p.Claims["tenant"] = append(p.Roles, "mine"), "mine" // must not affect others
	if err := waits(ctx, t, k.gate); err != nil {
		return err
	}
	return choose(t, sizes())
}

// last is what the agent knew last.
func (k *knower) last() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.knows) == 0 {
		return ""
	}
	return k.knows[len(k.knows)-1]
}

// Agents get the roles and claims of the request that started or resumed their run, also after a takeover, and a later
// answer brings its sender's.
func TestAgentsKnowTheClaimsOfTheirRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := closeLast(t, memstore.New(memstore.Options{}))
		door := newMortal(shared)
		defer close(door.buried)
		replica := func(change func(*gateway.Options)) (*world, *knower) {
			gate := make(chan struct{}, 3)
			k := &knower{gate: gate}
			w := newBubbleWorld(t, func(o *gateway.Options) {
				o.Shared, o.Now, o.NewID, o.Agent, o.Legacy = true, nil, nil, nil, ""
				o.Agents = map[string]groupchat.Agent{"knower": k}
				byHeader(o)
				change(o)
			})
			w.gate = gate
			return w, k
		}
		a, first := replica(func(o *gateway.Options) { o.Store = door })
		north := []string{"X-User", "ada", "X-Roles", "editor,admin", "X-Tenant", "north"}
		run := a.begin("POST", "/agents/knower?disconnect=detach", input("t", "r1", []string{"u1:Hi"}), north...)
		run.until(agui.TypeCustom)
		const knows = `ada editor,admin {"level":3,"tenant":"north"}`
		if first.last() != knows {
			t.Errorf("the agent knows %q, want %q", first.last(), knows)
		}
		b, second := replica(func(o *gateway.Options) { o.Store = shared })
		close(door.dead)
		run.hangUp()
		watcher := b.begin("GET", "/threads/t/events?protocolVersion=1.0", "", "X-User", "ada")
		defer watcher.hangUp()
		b.release()
		watcher.rest()
		if second.last() != knows {
			t.Errorf("after the takeover the agent knows %q, want %q", second.last(), knows)
		}
		question := watcher.interrupts()[0].ID
		b.release()
		b.release()
		answer := b.begin("POST", "/threads/t/resume?protocolVersion=1.0", `{"resume":[{"interruptId":"`+question+`","status":"resolved","payload":{"value":"M"}}]}`,
			"X-User", "ada", "X-Roles", "reader", "X-Tenant", "south", "Accept", "text/event-stream")
		defer answer.hangUp()
		answer.rest()
		if want := `ada reader {"level":3,"tenant":"south"}`; second.last() != want {
			t.Errorf("after the answer the agent knows %q, want %q", second.last(), want)
		}
	})
}

// Claims and roles reach agents only: no event, no document, no notice, and not the log.
func TestClaimsStayInside(t *testing.T) {
	t.Parallel()
	const claim, role = "claim-of-ada", "role-of-ada"
	notices := make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		notices <- string(body)
	}))
	defer hook.Close()
	var log lockedBuffer
	gate := make(chan struct{}, 10)
	k := &knower{gate: gate}
	w := newWorld(t, byHeader, func(o *gateway.Options) {
		o.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Agents["knower"] = k
		o.Webhook = gateway.WebhookOptions{URL: hook.URL, Secret: hookSecret}
	})
	gate <- struct{}{}
	ada := []string{"X-User", "ada", "X-Roles", role, "X-Tenant", claim}
	stream := w.open("POST", "/agents/knower", input("t", "r1", []string{"u1:Hi"}), ada...)
	stream.rest()
	notice := receive(t, "a notice comes", notices)
	if !strings.Contains(k.last(), claim) || !strings.Contains(k.last(), role) || !strings.Contains(notice, `"principal":"ada"`) {
		t.Fatalf("the agent knows %q, the notice is %s", k.last(), notice)
	}
	shown := map[string]string{"stream": stream.lines(0), "notice": notice}
	for _, path := range []string{
		"/threads", "/threads/t", "/threads/t/state", "/threads/t/events", "/agents/knower/capabilities", "/api/copilotkit/info",
		"/api/copilotkit/threads/t/events", "/api/copilotkit/threads/t/messages",
	} {
		_, shown[path] = w.call("GET", path, "", ada...)
	}
	w.call("GET", "/threads/none", "", ada...)
	shown["log"] = log.String()
	_, shown["me"] = w.call("GET", "/me", "", ada...)
	shown["me"] = strings.ReplaceAll(shown["me"], role, "") // one's own
	for where, text := range shown {
		if strings.Contains(text, claim) || strings.Contains(text, role) || text == "" {
			t.Errorf("%s: %s", where, text)
		}
	}
}
