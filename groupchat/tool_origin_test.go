package groupchat

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state"
)

// A deletingServer has one tool, which has the same name on each of them.
type deletingServer struct {
	name  string
	away  bool
	only  []string
	calls *[]string
}

func (s *deletingServer) Tools(context.Context) ([]Tool, error) {
	if s.away {
		return nil, errors.New("away")
	}
	return []Tool{{Name: "delete_file", Description: "Deletes a file.", Destructive: true, Call: func(_ context.Context, c ToolCall) (tools.Result, error) {
		*s.calls = append(*s.calls, s.name+string(c.Arguments))
		return tools.Text("ok"), nil
	}}}, nil
}

func (s *deletingServer) Origin() string { return tools.Origin(s.name) }

func (s *deletingServer) Names() []string { return s.only }

// placed is a source that says nothing of where it is.
type placed struct{ ToolSource }

// TestANameStaysWithItsSource: a tool of the same name on another server is another tool, whatever was approved of, and
// for whichever reason the first is not there.
func TestANameStaysWithItsSource(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		sources func(staging, production *deletingServer) []ToolSource
		// between changes what there is before the second message, or, with pending, before the answer.
		between func(staging, production *deletingServer, a *LLM)
		pending bool
		anew    bool // the second message begins another thread
		want    string
		asks    bool
	}{
		"the same server": {want: `staging{"x":1} staging{"x":2}`},
		"the first is away, and the second has the tool": {
			between: func(staging, production *deletingServer, _ *LLM) { staging.away, production.away = true, false }, want: `staging{"x":1}`},
		"the first is away, in another thread": {
			between: func(staging, production *deletingServer, _ *LLM) { staging.away, production.away = true, false }, anew: true, want: `staging{"x":1}`, asks: true},
		"neither says where it is": {
			sources: func(staging, production *deletingServer) []ToolSource {
				return []ToolSource{placed{staging}, placed{production}}
			},
			between: func(staging, production *deletingServer, _ *LLM) { staging.away, production.away = true, false }, anew: true, want: `staging{"x":1}`, asks: true},
		"both have it": {between: func(_, production *deletingServer, _ *LLM) { production.away = false }, want: `staging{"x":1}`},
		"the first is gone, and the second has the tool": {
			between: func(_, production *deletingServer, a *LLM) { production.away, a.Sources = false, a.Sources[1:] }, want: `staging{"x":1}`, asks: true},
		"the first is gone before the answer": {
			between: func(_, production *deletingServer, a *LLM) { production.away, a.Sources = false, a.Sources[1:] }, pending: true, asks: true},
		"the first is away before the answer": {
			between: func(staging, production *deletingServer, _ *LLM) { staging.away, production.away = true, false }, pending: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var made []string
			staging, production := &deletingServer{name: "staging", calls: &made}, &deletingServer{name: "production", calls: &made, away: true}
			m := newMind(t, calls("delete_file", `{"x":1}`), says("Done."), calls("delete_file", `{"x":2}`), says("Done."))
			agent := &LLM{Model: m.model(), Sources: []ToolSource{staging, production}, Approve: tools.Approvals{Remember: []state.ApprovalScope{"principal"}}}
			if tt.sources != nil {
				agent.Sources = tt.sources(staging, production)
			}
			r := newRig(t, agent)
			r.approvals = &approvalBook{thread: &state.Thread{}}
			yes := map[string]string{"approve/llm/0/0": `{"approved":true,"remember":"principal"}`}
			must(t, r.say("go").err)
			changed := *agent
			if tt.pending {
				tt.between(staging, production, &changed)
				r.root = &changed
			}
			must(t, r.answer(yes).err)
			if !tt.pending {
				book := r.approvals
				if tt.anew {
					r = newRig(t, agent)
					r.approvals = book
				}
				if tt.between != nil {
					tt.between(staging, production, &changed)
				}
				r.root, r.origin = &changed, "2"
				must(t, r.say("again").err)
			}
			equal(t, "calls", strings.Join(made, " "), tt.want)
			equal(t, "asks", len(r.open) > 0, tt.asks)
		})
	}
}

// TestNamesThatSourcesShareAreMistakes finds them where they are known, and says so after asking where they are not.
func TestNamesThatSourcesShareAreMistakes(t *testing.T) {
	t.Parallel()
	var made []string
	one, two := &deletingServer{name: "one", calls: &made}, &deletingServer{name: "two", calls: &made}
	m := newMind(t)
	a := &LLM{Model: m.model(), Sources: []ToolSource{one, two}, Approve: tools.Approvals{Tools: []string{"remove_file"}}}
	must(t, a.Validate())
	problems, err := a.CheckTools(t.Context())
	must(t, err)
	equal(t, "problems", problems, []string{`several sources have a tool "delete_file"`, `approval of "remove_file", which is no tool`})
	one.only, two.only = []string{"delete_file"}, []string{"delete_file", "read"}
	if err := a.Validate(); err == nil || !strings.Contains(err.Error(), `several sources have a tool "delete_file"`) {
		t.Errorf("Validate() = %v", err)
	}
	a.Sources, a.Tools = []ToolSource{one}, []Tool{(&counted{}).tool("delete_file")}
	if err := a.Validate(); err == nil {
		t.Error("an agent's own tool has the name of a source's")
	}
	a.Sources, a.Tools, a.Approve.Tools = []ToolSource{one, one}, nil, nil
	must(t, a.Validate())
	one.away = true
	if _, err := a.CheckTools(t.Context()); err == nil {
		t.Error("a source that is away has been asked")
	}
}

// TestOriginsOfSpecialists has that of the server that a specialist is on.
func TestOriginsOfSpecialists(t *testing.T) {
	t.Parallel()
	at := func(url, key string) string {
		far, err := NewRemote(RemoteOptions{URL: url, Headers: map[string][]string{"Authorization": {key}}})
		must(t, err)
		return AsTool(team(Sequential(), Participant{Name: "far", Agent: far}), AsToolOptions{Name: "ask", Description: "d"}).Origin
	}
	origins := []string{at("http://a.test/x", "k"), at("http://b.test/x", "k"), at("http://a.test/x", "l"), AsTool(sayer("x"), AsToolOptions{Name: "ask", Description: "d"}).Origin}
	equal(t, "different", len(slices.Compact(slices.Sorted(slices.Values(origins)))), 4)
	equal(t, "of the program", origins[3], "")
	equal(t, "the same", at("http://a.test/x", "k"), origins[0])
	if tools.Origin("ab", "c") == tools.Origin("a", "bc") || tools.Origin("a\x00b") == tools.Origin("a", "b") {
		t.Error("parts run into each other")
	}
}

// TestAPendingQuestionIsAboutOneOrigin: an answer for a call counts only if the call goes where it was to go when a
// person was asked.
func TestAPendingQuestionIsAboutOneOrigin(t *testing.T) {
	t.Parallel()
	m, c := newMind(t, calls("f", `{"x":1}`), says("Done.")), &counted{}
	agent := func(origin string) *LLM {
		tool := c.tool("f")
		tool.Origin = origin
		return &LLM{Model: m.model(), Tools: []Tool{tool}, Approve: tools.Approvals{All: true}}
	}
	r := newRig(t, agent("sandbox"))
	must(t, r.say("go").err)
	r.root = agent("live")
	must(t, r.answer(map[string]string{"approve/llm/0/0": `{"approved":true}`}).err)
	equal(t, "called", len(c.called()), 0)
	equal(t, "asked again", where(r.open[0]).Key, "approve/llm/0/0#2")
	must(t, r.answer(map[string]string{"approve/llm/0/0#2": `{"approved":true}`}).err)
	equal(t, "called", strings.Join(c.called(), " "), `f{"x":1}`)
}
