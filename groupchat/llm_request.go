package groupchat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
)

// request is what the model is asked now.
func (r *llmRun) request() model.Request {
	request := model.Request{Messages: r.messages(), Tools: r.tools.list}
	if o := r.Output; o != nil {
		request.Schema, request.SchemaName, request.Strict = o.Schema, o.Name, o.Strict
	}
	return request
}

// messages is the conversation as the model sees it: the system's words first and in one message, because not every
// server takes more; then what was said, others' words as messages of a user that begin with the speaker's name; each call
// followed by its result.
func (r *llmRun) messages() []model.Message {
	seen := r.t.Messages()
	h := r.history(seen)
	for _, m := range seen {
		h.add(m)
	}
	for _, s := range r.rounds {
		h.round(s)
	}
	if len(h.out) == 0 || h.out[len(h.out)-1].Role == agui.RoleAssistant {
		h.out = append(h.out, model.Message{Role: agui.RoleUser, Text: "Go on."}) // some servers want the last word to be a user's
	}
	if system := r.system(h.system); system != "" {
		h.out = slices.Insert(h.out, 0, model.Message{Role: agui.RoleSystem, Text: system})
	}
	return h.out
}

// system is what the model is told before everything else.
func (r *llmRun) system(conversation []string) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if r.Instructions != "" {
		add("%s", r.Instructions)
	}
	parts = append(parts, conversation...)
	if name := r.t.name(); name != "" {
		add("You are %s. What others in this conversation say begins with their name.", name)
	}
	for _, c := range r.t.Input().Context {
		add("%s: %s", c.Description, c.Value)
	}
	for _, pointer := range r.Sees {
		if raw, ok := r.t.State().Raw(pointer); ok {
			add("The state at %q is now: %s", pointer, raw)
		}
	}
	if r.away {
		add("Some of your tools cannot be used now. Where one of them is needed, say so, and do not answer without it.")
	}
	if instruction := r.t.Instruction(); instruction != "" {
		add("For this turn: %s", instruction)
	}
	return strings.Join(parts, "\n\n")
}

// A history builds what a model sees of a conversation.
type history struct {
	r    *llmRun
	name string

	out            []model.Message
	system         []string
	own            map[string]bool         // invocations in which the agent spoke
	roundByMessage map[string]*llmRound    // of this turn, by the messages they are
	told           map[*llmRound]bool      // that are in out
	skip           map[string]bool         // messages
	inside         map[string]bool         // invocations of what works inside this turn
	result         map[string]agui.Content // by call
}

func (r *llmRun) history(seen []Message) *history {
	h := &history{
		r: r, name: r.t.name(), own: map[string]bool{}, roundByMessage: map[string]*llmRound{}, told: map[*llmRound]bool{},
		skip: map[string]bool{}, inside: map[string]bool{}, result: map[string]agui.Content{},
	}
	r.t.x.mu.Lock()
	h.own[r.t.record.SubagentRunID] = true
	r.t.keys.invocations(h.inside)
	r.t.x.mu.Unlock()
	for _, m := range seen {
		if m.Role == agui.RoleAssistant && m.SubagentRunID != "" && r.t.isOwn(m) {
			h.own[m.SubagentRunID] = true
		}
	}
	for _, id := range r.discardedMessages() {
		h.skip[id] = true
	}
	for _, s := range r.rounds {
		for _, id := range s.shown.Messages {
			h.roundByMessage[id] = s
		}
	}
	for _, m := range messages(r.t.run) { // also those this participant does not see: a call of its own may have its result there
		if m.Role == agui.RoleTool {
			h.result[m.ToolCallID] = m.Content
		}
	}
	return h
}

// add takes the next message.
func (h *history) add(m Message) {
	if s := h.roundByMessage[m.ID]; s != nil {
		h.round(s)
		return
	}
	if h.skip[m.ID] || m.SubagentRunID != "" && h.inside[m.SubagentRunID] {
		return
	}
	switch m.Role {
	case agui.RoleSystem, agui.RoleDeveloper:
		h.system = append(h.system, m.Content.Text())
	case agui.RoleUser:
		user := model.Message{Role: agui.RoleUser, Text: m.Content.Text()}
		if parts, ok := m.Content.Parts(); ok {
			user.Parts = parts
		}
		h.out = append(h.out, user)
	case agui.RoleAssistant:
		h.spoken(m)
	default: // results go with their calls; reasoning and activities are nothing to answer
	}
}

// spoken takes the words of an agent.
func (h *history) spoken(m Message) {
	words := m.Content.Text()
	mine := h.name == "" && m.Name == "" && m.SubagentRunID == "" || h.name != "" && h.r.t.isOwn(m) || m.SubagentRunID != "" && h.own[m.SubagentRunID]
	if !mine {
		if words == "" {
			return
		}
		if m.Name != "" {
			words = m.Name + ": " + words
		}
		h.out = append(h.out, model.Message{Role: agui.RoleUser, Text: words})
		return
	}
	own := model.Message{Role: agui.RoleAssistant, Text: words}
	for _, c := range m.ToolCalls {
		own.Calls = append(own.Calls, model.Call{ID: c.ID, Name: model.ToolName(c.Function.Name), Arguments: c.Function.Arguments})
	}
	if words == "" && own.Calls == nil {
		return
	}
	h.out = append(h.out, own)
	for _, c := range own.Calls {
		result, ok := h.result[c.ID]
		h.out = append(h.out, resultMessage(c.ID, result, ok))
	}
}

// round takes a reply of this turn, and the earlier ones that are not seen in the conversation. What was recorded of it
// is what the model is told, whatever clients were shown of it.
func (h *history) round(last *llmRound) {
	for _, s := range h.r.rounds[:last.place+1] {
		if h.told[s] {
			continue
		}
		h.told[s] = true
		own := model.Message{Role: agui.RoleAssistant, Text: s.reply.Words(), Reasoning: s.reply.Reasoning}
		for i, c := range s.reply.Calls {
			own.Calls = append(own.Calls, model.Call{ID: s.shown.Calls[i], Name: c.Name, Arguments: c.Arguments})
		}
		if own.Text == "" && own.Calls == nil {
			continue
		}
		h.out = append(h.out, own)
		for i, c := range own.Calls {
			result, ok := s.results[i]
			h.out = append(h.out, resultMessage(c.ID, result.Content, ok))
		}
		if s.note != "" {
			h.out = append(h.out, model.Message{Role: agui.RoleUser, Text: s.note})
		}
	}
}

// resultMessage tells a model what the call of an id came to, if it is answered.
func resultMessage(id string, result agui.Content, answered bool) model.Message {
	if !answered {
		return model.Message{Role: agui.RoleTool, CallID: id, Text: state.NotAnswered}
	}
	parts, _ := result.Parts()
	return model.Message{Role: agui.RoleTool, CallID: id, Text: toldOf(result), Parts: parts}
}

// toldOf is a result as text, in which a model is told of anything else that it is there: most servers take only text.
func toldOf(result agui.Content) string {
	parts, ok := result.Parts()
	if !ok {
		return result.Text()
	}
	var told []string
	for _, p := range parts {
		if p.Type == agui.PartText {
			told = append(told, p.Text)
			continue
		}
		told = append(told, "["+string(p.Type)+", which the user sees]")
	}
	return strings.Join(told, "\n")
}
