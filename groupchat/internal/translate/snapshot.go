package translate

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// messagesSnapshot folds a MESSAGES_SNAPSHOT in: additions that the remote did not stream are said now, partly streamed
// messages are completed. Messages before the newest one that we had are history, and nothing that was said is taken
// back: the conversation is the thread's and not the remote's.
func (t *Translator) messagesSnapshot(messages []agui.Message) error {
	from := 0
	for i := range messages {
		if t.Known[messages[i].ID] {
			from = i + 1
		}
	}
	t.repeatable = nil
	if from > 0 { // it tells of the whole conversation
		t.repeatable = maps.Clone(t.saidEarlier)
	}
	for i := range messages[from:] {
		m := &messages[from+i]
		tagged := agui.Tagged{Base: agui.Base{Metadata: m.Metadata}, SubagentRunID: m.SubagentRunID}
		var err error
		switch m.Role {
		case agui.RoleAssistant:
			err = t.snapshotMessage(m, tagged, messages)
		case agui.RoleTool:
			err = t.Result(&agui.ToolCallResult{Tagged: tagged, MessageID: m.ID, ToolCallID: m.ToolCallID,
				Content: m.Content})
		case agui.RoleReasoning:
			err = t.snapshotReasoning(m, tagged)
		case agui.RoleActivity:
			err = t.snapshotActivity(m, tagged)
		default: // others' words are not the remote's to add
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// snapshotMessage says what a message of a snapshot has that was not said yet.
func (t *Translator) snapshotMessage(m *agui.Message, tagged agui.Tagged, all []agui.Message) error {
	text := m.Content.Text()
	s := t.texts[m.ID]
	if s == nil && text != "" {
		if s = t.renamed(m, text, all); s != nil {
			if err := t.rename(s, m); err != nil {
				return err
			}
		}
	}
	if s == nil && text != "" && t.repeats(text, all) {
		text = ""
	}
	if s == nil && text != "" ||
		s != nil && !s.ignored && len(text) > s.Text.Len() && strings.HasPrefix(text, s.Text.String()) {
		if err := t.complete(m, tagged, text); err != nil {
			return err
		}
	}
	for _, c := range m.ToolCalls {
		if t.Calls[c.ID] != nil {
			continue
		}
		call := agui.Tagged{Base: agui.Base{Metadata: c.Metadata}, SubagentRunID: m.SubagentRunID}
		err := t.passAll(
			&agui.ToolCallStart{Tagged: call, ToolCallID: c.ID, ToolCallName: c.Function.Name, ParentMessageID: m.ID},
			&agui.ToolCallArgs{ToolCallID: c.ID, Delta: c.Function.Arguments},
			&agui.ToolCallEnd{ToolCallID: c.ID},
			encrypted(agui.EncryptedToolCall, c.ID, c.EncryptedValue))
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Translator) complete(m *agui.Message, tagged agui.Tagged, text string) error {
	said, open := "", false
	if s := t.texts[m.ID]; s != nil {
		said, open = s.Text.String(), s.open
	}
	content := &agui.TextMessageContent{MessageID: m.ID, Delta: text[len(said):]}
	if open {
		return t.passMessage(content)
	}
	return t.passAll(&agui.TextMessageStart{Tagged: tagged, MessageID: m.ID, Name: m.Name}, content,
		&agui.TextMessageEnd{MessageID: m.ID},
		encrypted(agui.EncryptedMessage, m.ID, m.EncryptedValue))
}

func encrypted(subtype agui.EncryptedSubtype, id, value string) agui.Event {
	return &agui.ReasoningEncryptedValue{Subtype: subtype, EntityID: id, EncryptedValue: value}
}

func (t *Translator) passAll(events ...agui.Event) error {
	for _, e := range events {
		if err := t.passMessage(e); err != nil {
			return err
		}
	}
	return nil
}

// renamed finds the text that a snapshot has under another id than it was streamed under, as some servers do.
func (t *Translator) renamed(m *agui.Message, text string, all []agui.Message) *Item {
	for id, s := range t.texts {
		if s.Text.String() != text || s.open || s.ignored || s.tag != t.Tag(m.SubagentRunID) {
			continue
		}
		if !slices.ContainsFunc(all, func(o agui.Message) bool { return o.ID == id }) {
			return s
		}
	}
	return nil
}

// repeats reports whether a text is one of an earlier run of the turn, which the snapshot has under another id: once a
// flow of CrewAI's continues, what it said has new ids. A snapshot repeats each such text once.
func (t *Translator) repeats(text string, all []agui.Message) bool {
	for id, said := range t.repeatable {
		if said == text && !slices.ContainsFunc(all, func(o agui.Message) bool { return o.ID == id }) {
			delete(t.repeatable, id)
			return true
		}
	}
	return false
}

// rename makes a text go by its other id from now on.
func (t *Translator) rename(s *Item, m *agui.Message) error {
	t.texts[m.ID] = s
	start := &agui.TextMessageStart{MessageID: s.Ours, Role: agui.RoleAssistant}
	if err := t.emit(s.tag, start, t.remoteIDMetadata(m.ID)); err != nil {
		return err
	}
	return t.emit(s.tag, &agui.TextMessageEnd{MessageID: s.Ours}, nil)
}

// snapshotReasoning shows reasoning that was not streamed.
func (t *Translator) snapshotReasoning(m *agui.Message, tagged agui.Tagged) error {
	if t.reasoning[m.ID] != nil {
		return nil
	}
	return t.passAll(
		&agui.ReasoningStart{Tagged: tagged, MessageID: m.ID},
		&agui.ReasoningMessageStart{Tagged: tagged, MessageID: m.ID, Role: agui.RoleReasoning},
		&agui.ReasoningMessageContent{MessageID: m.ID, Delta: m.Content.Text()},
		&agui.ReasoningMessageEnd{MessageID: m.ID},
		&agui.ReasoningEnd{MessageID: m.ID},
		encrypted(agui.EncryptedMessage, m.ID, m.EncryptedValue))
}

// snapshotActivity shows an activity that is not shown, or not like this.
func (t *Translator) snapshotActivity(m *agui.Message, tagged agui.Tagged) error {
	content, _ := m.Content.Object()
	if a := t.activities[m.ID]; a != nil && bytes.Equal(a.content, content) {
		return nil
	}
	return t.activitySnapshot(&agui.ActivitySnapshot{Tagged: tagged, MessageID: m.ID, ActivityType: m.ActivityType,
		Content: content})
}
