package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// An AuditEntry records an action on a thread: who, what, when and from where. It contains ids and no message content,
// except for the additions of [Options.AuditContent]. Its JSON form is a line of the audit log.
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
	// Approval and Tool describe the approval of AuditApprovalUsed and AuditApprovalRevoked. Calls has the allowed
	// call.
	Approval string `json:"approval,omitempty"`
	Tool     string `json:"tool,omitempty"`
	// Request is the request's id, which the client may have chosen; ServerRequest is the gateway's id for it. Both are
	// empty for actions of a run. Address is the client's IP address as reported by trusted proxies.
	Request       string `json:"request"`
	ServerRequest string `json:"server_request,omitempty"`
	Address       string `json:"address,omitempty"`
}

// An AuditAnswer is a person's decision on one question.
type AuditAnswer struct {
	Interrupt string        `json:"interrupt"`
	Decision  AuditDecision `json:"decision"`
	// The following fields are for approvals: the tool, the call, and the hex form of the first 16 bytes of the SHA-256
	// of the arguments' canonical JSON, as called or as they would have been. The hash is empty if the arguments were
	// shown incompletely. Remember is the scope of later calls that the answer covers.
	Tool          string              `json:"tool,omitempty"`
	Call          string              `json:"call,omitempty"`
	ArgumentsHash string              `json:"arguments_hash,omitempty"`
	Remember      state.ApprovalScope `json:"remember,omitempty"`
	// Arguments, up to 16 KiB, and the person's Reason are set only with Options.AuditContent.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Reason    string          `json:"reason,omitempty"`
}

// maxAuditArguments bounds the arguments of one call in an entry, in bytes. Questions show no more of them.
const maxAuditArguments = 16 << 10

// AuditDecision is the kind of decision in an answer.
type AuditDecision string

// The decisions. DecisionApprovedEdited is an approval of edited arguments.
const (
	DecisionAnswered       AuditDecision = "answered"
	DecisionApproved       AuditDecision = "approved"
	DecisionApprovedEdited AuditDecision = "approved_edited"
	DecisionDenied         AuditDecision = "denied"
	DecisionCancelled      AuditDecision = "cancelled"
)

// AuditAction is the kind of an entry.
type AuditAction string

// The actions. An entry is written after its action is committed. Refused and ineffective actions have none.
const (
	AuditAnswered AuditAction = "answered" // questions, or frontend calls
	AuditEdited   AuditAction = "edited"   // messages: a changed or repeated message replaced what had followed it
	AuditStopped  AuditAction = "stopped"  // a live run, by name or because another request took its place
	AuditRenamed  AuditAction = "renamed"
	AuditForked   AuditAction = "forked"
	AuditPatched  AuditAction = "patched" // the state
	AuditDeleted  AuditAction = "deleted"

	AuditApprovalUsed    AuditAction = "approval_used"    // a call was made under an approval that is remembered
	AuditApprovalRevoked AuditAction = "approval_revoked" // one that is remembered

	AuditExportedAll AuditAction = "exported_all" // everything of the principal; the entry names no thread
	AuditDeletedAll  AuditAction = "deleted_all"
)

// audit passes on an action of the sender of r. If the log fails the server log gets the entry.
func (g *Gateway) audit(r *http.Request, key state.Key, e AuditEntry) {
	if g.o.Audit == nil {
		return
	}
	e.Request, e.ServerRequest = route.RequestID(r), route.OwnRequestID(r)
	if address := route.Address(r); address.IsValid() {
		e.Address = address.String()
	}
	g.writeAudit(g.log(r), key, e)
}

// auditRun passes on what a run did in the name of its principal.
func (g *Gateway) auditRun(key state.Key, e AuditEntry) {
	if g.o.Audit != nil {
		g.writeAudit(g.logFor(key.Principal), key, e)
	}
}

func (g *Gateway) writeAudit(log *slog.Logger, key state.Key, e AuditEntry) {
	e.Time, e.Principal, e.Agent, e.Thread = g.o.Now().UTC(), key.Principal, key.Agent, key.ID
	if err := calls.Protect(func() error { return g.o.Audit(e) }); err != nil {
		e.Answers = slices.Clone(e.Answers) // the audit may have kept them
		for i := range e.Answers {
			e.Answers[i].Arguments, e.Answers[i].Reason = nil, "" // the server log has no content
		}
		entry, _ := json.Marshal(e) // it has texts and a time only
		calls.WithCause(log, err).Error("audit: not written", "entry", string(entry))
	}
}

// auditBegun passes on what the request decided that began a run: its answers, and the messages that it removed.
func (g *Gateway) auditBegun(r *http.Request, begun *state.Begun) {
	if g.o.Audit == nil {
		return
	}
	t := begun.Thread
	intent := &t.Live.Intent
	e := AuditEntry{Action: AuditAnswered, RunID: intent.RunID}
	for _, answer := range intent.Claims {
		e.Answers = append(e.Answers, auditAnswer(answer, intent.Questions, g.o.AuditContent))
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

// auditAnswer returns the audit entry's form of answer to one of questions; content adds its content.
func auditAnswer(answer state.Answer, questions []agui.Interrupt, content bool) AuditAnswer {
	noted := AuditAnswer{Interrupt: answer.ID, Decision: decisionOf(answer)}
	i := slices.IndexFunc(questions, func(q agui.Interrupt) bool { return q.ID == answer.ID })
	if i < 0 || questions[i].Reason != "tool_call" || noted.Decision == DecisionAnswered {
		return noted
	}
	var card struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
		Truncated bool            `json:"truncated"`
		Masked    bool            `json:"masked"`
	}
	var given struct {
		Edited   json.RawMessage     `json:"editedArgs"`
		Remember state.ApprovalScope `json:"remember"`
		Reason   string              `json:"reason"`
	}
	_ = exact.Unmarshal(questions[i].Metadata["value"], &card) // a foreign question may have any value
	_ = exact.Unmarshal(answer.Payload, &given)                // it was held against the question's schema
	noted.Tool, noted.Call = route.Shorten(card.Tool), questions[i].ToolCallID
	arguments := card.Arguments
	if card.Truncated || card.Masked {
		arguments = nil
	}
	if noted.Decision == DecisionApprovedEdited {
		arguments = given.Edited
	}
	if arguments != nil {
		sum := sha256.Sum256(state.Canonical(arguments))
		noted.ArgumentsHash = hex.EncodeToString(sum[:16])
	}
	if content {
		noted.Reason = given.Reason
		if len(arguments) <= maxAuditArguments {
			noted.Arguments = arguments
		}
	}
	if given.Remember == state.ApprovalThread || given.Remember == state.ApprovalPrincipal {
		noted.Remember = given.Remember
	}
	return noted
}

// decisionOf returns the decision in an answer. A question asks for approval if its answer has the member "approved",
// as answers about tool calls have. Comments on any other question are no approval.
func decisionOf(answer state.Answer) AuditDecision {
	if answer.Status == agui.ResumeCancelled {
		return DecisionCancelled
	}
	var given map[string]json.RawMessage // and no struct, for which "Approved" would be "approved"
	if exact.Unmarshal(answer.Payload, &given) != nil || given["approved"] == nil {
		return DecisionAnswered
	}
	var comments string
	_ = exact.Unmarshal(given["comments"], &comments) // of another type it is none
	switch edited := given["editedArgs"]; {
	case string(given["approved"]) == "false":
		return DecisionDenied
	case string(given["approved"]) != "true" || comments != "":
		return DecisionAnswered
	case edited != nil && string(edited) != "null":
		return DecisionApprovedEdited
	default:
		return DecisionApproved
	}
}
