package groupchat

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

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
	Remember ApprovalScope `json:"remember,omitempty"`
	ID       string        `json:"id,omitempty"`
	// By is the principal who decided.
	By string `json:"by,omitempty"`
}

// on is a result with the mark in its metadata; without one it says nothing of a decision.
func (m approvalMark) on(result ToolResult) ToolResult {
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
	arguments json.RawMessage // what the tool is called with; nil: it is not called
	remember  ApprovalScope   // empty: for no other call
	mark      approvalMark
}

// declined is the result of a call that is not made.
func (v ruling) declined() *ToolResult {
	text := NotApproved
	if v.mark.Reason != "" {
		text += ". The person said: " + v.mark.Reason
	}
	result := v.mark.on(TextResult(text))
	return &result
}

// readApproval reads an answer about a call. Edited is nil if it has no other arguments.
func readApproval(a Answer) (v Verdict, edited json.RawMessage, remember ApprovalScope, err error) {
	if v, err = ReadVerdict(a, "editedArgs", "remember"); err != nil {
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
func declinedRuling(a Answer) ruling {
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
func (t *Tool) ruling(a Answer, arguments json.RawMessage) (ruling, error) {
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
