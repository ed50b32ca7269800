package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state"
)

// An approvalBook has the approvals of one thread and its principal.
type approvalBook struct {
	mu     sync.Mutex
	thread *state.Thread
	asked  []string // the calls it was asked about
	err    error
	after  func() // is called when an approval was added
}

func (b *approvalBook) Covers(_ context.Context, call string, about state.ApprovalSubject, scopes []state.ApprovalScope) (state.Approval, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, call)
	a, ok := state.Covering(b.thread.Approvals, about, scopes)
	return a, ok, b.err
}

func (b *approvalBook) Remember(_ context.Context, a state.Approval) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := state.PlanRemember(b.thread, a, b.thread.CreatedAt); s != nil && b.err == nil {
		b.thread = s.Thread
	}
	if b.after != nil {
		b.after()
	}
	return b.err
}

func (b *approvalBook) revoke(t *testing.T) {
	t.Helper()
	s, _ := state.PlanRevoke(b.thread, b.thread.Approvals[0].ID, b.thread.CreatedAt)
	b.thread = s.Thread
}

// rememberRig is a team of one agent with a tool f that is approved for later calls, which ends its first run.
func rememberRig(t *testing.T, answer string, scripts ...script) (*rig, *approvalBook, *mind, *counted) {
	t.Helper()
	m := newMind(t, append([]script{calls("f", `{"x":1}`), says("Done.")}, scripts...)...)
	c, b := &counted{}, &approvalBook{thread: &state.Thread{}}
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.tool("f"), c.tool("g")}, Approve: tools.Approvals{All: true, Remember: []state.ApprovalScope{"thread", "principal"}}})
	r.approvals = b
	r.say("go")
	equal(t, "offered", strings.Join([]string{string(shownCard(t, r.open[0]).Remember[0]), string(shownCard(t, r.open[0]).Remember[1])}, " "), "thread principal")
	must(t, r.answer(map[string]string{"approve/llm/0/0": answer}).err)
	r.origin = "2"
	return r, b, m, c
}

// TestRememberedApprovals: a later call is made without a question only where the very same thing was approved of.
func TestRememberedApprovals(t *testing.T) {
	t.Parallel()
	agent := func(r *rig) *LLM {
		a := *r.root.(*LLM) //nolint:forcetypeassert // it was made above
		a.Tools = slices.Clone(a.Tools)
		r.root = &a
		return &a
	}
	tests := []struct {
		name   string
		call   string
		change func(t *testing.T, r *rig, b *approvalBook)
		asks   bool
	}{
		{"the same tool", "f", nil, false},
		{"another tool", "g", nil, true},
		{"revoked", "f", func(t *testing.T, _ *rig, b *approvalBook) { b.revoke(t) }, true},
		{"the store is away", "f", func(_ *testing.T, _ *rig, b *approvalBook) { b.err = errStore }, true},
		{"another description", "f", func(_ *testing.T, r *rig, _ *approvalBook) { agent(r).Tools[0].Description = "Now it deletes." }, true},
		{"another schema", "f", func(_ *testing.T, r *rig, _ *approvalBook) {
			agent(r).Tools[0].Parameters = json.RawMessage(`{"type":"object"}`)
		}, true},
		{"the same schema, written otherwise", "f", func(_ *testing.T, r *rig, _ *approvalBook) {
			agent(r).Tools[0].Parameters = json.RawMessage(`{"additionalProperties": false, "type":"object","properties":{"x":{"type":"integer"}}}`)
		}, false},
		{"destructive now", "f", func(_ *testing.T, r *rig, _ *approvalBook) { agent(r).Tools[0].Destructive = true }, true},
		{"another name at its source", "f", func(_ *testing.T, r *rig, _ *approvalBook) { agent(r).Tools[0].SourceName = "h" }, true},
		{"another address", "f", func(_ *testing.T, r *rig, _ *approvalBook) { agent(r).Tools[0].Origin = tools.Origin("live") }, true},
		{"nothing may be remembered any more", "f", func(_ *testing.T, r *rig, _ *approvalBook) { agent(r).Approve.Remember = nil }, true},
		{"another scope may be", "f", func(_ *testing.T, r *rig, _ *approvalBook) {
			agent(r).Approve.Remember = []state.ApprovalScope{"principal"}
		}, true},
		{"nothing remembers", "f", func(_ *testing.T, r *rig, _ *approvalBook) { r.approvals = nil }, true},
		{"another participant", "f", func(_ *testing.T, r *rig, _ *approvalBook) {
			r.root = team(Sequential(), Participant{Name: "ann", Agent: agent(r)})
		}, true},
		{"approvals name no tool", "f", func(_ *testing.T, r *rig, _ *approvalBook) {
			a := agent(r)
			a.Approve.Tools, a.Sources = []string{"nobody"}, []ToolSource{noTools{}}
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, b, _, c := rememberRig(t, `{"approved":true,"remember":"thread"}`, calls(tt.call, `{"x":2}`), says("Over."))
			if tt.change != nil {
				tt.change(t, r, b)
			}
			s := r.say("more")
			must(t, s.err)
			equal(t, "asks", len(r.open) > 0, tt.asks)
			if tt.asks {
				equal(t, "called", strings.Join(c.called(), " "), `f{"x":1}`)
				return
			}
			equal(t, "called", strings.Join(c.called(), " "), `f{"x":1} f{"x":2}`)
			mark := decisions(t, s)[0]
			equal(t, "metadata", mark.Decision+" "+mark.ID+" "+string(mark.Remember), "remembered "+b.thread.Approvals[0].ID+" thread")
		})
	}
}

// noTools is a source that has none.
type noTools struct{}

func (noTools) Tools(context.Context) ([]Tool, error) { return nil, nil }

// TestWhatIsNotRemembered: an answer counts for later calls only if it says so, and approves the call as shown.
func TestWhatIsNotRemembered(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer string
		fits   bool
		want   int
	}{
		"thread":             {`{"approved":true,"remember":"thread"}`, true, 1},
		"principal":          {`{"approved":true,"remember":"principal"}`, true, 1},
		"the same arguments": {`{"approved":true,"remember":"thread","editedArgs":{"x":1}}`, true, 1},
		"this call only":     {`{"approved":true}`, true, 0},
		"edited":             {`{"approved":true,"remember":"thread","editedArgs":{"x":2}}`, false, 0},
		"declined":           {`{"approved":false,"remember":"thread"}`, false, 0},
		"no such scope":      {`{"approved":true,"remember":"everybody"}`, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMind(t, calls("f", `{"x":1}`), says("Done."))
			c, b := &counted{}, &approvalBook{thread: &state.Thread{}}
			r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}, Approve: tools.Approvals{All: true, Remember: []state.ApprovalScope{"thread", "principal"}}})
			r.approvals = b
			r.say("go")
			equal(t, "fits", state.ValidateAnswer(r.open[0].ResponseSchema, json.RawMessage(tt.answer)) == nil, tt.fits)
			must(t, r.answer(map[string]string{"approve/llm/0/0": tt.answer}).err)
			equal(t, "remembered", len(b.thread.Approvals), tt.want)
			equal(t, "asked again", len(r.open), map[bool]int{true: 0, false: 1}[tt.fits])
			equal(t, "called", len(c.called()) == 1, tt.fits)
		})
	}
}

// TestCallsBesideARememberedOne: the answer about a call decides it, whatever is remembered of another of the same
// tool.
func TestCallsBesideARememberedOne(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("f", `{"x":1}`, "f", `{"x":2}`), says("Done."))
	c, b := &counted{}, &approvalBook{thread: &state.Thread{}}
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}, Approve: tools.Approvals{All: true, Remember: []state.ApprovalScope{"thread"}}})
	r.approvals = b
	r.say("go")
	s := r.answer(map[string]string{"approve/llm/0/0": `{"approved":true,"remember":"thread"}`, "approve/llm/0/1": `{"approved":false}`})
	must(t, s.err)
	equal(t, "called", strings.Join(c.called(), " "), `f{"x":1}`)
	marks := decisions(t, s)
	equal(t, "decisions", marks[0].Decision+" "+string(marks[0].Remember)+", "+marks[1].Decision, "approved thread, declined")
}

// TestRememberedApprovalsAndTakeovers dies where an approval was just added, and where a covered call is under way.
func TestRememberedApprovalsAndTakeovers(t *testing.T) {
	t.Parallel()
	t.Run("when it was added", func(t *testing.T) {
		t.Parallel()
		m := newMind(t, calls("f", `{"x":1}`), says("Done."))
		c, b := &counted{}, &approvalBook{thread: &state.Thread{}}
		r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}, Approve: tools.Approvals{All: true, Remember: []state.ApprovalScope{"thread"}}})
		r.approvals = b
		r.say("go")
		checkpoint, open := r.checkpoint, r.open
		ctx, kill := context.WithCancelCause(context.Background())
		r.ctx, b.after = ctx, func() { kill(errDied) }
		answer := map[string]string{"approve/llm/0/0": `{"approved":true,"remember":"thread"}`}
		if dead := r.answer(answer); !errors.Is(dead.err, errDied) {
			t.Fatalf("run ended with %v", dead.err)
		}
		equal(t, "added", len(b.thread.Approvals), 1)
		b.revoke(t) // by its owner, before another replica continues
		r.ctx, r.checkpoint, r.open, b.after = context.Background(), checkpoint, open, nil
		s := r.run(Session{Checkpoint: checkpoint, Memo: maps.Clone(r.onces), Takeover: true, Answers: r.answers(answer)})
		must(t, s.err)
		equal(t, "brought back", len(b.thread.Approvals), 0)
		equal(t, "called", strings.Join(c.called(), " "), `f{"x":1}`)
	})
	t.Run("in a covered call", func(t *testing.T) {
		t.Parallel()
		for _, revoked := range []bool{false, true} {
			r, b, m, c := rememberRig(t, `{"approved":true,"remember":"thread"}`, calls("f", `{"x":2}`), says("Over."))
			ctx, kill := context.WithCancelCause(context.Background())
			r.ctx = ctx
			r.recorded = func() { kill(errDied) } // the model's reply is recorded, the call is not made
			if dead := r.say("more"); !errors.Is(dead.err, errDied) {
				t.Fatalf("run ended with %v", dead.err)
			}
			if revoked {
				b.revoke(t)
			}
			r.ctx, r.recorded = context.Background(), nil
			must(t, r.run(Session{Memo: maps.Clone(r.onces), Takeover: true}).err)
			equal(t, "asks", len(r.open) > 0, revoked)
			equal(t, "calls", len(c.called()), map[bool]int{false: 2, true: 1}[revoked])
			_ = m
		}
	})
}
