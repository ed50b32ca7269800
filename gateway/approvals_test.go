package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A till is an agent that refunds what the user names, one call for each number after "refund"; after "then" it waits
// at its gate.
type till struct {
	mu   sync.Mutex
	paid []string
	gate chan struct{}
	here chan struct{}
}

func (p *till) agent() *groupchat.LLM {
	refund := groupchat.Tool{
		Name: "refund", Description: "Gives money back.",
		Parameters: json.RawMessage(`{"type":"object","required":["euros"],"properties":{"euros":{"$ref":"#/$defs/sum"}},"$defs":{"sum":{"type":"integer","maximum":100}}}`),
		Call: func(_ context.Context, c groupchat.ToolCall) (tools.Result, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.paid = append(p.paid, c.Principal.ID+string(c.Arguments))
			return tools.Text("paid"), nil
		},
	}
	return &groupchat.LLM{
		Model: model.Func(p.reply), Tools: []groupchat.Tool{refund},
		Approve: tools.Approvals{All: true, Remember: []state.ApprovalScope{state.ApprovalThread, state.ApprovalPrincipal}},
	}
}

// reply asks for the calls of the last user's message that were not made yet.
func (p *till) reply(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	last := len(r.Messages) - 1
	for last >= 0 && r.Messages[last].Role != agui.RoleUser {
		last--
	}
	rounds := 0
	for _, m := range r.Messages[last:] {
		if len(m.Calls) > 0 {
			rounds++
		}
	}
	steps := strings.Split(strings.TrimPrefix(r.Messages[last].Text, "refund "), " then ")
	if rounds >= len(steps) {
		return model.Reply{Text: "Done: " + r.Messages[len(r.Messages)-1].Text}, nil
	}
	if rounds > 0 {
		p.here <- struct{}{}
		select {
		case <-p.gate:
		case <-ctx.Done():
			return model.Reply{}, context.Cause(ctx)
		}
	}
	reply := model.Reply{Text: "The parcel is lost."}
	for _, sum := range strings.Fields(steps[rounds]) {
		reply.Calls = append(reply.Calls, model.Call{Name: "refund", Arguments: `{"euros":` + sum + `}`})
	}
	return reply, nil
}

func (p *till) takes() (paid []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	paid, p.paid = p.paid, nil
	slices.Sort(paid)
	return paid
}

// A counter is one or two replicas that serve a till.
type counter struct {
	*testing.T
	worlds []*world
	till   *till
	log    auditLog
	turn   int
}

// next returns the replicas in turn: each must find the data of the other.
func (s *counter) next() *world {
	s.turn++
	return s.worlds[s.turn%len(s.worlds)]
}

func (s *counter) asks(user, agent, thread, text string) []agui.Interrupt {
	s.Helper()
	s.turn++
	s.next().post(agent, input(thread, "r"+quote(text), []string{"u" + text + ":refund " + text}), "X-User", user)
	return s.thread(user, agent, thread).Interrupts
}

func (s *counter) thread(user, agent, thread string) (doc threadDoc) {
	s.Helper()
	_, body := s.next().call(http.MethodGet, "/threads/"+thread+"?agent="+agent, "", "X-User", user)
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		s.Fatalf("%s: %v", body, err)
	}
	return doc
}

// answers resumes a thread with a payload for each open question.
func (s *counter) answers(user, agent, thread string, payloads ...string) (int, string) {
	s.Helper()
	var resume []string
	for i, q := range s.thread(user, agent, thread).Interrupts {
		resume = append(resume, `{"interruptId":`+quote(q.ID)+`,"status":"resolved","payload":`+payloads[i]+`}`)
	}
	return s.next().call(http.MethodPost, "/threads/"+thread+"/resume?agent="+agent, `{"resume":[`+strings.Join(resume, ",")+`]}`,
		"X-User", user, "Accept", "text/event-stream")
}

func (s *counter) paid(want ...string) {
	s.Helper()
	if got := s.till.takes(); !slices.Equal(got, want) {
		s.Errorf("paid %q, want %q", got, want)
	}
}

type shownApproval struct{ ID, Agent, Tool, Scope, ThreadID, CreatedAt, ExpiresAt string }

func (s *counter) approvals(user, path string) []shownApproval {
	s.Helper()
	var shown struct{ Approvals []shownApproval }
	status, body := s.next().call(http.MethodGet, path, "", "X-User", user)
	if err := json.Unmarshal([]byte(body), &shown); err != nil || status != http.StatusOK || shown.Approvals == nil {
		s.Fatalf("GET %s = %d %s", path, status, body)
	}
	return shown.Approvals
}

func (s *counter) revoke(user, path string, want int) {
	s.Helper()
	if status, body := s.next().call(http.MethodDelete, path, "", "X-User", user); status != want {
		s.Errorf("DELETE %s = %d %s, want %d", path, status, body, want)
	}
}

// lastMark is what the newest result of a thread says was decided.
func (s *counter) lastMark(user, thread string) (mark struct{ Decision, Reason, ID, By string }) {
	s.Helper()
	for _, m := range s.thread(user, "till", thread).Messages {
		if m.Role == agui.RoleTool {
			mark.Decision = ""
			_ = json.Unmarshal(m.Metadata["approval"], &mark) // none is none
		}
	}
	return mark
}

func TestApprovalsOverHTTP(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, serve func(...func(*gateway.Options)) []*world) *counter {
		t.Helper()
		s := &counter{T: t, till: &till{gate: make(chan struct{}), here: make(chan struct{}, 1)}}
		s.worlds = serve(byHeader, func(o *gateway.Options) {
			o.Audit = s.log.add
			o.Agents = map[string]groupchat.Agent{"till": s.till.agent(), "other": s.till.agent()}
			o.Agent = nil
		})
		return s
	}
	for name, serve := range map[string]func(t *testing.T, change ...func(*gateway.Options)) []*world{
		"memory": func(t *testing.T, change ...func(*gateway.Options)) []*world {
			return []*world{newWorld(t, append(change, onStore(memstore.New(memstore.Options{})))...)}
		},
		"file": func(t *testing.T, change ...func(*gateway.Options)) []*world {
			store, err := filestore.Open(filepath.Join(t.TempDir(), "threads.db"), filestore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			closeLast(t, store)
			return []*world{newWorld(t, append(change, onStore(store))...)}
		},
		"two replicas": func(t *testing.T, change ...func(*gateway.Options)) []*world {
			a, b := twins(t, redistest.Start(t).URL(), change...)
			return []*world{a, b}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, func(change ...func(*gateway.Options)) []*world { return serve(t, change...) })
			s.several()
			s.rememberInThread()
			s.rememberForPrincipal()
			s.revokeWhileLive()
		})
	}
}

// several decides on three calls of one reply, each its own; what does not fit is refused and loses nothing.
func (s *counter) several() {
	asked := s.asks("ada", "till", "several", "1 2 3")
	if len(asked) != 3 {
		s.Fatalf("%d questions, want 3", len(asked))
	}
	var card struct{ Tool, Why string }
	if err := json.Unmarshal(asked[0].Metadata["value"], &card); err != nil || card.Tool != "refund" || card.Why != "The parcel is lost." {
		s.Errorf("the card is %s", asked[0].Metadata["value"])
	}
	yes := `{"approved":true}`
	if status, body := s.answers("ada", "till", "several", yes, yes, `{"approved":true,"editedArgs":{"euros":101}}`); !strings.Contains(body, "resume_invalid") {
		s.Errorf("a sum that is too large: %d %s", status, body)
	}
	s.paid()
	s.answers("ada", "till", "several", yes, `{"approved":false,"reason":"not this one"}`, `{"approved":true,"editedArgs":{"euros":4}}`)
	s.paid(`ada{"euros":1}`, `ada{"euros":4}`)
	told := map[string]string{}
	for _, m := range s.thread("ada", "till", "several").Messages {
		if m.Role == agui.RoleTool {
			var mark struct{ Decision string }
			_ = json.Unmarshal(m.Metadata["approval"], &mark) // none is none
			told[mark.Decision] = m.Content.Text()
		}
	}
	if told["approved"] != "paid" || told["edited"] != "paid" || told["declined"] != "not approved. The person said: not this one" {
		s.Errorf("the results say %v", told)
	}
	entry := s.audited(gateway.AuditAnswered)
	for i, want := range []gateway.AuditDecision{gateway.DecisionApproved, gateway.DecisionDenied, gateway.DecisionApprovedEdited} {
		if a := entry.Answers[i]; a.Decision != want || a.Tool != "refund" || a.Call != asked[i].ToolCallID || len(a.ArgumentsHash) != 32 {
			s.Errorf("the audit has %+v, want %s", a, want)
		}
	}
	if entry.Answers[0].ArgumentsHash == entry.Answers[2].ArgumentsHash {
		s.Error("edited arguments have the hash of others")
	}
}

// audited is the newest entry of an action.
func (s *counter) audited(action gateway.AuditAction) gateway.AuditEntry {
	s.Helper()
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	for _, e := range slices.Backward(s.log.all) {
		if e.Action == action {
			return e
		}
	}
	s.Fatalf("the audit has no %s", action)
	return gateway.AuditEntry{}
}

func (s *counter) rememberInThread() {
	s.asks("ada", "till", "t1", "5")
	if _, body := s.answers("ada", "till", "t1", `{"approved":true,"remember":"thread","editedArgs":{"euros":6}}`); !strings.Contains(body, "resume_invalid") {
		s.Errorf("edited and remembered: %s", body)
	}
	s.answers("ada", "till", "t1", `{"approved":true,"remember":"thread"}`)
	s.paid(`ada{"euros":5}`)
	list := s.approvals("ada", "/threads/t1/approvals")
	if len(list) != 1 || list[0].Agent != "till" || list[0].Tool != "refund" || list[0].Scope != "thread" || list[0].ThreadID != "t1" || list[0].CreatedAt == "" {
		s.Fatalf("the thread has %+v", list)
	}
	if e := s.audited(gateway.AuditAnswered); e.Answers[0].Remember != state.ApprovalThread {
		s.Errorf("the audit has %+v", e)
	}
	if asked := s.asks("ada", "till", "t1", "6"); len(asked) != 0 {
		s.Errorf("a call that was approved of beforehand asks %+v", asked)
	}
	s.paid(`ada{"euros":6}`)
	if mark := s.lastMark("ada", "t1"); mark.Decision != "remembered" || mark.ID != list[0].ID {
		s.Errorf("the result says %+v", mark)
	}
	if e := s.audited(gateway.AuditApprovalUsed); e.Approval != list[0].ID || e.Thread != "t1" || e.Tool != "refund" || len(e.Calls) != 1 || e.Principal != "ada" {
		s.Errorf("the audit has %+v", e)
	}
	messages := s.thread("ada", "till", "t1").Messages
	_, body := s.next().call(http.MethodPost, "/threads/t1/fork", `{"messageId":`+quote(messages[len(messages)-1].ID)+`}`, "X-User", "ada")
	var fork struct{ ID string }
	if err := json.Unmarshal([]byte(body), &fork); err != nil {
		s.Fatalf("%s: %v", body, err)
	}
	for _, elsewhere := range [][3]string{{"ada", "till", "t2"}, {"ada", "till", fork.ID}, {"eve", "till", "t1"}, {"ada", "other", "t3"}} {
		if asked := s.asks(elsewhere[0], elsewhere[1], elsewhere[2], "7"); len(asked) != 1 {
			s.Errorf("%v asks %+v, want one question", elsewhere, asked)
		}
	}
	s.revoke("eve", "/threads/t1/approvals/"+list[0].ID, http.StatusNoContent)
	s.revoke("ada", "/me/approvals/"+list[0].ID, http.StatusNoContent)
	if left := s.approvals("ada", "/threads/t1/approvals"); len(left) != 1 {
		s.Fatalf("after others were revoked the thread has %+v", left)
	}
	s.revoke("ada", "/threads/t1/approvals/"+list[0].ID, http.StatusNoContent)
	s.revoke("ada", "/threads/t1/approvals/"+list[0].ID, http.StatusNoContent)
	s.revoke("ada", "/threads/nobodys/approvals/"+list[0].ID, http.StatusNotFound)
	if e := s.audited(gateway.AuditApprovalRevoked); e.Approval != list[0].ID || e.Thread != "t1" {
		s.Errorf("the audit has %+v", e)
	}
	if asked := s.asks("ada", "till", "t1", "8"); len(asked) != 1 {
		s.Errorf("what was revoked asks %+v", asked)
	}
	s.paid()
}

func (s *counter) rememberForPrincipal() {
	s.answers("ada", "till", "t2", `{"approved":true,"remember":"principal"}`)
	s.paid(`ada{"euros":7}`)
	list := s.approvals("ada", "/me/approvals")
	if len(list) != 1 || list[0].Scope != "principal" || list[0].Agent != "till" || list[0].ThreadID != "" {
		s.Fatalf("ada has %+v", list)
	}
	if asked := s.asks("ada", "till", "t4", "9"); len(asked) != 0 {
		s.Errorf("another thread asks %+v", asked)
	}
	s.paid(`ada{"euros":9}`)
	for _, elsewhere := range [][3]string{{"eve", "till", "t5"}, {"ada", "other", "t6"}} {
		if asked := s.asks(elsewhere[0], elsewhere[1], elsewhere[2], "9"); len(asked) != 1 {
			s.Errorf("%v asks %+v, want one question", elsewhere, asked)
		}
	}
	if eves := s.approvals("eve", "/me/approvals"); len(eves) != 0 {
		s.Errorf("eve has %+v", eves)
	}
	s.revoke("eve", "/me/approvals/"+list[0].ID, http.StatusNoContent)
	if left := s.approvals("ada", "/me/approvals"); len(left) != 1 {
		s.Fatalf("after eve revoked it ada has %+v", left)
	}
	s.revoke("ada", "/me/approvals/"+list[0].ID, http.StatusNoContent)
	if asked := s.asks("ada", "till", "t4", "10"); len(asked) != 1 {
		s.Errorf("what was revoked asks %+v", asked)
	}
	s.answers("ada", "till", "t4", `{"approved":true,"remember":"principal"}`)
	s.paid(`ada{"euros":10}`)
	s.revoke("ada", "/me", http.StatusNoContent)
	if left := s.approvals("ada", "/me/approvals"); len(left) != 0 {
		s.Errorf("after everything was deleted there is %+v", left)
	}
}

// revokeWhileLive takes an approval back between two calls of one run.
func (s *counter) revokeWhileLive() {
	s.asks("ada", "till", "live", "1")
	s.answers("ada", "till", "live", `{"approved":true,"remember":"thread"}`)
	list := s.approvals("ada", "/threads/live/approvals")
	s.paid(`ada{"euros":1}`)
	done := make(chan []agui.Interrupt)
	w := s.worlds[0]
	go func() {
		w.post("till", input("live", "r2", []string{"u2:refund 2 then 3"}), "X-User", "ada")
		done <- nil
	}()
	receive(s.T, "the till is asked", s.till.here)
	s.paid(`ada{"euros":2}`)
	s.worlds[len(s.worlds)-1].call(http.MethodDelete, "/threads/live/approvals/"+list[0].ID, "", "X-User", "ada")
	s.till.gate <- struct{}{}
	receive(s.T, "the run ends", done)
	if asked := s.thread("ada", "till", "live").Interrupts; len(asked) != 1 {
		s.Errorf("after it was revoked the run asks %+v, want one question", asked)
	}
	s.paid()
}
