package groupchat

import (
	"encoding/json"
	"errors"
	"slices"
)

// A ToolApproval says whether a person must approve of a call before it is made.
type ToolApproval string

// The approvals of a tool.
const (
	ApproveByAgent ToolApproval = ""       // as the agent says
	ApproveAlways  ToolApproval = "always" // of each call
	ApproveNever   ToolApproval = "never"  // unless the agent names the tool
)

// Approvals say of which tools' calls a person must approve, for an agent. The zero value is none but those that say
// so themselves.
type Approvals struct {
	All   bool     // of all but those that say never
	Tools []string // of these in any case
}

func (a Approvals) wants(t *Tool) bool {
	switch {
	case slices.Contains(a.Tools, t.Name), t.Approve == ApproveAlways:
		return true
	case t.Approve == ApproveNever:
		return false
	default:
		return a.All
	}
}

// approvalSchema is what an answer looks like.
var approvalSchema = json.RawMessage(`{"type":"object","required":["approved"],"properties":{` +
	`"approved":{"type":"boolean"},"editedArgs":{"type":"object"}}}`)

// approvalKey begins the keys of questions about calls.
const approvalKey = "approve/"

// NotApproved is the result of a call that a person did not approve of.
const NotApproved = "not approved"

// approve asks a person whether the call may be made, and returns its arguments, edited ones if there are any. No
// arguments mean no.
func (t *Turn) approve(tool *Tool, key, call string, arguments json.RawMessage) (json.RawMessage, *Pause, error) {
	message := "May I call " + tool.Name + "?"
	answer, pause, err := t.ask(Question{
		Key: approvalKey + key, Reason: "tool_call", ToolCallID: call, Schema: approvalSchema, Recommended: -1,
		Message: message,
		Check: func(a Answer) error {
			_, err := tool.approved(a, arguments)
			return err
		},
		anew: "These arguments do not fit the tool. " + message, // what is said the model would take for its own words
	})
	if pause != nil || err != nil || answer.Cancelled {
		return nil, pause, err
	}
	arguments, err = tool.approved(answer, arguments)
	return arguments, nil, err
}

// approved is what an answer says the arguments are; nil if it says no.
func (t *Tool) approved(a Answer, arguments json.RawMessage) (json.RawMessage, error) {
	if a.Cancelled {
		return nil, nil
	}
	var given struct {
		Approved   bool            `json:"approved"`
		EditedArgs json.RawMessage `json:"editedArgs"`
	}
	if err := a.Decode(&given); err != nil {
		return nil, err
	}
	switch {
	case !given.Approved:
		return nil, nil
	case len(given.EditedArgs) == 0:
		return arguments, nil
	}
	edited, err := t.arguments(string(given.EditedArgs))
	if err != nil {
		return nil, errors.New("groupchat: edited arguments do not fit the tool")
	}
	return edited, nil
}
