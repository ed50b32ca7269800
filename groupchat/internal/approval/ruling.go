package approval

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// MaxReason is how many characters a person may say about an approval.
const MaxReason = 1000

// NotApproved is the result, or the beginning of it, of a call that a person did not approve of.
const NotApproved = "not approved"

// Meta is the member of a result's metadata with the decision of a person about the call. It belongs to the gateway:
// values of tools and other servers are ignored.
const Meta = "approval"

// The decisions about a call.
const (
	Approved   = "approved"
	Edited     = "edited"
	Declined   = "declined"
	Cancelled  = "cancelled"
	Remembered = "remembered"
)

// A Mark describes a decision in metadata.
type Mark struct {
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

// On returns result with the mark in its metadata; the zero mark removes one.
func (m Mark) On(result tools.Result) tools.Result {
	if m.Decision == "" && result.Metadata[Meta] == nil {
		return result
	}
	result.Metadata = maps.Clone(result.Metadata)
	delete(result.Metadata, Meta)
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
	result.Metadata[Meta] = raw
	return result
}

// Note returns the note on the decision for the model, before the call's result.
func (m Mark) Note() string {
	said := ""
	if m.Reason != "" {
		said = " They said: " + m.Reason
	}
	switch {
	case m.Decision == Edited:
		return "[A person changed the arguments of this call, and approved of it." + said + "]\n"
	case m.Decision == Approved && m.Reason != "":
		return "[A person approved of this call." + said + "]\n"
	default:
		return "" // the result of a call that was declined says why
	}
}

// MarkOf returns the mark in metadata; without one, the zero value.
func MarkOf(metadata agui.Metadata) (m Mark) {
	_ = exact.Unmarshal(metadata[Meta], &m) // other values are ignored
	return m
}

// A Ruling is a decision about a call.
type Ruling struct {
	Arguments json.RawMessage     // for the tool; nil: it is not called
	Remember  state.ApprovalScope // empty: for no other call
	Mark      Mark
}

// Declined returns the result of a call that is not made.
func (v Ruling) Declined() *tools.Result {
	text := NotApproved
	if v.Mark.Reason != "" {
		text += ". The person said: " + v.Mark.Reason
	}
	result := v.Mark.On(tools.Text(text))
	return &result
}

// Read reads an answer about a call. Edited is nil if it has no other arguments.
func Read(a ask.Answer) (v ask.Verdict, edited json.RawMessage, remember state.ApprovalScope, err error) {
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

// Given reports whether an answer says that a call may be made, whatever its arguments.
func Given(a state.Answer) bool {
	v, _, _, err := Read(ask.Answer{Cancelled: a.Status != agui.ResumeResolved, Payload: a.Payload})
	return err == nil && v.Approved
}

// Decide returns the decision about a call. With comments the call is not made, and its result has the comments for
// the model. Check reads edited arguments.
func Decide(a ask.Answer, arguments json.RawMessage,
	check func(written string) (json.RawMessage, error)) (Ruling, error) {
	given, edited, remember, err := Read(a)
	if err != nil {
		return Ruling{}, err
	}
	if !given.Approved {
		return Refuse(a), nil
	}
	v := Ruling{Arguments: arguments, Remember: remember,
		Mark: Mark{Decision: Approved, Reason: reasonOf(given.Reason)}}
	if edited == nil || bytes.Equal(state.Canonical(edited), state.Canonical(arguments)) {
		return v, nil
	}
	if v.Remember != "" {
		return Ruling{}, errors.New("groupchat: other arguments than the model's are approved of for one call only")
	}
	edited, err = check(string(edited))
	if err != nil || len(edited) > MaxArguments {
		return Ruling{}, errors.New("groupchat: edited arguments do not fit the tool")
	}
	v.Arguments, v.Mark.Decision, v.Mark.Arguments = edited, Edited, edited
	return v, nil
}

// Refuse returns the ruling of an answer that says no, or nothing.
func Refuse(a ask.Answer) Ruling {
	v, _, _, err := Read(a)
	if a.Cancelled || err != nil {
		return Ruling{Mark: Mark{Decision: Cancelled}}
	}
	return Ruling{Mark: Mark{Decision: Declined, Reason: reasonOf(v.Changes())}}
}

// reasonOf trims a reason and cuts it at MaxReason characters.
func reasonOf(reason string) string {
	reason = strings.TrimSpace(reason)
	if runes := []rune(reason); len(runes) > MaxReason {
		reason = string(runes[:MaxReason])
	}
	return reason
}
