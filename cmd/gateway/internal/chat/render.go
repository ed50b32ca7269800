package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
)

// A renderer shows the events of one answer.
type renderer struct {
	blocks blocks
	agent  string           // who speaks if nobody is named
	known  map[string]bool  // messages that a person has seen
	shown  map[string]shown // those of this answer

	subagents  map[string]string // names by invocation
	calls      map[string]*call
	activities map[string]*activity
	notes      int

	legacy []json.RawMessage // questions in the dialect of before 1.0
}

// A shown is a message that was shown: who said it, and what, by which a message is known that has another id in the end.
type shown struct{ by, text string }

// An activity is what an agent shows of its work, such as a plan.
type activity struct {
	kind    string
	content json.RawMessage
	changed bool // since it was shown
}

func newRenderer(d display, agent string, known []agui.Message) *renderer {
	r := &renderer{
		blocks: blocks{display: d}, agent: agent, known: map[string]bool{}, shown: map[string]shown{},
		subagents: map[string]string{}, calls: map[string]*call{}, activities: map[string]*activity{},
	}
	for _, m := range known {
		r.known[m.ID] = true
		for _, c := range m.ToolCalls { // their results may be still to come
			r.calls[c.ID] = &call{name: line(c.Function.Name, 80)}
		}
	}
	return r
}

// event shows what e tells a person. Events that change the state, and frames of the protocol, tell nothing here.
func (r *renderer) event(e agui.Event) {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		if e.Role == agui.RoleAssistant || e.Role == "" {
			r.start(e.MessageID, said, r.speaker(e.Name, e.SubagentRunID))
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

// speaker names who speaks: as a message says, as its subagent is called, or the agent.
func (r *renderer) speaker(name, subagent string) string {
	return line(cmp.Or(name, r.subagents[subagent], r.agent), 60)
}

func (r *renderer) start(id string, k kind, by string) {
	if k == said {
		r.shown[id] = shown{by: by}
	}
	r.blocks.open(id, k, by)
}

func (r *renderer) endText(id string) {
	if b := r.blocks.end(id); b != nil {
		r.shown[id] = shown{by: b.by, text: b.text.String()}
	}
}

// note shows a line of the client's own.
func (r *renderer) note(text string) {
	r.notes++
	r.blocks.note("\x00note/"+strconv.Itoa(r.notes), text)
}

// snapshot shows messages of the conversation that were not streamed, and says which are no part of it any more.
func (r *renderer) snapshot(messages []agui.Message) {
	ids, texts := map[string]bool{}, map[string]bool{}
	for _, m := range messages {
		text := Clean(m.Content.Text())
		ids[m.ID], texts[text] = true, true
		if m.Role == agui.RoleAssistant && text != "" && !r.seen(m.ID, text) {
			r.start(m.ID, said, r.speaker(m.Name, m.SubagentRunID))
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

// seen reports whether a message was shown, be it under another id.
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

// custom takes questions of before 1.0, and what a gateway tells in place of an error.
func (r *renderer) custom(e *agui.Custom) {
	var told struct {
		Code, Message string
		Details       json.RawMessage
	}
	switch e.Name {
	case "on_interrupt":
		r.legacy = append(r.legacy, e.Value)
	case "gateway.failed", "gateway.refused":
		_ = json.Unmarshal(e.Value, &told) // what is no text is not there
		r.note("not done: " + line(cmp.Or(told.Message, told.Code), 400) + whyRefused(told.Details))
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
			if content, err := e.Patch.Apply(context.Background(), a.content); err == nil { // one that does not apply changes nothing
				a.content, a.changed = content, true
			}
		}
	}
}

func (a *activity) String() string {
	return "[" + line(a.kind, 40) + "] " + line(compact(a.content), 160)
}

// finish shows what is left when the answer has ended.
func (r *renderer) finish() {
	r.blocks.flush()
	for _, a := range r.activities {
		if a.changed {
			r.note(a.String())
			a.changed = false
		}
	}
}
