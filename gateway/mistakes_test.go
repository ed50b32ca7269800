package gateway_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// TestAWrongAgentNameListsTheAgents that the caller may use, and not more than 20.
func TestAWrongAgentNameListsTheAgents(t *testing.T) {
	t.Parallel()
	few := newWorld(t, byHeader, func(o *gateway.Options) {
		o.Agents = map[string]groupchat.Agent{"echo": o.Agents["echo"], "desk": o.Agents["echo"], "vault": o.Agents["echo"]}
		o.Agent = map[string]gateway.AgentOptions{"vault": {Allow: []string{"owner"}}}
		o.Legacy = ""
	})
	many := newWorld(t, byHeader, func(o *gateway.Options) {
		echo := o.Agents["echo"]
		o.Agents, o.Agent, o.Legacy = map[string]groupchat.Agent{}, nil, ""
		for i := range 30 {
			o.Agents[fmt.Sprintf("agent-%02d", i)] = echo
		}
	})
	none := newWorld(t, byHeader, func(o *gateway.Options) {
		o.Agents = map[string]groupchat.Agent{"vault": o.Agents["echo"]}
		o.Agent = map[string]gateway.AgentOptions{"vault": {Allow: []string{"owner"}}}
		o.Legacy = ""
	})
	for name, tt := range map[string]struct {
		w                   *world
		method, path, roles string
		wants, lacks        string
	}{
		"a run":                      {few, "POST", "/agents/dsk", "", "GET /agents lists desk, echo.", "vault"},
		"an agent of others":         {few, "POST", "/agents/vault", "", "GET /agents lists desk, echo.", "vault"},
		"a caller with more rights":  {few, "POST", "/agents/dsk", "owner", "GET /agents lists desk, echo, vault.", "dsk"},
		"what an agent can":          {few, "GET", "/agents/dsk/capabilities", "", "GET /agents lists desk, echo.", "vault"},
		"many agents":                {many, "POST", "/agents/agent", "", "agent-18, agent-19.", "agent-20"},
		"none that the caller knows": {none, "POST", "/agents/agent", "", "GET /agents lists none.", "vault"},
	} {
		status, answer := tt.w.call(tt.method, tt.path, input("t", "r", []string{"u1:Hi"}), "X-User", "eve", "X-Roles", tt.roles)
		if status != http.StatusNotFound || !strings.Contains(answer, tt.wants) || strings.Contains(answer, tt.lacks) {
			t.Errorf("%s: %s %s = %d %s, want %q and not %q", name, tt.method, tt.path, status, answer, tt.wants, tt.lacks)
		}
	}
}

// TestARefusedOriginIsLoggedOnce with the setting that allows it, also if the browser only asks in advance.
func TestARefusedOriginIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	w := newWorld(t, problemAttrs(&log), func(o *gateway.Options) { o.Origins = []string{"https://good.example"} })
	preflight := []string{"Access-Control-Request-Method", "POST"}
	for _, tt := range []struct {
		method string
		header []string
		lines  int // so far
	}{
		{"OPTIONS", append(preflight, "Origin", "https://good.example"), 0},
		{"GET", nil, 0},
		{"GET", []string{"Origin", "https://same.example", "Sec-Fetch-Site", "same-origin"}, 0},
		{"GET", []string{"Origin", w.url}, 0},
		{"OPTIONS", append(preflight, "Origin", "https://app.example"), 1},
		{"OPTIONS", append(preflight, "Origin", "https://app.example"), 1},
		{"GET", []string{"Origin", "https://app.example"}, 1},
		{"GET", []string{"Origin", "https://other.example"}, 2},
		{"GET", []string{"Origin", "null"}, 3},
	} {
		w.call(tt.method, "/agents", "", tt.header...)
		if got := len(log.lines(t, "request: pages of this origin may not call")); got != tt.lines {
			t.Errorf("after %s with %q there are %d lines, want %d", tt.method, tt.header, got, tt.lines)
		}
	}
	if line := log.lines(t, "request: pages of this origin may not call")[0]; line["origin"] != "https://app.example" || line["level"] != "WARN" || !strings.Contains(fmt.Sprint(line["msg"]), "-cors-origins") {
		t.Errorf("the line is %v", line)
	}
	for i := range 200 {
		w.call("GET", "/agents", "", "Origin", fmt.Sprintf("https://%d.example", i))
	}
	if got := len(log.lines(t, "request: pages of this origin may not call")); got != 100 {
		t.Errorf("%d origins are logged, want 100", got)
	}
}

// TestExpectedEndingsAreNoErrors in the log: a rule, a limit or a shutdown did its work.
func TestExpectedEndingsAreNoErrors(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	levels := map[errcode.Code]slog.Level{
		errcode.GuardrailRefused: slog.LevelWarn, errcode.BudgetExceeded: slog.LevelWarn,
		errcode.RateLimited: slog.LevelWarn, errcode.Cancelled: slog.LevelWarn,
		errcode.AgentFailed: slog.LevelError, errcode.ModelAuth: slog.LevelError, errcode.ToolFailed: slog.LevelError,
	}
	w := newWorld(t, problemAttrs(&log), func(o *gateway.Options) {
		for code := range levels {
			o.Agents[string(code)] = failing(code)
		}
	})
	for code, level := range levels {
		w.post(string(code), input(string(code), "r", []string{"u1:Hi"}))
		eventually(t, "the run has ended", func() bool { return len(log.lines(t, "run: ended")) > 0 })
		for _, line := range log.lines(t, "run: failed") {
			if line["code"] == string(code) && line["level"] != level.String() {
				t.Errorf("%s is logged as %s, want %s", code, line["level"], level)
			}
		}
	}
	eventually(t, "each failure is in the log", func() bool { return len(log.lines(t, "run: failed")) == len(levels) })
}

// failing is an agent that fails with a code.
func failing(code errcode.Code) groupchat.Agent {
	return groupchat.AgentFunc(func(_ context.Context, _ *groupchat.Turn) error { return &errcode.Error{Code: code} })
}
