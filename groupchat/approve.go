package groupchat

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// An ApprovalScope says for which later calls of the same tool a person may approve: [state.ApprovalThread], "thread",
// for those in the same thread, and [state.ApprovalPrincipal], "principal", for those in all of the person's threads
// with the same agent.
type ApprovalScope = state.ApprovalScope

// A ToolApproval says whether a person must approve of a call before it is made.
type ToolApproval string

// The approvals of a tool.
const (
	ApproveByAgent ToolApproval = ""       // as the agent says
	ApproveAlways  ToolApproval = "always" // of each call
	ApproveNever   ToolApproval = "never"  // unless the agent names the tool
)

// Approvals say of which tools' calls a person must approve, for an agent. The zero value leaves it to the tools: those
// that say always, and destructive ones.
type Approvals struct {
	All bool // of all but those that say never
	// Never leaves out destructive tools that do not say always themselves.
	Never bool
	// Tools are names of tools that need it in any case: as the model knows them, or as their source does. A name that
	// no tool has when a turn is entered makes every call of that turn ask, because the intended tool is unknown.
	Tools []string
	// Remember lists the scopes for which a person may approve later calls of the same tool; nil for none. An approval
	// counts while the scope exists, the tool is unchanged, and the approval is not revoked. It needs a [Session] with
	// an [ApprovalStore].
	Remember []ApprovalScope
}

func (a Approvals) wants(t *Tool) bool {
	switch {
	case slices.ContainsFunc(a.Tools, t.named), t.Approve == ApproveAlways:
		return true
	case t.Approve == ApproveNever:
		return false
	default:
		return a.All || t.Destructive && !a.Never
	}
}

// named reports whether approvals that say name mean the tool.
func (t *Tool) named(name string) bool {
	return name == t.Name || t.SourceName != "" && name == t.SourceName
}

// undecided are the names of approvals that no tool has, own or of a source. A tool that a source is sure to have when
// it is back counts as there.
func (a *LLM) undecided(found []*Tool) []string {
	return slices.DeleteFunc(slices.Clone(a.Approve.Tools), func(name string) bool {
		return slices.ContainsFunc(a.Tools, func(t Tool) bool { return t.named(name) }) ||
			slices.ContainsFunc(found, func(t *Tool) bool { return t.named(name) }) ||
			slices.ContainsFunc(a.Sources, func(s ToolSource) bool {
				expecting, ok := s.(interface{ Expects(name string) bool })
				return ok && expecting.Expects(name)
			})
	})
}

// askAllKey is the key under which a turn records whether all of its calls ask; tools that appear later change nothing.
const askAllKey = "approve/all"

// decideApprovals finds out, once in a turn, whether approvals name a tool that is not there.
func (r *llmRun) decideApprovals(ctx context.Context, found []*Tool) {
	if len(r.Approve.Tools) == 0 {
		return
	}
	if raw, ok := r.t.memo(askAllKey); ok {
		r.askAll = string(raw) == "true"
		return
	}
	missing := r.undecided(found)
	if r.unprepared != nil { // also a tool that a provider has removed
		missing = slices.DeleteFunc(missing, func(name string) bool {
			return slices.ContainsFunc(r.unprepared.Tools, func(t Tool) bool { return t.named(name) })
		})
	}
	r.askAll = len(missing) > 0
	r.t.remember(askAllKey, json.RawMessage(strconv.FormatBool(r.askAll)))
	if !r.askAll {
		return
	}
	level := slog.LevelError
	if r.away {
		level = slog.LevelWarn // it may be a tool of the source that is away
	}
	names := []string{}
	for i := range r.Tools {
		names = append(names, r.Tools[i].Name)
	}
	for _, t := range found {
		names = append(names, t.Name)
	}
	r.t.x.Log.Log(ctx, level, "groupchat: approvals name tools that do not exist, so every call asks",
		"turn", r.t.ID(), "missing", missing, "tools", names)
}

// mustAsk reports whether a person has to approve of a call of the tool, also if approvals have changed since a person
// was asked about it. Key is the call's, empty for one without a possible question.
func (r *llmRun) mustAsk(t *Tool, key string) bool {
	return r.askAll || r.Approve.wants(t) || r.asked(key)
}

// asked reports whether a person was asked about the call of a key.
func (r *llmRun) asked(key string) bool { return key != "" && r.t.wasAsked(approvalKey+key) }

// approvalKey begins the keys of questions about calls.
const approvalKey = "approve/"

// NotApproved is the result, or the beginning of it, of a call that a person did not approve of.
const NotApproved = "not approved"

// approve asks a person whether the call may be made.
func (r *llmRun) approve(tool *Tool, s *llmRound, i int, arguments json.RawMessage) (ruling, *Pause, error) {
	card, message := r.callCard(tool, s, i, arguments), "May I call "+tool.Name+"?"
	if card.Truncated {
		message += " Its arguments are too long to be shown as a whole."
	}
	answer, pause, err := r.t.ask(Question{
		Key: approvalKey + s.callKey(i), Reason: "tool_call", ToolCallID: s.shown.Calls[i],
		Schema:  card.answerSchema(tool),
		Message: message, call: card,
		Check: func(a Answer) error {
			_, err := tool.ruling(a, arguments)
			return err
		},
		anew: "These arguments do not fit the tool. " + message, // otherwise the model would take it for its own words
	})
	if pause != nil || err != nil {
		return ruling{}, pause, err
	}
	v, err := tool.ruling(answer, arguments)
	v.mark.By = r.t.Principal().ID
	return v, nil, err
}

// approves reports whether an answer says that a call may be made, whatever its arguments.
func approves(a state.Answer) bool {
	v, _, _, err := readApproval(Answer{Cancelled: a.Status != agui.ResumeResolved, Payload: a.Payload})
	return err == nil && v.Approved
}
