package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
)

type renderer struct {
	blocks blocks
	agent  string                  // name of the speaker if a message has none
	known  map[string]bool         // messages that a person has seen
	shown  map[string]shownMessage // those of this answer

	subagents  map[string]string // names by invocation
	calls      map[string]*call
	activities map[string]*activity
	notes      int

	legacy []json.RawMessage // questions in the dialect of before 1.0
}

// A shownMessage is a displayed message: its author and text, which identify a message that later gets another id.
type shownMessage struct{ by, text string }

// An activity is displayed progress of an agent, such as a plan.
type activity struct {
	kind    string
	content json.RawMessage
	changed bool // since it was shown
}

func newRenderer(d display, agent string, known []agui.Message) *renderer {
	r := &renderer{
		blocks: blocks{display: d}, agent: agent, known: map[string]bool{}, shown: map[string]shownMessage{},
		subagents: map[string]string{}, calls: map[string]*call{}, activities: map[string]*activity{},
	}
	for _, m := range known {
		r.known[m.ID] = true
		for _, c := range m.ToolCalls { // their results may follow
			r.calls[c.ID] = &call{name: line(c.Function.Name, 80)}
		}
	}
	return r
}

// event displays e. Events that change the state, and frames of the protocol, have no display.
func (r *renderer) event(e agui.Event) {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		if e.Role == agui.RoleAssistant || e.Role == "" {
			r.start(e.MessageID, textBlock, r.speaker(e.Name, e.SubagentRunID))
		}
	case *agui.TextMessageContent:
		r.blocks.add(e.MessageID, Clean(e.Delta))
	case *agui.TextMessageEnd:
		r.endText(e.MessageID)
	case *agui.ReasoningMessageStart:
		r.start(e.MessageID, thought, r.speaker("", e.SubagentRunID))
	case *agui.ReasoningMessageContent:
		r.blocks.add(e.MessageID, Clean(e.Delta))
	case *agui.ReasoningMessageEnd:
		r.blocks.end(e.MessageID)
	case *agui.ToolCallStart, *agui.ToolCallArgs, *agui.ToolCallEnd, *agui.ToolCallResult:
		r.callEvent(e)
	case *agui.ActivitySnapshot, *agui.ActivityDelta:
		r.activityEvent(e)
	case *agui.MessagesSnapshot:
		r.snapshot(e.Messages)
	case *agui.SubagentStarted:
		r.subagents[e.SubagentRunID] = e.Name
	case *agui.SubagentError:
		r.note(r.speaker("", e.SubagentRunID) + " failed: " + line(e.Message, 400))
	case *agui.Custom:
		r.custom(e)
	}
}

// speaker returns the name of the speaker: from the message, from its subagent, or the agent's.
func (r *renderer) speaker(name, subagent string) string {
	return line(cmp.Or(name, r.subagents[subagent], r.agent), 60)
}

func (r *renderer) start(id string, k kind, by string) {
	if k == textBlock {
		r.shown[id] = shownMessage{by: by}
	}
	r.blocks.open(id, k, by)
}

func (r *renderer) endText(id string) {
	if b := r.blocks.end(id); b != nil {
		r.shown[id] = shownMessage{by: b.by, text: b.text.String()}
	}
}

// note shows a line of the client's own.
func (r *renderer) note(text string) {
	r.notes++
	r.blocks.note("\x00note/"+strconv.Itoa(r.notes), text)
}

// snapshot displays messages that were not streamed, and reports those that were removed from the conversation.
func (r *renderer) snapshot(messages []agui.Message) {
	ids, texts := map[string]bool{}, map[string]bool{}
	for _, m := range messages {
		text := Clean(m.Content.Text())
		ids[m.ID], texts[text] = true, true
		if m.Role == agui.RoleAssistant && text != "" && !r.seen(m.ID, text) {
			r.start(m.ID, textBlock, r.speaker(m.Name, m.SubagentRunID))
			r.blocks.add(m.ID, text)
			r.endText(m.ID)
		}
	}
	for id, m := range r.shown {
		if !ids[id] && !texts[m.text] && r.blocks.find(id) == nil {
			r.note("what " + m.by + " said above does not count: it is no part of the conversation")
			delete(r.shown, id)
		}
	}
}

func (r *renderer) seen(id, text string) bool {
	if _, ok := r.shown[id]; ok || r.known[id] {
		return true
	}
	for _, m := range r.shown {
		if m.text == text {
			return true
		}
	}
	return false
}

// custom handles questions from before 1.0, and the gateway's replacement of errors.
func (r *renderer) custom(e *agui.Custom) {
	var failure struct {
		Code, Message string
		Details       json.RawMessage
	}
	switch e.Name {
	case "on_interrupt":
		r.legacy = append(r.legacy, e.Value)
	case "gateway.failed", "gateway.refused":
		_ = json.Unmarshal(e.Value, &failure) // a value that is no text is ignored
		r.note("not done: " + line(cmp.Or(failure.Message, failure.Code), 400) + whyRefused(failure.Details))
	}
}

// activityEvent follows activities, and shows each once it is there.
func (r *renderer) activityEvent(e agui.Event) {
	switch e := e.(type) {
	case *agui.ActivitySnapshot:
		a := r.activities[e.MessageID]
		switch {
		case a == nil:
			r.activities[e.MessageID] = &activity{kind: e.ActivityType, content: e.Content}
			r.note(r.activities[e.MessageID].String())
		case e.Replace == nil || *e.Replace:
			a.content, a.changed = e.Content, true
		}
	case *agui.ActivityDelta:
		if a := r.activities[e.MessageID]; a != nil {
			// a patch that does not apply is ignored
			if content, err := e.Patch.Apply(context.Background(), a.content); err == nil {
				a.content, a.changed = content, true
			}
		}
	}
}

func (a *activity) String() string {
	return "[" + line(a.kind, 40) + "] " + line(compact(a.content), 160)
}

// finish displays the rest at the end of the answer.
func (r *renderer) finish() {
	r.blocks.flush()
	for _, a := range r.activities {
		if a.changed {
			r.note(a.String())
			a.changed = false
		}
	}
}
