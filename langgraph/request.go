package langgraph

import (
	"bytes"
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
)

// The members of a graph's state that are no part of the state that is shared.
const (
	messagesKey  = "messages"
	interruptKey = "__interrupt__"
	contextKey   = "ag-ui" // the caller's tools and context, where graphs that know AG-UI look for them
)

// A runRequest is the body of a request for a run.
type runRequest struct {
	Assistant  string                     `json:"assistant_id"`
	Input      map[string]json.RawMessage `json:"input,omitempty"`
	Command    *runCommand                `json:"command,omitempty"`
	Metadata   map[string]string          `json:"metadata"`
	Modes      []string                   `json:"stream_mode"`
	Subgraphs  bool                       `json:"stream_subgraphs"`
	Resumable  bool                       `json:"stream_resumable"`
	Multitask  string                     `json:"multitask_strategy"`
	Disconnect string                     `json:"on_disconnect"`
}

type runCommand struct {
	Resume json.RawMessage `json:"resume"`
}

// body is a request for a run. It outlives its stream, so that one that is cut can be joined.
func (a *answer) body(input map[string]json.RawMessage, resume json.RawMessage) *runRequest {
	r := &runRequest{
		Assistant: a.c.assistant, Input: input, Metadata: map[string]string{runKey: a.request.Input.RunID},
		Modes:     []string{"messages-tuple", "values", "updates", "custom"},
		Subgraphs: true, Resumable: true, Multitask: "reject", Disconnect: "continue",
	}
	if resume != nil {
		r.Command = &runCommand{Resume: resume}
	}
	return r
}

// fresh returns a request for a run that continues the conversation: the members of the state that differ from the
// thread's, and the messages that the thread lacks.
func (a *answer) fresh() *runRequest {
	in := a.request.Input
	input := map[string]json.RawMessage{}
	for name, value := range membersOf(in.State) {
		if !isPrivate(name) && !bytes.Equal(canonical(value), canonical(a.before.members[name])) {
			input[name] = value
		}
	}
	if len(in.Tools)+len(in.Context) > 0 {
		raw, err := json.Marshal(map[string]any{"tools": in.Tools, "context": in.Context})
		if err == nil { // they were read, and can be written
			input[contextKey] = raw
		}
	}
	list := a.unsent()
	if raw, err := json.Marshal(list); err == nil {
		input[messagesKey] = raw
	}
	return a.body(input, nil)
}

// isPrivate reports whether a member of a graph's state is none of the state that is shared.
func isPrivate(name string) bool {
	return name == messagesKey || name == interruptKey || name == contextKey
}

// unsent are the messages that the thread lacks, in the server's form, after those of the thread that are to go.
//
// What both have up to some message is the same conversation, be it that the graph has shortened its own. Behind it our
// messages are new, and so are the thread's if they answer one that we have no answer to: a repeated turn removes them.
// A used thread without any message of ours was shortened by its graph, and gets the messages after the assistant's
// last words.
func (a *answer) unsent() []sentMessage {
	ours, theirs := a.request.Input.Messages, a.before.messages
	there := map[string]int{}
	for i, m := range theirs {
		there[m.ID] = i
	}
	common, at := -1, -1
	for i := range ours {
		if j, ok := there[ours[i].ID]; ok {
			common, at = i, j
		}
	}
	out := []sentMessage{}
	if common >= 0 {
		out = leftovers(theirs[at+1:], isAsked(ours[common].Role))
	}
	restored := len(a.before.members) == 0
	if common < 0 && !restored {
		for i := range ours {
			if ours[i].Role == agui.RoleAssistant {
				common = i
			}
		}
	}
	for i := range ours[common+1:] {
		m := &ours[common+1+i]
		if sent, ok := sentForm(m); ok && (restored || isAsked(m.Role) || m.Role == agui.RoleTool) {
			out = append(out, sent)
		}
	}
	return out
}

// isAsked reports whether a role is that of somebody whom the assistant answers.
func isAsked(role agui.Role) bool {
	return role == agui.RoleUser || role == agui.RoleSystem || role == agui.RoleDeveloper
}

// leftovers takes messages away that our conversation does not have: all of them, or those from the first on that came
// from us.
func leftovers(list []message, all bool) []sentMessage {
	out := []sentMessage{}
	for i := range list {
		m := &list[i]
		all = all || m.Type == typeHuman && isMarked(m)
		if all && m.ID != "" {
			out = append(out, sentMessage{Type: "remove", ID: m.ID})
		}
	}
	return out
}
