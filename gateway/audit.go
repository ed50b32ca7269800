package gateway

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// An AuditEntry says what somebody did to a thread: who, what, when and from where. It has ids, and nothing that was said. As JSON it is
// a line of the audit log.
type AuditEntry struct {
	Time      time.Time   `json:"time"` // in UTC
	Principal string      `json:"principal"`
	Action    AuditAction `json:"action"`
	Agent     string      `json:"agent,omitempty"`
	Thread    string      `json:"thread,omitempty"`
	// RunID is the client's name of the run that the action began.
	RunID string `json:"run_id,omitempty"`
	// Answers are the questions that were answered, for AuditAnswered.
	Answers []AuditAnswer `json:"answers,omitempty"`
	// Calls are the ids of frontend tool calls that got their results, for AuditAnswered.
	Calls []string `json:"calls,omitempty"`
	// Into is the thread that a fork made, Patch the id of a patch of the state.
	Into  string `json:"into,omitempty"`
	Patch string `json:"patch,omitempty"`
	// Request is the id of the request, Address the client's IP address, as far as trusted proxies tell it.
	Request string `json:"request"`
	Address string `json:"address,omitempty"`
}

// An AuditAnswer is what somebody decided on one question.
type AuditAnswer struct {
	Interrupt string        `json:"interrupt"`
	Decision  AuditDecision `json:"decision"`
}

// AuditDecision says how a question was answered.
type AuditDecision string

// The decisions. Approvals are questions whether a tool may be called; DecisionApprovedEdited is an approval of other arguments than were asked about.
const (
	DecisionAnswered       AuditDecision = "answered"
	DecisionApproved       AuditDecision = "approved"
	DecisionApprovedEdited AuditDecision = "approved_edited"
	DecisionDenied         AuditDecision = "denied"
	DecisionCancelled      AuditDecision = "cancelled"
)

// AuditAction says what was done.
type AuditAction string

// The actions. Each entry is written when the store has what it says. What is refused, and what changes nothing, has none.
const (
	AuditAnswered AuditAction = "answered" // questions, or frontend calls
	AuditEdited   AuditAction = "edited"   // messages: a changed or repeated message replaced what had followed it
	AuditStopped  AuditAction = "stopped"  // a live run, by name or because another request took its place
	AuditRenamed  AuditAction = "renamed"
	AuditForked   AuditAction = "forked"
	AuditPatched  AuditAction = "patched" // the state
	AuditDeleted  AuditAction = "deleted"

	AuditExportedAll AuditAction = "exported_all" // everything of the principal; the entry names no thread
	AuditDeletedAll  AuditAction = "deleted_all"
)

// audit passes on what the sender of r did to a thread. A log that fails keeps nobody from doing it; the server log then has the entry.
func (g *Gateway) audit(r *http.Request, key state.Key, e AuditEntry) {
	if g.o.Audit == nil {
		return
	}
	e.Time, e.Principal, e.Agent, e.Thread = g.o.Now().UTC(), key.Principal, key.Agent, key.ID
	e.Request = route.RequestID(r)
	if address := route.Address(r); address.IsValid() {
		e.Address = address.String()
	}
	if err := calls.Protect(func() error { return g.o.Audit(e) }); err != nil {
		entry, _ := json.Marshal(e) // it has texts and a time only
		calls.WithCause(g.log(r), err).Error("audit: not written", "entry", string(entry))
	}
}

// auditBegun passes on what the request that began a run decided: its answers, and what it took back of the conversation.
func (g *Gateway) auditBegun(r *http.Request, begun *state.Begun) {
	if g.o.Audit == nil {
		return
	}
	t := begun.Thread
	intent := &t.Live.Intent
	e := AuditEntry{Action: AuditAnswered, RunID: intent.RunID}
	for _, answer := range intent.Claims {
		e.Answers = append(e.Answers, AuditAnswer{Interrupt: answer.ID, Decision: decisionOf(answer)})
	}
	if intent.Resumed {
		for _, c := range t.Calls {
			if c.Answer != nil {
				e.Calls = append(e.Calls, c.ID)
			}
		}
	}
	if len(e.Answers)+len(e.Calls) > 0 {
		g.audit(r, t.Key, e)
	}
	if intent.Cut {
		g.audit(r, t.Key, AuditEntry{Action: AuditEdited, RunID: intent.RunID})
	}
}

// decisionOf returns what an answer decides. A question asks for approval if its answer has the member "approved", as the answers to
// questions about tool calls have.
func decisionOf(answer state.Answer) AuditDecision {
	if answer.Status == agui.ResumeCancelled {
		return DecisionCancelled
	}
	var given struct {
		Approved *bool           `json:"approved"`
		Edited   json.RawMessage `json:"editedArgs"`
	}
	switch err := json.Unmarshal(answer.Payload, &given); {
	case err != nil || given.Approved == nil:
		return DecisionAnswered
	case !*given.Approved:
		return DecisionDenied
	case given.Edited != nil && string(given.Edited) != "null":
		return DecisionApprovedEdited
	default:
		return DecisionApproved
	}
}
