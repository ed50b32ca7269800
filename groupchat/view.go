package groupchat

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/model"
)

// LastUser returns the newest user message of the conversation, and whether there is one.
func (v View) LastUser() (Message, bool) {
	return v.newest(func(m Message) bool { return m.Role == agui.RoleUser })
}

// LastWords returns the newest message with words that a participant, or the supervisor, said under its name, and
// whether there is one.
func (v View) LastWords(participant string) (Message, bool) {
	return v.newest(func(m Message) bool {
		return m.Role == agui.RoleAssistant && m.Name == participant && !m.Content.IsZero() && v.saidBy(m, participant)
	})
}

// saidBy reports whether m, which has the participant's name, may be the participant's: others in the tree may have
// that name.
func (v View) saidBy(m Message, participant string) bool {
	if v.turn == nil {
		return true
	}
	path := v.turn.x.speaker(m)
	return path == "" || path == joinPath(v.turn.identity(), participant)
}

// newest returns the newest message of the conversation for which is holds. It reads no more of the conversation than
// it has to.
func (v View) newest(is func(Message) bool) (Message, bool) {
	if v.backward == nil {
		return newest(v.History(), is)
	}
	for m := range v.backward {
		if is(m) {
			return m, true
		}
	}
	return Message{}, false
}

// newest returns the last of messages for which is holds.
func newest(messages []Message, is func(Message) bool) (Message, bool) {
	for _, m := range slices.Backward(messages) {
		if is(m) {
			return m, true
		}
	}
	return Message{}, false
}

// Transcript is the newest part of the conversation, at most maxBytes of it, in the form for a leading model: words
// alone, others' under their names, the supervisor's as its own. The newest message of the user's is always in it, as
// long as it is not longer than that itself, and alone has its pictures. It reads no more of the conversation than it
// returns.
func (v View) Transcript(maxBytes int) []model.Message {
	var out []model.Message // the newest first
	left, heard := maxBytes, false
	v.newest(func(m Message) bool {
		message, ok := v.forModel(m, !heard)
		if !ok {
			return false
		}
		if left -= len(message.Text); left < 0 && len(out) > 0 {
			return true
		}
		message.Text = clip.To(message.Text, maxBytes)
		out, heard = append(out, message), heard || m.Role == agui.RoleUser
		return false
	})
	if !heard {
		if m, ok := v.LastUser(); ok {
			message, _ := v.forModel(m, true)
			message.Text = clip.To(message.Text, maxBytes)
			out = append(out, message)
		}
	}
	slices.Reverse(out)
	return out
}

// forModel returns m as in a request, and whether it is in one at all.
func (v View) forModel(m Message, parts bool) (model.Message, bool) {
	words := m.Content.Text()
	switch {
	case m.Role == agui.RoleUser:
		message := model.Message{Role: agui.RoleUser, Text: words}
		if parts {
			message.Parts, _ = m.Content.Parts()
		}
		return message, true
	case m.Role != agui.RoleAssistant || strings.TrimSpace(words) == "":
		return model.Message{}, false
	case m.Name == v.Supervisor || v.isUnnamedSupervisors(m):
		return model.Message{Role: agui.RoleAssistant, Text: words}, true
	}
	return model.Message{Role: agui.RoleUser, Text: v.nameOf(m) + ": " + words}, true
}

// isUnnamedSupervisors reports whether m, which has no name, is the supervisor's: in a chat inside of another agent's
// turn it is the root's.
func (v View) isUnnamedSupervisors(m Message) bool {
	return m.Name == "" && (v.turn == nil || v.turn.up == nil)
}

// nameOf is the name under which a model that leads is sent what an agent said in m.
func (v View) nameOf(m Message) string {
	if v.turn == nil {
		return m.Name
	}
	return v.turn.x.nameOf(m)
}

// A hearing is the conversation for variables in texts: all messages that a turn may see, also those that the context
// of its participant omits.
type hearing struct {
	turn     *Turn
	chat     *chatRun // the manager's chat; nil for a participant
	messages func() []Message
}

// hears returns the hearing of t. Without now, it omits messages since t began: other turns may work at the same time.
func (t *Turn) hears(now bool) *hearing {
	return &hearing{turn: t, messages: sync.OnceValue(func() []Message {
		if now {
			return t.conversation()
		}
		return t.heard()
	})}
}

// viewNow returns the view of t with the messages since t began.
func (t *Turn) viewNow() View {
	v := t.view()
	v.history, v.hearing = t.Messages, t.hears(true)
	return v
}

func (r *chatRun) hears() *hearing {
	h := r.t.hears(true)
	h.chat = r
	return h
}

// heard returns the conversation of t at its beginning.
func (t *Turn) heard() []Message {
	all := t.conversation()
	after := t.record.After
	if t.visibility != nil {
		after = cmp.Or(after, t.visibility.after)
	}
	if after == "" {
		return all
	}
	later, past := map[string]bool{}, false
	t.run.Inspect(func(v *run.View) {
		for _, m := range v.Messages() {
			if past {
				later[m.ID] = true
			}
			past = past || m.ID == after
		}
	})
	return slices.DeleteFunc(slices.Clone(all), func(m Message) bool { return later[m.ID] })
}

func (v View) conversation() []Message {
	if v.hearing == nil {
		return v.History()
	}
	return v.hearing.messages()
}

// LastInput returns the newest user message, and whether there is one. It also finds messages that the context of a
// participant omits.
func (v View) LastInput() (Message, bool) { return lastUser(v.conversation()) }

// LastAnswer returns the text of the last answer of the participant called name, or of its team. It also finds messages
// that the context of a participant omits.
func (v View) LastAnswer(name string) string {
	if v.hearing == nil {
		m, _ := v.LastWords(name)
		return m.Content.Text()
	}
	path, said := v.hearing.saidBy(name)
	return joined(v.hearing.turn.x.answers(v.conversation(), cmp.Or(path, name), said))
}

// saidBy returns a test for the messages of the participant called name, and its path: that of the nearest team with
// such a participant, else that of the only one in the whole tree.
func (h *hearing) saidBy(name string) (path string, said func(Message) bool) {
	x := h.turn.x
	path = x.names[name]
	chat := h.chat
	for at := h.turn; at != nil; at = at.up {
		if chat == nil {
			chat = at.chat
		}
		if chat != nil && chat.participant(name) != nil {
			path = joinPath(chat.t.identity(), name)
			break
		}
		chat = nil
	}
	return path, func(m Message) bool {
		by := x.speaker(m)
		switch {
		case by == "":
			return m.Name == name
		case path == "":
			return by == name || strings.HasSuffix(by, "."+name)
		default:
			return by == path || strings.HasPrefix(by, path+".")
		}
	}
}

// Once sets what result points to, to what f has set it to, and calls f at most once for the round and key: after a
// takeover the recorded result is there instead, so that no decision is made twice. Like that of [Once] it has to
// survive JSON, and an error of f is not recorded. For calls of models there is [View.AskModel]. In a view that is not
// of a run f is called each time.
func (v View) Once(key string, result any, f func() error) error {
	if v.records == nil {
		return f()
	}
	raw, err := recorded(v.records, v.recordKey+key, func() (json.RawMessage, error) {
		if err := f(); err != nil {
			return nil, err
		}
		return json.Marshal(result)
	})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return v.records.x.fatal(fail(errcode.CheckpointIncompatible, "%s: once %s: %w", v.records.Path(), key, err))
	}
	return nil
}

// AskModel makes a call of a model at most once for the round and key, and records the reply: what managers of this
// package have. Hooks are around the call, its usage and cost count as the run's, also after a takeover, and no model
// is asked once another replica has the run. C.Turn is set by it. A model that is asked again about the same thing is
// asked under another key.
func (v View) AskModel(ctx context.Context, key string, c ModelCall) (model.Reply, error) {
	if v.records == nil {
		reply, err := callModel(ctx, &c)
		return *reply, err
	}
	return askOnce(ctx, v.records, v.recordKey+key, c)
}

// Warn logs a failure that the run survives. It does nothing in a view that is not of a run.
func (v View) Warn(ctx context.Context, message string, err error) {
	if t := cmp.Or(v.records, v.turn); t != nil {
		t.x.Log.WarnContext(ctx, message, "turn", t.Path(), "error", err)
	}
}

// View is the manager's view of the turn's chat, with the state and the conversation as the turn had them when it
// began. Its records by it is recorded in this turn. Outside of a chat it has no participants.
func (t *Turn) View() View {
	v := t.view()
	v.records, v.recordKey = t, "view/"
	return v
}

// AskModel makes a call of a model at most once for the turn and key, as [View.AskModel] does for managers. The reply
// is not said.
func (t *Turn) AskModel(key string, c ModelCall) (model.Reply, error) {
	return askOnce(t.ctx, t, "call/"+key, c)
}

func askOnce(ctx context.Context, t *Turn, key string, c ModelCall) (model.Reply, error) {
	if c.Model == nil {
		return model.Reply{}, fmt.Errorf("groupchat: %s: no model to ask", t.Path())
	}
	c.Turn = t
	reply, err := recorded(t, modelKey+key, func() (*model.Reply, error) {
		reply, err := callModel(ctx, &c)
		if usageErr := t.x.addReply(reply); err == nil {
			err = usageErr
		}
		return reply, err
	})
	if reply == nil {
		return model.Reply{}, err
	}
	return *reply, err
}
