package groupchat

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/internal/schema"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/state"
)

// The limits of a call's display in a question, in bytes. A question is stored with its thread and sent to each of its
// readers.
const (
	maxShownArguments   = 16 << 10
	maxShownSchema      = 16 << 10
	maxShownDescription = 2 << 10
	maxShownWhy         = 2 << 10
	// maxReason is how many characters a person may say about an approval.
	maxReason = 1000
)

// seenBack is how many messages are looked through for a call: more have hardly come since it was made.
const seenBack = 256

// A callCard is what the question about a call shows beside what every question does.
type callCard struct {
	Tool        string `json:"tool"`
	Description string `json:"description,omitempty"`
	// Arguments are as people were shown them in the conversation. Of those that are too long it is a text, their
	// beginning.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// ArgumentsText is their JSON text, if a client that reads numbers as float64 has others than these.
	ArgumentsText string `json:"argumentsText,omitempty"`
	// Truncated says that these are not all of the arguments, Masked that something in them was changed for people.
	Truncated bool            `json:"truncated,omitempty"`
	Masked    bool            `json:"masked,omitempty"`
	Schema    json.RawMessage `json:"schema,omitempty"`
	// Why is what the model last said in the turn, as people were shown it.
	Why string `json:"why,omitempty"`
	// Remember is for which later calls the answer may count.
	Remember []state.ApprovalScope `json:"remember,omitempty"`

	origin string // where the call goes
}

// editable reports whether a person sees all of the arguments, and so may change them.
func (c *callCard) editable() bool { return !c.Truncated && !c.Masked }

// callCard is what a person is shown of call i of a reply.
func (r *llmRun) callCard(tool *Tool, s *llmRound, i int, arguments json.RawMessage) *callCard {
	c := &callCard{
		Tool: tool.Name, Description: r.describedAs(tool, s.callKey(i)), Why: clip.To(r.saidBefore(s), maxShownWhy),
		Remember: r.scopes(), origin: tool.Origin,
	}
	if len(tool.Parameters) <= maxShownSchema {
		c.Schema = tool.Parameters
	}
	shown, seen := r.t.shownArguments(s.shown.Calls[i])
	switch {
	case !seen && r.t.streamFiltered(): // their display for people is unpredictable
		c.Truncated = true
		return c
	case !seen:
		shown = string(arguments)
	case strings.TrimSpace(shown) == "":
		shown = "{}"
	}
	c.Masked = !bytes.Equal(state.Canonical(json.RawMessage(shown)), state.Canonical(arguments))
	c.Truncated = len(shown) > maxShownArguments
	if c.Truncated || !schema.IsObject(shown) {
		c.Arguments, _ = json.Marshal(clip.To(shown, maxShownArguments)) // a text always can be
		return c
	}
	c.Arguments = json.RawMessage(shown)
	if !state.SafeNumbers(c.Arguments) {
		c.ArgumentsText = shown
	}
	return c
}

// describedAs is a tool's description for people, the same whenever the turn is entered: the description of a
// tool may be made anew each time.
func (r *llmRun) describedAs(tool *Tool, key string) string {
	var told string
	if raw, ok := r.t.memo(describedKey + key); ok && json.Unmarshal(raw, &told) == nil {
		return told
	}
	told = clip.To(tool.Description, maxShownDescription)
	if raw, err := json.Marshal(told); err == nil && told != "" {
		r.t.remember(describedKey+key, raw)
	}
	return told
}

// describedKey begins the keys of descriptions that people were shown.
const describedKey = "approve/described/"

// streamFiltered reports whether what people see of the turn passes filters.
func (t *Turn) streamFiltered() bool {
	return slices.ContainsFunc(t.hooks, func(h Hooks) bool { return h.Stream != nil })
}

// shownMessages calls f for the messages that people were shown last, from the newest on, until it returns false.
func (t *Turn) shownMessages(f func(*agui.Message) bool) {
	t.x.Run.Inspect(func(v *run.View) {
		n := 0
		for m := range v.Backward() {
			if n++; n > seenBack || !f(&m) {
				return
			}
		}
	})
}

// shownArguments are the arguments of a call as people were shown them.
func (t *Turn) shownArguments(id string) (arguments string, seen bool) {
	t.shownMessages(func(m *agui.Message) bool {
		for _, c := range m.ToolCalls {
			if c.ID == id {
				arguments, seen = c.Function.Arguments, true
			}
		}
		return !seen
	})
	return arguments, seen
}

// saidBefore is what the model said last before the calls of a reply, as people were shown it. It is empty if they were
// not.
func (r *llmRun) saidBefore(s *llmRound) (words string) {
	said := map[string]bool{}
	for _, earlier := range r.rounds[:min(s.place+1, len(r.rounds))] {
		for _, id := range earlier.shown.Messages {
			said[id] = true
		}
	}
	r.t.shownMessages(func(m *agui.Message) bool {
		if m.Role == agui.RoleAssistant && said[m.ID] {
			words = strings.TrimSpace(m.Content.Text())
		}
		return words == ""
	})
	return words
}

// answerSchema is what an answer to the question about a call looks like. Edited arguments have to match the tool's own
// schema.
func (c *callCard) answerSchema(tool *Tool) json.RawMessage {
	plain := json.RawMessage(`{"type":"object"}`)
	edited := plain
	if len(tool.Parameters) > 0 && len(tool.Parameters) <= maxShownSchema {
		if moved, ok := moveSchema(tool.Parameters, "#/properties/editedArgs"); ok {
			edited = moved
		}
	}
	schema := c.schemaWith(edited)
	if state.CheckSchema(schema) != nil {
		schema = c.schemaWith(plain)
	}
	return schema
}

// schemaWith is the schema of answers with edited arguments of a schema. Where they cannot be edited they are refused,
// and so they are in an answer that counts for later calls: a person with changes has not seen the next call.
func (c *callCard) schemaWith(edited json.RawMessage) json.RawMessage {
	type member = map[string]any
	properties := member{"approved": member{"type": "boolean"},
		"reason": member{"type": "string", "maxLength": maxReason}}
	same := member{"approved": member{"const": true}}
	if c.editable() {
		properties["editedArgs"], same["editedArgs"] = edited, member{"const": c.Arguments}
	}
	if len(c.Remember) > 0 {
		properties["remember"] = member{"enum": c.Remember}
	}
	schema := ask.VerdictForm(properties)
	schema["required"] = []string{"approved"}
	if len(c.Remember) > 0 {
		schema["dependentSchemas"] = member{"remember": member{"properties": same}}
	}
	raw, _ := json.Marshal(schema) // of texts and numbers, and of JSON that was decoded before
	return raw
}

// moveSchema is a schema as a part of another one, at a JSON Pointer in it: references to places in it lead to where
// these are then.
func moveSchema(schema json.RawMessage, to string) (json.RawMessage, bool) {
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var keywords map[string]any
	if err := d.Decode(&keywords); err != nil {
		return nil, false
	}
	delete(keywords, "$schema") // which is for whole documents
	delete(keywords, "$id")
	moveReferences(keywords, to, false)
	raw, err := json.Marshal(keywords)
	return raw, err == nil
}

// moveReferences changes the references in a part of a schema. Named says that the members of v are named schemas, and
// not keywords.
func moveReferences(v any, to string, named bool) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			moveReferences(one, to, false)
		}
	case map[string]any:
		for name, member := range v {
			ref, isText := member.(string)
			switch {
			case named:
				moveReferences(member, to, false)
			case name == "$ref" && isText && strings.HasPrefix(ref, "#"):
				v[name] = to + strings.TrimPrefix(ref, "#")
			case name == "const" || name == "enum" || name == "default" || name == "examples": // values, and no schemas
			default:
				moveReferences(member, to, slices.Contains(namedSchemas, name))
			}
		}
	}
}

// namedSchemas are the keywords with members that are named schemas.
var namedSchemas = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas",
	"dependencies"}

// The beginnings of the keys under which a turn remembers under which approval a call is made, and that one was given
// with an answer.
const (
	coveredKey  = "approve/covered/"
	rememberKey = "approve/remember/"
)

// scopes are those for which a person may approve later calls. There are none while approvals name a missing tool: the
// knows then which tool was meant to be asked about.
func (r *llmRun) scopes() []state.ApprovalScope {
	if r.askAll || r.t.x.Approvals == nil {
		return nil
	}
	return r.Approve.Remember
}

// subject is what an approval of later calls of a tool is about. The hash has all that people and the model know of the
// tool, and where its calls go, so that a tool which has become another one asks again.
func (r *llmRun) subject(tool *Tool) state.ApprovalSubject {
	hash := state.Hash([]byte(tool.Name), []byte(tool.SourceName), []byte(tool.Description),
		state.Canonical(tool.Parameters),
		[]byte(strconv.FormatBool(tool.Destructive)), []byte(tool.Origin))
	return state.ApprovalSubject{Agent: r.t.Input().Agent, Path: r.t.identity(), Tool: tool.Name, Hash: hash}
}

// decide finds out whether a call that needs approval is made: by a remembered approval, or by asking a person.
func (r *llmRun) decide(tool *Tool, s *llmRound, i int, arguments json.RawMessage) (ruling, *ask.Pause, error) {
	if v, ok := r.covered(tool, s, i); ok {
		v.arguments = arguments
		return v, nil, nil
	}
	v, pause, err := r.approve(tool, s, i, arguments)
	if err == nil && pause == nil && v.remember != "" {
		err = r.rememberApproval(tool, s.callKey(i), &v)
	}
	return v, pause, err
}

// A coveredCall is under which approval a call is made, and where it goes.
type coveredCall struct {
	approvalMark
	Origin string `json:"origin,omitempty"`
}

// covered looks for an approval of a call, unless a person was asked about it. An approval that was found when the call
// was about to be made holds for it, also when the turn is entered again while the tool is at work.
func (r *llmRun) covered(tool *Tool, s *llmRound, i int) (v ruling, ok bool) {
	key, scopes := s.callKey(i), r.scopes()
	if raw, found := r.t.memo(coveredKey + key); found {
		var kept coveredCall
		err := json.Unmarshal(raw, &kept)
		v.mark = kept.approvalMark
		return v, err == nil && kept.Origin == tool.Origin
	}
	if len(scopes) == 0 || r.asked(key) {
		return v, false
	}
	a, ok, err := r.t.x.Approvals.Covers(r.t.ctx, s.shown.Calls[i], r.subject(tool), scopes)
	if err != nil {
		r.t.x.Log.WarnContext(r.t.ctx, "groupchat: approvals are not known, so a person is asked", "turn", r.t.ID(),
			"tool", tool.Name, "error", err)
		return v, false
	}
	if !ok {
		return v, false
	}
	v.mark = approvalMark{Decision: decisionRemembered, ID: a.ID, Remember: a.Scope}
	raw, err := json.Marshal(coveredCall{v.mark, tool.Origin})
	if err != nil {
		return v, false
	}
	r.t.remember(coveredKey+key, raw)
	return v, true
}

// rememberApproval remembers what a person approved of together with a call, once. Where that fails the call is made
// all the same, and the next one asks.
func (r *llmRun) rememberApproval(tool *Tool, key string, v *ruling) error {
	if !slices.Contains(r.scopes(), v.remember) {
		return nil
	}
	id, err := recorded(r.t, rememberKey+key, func() (string, error) {
		in := r.t.Input()
		id := state.Hash([]byte(in.Principal.ID), []byte(in.Agent), []byte(in.ThreadID), []byte(r.t.ID()), []byte(key))
		// the same after a takeover
		a := state.Approval{ID: "apr_" + id[:24], Scope: v.remember, ApprovalSubject: r.subject(tool)}
		return a.ID, r.t.x.Approvals.Remember(r.t.ctx, a)
	})
	if cause := r.t.x.endCause(); err != nil && cause != nil {
		return cause
	}
	if err != nil {
		r.t.x.Log.WarnContext(r.t.ctx, "groupchat: an approval is not remembered", "turn", r.t.ID(), "tool", tool.Name,
			"error", err)
		return nil
	}
	v.mark.Remember, v.mark.ID = v.remember, id
	return nil
}
