package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A ToolApproval says whether a person must approve of a call before it is made.
type ToolApproval string

// The approvals of a tool.
const (
	ApproveByAgent ToolApproval = ""       // as the agent says
	ApproveAlways  ToolApproval = "always" // of each call
	ApproveNever   ToolApproval = "never"  // unless the agent names the tool
)

// Approvals say of which tools' calls a person must approve, for an agent. The zero value leaves it to the tools.
type Approvals struct {
	All bool // of all but those that say never
	// Tools are names of tools that need it in any case: as the model knows them, or as their source does. A name that no tool
	// has when a turn is entered makes every call of that turn ask, because nobody knows which tool was meant.
	Tools []string
}

func (a Approvals) wants(t *Tool) bool {
	switch {
	case slices.ContainsFunc(a.Tools, t.named), t.Approve == ApproveAlways:
		return true
	case t.Approve == ApproveNever:
		return false
	default:
		return a.All
	}
}

// named reports whether approvals that say name mean the tool.
func (t *Tool) named(name string) bool {
	return name == t.Name || t.SourceName != "" && name == t.SourceName
}

// undecided are the names of approvals that no tool has, own or of a source. A tool that a source is sure to have when it is
// back counts as there.
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

// askAllKey is where a turn keeps that all of its calls ask, or do not: what is there when it is entered again decides nothing.
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

// mustAsk reports whether a person has to approve of a call of the tool, also if approvals have changed since a person was asked
// about it. Key is the call's, empty for one that nobody can have been asked about.
func (r *llmRun) mustAsk(t *Tool, key string) bool {
	return r.askAll || r.Approve.wants(t) || r.asked(key)
}

// asked reports whether a person was asked about the call of a key.
func (r *llmRun) asked(key string) bool {
	r.t.x.mu.Lock()
	defer r.t.x.mu.Unlock()
	return key != "" && r.t.keys.Asks[approvalKey+key] != ""
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
		Key: approvalKey + key, Reason: "tool_call", ToolCallID: call, Schema: approvalSchema,
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

// approves reports whether an answer says that a call may be made, whatever its arguments.
func approves(a state.Answer) bool {
	var given struct {
		Approved bool `json:"approved"`
	}
	return a.Status == agui.ResumeResolved && json.Unmarshal(a.Payload, &given) == nil && given.Approved
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
