package gateway_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// GET /me says who one is, which roles one has, and how that was found out. Claims are for agents only.
func TestMe(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*gateway.Options)
		header []string
		want   string
	}{
		"nobody is authenticated": {func(*gateway.Options) {}, nil, `{"principal":{"id":"local","roles":[]},"auth":"none"}`},
		"by a program":            {byHeader, []string{"X-User", "ada"}, `{"principal":{"id":"ada","roles":[]},"auth":"custom"}`},
		"by keys, with roles and claims": {
			func(o *gateway.Options) { byHeader(o); o.Auth = "keys" },
			[]string{"X-User", "key:ada", "X-Roles", "editor,admin", "X-Tenant", "north"},
			`{"principal":{"id":"key:ada","roles":["editor","admin"]},"auth":"keys"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.change)
			status, body := w.call("GET", "/me", "", test.header...)
			if status != http.StatusOK || strings.TrimSpace(body) != test.want {
				t.Errorf("GET /me = %d %s, want %s", status, body, test.want)
			}
		})
	}
}

// A 401 asks for a token where one helps. If a proxy authenticates, a page that asked the person for a key would ask in
// vain.
func TestUnauthorizedAsksForWhatHelps(t *testing.T) {
	t.Parallel()
	for auth, want := range map[string]string{"": "Bearer", "keys": "Bearer", "jwt": "Bearer", "header": ""} {
		w := newWorld(t, func(o *gateway.Options) { byHeader(o); o.Auth = auth })
		for _, path := range []string{"/me", "/agents", "/api/copilotkit/info"} {
			response := w.request(t.Context(), "GET", path, "")
			if got := response.Header.Get("WWW-Authenticate"); response.StatusCode != http.StatusUnauthorized || got != want {
				t.Errorf("with %q: GET %s = %d, WWW-Authenticate %q, want %q", auth, path, response.StatusCode, got, want)
			}
			_ = response.Body.Close()
		}
	}
}

// routesOfAgents are requests about agents that the routes of threads are not.
func routesOfAgents() []threadRoute {
	call := func(method, body string) threadRoute {
		return threadRoute{"POST", "/api/copilotkit", "", `{"method":"` + method + `","params":{"agentId":"{agent}","threadId":"{thread}"},"body":` + body + `}`, nil}
	}
	resource := func(path string) threadRoute {
		return threadRoute{"POST", "/api/copilotkit", "", `{"method":"resource/request","params":{"path":"` + path + `","httpMethod":"GET"}}`, nil}
	}
	hint := `"tools":[{"name":"copilotkitSuggest","description":"","parameters":{}}]`
	return []threadRoute{
		{"GET", "/me", "", "", nil},
		{"GET", "/agents", "", "", nil},
		{"HEAD", "/agents", "", "", nil},
		{"GET", "/agents/{agent}/capabilities", "", "", nil},
		{"HEAD", "/agents/{agent}/capabilities", "", "", nil},
		{"POST", "/agents/{agent}", "?disconnect=never", "{", nil}, // nothing about the request is looked at
		{"POST", "/subgraphs", "", input("plain-{thread}", "s1", []string{"u9:Hi"}), nil},
		{"GET", "/threads", "", "", nil},
		{"GET", "/threads", "?limit=1", "", nil},
		{"GET", "/threads", "?agent={agent}", "", nil},
		{"GET", "/threads", "?status=interrupted", "", nil},
		{"GET", "/threads/both", "", "", nil},
		{"GET", "/threads/both", "?agent={agent}", "", nil},
		{"GET", "/threads/{id}/events", "?agent={agent}&follow=1", "", []string{"Last-Event-ID", "0-0"}},
		{"GET", "/api/copilotkit/info", "", "", nil},
		{"GET", "/api/copilotkit/threads", "", "", nil},
		{"GET", "/api/copilotkit/threads", "?agentId={agent}", "", nil},
		{"GET", "/api/copilotkit/threads/both/messages", "", "", nil},
		{"GET", "/api/copilotkit/threads/{thread}/messages", "?agentId={agent}", "", nil},
		{"GET", "/api/copilotkit/inspector-metadata", "", "", nil},
		{"POST", "/api/copilotkit/agent/{agent}/suggest", "", pageInput("{thread}", "s2", []string{"u9:Hi"}, hint), nil},
		{"POST", "/api/copilotkit/annotate", "", "{}", nil},
		{"POST", "/api/copilotkit/transcribe", "", "{}", nil},
		{"POST", "/api/copilotkit/threads/subscribe", "", "{}", nil},
		{"POST", "/api/copilotkit/threads/clear", "", "{}", nil},
		{"POST", "/api/copilotkit", "", `{"method":"info"}`, nil},
		call("agent/run", pageInput("{thread}", "s3", []string{"u9:Hi"})),
		call("agent/suggest", pageInput("{thread}", "s4", []string{"u9:Hi"}, hint)),
		resource("/threads"), resource("/threads?agentId={agent}"), resource("/threads/{thread}/state"), resource("/threads/{thread}/events"),
	}
}

// X2: for a principal without the right to use an agent it does not exist, on any route: neither the agent, nor its
// earlier threads. Every answer is that of a gateway that never had either.
func TestAnAgentThatOneMayNotUseIsNotThere(t *testing.T) {
	t.Parallel()
	quiet := func(o *gateway.Options) { o.Log, o.Legacy = slog.New(slog.DiscardHandler), "" }
	secret := suggesting{groupchat.AgentFunc(asksSize)}
	with := newWorld(t, byHeader, quiet, func(o *gateway.Options) {
		o.Agents = map[string]groupchat.Agent{"echo": o.Agents["echo"], "secret": secret, "slow": o.Agents["slow"]}
		o.Agent = map[string]gateway.AgentOptions{"secret": {Allow: []string{"owner", "admin"}}, "slow": {Allow: []string{"admin"}}}
	})
	without := newWorld(t, byHeader, quiet, func(o *gateway.Options) {
		o.Agents, o.Agent = map[string]groupchat.Agent{"echo": o.Agents["echo"]}, nil
	})
	admin := []string{"X-User", "eve", "X-Roles", "editor,admin"}
	for _, w := range []*world{with, without} { // a thread that one is shown, beside those that one is not
		if status, answer := w.call("POST", "/agents/echo", input("both", "r1", []string{"u1:Hi"}), "X-User", "eve"); status != http.StatusOK {
			t.Fatalf("POST /agents/echo = %d %s", status, answer)
		}
	}
	for _, thread := range []string{"asks", "both"} {
		if status, answer := with.call("POST", "/agents/secret", input(thread, "r1", []string{"their-u1:their words"}), admin...); status != http.StatusOK {
			t.Fatalf("POST /agents/secret = %d %s", status, answer)
		}
	}
	_, patch := with.call("PATCH", "/threads/asks/state", `{"said":"their words"}`, append(admin, "Content-Type", "application/merge-patch+json")...)
	live := with.open("POST", "/agents/slow", input("live", "r1", []string{"their-u1:their words"}), admin...)
	live.until(agui.TypeCustom)
	_, asked := with.call("GET", "/threads/asks", "", admin...)
	_, before := with.call("GET", "/threads", "", admin...)

	tried := map[string]bool{}
	for _, of := range [][2]string{{"secret", "asks"}, {"slow", "live"}, {"slow", "asks"}, {"secret", "both"}} {
		fill := strings.NewReplacer("{agent}", of[0], "{id}", of[1], "{thread}", of[1], "{patch}", member(t, patch, "patch"), "their-q1", questionOf(asked))
		for _, route := range append(routesOfAgents(), threadRoutes()...) {
			tried[route.method+" "+route.path] = true
			if of[1] == "both" && (route.method == "DELETE" || route.query == "?follow=1") {
				continue // one of the two threads with this id is shown: it is still needed, and has no end
			}
			want, got := without.answerToEve(route, fill), with.answerToEve(route, fill)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s of %s: %s %s%s %s (-without the agent +with):\n%s", of[1], of[0], route.method, route.path, route.query, route.body, diff)
			}
			if strings.Contains(got, "their words") {
				t.Errorf("%s of %s: %s %s%s shows what was said: %s", of[1], of[0], route.method, route.path, route.query, got)
			}
		}
	}
	for route := range describedRoutes(t, with) {
		if routesOfTwo[route] == allOf { // a principal keeps access to its own data
			continue
		}
		if routesOfTwo[route] != ofAll && !tried[route] {
			t.Errorf("%s is not tried with an agent that one may not use", route)
		}
	}
	if _, after := with.call("GET", "/threads?agent=secret", "", admin...); strings.Count(after, `"agent":"secret"`) != 2 {
		t.Errorf("threads before %s\nafter %s", before, after)
	}
	if _, after := with.call("GET", "/threads/asks", "", admin...); after != asked {
		t.Errorf("a thread has changed (-before +after):\n%s", cmp.Diff(asked, after))
	}
	with.release()
	live.rest()
	if f := live.finished(); f.Outcome == nil || f.Outcome.Type != agui.OutcomeSuccess {
		t.Errorf("the live run ended as %+v", f)
	}
}

// suggesting is an agent with suggestions.
type suggesting struct{ groupchat.Agent }

func (suggesting) Suggest(_ context.Context, s groupchat.Situation) ([]groupchat.Suggestion, error) {
	return []groupchat.Suggestion{{Title: s.Principal.ID, Message: "their words"}}, nil
}

// questionOf is the id of the first question in a thread's document.
func questionOf(document string) string {
	_, rest, _ := strings.Cut(document, `"interrupts":[{"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// describedRoutes are the routes of the description, each as a method, a space and a path.
func describedRoutes(t *testing.T, w *world) map[string]bool {
	t.Helper()
	_, body := w.call("GET", "/openapi.json", "")
	var description struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(body), &description); err != nil || len(description.Paths) < 20 {
		t.Fatalf("%d paths, %v", len(description.Paths), err)
	}
	routes := map[string]bool{}
	for path, methods := range description.Paths {
		for method := range methods {
			if method != "parameters" {
				routes[strings.ToUpper(method)+" "+path] = true
			}
		}
	}
	return routes
}

// A right depends on the roles of the request: one of the allowed roles is sufficient, and without any there is no
// access.
func TestAllowNamesRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byHeader, func(o *gateway.Options) {
		o.Agent = map[string]gateway.AgentOptions{"echo": {Allow: []string{"editor", "admin"}}}
	})
	for roles, want := range map[string]int{
		"": http.StatusNotFound, "reader": http.StatusNotFound, "Editor": http.StatusNotFound, "edit": http.StatusNotFound,
		"editor": http.StatusOK, "reader,admin": http.StatusOK,
	} {
		if status, _ := w.call("GET", "/agents/echo/capabilities", "", "X-User", "ada", "X-Roles", roles); status != want {
			t.Errorf("with the roles %q: %d, want %d", roles, status, want)
		}
		if status, _ := w.call("GET", "/agents/ask/capabilities", "", "X-User", "ada", "X-Roles", roles); status != http.StatusOK {
			t.Errorf("an agent for everybody, with the roles %q: %d", roles, status)
		}
	}
}

// A right without possible holders is an error in the options, at the start and when agents are replaced.
func TestMistakesInAllow(t *testing.T) {
	t.Parallel()
	agents := map[string]groupchat.Agent{"echo": groupchat.AgentFunc(echoes)}
	for name, test := range map[string]struct {
		allow  []string
		nobody bool // is authenticated
		says   string
	}{
		"callers have no roles": {[]string{"editor"}, true, `agent "echo": allow names roles, and callers have none`},
		"an empty role":         {[]string{"editor", ""}, false, `agent "echo": allow: gateway: the principal's role is empty`},
		"a role too long":       {[]string{strings.Repeat("x", 257)}, false, "257 bytes"},
		"no mistake":            {[]string{strings.Repeat("x", 256)}, false, ""},
	} {
		options := map[string]gateway.AgentOptions{"echo": {Allow: test.allow}}
		o := gateway.Options{Agents: agents, Log: slog.New(slog.DiscardHandler)}
		if !test.nobody {
			byHeader(&o)
		}
		g, err := gateway.New(o)
		if err != nil {
			t.Fatal(err)
		}
		_, replaced := g.Replace(agents, options)
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		o.Agent = options
		other, begun := gateway.New(o)
		if begun == nil {
			_ = other.Close() // a store in memory
		}
		for _, err := range []error{begun, replaced} {
			if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: %v, want %q in it", name, err, test.says)
			}
		}
	}
}

// A principal that loses the right to an agent keeps operations in progress: the live run and its streams continue.
// Everything else behaves as if the agent were gone, also for a waiting request; and it is back when the right is.
func TestARightThatIsTakenAway(t *testing.T) {
	t.Parallel()
	var store state.Store
	w := newWorld(t, byHeader, func(o *gateway.Options) {
		store = closeLast(t, memstore.New(memstore.Options{Now: o.Now}))
		o.Store = store
	})
	eve := []string{"X-User", "eve"}
	agents := map[string]groupchat.Agent{"slow": groupchat.AgentFunc(func(ctx context.Context, turn *groupchat.Turn) error {
		return waits(ctx, turn, w.gate)
	}), "ask": groupchat.AgentFunc(asksSize)}
	replace := func(allow ...string) {
		t.Helper()
		options := map[string]gateway.AgentOptions{"slow": {Allow: allow, OnBusy: gateway.Queue}, "ask": {Allow: allow}}
		if _, err := w.g.Replace(agents, options); err != nil {
			t.Fatal(err)
		}
	}
	replace()
	w.call("POST", "/agents/ask", input("asks", "r1", []string{"u1:Hi"}), eve...)
	_, asked := w.call("GET", "/threads/asks", "", eve...)
	run := w.open("POST", "/agents/slow?disconnect=detach", input("live", "r1", []string{"u1:Hi"}), eve...)
	run.until(agui.TypeCustom)
	watcher := w.open("GET", "/threads/live/events?protocolVersion=1.0", "", eve...)
	watcher.until(agui.TypeMessagesSnapshot)
	waiting := w.open("POST", "/agents/slow", input("live", "r2", []string{"u1:Hi", "u2:Again"}), eve...)
	eventually(t, "the request waits", func() bool {
		thread, _, err := store.Load(t.Context(), state.Key{Principal: "eve", Agent: "slow", ID: "live"})
		return err == nil && len(thread.Queue) == 1
	})

	replace("admin")
	answer := `{"resume":[{"interruptId":"` + questionOf(asked) + `","status":"resolved","payload":{"value":"M"}}]}`
	for _, request := range [][3]string{
		{"POST", "/threads/live/stop", ""}, {"GET", "/threads/live/events", ""}, {"DELETE", "/threads/live", ""},
		{"POST", "/threads/asks/resume", answer}, {"GET", "/threads/asks", ""}, {"POST", "/agents/ask", input("asks", "r2", nil)},
	} {
		if status, body := w.call(request[0], request[1], request[2], eve...); status != http.StatusNotFound || !strings.Contains(body, `"not_found"`) {
			t.Errorf("%s %s without the right = %d %s", request[0], request[1], status, body)
		}
	}
	w.release()
	w.release() // for the request that waits, should it begin a run all the same
	for name, reader := range map[string]*reader{"the request's own stream": run, "a reader's": watcher} {
		reader.rest()
		if f := reader.finished(); f.Outcome == nil || f.Outcome.Type != agui.OutcomeSuccess {
			t.Errorf("%s ended as %+v", name, f)
		}
	}
	waiting.rest()
	if e, failed := waiting.last().(*agui.RunError); !failed || e.Code != string(errcode.NotFound) {
		t.Errorf("the request that waited is not refused when its turn comes: it is answered with %v", types(waiting.events))
	}

	replace()
	status, body := w.call("POST", "/threads/asks/resume", answer, eve...)
	if status != http.StatusAccepted {
		t.Errorf("the answer, with the right again = %d %s", status, body)
	}
	if _, list := w.call("GET", "/threads", "", eve...); strings.Count(list, `"id":`) != 2 {
		t.Errorf("threads with the right again: %s", list)
	}
}
