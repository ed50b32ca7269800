package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/agui-gateway/gateway/gateway/copilotkit"
	"github.com/agui-gateway/gateway/groupchat"
)

// A rule says whom a route serves.
type rule string

// The rules of routes. To everybody else a route answers as if what it is about were not there.
const (
	nobodys = rule("belongs to nobody: nobody is asked who they are")
	anyones = rule("is for every principal alike: it is about no agent and no thread, or only about what is the caller's own")
	agents  = rule("is for principals that may use the agent")
	owners  = rule("is for the owner of the thread, while the owner may use the thread's agent")
	envelop = rule("has the rule of the request in its envelope")
)

// ruleOf is the rule of each route. Whoever adds a route decides here.
var ruleOf = map[string]rule{
	"GET /": nobodys, "GET /assets/*": nobodys, "GET /healthz": nobodys, "GET /readyz": nobodys, "GET /openapi.json": nobodys,

	"GET /me": anyones, "GET /me/export": anyones, "DELETE /me": anyones, "GET /me/approvals": anyones, "DELETE /me/approvals/:approval": anyones, "GET /agents": anyones, "GET /threads": anyones,
	"GET /api/copilotkit/info": anyones, "GET /api/copilotkit/threads": anyones,
	"POST /api/copilotkit/threads/subscribe": anyones, "POST /api/copilotkit/threads/clear": anyones, "POST /api/copilotkit/annotate": anyones,
	"POST /api/copilotkit/transcribe": anyones, "GET /api/copilotkit/inspector-metadata": anyones,
	// they do nothing
	"PATCH /api/copilotkit/threads/{thread}": anyones, "DELETE /api/copilotkit/threads/{thread}": anyones,
	"POST /api/copilotkit/threads/{thread}/archive": anyones,

	"POST /agents/:agent": agents, "GET /agents/:agent/capabilities": agents, "POST /subgraphs": agents,
	"POST /api/copilotkit/agent/{agent}/run": agents, "POST /api/copilotkit/agent/{agent}/connect": agents,
	"POST /api/copilotkit/agent/{agent}/suggest": agents, "POST /api/copilotkit/agent/{agent}/stop/{thread}": agents,

	"GET /threads/:id/approvals": owners, "DELETE /threads/:id/approvals/:approval": owners,
	"GET /threads/:id": owners, "PATCH /threads/:id": owners, "DELETE /threads/:id": owners,
	"GET /threads/:id/messages/:message/files/:file": owners,
	"GET /threads/:id/state":                         owners, "PATCH /threads/:id/state": owners, "GET /threads/:id/state/patches/:patch": owners,
	"GET /threads/:id/runs/:run": owners, "GET /threads/:id/runs/:run/trace": owners, "GET /threads/:id/runs/:run/events": owners,
	"GET /threads/:id/events": owners, "POST /threads/:id/resume": owners, "POST /threads/:id/stop": owners, "POST /threads/:id/fork": owners,
	"GET /api/copilotkit/threads/{thread}/messages": owners, "GET /api/copilotkit/threads/{thread}/events": owners,
	"GET /api/copilotkit/threads/{thread}/state": owners,

	"POST /api/copilotkit": envelop,
}

// bodyOf is a body that each route understands, so that its answer says something of its rule.
func bodyOf(route string) (body, media string) {
	input := `{"threadId":"t2","runId":"r2","messages":[{"id":"u2","role":"user","content":[{"type":"text","text":"Hi"},{"type":"document","source":{"type":"data","mimeType":"text/plain","value":"SGk="}}]}],"tools":[],"context":[]}`
	switch {
	case strings.HasSuffix(route, "/fork"):
		return `{"messageId":"u2"}`, "application/json"
	case strings.HasSuffix(route, "/resume"):
		return `{"resume":[{"interruptId":"q","status":"cancelled"}]}`, "application/json"
	case strings.HasSuffix(route, "PATCH /threads/:id"):
		return `{"title":"T"}`, "application/json"
	case strings.HasPrefix(route, "PATCH"):
		return `{"n":"` + rand.Text() + `"}`, "application/merge-patch+json" // a patch without effect is not remembered
	case strings.Contains(route, "/stop"):
		return "", "application/json"
	default:
		return input, "application/json"
	}
}

// Each route keeps its rule: for an owner who may use the agent, an owner who may not any more, and others who may.
func TestEveryRouteHasARule(t *testing.T) {
	t.Parallel()
	says := groupchat.AgentFunc(func(_ context.Context, turn *groupchat.Turn) error { return groupchat.SayOnce(turn, "hello", "Hello.") })
	g, err := New(Options{
		Agents: map[string]groupchat.Agent{"secret": says}, Agent: map[string]AgentOptions{"secret": {Allow: []string{"editor"}}},
		Page: http.NotFoundHandler(), Log: slog.New(slog.DiscardHandler), Limits: Limits{Rate: -1},
		Principal: func(r *http.Request) (Principal, error) {
			return Principal{ID: r.Header.Get("X-User"), Roles: strings.Fields(r.Header.Get("X-Roles"))}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	patch := ""
	ask := func(route, thread, user, roles string) string {
		method, path, _ := strings.Cut(route, " ")
		url := strings.NewReplacer(":agent", "secret", "{agent}", "secret", ":id", thread, "{thread}", thread, ":patch", patch, ":run", "1", ":message", "u2", ":file", "1", "*", "x").Replace(path)
		body, media := bodyOf(route)
		r := httptest.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		r.Header.Set("Content-Type", media)
		r.Header.Set("X-Request-Id", "test")
		r.Header.Set("X-User", user)
		r.Header.Set("X-Roles", roles)
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return http.StatusText(w.Code) + " " + strings.ReplaceAll(w.Body.String(), cmp.Or(thread, "-"), "T")
	}
	missing := maps.Clone(ruleOf)
	for _, route := range slices.Concat(routesOf(g), newCopilotkit(g).Routes()) {
		delete(missing, route)
		ask("POST /agents/:agent", "", "ada", "editor") // makes the thread t2, unless it is there
		patch = patched(ask("PATCH /threads/:id/state", "t2", "ada", "editor"))
		without := ask(route, "t2", "ada", "reader")
		others := ask(route, "t2", "eve", "editor")
		mine := ask(route, "t2", "ada", "editor")
		switch ruleOf[route] {
		case nobodys:
			if strings.HasPrefix(ask(route, "t2", "", ""), "Unauthorized") {
				t.Errorf("%s wants a principal", route)
			}
		case anyones:
			if strings.HasPrefix(without, "Not Found") != strings.HasPrefix(mine, "Not Found") || !strings.HasPrefix(ask(route, "t2", "", ""), "Unauthorized") {
				t.Errorf("%s: %s with the role, %s without", route, mine, without)
			}
		case agents:
			if strings.HasPrefix(mine, "Not Found") || !strings.HasPrefix(without, "Not Found") || strings.HasPrefix(others, "Not Found") {
				t.Errorf("%s: %s with the role, %s without, %s for others with it", route, mine, without, others)
			}
		case owners:
			absent := ask(route, "t-none", "ada", "reader")
			none := ask(route, "t-none", "bob", "editor")
			others = ask(route, "t2", "bob", "editor") // eve may have a thread of this id
			if others != none || without != absent || mine == none {
				t.Errorf("%s: %s for the owner, %s without the role, %s for others, %s for a thread that nobody has", route, mine, without, others, none)
			}
		case envelop:
			inner := func(user, roles string) string {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, copilotkit.Base, strings.NewReader(`{"method":"agent/stop","params":{"agentId":"secret","threadId":"t2"}}`))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("X-User", user)
				r.Header.Set("X-Roles", roles)
				w := httptest.NewRecorder()
				g.ServeHTTP(w, r)
				return http.StatusText(w.Code)
			}
			if inner("ada", "editor") != "OK" || inner("ada", "reader") != "Not Found" || inner("", "") != "Unauthorized" {
				t.Errorf("%s: %s with the role, %s without", route, inner("ada", "editor"), inner("ada", "reader"))
			}
		default:
			t.Errorf("%s has no rule: whom does it serve?", route)
		}
	}
	for route := range missing {
		t.Errorf("%s has a rule and is no route", route)
	}
}

// patched is the id of the patch in an answer.
func patched(answer string) string {
	_, rest, _ := strings.Cut(answer, `"patch":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// routesOf are the routes of the gateway itself: HEAD exists wherever GET does, and CopilotKit has a separate table.
func routesOf(g *Gateway) []string {
	var routes []string
	for _, r := range g.routes.(*echo.Echo).Routes() {
		if !copilotkit.Owns(r.Path) && r.Method != http.MethodHead {
			routes = append(routes, r.Method+" "+r.Path)
		}
	}
	return routes
}
