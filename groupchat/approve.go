package groupchat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// needsApproval reports whether a lets a call of the tool be made only after a person approved of it.
func (t *Tool) needsApproval(a tools.Approvals) bool {
	switch {
	case slices.ContainsFunc(a.Tools, t.named), t.Approve == tools.ApproveAlways:
		return true
	case t.Approve == tools.ApproveNever:
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
	return r.askAll || t.needsApproval(r.Approve) || r.asked(key)
}

// asked reports whether a person was asked about the call of a key.
func (r *llmRun) asked(key string) bool { return key != "" && r.t.wasAsked(approvalKey+key) }

// approvalKey begins the keys of questions about calls.
const approvalKey = "approve/"

// notApproved is the result, or the beginning of it, of a call that a person did not approve of.
const notApproved = "not approved"

// approve asks a person whether the call may be made.
func (r *llmRun) approve(tool *Tool, s *llmRound, i int, arguments json.RawMessage) (ruling, *ask.Pause, error) {
	card, message := r.callCard(tool, s, i, arguments), "May I call "+tool.Name+"?"
	if card.Truncated {
		message += " Its arguments are too long to be shown as a whole."
	}
	answer, pause, err := r.t.ask(Question{
		Key: approvalKey + s.callKey(i), Reason: "tool_call", ToolCallID: s.shown.Calls[i],
		Schema:  card.answerSchema(tool),
		Message: message, call: card,
		Check: func(a ask.Answer) error {
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
	v, _, _, err := readApproval(ask.Answer{Cancelled: a.Status != agui.ResumeResolved, Payload: a.Payload})
	return err == nil && v.Approved
}

// approvalMeta is the member of a result's metadata that says what a person decided about the call. It is the gateway's
// own: what tools and other servers say there counts for nothing.
const approvalMeta = "approval"

// The decisions about a call.
const (
	decisionApproved   = "approved"
	decisionEdited     = "edited"
	decisionDeclined   = "declined"
	decisionCancelled  = "cancelled"
	decisionRemembered = "remembered"
)

// An approvalMark is what metadata tell of a decision.
type approvalMark struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
	// Arguments are the person's arguments, which replace the model's.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Remember is for which later calls the answer counts, ID the approval that is remembered, or that this call was
	// made under.
	Remember state.ApprovalScope `json:"remember,omitempty"`
	ID       string              `json:"id,omitempty"`
	// By is the principal who decided.
	By string `json:"by,omitempty"`
}

// on is a result with the mark in its metadata; without one it says nothing of a decision.
func (m approvalMark) on(result tools.Result) tools.Result {
	if m.Decision == "" && result.Metadata[approvalMeta] == nil {
		return result
	}
	result.Metadata = maps.Clone(result.Metadata)
	delete(result.Metadata, approvalMeta)
	if m.Decision == "" {
		return result
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return result // of texts and JSON that was decoded before it cannot fail
	}
	if result.Metadata == nil {
		result.Metadata = agui.Metadata{}
	}
	result.Metadata[approvalMeta] = raw
	return result
}

func approvalMarkOf(metadata agui.Metadata) (m approvalMark) {
	_ = exact.Unmarshal(metadata[approvalMeta], &m) // other values are ignored
	return m
}

// note returns the note on the decision for the model, before the call's result.
func (m approvalMark) note() string {
	said := ""
	if m.Reason != "" {
		said = " They said: " + m.Reason
	}
	switch {
	case m.Decision == decisionEdited:
		return "[A person changed the arguments of this call, and approved of it." + said + "]\n"
	case m.Decision == decisionApproved && m.Reason != "":
		return "[A person approved of this call." + said + "]\n"
	default:
		return "" // the result of a call that was declined says why
	}
}

type ruling struct {
	arguments json.RawMessage     // what the tool is called with; nil: it is not called
	remember  state.ApprovalScope // empty: for no other call
	mark      approvalMark
}

// declined is the result of a call that is not made.
func (v ruling) declined() *tools.Result {
	text := notApproved
	if v.mark.Reason != "" {
		text += ". The person said: " + v.mark.Reason
	}
	result := v.mark.on(tools.Text(text))
	return &result
}

// readApproval reads an answer about a call. Edited is nil if it has no other arguments.
func readApproval(a ask.Answer) (v ask.Verdict, edited json.RawMessage, remember state.ApprovalScope, err error) {
	if v, err = ask.ReadVerdict(a, "editedArgs", "remember"); err != nil {
		return v, nil, "", err
	}
	var members map[string]json.RawMessage
	if exact.Unmarshal(a.Payload, &members) != nil {
		return v, nil, "", nil // a bare decision
	}
	if raw := members["remember"]; raw != nil {
		err = exact.Unmarshal(raw, &remember)
	}
	return v, members["editedArgs"], remember, err
}

// declinedRuling is an answer that says no, or nothing.
func declinedRuling(a ask.Answer) ruling {
	v, _, _, err := readApproval(a)
	if a.Cancelled || err != nil {
		return ruling{mark: approvalMark{Decision: decisionCancelled}}
	}
	return ruling{mark: approvalMark{Decision: decisionDeclined, Reason: reasonOf(v.Changes())}}
}

// reasonOf trims a reason and cuts it at maxReason characters.
func reasonOf(reason string) string {
	reason = strings.TrimSpace(reason)
	if runes := []rune(reason); len(runes) > maxReason {
		reason = string(runes[:maxReason])
	}
	return reason
}

// ruling returns the decision about a call of the tool. With comments the call is not made, and its result has the
// comments for the model.
func (t *Tool) ruling(a ask.Answer, arguments json.RawMessage) (ruling, error) {
	given, edited, remember, err := readApproval(a)
	if err != nil {
		return ruling{}, err
	}
	if !given.Approved {
		return declinedRuling(a), nil
	}
	v := ruling{arguments: arguments, remember: remember,
		mark: approvalMark{Decision: decisionApproved, Reason: reasonOf(given.Reason)}}
	if edited == nil || bytes.Equal(state.Canonical(edited), state.Canonical(arguments)) {
		return v, nil
	}
	if v.remember != "" {
		return ruling{}, errors.New("groupchat: other arguments than the model's are approved of for one call only")
	}
	edited, err = t.arguments(string(edited))
	if err != nil || len(edited) > maxShownArguments {
		return ruling{}, errors.New("groupchat: edited arguments do not fit the tool")
	}
	v.arguments, v.mark.Decision, v.mark.Arguments = edited, decisionEdited, edited
	return v, nil
}
