package groupchat

import (
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/internal/approval"
	"github.com/agui-gateway/gateway/groupchat/internal/schema"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
)

// request is what the model is asked now, without the messages.
func (r *llmRun) request() model.Request {
	request := model.Request{Tools: r.tools.list}
	if o := r.Output; o != nil {
		request.Schema, request.SchemaName, request.Strict = o.Schema, o.Name, o.Strict
	}
	return request
}

// composed is what the model could be asked now: all of the conversation that was not left out before.
func (r *llmRun) composed() history.Composed {
	seen := r.t.Messages()
	cut := r.short.Place(seen)
	h := r.transcript(seen, cut)
	h.prepared(r.before)
	if cut > 0 {
		for _, m := range seen[:cut] { // these always stay
			if m.Role == agui.RoleSystem || m.Role == agui.RoleDeveloper {
				h.system = append(h.system, m.Content.Text())
			}
		}
		h.skipThrough(seen[cut-1])
	}
	first, caller := r.short.Stays(seen, cut)
	for _, m := range seen[:first] {
		if m.Role != agui.RoleSystem && m.Role != agui.RoleDeveloper {
			h.add(m)
		}
	}
	c := history.Composed{Seen: seen, Kept: len(h.out)}
	if caller >= 0 {
		h.add(seen[caller])
	}
	for _, m := range seen[cut:] {
		h.add(m)
	}
	for _, s := range r.rounds {
		h.round(s)
	}
	reader := ""
	if r.reads {
		reader = readResult
	}
	r.short.ClipResults(h.out, r.resultLimit(), reader)
	behind, words := preparedMessages(r.after, h.name)
	c.Request, c.System, c.Entries, c.Now = r.request(), r.system(append(h.system, words...)), h.out, r.now()
	c.Behind = behind
	return c
}

// system is the first part of the request. It stays the same from request to request as long as the agent does: servers
// do not read again the beginning of a request that they have read before.
func (r *llmRun) system(conversation []string) string {
	var parts []string
	if r.Instructions != "" {
		parts = append(parts, r.Instructions)
	}
	parts = append(parts, conversation...)
	if name := r.t.name(); name != "" {
		parts = append(parts,
			fmt.Sprintf("You are %s. What others in this conversation say begins with their name.", name))
	}
	return strings.Join(parts, "\n\n")
}

// now is the last part of the request, because it may change in the next one.
func (r *llmRun) now() []string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
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
	return parts
}

// A transcript builds what a model sees of a conversation.
type transcript struct {
	r    *llmRun
	name string

	out            []history.Entry
	system         []string
	own            map[string]bool         // invocations in which the agent spoke
	roundByMessage map[string]*llmRound    // of this turn, by the messages they are
	told           map[*llmRound]bool      // that are in out, or left out
	skip           map[string]bool         // messages
	inside         map[string]bool         // invocations of what works inside this turn
	result         map[string]tools.Result // by call
	thought        string                  // in an earlier turn, before the message that comes next
}

// transcript begins one of seen, of which the first cut messages are left out.
func (r *llmRun) transcript(seen []Message, cut int) *transcript {
	h := &transcript{
		r: r, name: r.t.name(), own: map[string]bool{}, roundByMessage: map[string]*llmRound{},
		told: map[*llmRound]bool{},
		skip: map[string]bool{}, result: map[string]tools.Result{},
	}
	own, inside := r.t.innerInvocations()
	h.own[own], h.inside = true, inside
	all := messages(r.t.run) // also those hidden from this participant: a call of this turn may have its result there
	if cut > 0 && !r.short.KeepsFirst() {
		all = messagesAfter(all, seen[cut-1].ID)
		seen = seen[cut:]
	}
	// a message without a name may be another agent's: the root's own are those of no invocation
	for _, m := range seen {
		if h.name != "" && m.Role == agui.RoleAssistant && m.SubagentRunID != "" && r.t.isOwn(m) {
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
	for _, m := range all {
		if m.Role == agui.RoleTool {
			h.result[m.ToolCallID] = tools.Result{Content: m.Content, Metadata: m.Metadata}
		}
	}
	return h
}

// messagesAfter is the part of list after the message of an id; all of it without one.
func messagesAfter(list []Message, id string) []Message {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].ID == id {
			return list[i+1:]
		}
	}
	return list
}

func (h *transcript) skipThrough(m Message) {
	s := h.roundByMessage[m.ID]
	if s == nil {
		return
	}
	for _, earlier := range h.r.rounds[:s.place+1] {
		h.told[earlier] = true
	}
}

// put adds the part of the request for the message of an id.
func (h *transcript) put(id string, m model.Message) {
	h.out = append(h.out, history.Entry{Message: m, ID: id})
}

func (h *transcript) add(m Message) {
	if s := h.roundByMessage[m.ID]; s != nil {
		h.round(s)
		return
	}
	if h.skip[m.ID] || m.SubagentRunID != "" && h.inside[m.SubagentRunID] {
		return
	}
	h.recall(m)
	switch m.Role {
	case agui.RoleSystem, agui.RoleDeveloper:
		h.system = append(h.system, m.Content.Text())
	case agui.RoleUser:
		user := model.Message{Role: agui.RoleUser, Text: m.Content.Text()}
		if parts, ok := m.Content.Parts(); ok {
			user.Parts = parts
		}
		h.out = append(h.out, history.Entry{Message: user, ID: m.ID, Caller: true})
	case agui.RoleAssistant:
		h.spoken(m)
	default: // results go with their calls; reasoning and activities are nothing to answer
	}
}

func (h *transcript) spoken(m Message) {
	words := m.Content.Text()
	mine := h.name == "" && m.Name == "" && m.SubagentRunID == "" || h.name != "" && h.r.t.isOwn(m) ||
		m.SubagentRunID != "" && h.own[m.SubagentRunID]
	if !mine {
		if words == "" {
			return
		}
		h.put(m.ID, model.Message{Role: agui.RoleUser, Text: h.r.t.x.nameOf(m) + ": " + words})
		return
	}
	own := model.Message{Role: agui.RoleAssistant, Text: words}
	for _, c := range m.ToolCalls {
		written := model.Call{ID: c.ID, Name: model.ToolName(c.Function.Name), Arguments: c.Function.Arguments}
		own.Calls = append(own.Calls, madeAs(written, h.result[c.ID]))
	}
	if words == "" && own.Calls == nil {
		return
	}
	if own.Calls != nil {
		own.Reasoning = h.thought
	}
	h.put(m.ID, own)
	for _, c := range own.Calls {
		result, ok := h.result[c.ID]
		h.put(m.ID, resultMessage(c.ID, result, ok))
	}
}

// round takes a reply of this turn, and the earlier ones that are not seen in the conversation. The record of it
// is in the request, whatever clients saw of it.
func (h *transcript) round(last *llmRound) {
	for _, s := range h.r.rounds[:last.place+1] {
		if h.told[s] {
			continue
		}
		h.told[s] = true
		own := model.Message{Role: agui.RoleAssistant, Text: s.reply.Words(), Reasoning: s.reply.Reasoning,
			Opaque: s.reply.Opaque}
		for i, c := range s.reply.Calls {
			own.Calls = append(own.Calls,
				madeAs(model.Call{ID: s.shown.Calls[i], Name: c.Name, Arguments: c.Arguments}, s.results[i]))
		}
		if own.Text == "" && own.Calls == nil {
			continue
		}
		id := ""
		if n := len(s.shown.Messages); n > 0 {
			id = s.shown.Messages[n-1]
		}
		h.put(id, own)
		for i, c := range own.Calls {
			result, ok := s.results[i]
			h.put(id, resultMessage(c.ID, result, ok))
		}
		if s.note != "" {
			h.put(id, model.Message{Role: agui.RoleUser, Text: s.note})
		}
	}
}

// madeAs is a call with the arguments that were used: a person's, if there are some.
func madeAs(written model.Call, result tools.Result) model.Call {
	if edited := approval.MarkOf(result.Metadata).Arguments; schema.IsObject(string(edited)) && edited != nil {
		written.Arguments = string(edited)
	}
	return written
}

// resultMessage returns the message with the result of a call, if it is answered, and with a person's decision about
// it.
func resultMessage(id string, result tools.Result, answered bool) model.Message {
	if !answered {
		return model.Message{Role: agui.RoleTool, CallID: id, Text: state.NotAnswered}
	}
	parts, _ := result.Content.Parts()
	note := approval.MarkOf(result.Metadata).Note()
	if note != "" && parts != nil {
		parts = append([]agui.Part{{Type: agui.PartText, Text: note}}, parts...)
	}
	return model.Message{Role: agui.RoleTool, CallID: id, Text: note + resultText(result.Content), Parts: parts}
}

// resultText is a result as text; content other than text is mentioned: most servers accept only text.
func resultText(result agui.Content) string {
	parts, ok := result.Parts()
	if !ok {
		return result.Text()
	}
	var texts []string
	for _, p := range parts {
		if p.Type == agui.PartText {
			texts = append(texts, p.Text)
			continue
		}
		texts = append(texts, "["+string(p.Type)+", which the user sees]")
	}
	return strings.Join(texts, "\n")
}
