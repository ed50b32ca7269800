package gateway_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
)

// An auditLog collects the entries of a gateway's audit.
type auditLog struct {
	mu  sync.Mutex
	all []gateway.AuditEntry
}

func (l *auditLog) add(e gateway.AuditEntry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, e)
	return nil
}

// take returns the entries since the last call. What they all have is checked and left out.
func (l *auditLog) take(t *testing.T, principal string) []gateway.AuditEntry {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.all
	l.all = nil
	for i, e := range taken {
		if e.Principal != principal || e.Time.IsZero() || e.Request != "test" || e.ServerRequest == "" || e.ServerRequest == "test" || e.Address != "127.0.0.1" {
			t.Errorf("the entry is %+v, want one of %s with a time, a request and an address", e, principal)
		}
		if line, err := json.Marshal(e); err != nil || strings.Contains(string(line), confidential) {
			t.Errorf("the entry tells what was said: %s, %v", line, err)
		}
		taken[i].Principal, taken[i].Time, taken[i].Request, taken[i].ServerRequest, taken[i].Address = "", e.Time.Truncate(0), "", "", ""
	}
	return taken
}

// Each decision of a person has an entry, on every route; refused, repeated and ineffective ones have none.
func TestAuditHasWhatPeopleDecide(t *testing.T) {
	t.Parallel()
	var log auditLog
	w := newWorld(t, byHeader, func(o *gateway.Options) { o.Audit = log.add })
	as := func(method, path, body string, header ...string) string {
		t.Helper()
		_, answer := w.call(method, path, body, append([]string{"X-User", "ada"}, header...)...)
		return answer
	}
	question := func(thread string) string {
		t.Helper()
		var doc threadDoc
		if err := json.Unmarshal([]byte(as("GET", "/threads/"+thread, "")), &doc); err != nil || len(doc.Interrupts) != 1 {
			t.Fatalf("the thread %s asks %v: %v", thread, doc.Interrupts, err)
		}
		return doc.Interrupts[0].ID
	}
	answers := func(thread, payload string) string {
		return `{"resume":[{"interruptId":` + quote(question(thread)) + `,"status":"resolved","payload":` + payload + `}]}`
	}
	wants := func(what string, want ...gateway.AuditEntry) {
		t.Helper()
		got := log.take(t, "ada")
		ignored := cmpopts.IgnoreFields(gateway.AuditEntry{}, "Time", "RunID")
		if diff := cmp.Diff(want, got, ignored, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	asked := func(thread, agent string) {
		t.Helper()
		as("POST", "/agents/"+agent, input(thread, "r1", []string{"u1:" + confidential}))
		wants("a message is no decision")
	}
	decided := func(agent, thread, interrupt string, decision gateway.AuditDecision) gateway.AuditEntry {
		return gateway.AuditEntry{
			Action: gateway.AuditAnswered, Agent: agent, Thread: thread, Answers: []gateway.AuditAnswer{{Interrupt: interrupt, Decision: decision}},
		}
	}

	for thread, test := range map[string]struct {
		payload  string
		decision gateway.AuditDecision
	}{
		"approved": {`{"approved":true}`, gateway.DecisionApproved},
		"edited":   {`{"approved":true,"editedArgs":{"what":` + quote(confidential) + `}}`, gateway.DecisionApprovedEdited},
		"denied":   {`{"approved":false}`, gateway.DecisionDenied},
		"said":     {quote(confidential), gateway.DecisionAnswered},
	} {
		asked(thread, "approve")
		id, body := question(thread), answers(thread, test.payload)
		as("POST", "/threads/"+thread+"/resume", body, "Accept", "text/event-stream")
		want := decided("approve", thread, id, test.decision)
		if test.decision != gateway.DecisionAnswered {
			want.Answers[0].Call = "book-1"
		}
		if test.decision == gateway.DecisionApprovedEdited {
			sum := sha256.Sum256([]byte(`{"what":` + quote(confidential) + `}`))
			want.Answers[0].ArgumentsHash = hex.EncodeToString(sum[:16])
		}
		wants(thread, want)
		as("POST", "/threads/"+thread+"/resume", body)
		wants(thread + " again")
	}

	asked("t", "ask")
	id := question("t")
	as("POST", "/threads/t/resume", answers("t", `{"value":"XXL"}`))
	wants("a refused answer")
	as("POST", "/agents/ask", input("t", "r2", nil, `"resume":[{"interruptId":`+quote(id)+`,"status":"cancelled"}]`))
	wants("a cancelled question", decided("ask", "t", id, gateway.DecisionCancelled))
	as("PATCH", "/threads/t", `{"title":`+quote(confidential)+`}`)
	wants("a title", gateway.AuditEntry{Action: gateway.AuditRenamed, Agent: "ask", Thread: "t"})
	as("PATCH", "/threads/t", `{"title":""}`)
	wants("a blank title")
	as("POST", "/threads/t/stop", "")
	wants("a stop of nothing")
	var fork struct{ ID string }
	if err := json.Unmarshal([]byte(as("POST", "/threads/t/fork", `{"messageId":"u1"}`)), &fork); err != nil {
		t.Fatal(err)
	}
	wants("a fork", gateway.AuditEntry{Action: gateway.AuditForked, Agent: "ask", Thread: "t", Into: fork.ID})
	as("POST", "/agents/edits", input("e", "r1", []string{"u1:Hi"}))
	edit := `"forwardedProps":{"gateway":{"edit":true}}`
	as("POST", "/agents/edits", input("e", "r2", []string{"u2:" + confidential}, edit))
	wants("a changed message", gateway.AuditEntry{Action: gateway.AuditEdited, Agent: "edits", Thread: "e"})
	as("DELETE", "/threads/t", "")
	wants("a deletion", gateway.AuditEntry{Action: gateway.AuditDeleted, Agent: "ask", Thread: "t"})
	as("DELETE", "/threads/t", "")
	wants("a deletion of nothing")
	var patch struct{ Patch string }
	if err := json.Unmarshal([]byte(as("PATCH", "/threads/e/state", `{"x":1}`, "Content-Type", "application/merge-patch+json")), &patch); err != nil {
		t.Fatal(err)
	}
	wants("a patch", gateway.AuditEntry{Action: gateway.AuditPatched, Agent: "edits", Thread: "e", Patch: patch.Patch})
	as("PATCH", "/threads/e/state", `[{"op":"remove","path":"/none"}]`, "Content-Type", "application/json-patch+json")
	wants("a patch that does not apply")
	as("GET", "/me/export", "")
	wants("an export", gateway.AuditEntry{Action: gateway.AuditExportedAll})
	as("DELETE", "/me", "")
	wants("a deletion of everything", gateway.AuditEntry{Action: gateway.AuditDeletedAll})
}

// A live run that somebody stops has an entry, by whichever route, and also if a request takes its place.
func TestAuditHasStops(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ agent, path, body string }{
		"stop":            {"slow", "/threads/t/stop", ""},
		"CopilotKit stop": {"slow", pages + "/agent/slow/stop/t", ""},
		"supersede":       {"slow-supersede", "/agents/slow-supersede?disconnect=detach", input("t", "r2", []string{"u1:Hi", "u2:Stop"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log auditLog
			w := newWorld(t, byHeader, func(o *gateway.Options) { o.Audit = log.add })
			r := w.open("POST", "/agents/"+test.agent+"?disconnect=detach", input("t", "r1", []string{"u1:Hi"}), "X-User", "ada")
			r.until(agui.TypeCustom)
			second := w.request(t.Context(), "POST", test.path, test.body, "X-User", "ada")
			defer second.Body.Close()
			eventually(t, "the run has ended", func() bool {
				w.release()
				log.mu.Lock()
				defer log.mu.Unlock()
				return len(log.all) > 0
			})
			want := []gateway.AuditEntry{{Action: gateway.AuditStopped, Agent: test.agent, Thread: "t"}}
			if diff := cmp.Diff(want, log.take(t, "ada"), cmpopts.IgnoreFields(gateway.AuditEntry{}, "Time")); diff != "" {
				t.Errorf("the audit (-want +got):\n%s", diff)
			}
		})
	}
}

// A failing audit blocks no action, and the server log has the missing entry.
func TestAnAuditThatFails(t *testing.T) {
	t.Parallel()
	for name, audit := range map[string]func(gateway.AuditEntry) error{
		"an error": func(gateway.AuditEntry) error { return errors.New("the disk is full") },
		"a panic":  func(gateway.AuditEntry) error { panic("the disk is full") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log lockedBuffer
			w := newWorld(t, problemAttrs(&log), func(o *gateway.Options) { o.Audit = audit })
			w.post("echo", input("t", "r1", []string{"u1:Hi"}))
			if status, answer := w.call("DELETE", "/threads/t", ""); status != http.StatusNoContent {
				t.Errorf("DELETE = %d %s", status, answer)
			}
			lines := log.lines(t, "audit: not written")
			if len(lines) != 1 || !strings.Contains(lines[0]["entry"].(string), `"action":"deleted"`) || !strings.Contains(lines[0]["error"].(string), "the disk is full") {
				t.Errorf("the log has %v", lines)
			}
		})
	}
}
