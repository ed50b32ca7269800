package groupchat

import (
	"cmp"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
)

// What a participant sees is computed from the one conversation whenever it asks, so that there are no copies to keep
// in step.

// Messages is the conversation as this participant sees it: the messages when its turn was opened, less those that its
// chat's filter and its context leave out, and all later ones, its own included. Of others it sees what
// they said, with their name, and not their tool calls or reasoning. The caller must not change the messages.
func (t *Turn) Messages() []Message {
	switch {
	case t.inCall:
		return t.up.Messages()
	case t.output.ownConversation():
		return messages(t.run)
	case t.visibility != nil:
		return slices.Concat(t.visibility.shown(t), t.said())
	case t.up == nil:
		return visible(messages(t.run), t.Path())
	}
	all := t.up.Messages()
	if t.chat == nil {
		return all
	}
	start := t.prefixLen(all, t.record.After)
	return slices.Concat(t.chat.shown(t, all[:start]), all[start:])
}

// News is the part of [Turn.Messages] that came since this participant's last turn, without its own words.
func (t *Turn) News() []Message {
	if t.inCall {
		return t.up.News()
	}
	if t.chat == nil {
		return t.Messages()
	}
	all := t.up.Messages()
	start := t.prefixLen(all, t.record.After)
	seen, _ := t.chat.record.seenBy(&t.x.records, t.participant.Name)
	news := t.chat.shown(t, all[min(t.prefixLen(all, seen), start):start])
	for _, m := range all[start:] {
		if fromCaller(m) {
			news = append(news, m) // came with an answer to this very turn
		}
	}
	return news
}

// A visibility says which earlier messages an invoked turn sees.
type visibility struct {
	context Context
	// given, if not nil, is all of it; of later messages the turn then sees only its own.
	given []Message
	// input follows it.
	input []Message
	// known, if not nil, is what shown returns, computed before.
	known []Message
	// after is the last message there was when the turn began, if its record does not say.
	after string
}

// shown returns the earlier messages that t, the owner of the visibility, sees.
func (s *visibility) shown(t *Turn) []Message {
	switch {
	case s.given != nil:
		return slices.Concat(s.given, s.input)
	case s.known != nil:
		return slices.Clip(s.known)
	}
	all := t.up.Messages()
	words := wordsOnly(all[:t.prefixLen(all, t.record.After)], t.isOwn)
	switch {
	case s.context.Select != nil:
		words = s.context.Select(View{State: t.up.scope, Principal: t.Principal()}.WithHistory(words))
	case s.context.Last:
		words = lastWords(words, t.up.supervisor())
	}
	return slices.Concat(words, s.input)
}

// supervisor is the name of the supervisor of the chat in which t is a participant's turn.
func (t *Turn) supervisor() string {
	if t.chat == nil {
		return ""
	}
	return t.chat.supervisor()
}

// said are all messages since t was opened: its own and those of its members, without those of
// others at work at the same time; and unless t is only shown what it was given, what the caller said meanwhile.
func (t *Turn) said() []Message {
	all := visible(messages(t.run), t.Path())
	calls := map[string]bool{}
	mine, root := t.invocations()
	var own []Message
	for _, m := range all[t.prefixLen(all, cmp.Or(t.record.After, t.visibility.after)):] {
		switch {
		case mine[m.SubagentRunID], root && m.SubagentRunID == "" && !fromCaller(m):
			for _, c := range m.ToolCalls {
				calls[c.ID] = true
			}
		case m.Role == agui.RoleTool && calls[m.ToolCallID]:
		case fromCaller(m) && t.visibility.given == nil:
		default:
			continue
		}
		own = append(own, m)
	}
	return own
}

func fromCaller(m Message) bool {
	return m.Role == agui.RoleUser || m.Role == agui.RoleSystem || m.Role == agui.RoleDeveloper
}

// prefixLen returns how many of list stand no later in the conversation than the message id. Lists may lack messages of
// the conversation, that very one included.
func (t *Turn) prefixLen(list []Message, id string) int {
	if id == "" {
		return 0
	}
	if i := slices.IndexFunc(list, func(m Message) bool { return m.ID == id }); i >= 0 {
		return i + 1
	}
	before := map[string]bool{}
	for _, m := range messages(t.run) {
		before[m.ID] = true
		if m.ID == id {
			break
		}
	}
	if !before[id] {
		return 0
	}
	n := 0
	for i, m := range list {
		if before[m.ID] {
			n = i + 1
		}
	}
	return n
}

// shown is what the participant that has the turn t sees of messages that came before it.
func (r *chatRun) shown(t *Turn, messages []Message) []Message {
	p := t.participant
	messages = wordsOnly(messages, t.isOwn)
	if f, ok := managerAs[Filter](r.manager); ok {
		messages = f.Deliver(r.view(), messages)
	}
	switch {
	case p.Context.Select != nil:
		return slices.Clip(p.Context.Select(r.view().WithHistory(messages)))
	case p.Context.Last:
		return slices.Clip(r.lastWords(t, messages))
	default:
		return slices.Clip(messages)
	}
}

// wordsOnly leaves out the tool calls, results, reasoning and activities of others. All messages of an invocation in
// which isOwn says one is the reader's own are kept.
func wordsOnly(messages []Message, isOwn func(Message) bool) []Message {
	own := map[string]bool{}
	for _, m := range messages {
		if m.SubagentRunID != "" && isOwn(m) {
			own[m.SubagentRunID] = true
		}
	}
	words := make([]Message, 0, len(messages))
	for _, m := range messages {
		if own[m.SubagentRunID] {
			words = append(words, m)
			continue
		}
		switch m.Role {
		case agui.RoleTool, agui.RoleReasoning, agui.RoleActivity:
			continue
		case agui.RoleAssistant:
			if m.ToolCalls = nil; m.Content.IsZero() {
				continue
			}
		default:
		}
		words = append(words, m)
	}
	return words
}

// lastWords are the messages of the last turn: by one speaker, or by all members of a team. If there are none, or the
// caller has spoken since, it is what the last one to speak said.
func (r *chatRun) lastWords(t *Turn, messages []Message) []Message {
	last, since, own := r.lastTurn()
	if last == "" || since == "" {
		return lastWords(messages, r.supervisor())
	}
	words := slices.DeleteFunc(slices.Clone(messages[t.prefixLen(messages, since):]), func(m Message) bool {
		return m.Name == r.supervisor() &&
			(m.SubagentRunID == own || markOf(m).Path == joinPath(r.t.identity(), r.supervisor()))
	})
	if len(words) == 0 || fromCaller(words[len(words)-1]) {
		return lastWords(messages, r.supervisor())
	}
	return words
}

// lastWords is the tail of messages that the last one to speak said: a participant, or the caller. The supervisor's
// words are no turn.
func lastWords(messages []Message, supervisor string) []Message {
	for len(messages) > 0 && messages[len(messages)-1].Name == supervisor {
		messages = messages[:len(messages)-1]
	}
	if len(messages) == 0 {
		return nil
	}
	i := len(messages) - 1
	last := messages[i]
	for i > 0 && last.Role != agui.RoleUser && sameSpeaker(messages[i-1], last) {
		i--
	}
	return messages[i:]
}

func sameSpeaker(a, b Message) bool {
	if a.SubagentRunID != "" || b.SubagentRunID != "" {
		return a.SubagentRunID == b.SubagentRunID
	}
	return a.Role == b.Role && a.Name == b.Name
}

// lastMessage is the id of the newest message of t's conversation, empty if there is none.
func (t *Turn) lastMessage() string {
	last := ""
	t.run.Inspect(func(v *run.View) { last = v.Last() })
	return last
}
