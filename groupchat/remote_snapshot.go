package groupchat

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
func (x *exchange) messagesSnapshot(messages []Message) error {
	from := 0
	for i := range messages {
		if x.known[messages[i].ID] {
			from = i + 1
		}
	}
	x.repeatable = nil
	if from > 0 { // it tells of the whole conversation
		x.repeatable = maps.Clone(x.saidEarlier)
	}
	for i := range messages[from:] {
		m := &messages[from+i]
		tagged := agui.Tagged{Base: agui.Base{Metadata: m.Metadata}, SubagentRunID: m.SubagentRunID}
		var err error
		switch m.Role {
		case agui.RoleAssistant:
			err = x.snapshotMessage(m, tagged, messages)
		case agui.RoleTool:
			err = x.result(&agui.ToolCallResult{Tagged: tagged, MessageID: m.ID, ToolCallID: m.ToolCallID,
				Content: m.Content})
		case agui.RoleReasoning:
			err = x.snapshotReasoning(m, tagged)
		case agui.RoleActivity:
			err = x.snapshotActivity(m, tagged)
		default: // others' words are not the remote's to add
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// snapshotMessage says what a message of a snapshot has that was not said yet.
func (x *exchange) snapshotMessage(m *Message, tagged agui.Tagged, all []Message) error {
	text := m.Content.Text()
	s := x.texts[m.ID]
	if s == nil && text != "" {
		if s = x.renamed(m, text, all); s != nil {
			if err := x.rename(s, m); err != nil {
				return err
			}
		}
	}
	if s == nil && text != "" && x.repeats(text, all) {
		text = ""
	}
	if s == nil && text != "" ||
		s != nil && !s.ignored && len(text) > s.said.Len() && strings.HasPrefix(text, s.said.String()) {
		if err := x.complete(m, tagged, text); err != nil {
			return err
		}
	}
	for _, c := range m.ToolCalls {
		if x.calls[c.ID] != nil {
			continue
		}
		call := agui.Tagged{Base: agui.Base{Metadata: c.Metadata}, SubagentRunID: m.SubagentRunID}
		err := x.passAll(
			&agui.ToolCallStart{Tagged: call, ToolCallID: c.ID, ToolCallName: c.Function.Name, ParentMessageID: m.ID},
			&agui.ToolCallArgs{ToolCallID: c.ID, Delta: c.Function.Arguments},
			&agui.ToolCallEnd{ToolCallID: c.ID})
		if err == nil && c.EncryptedValue != "" {
			err = x.encrypt(&agui.ReasoningEncryptedValue{
				Subtype: agui.EncryptedToolCall, EntityID: c.ID, EncryptedValue: c.EncryptedValue,
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) complete(m *Message, tagged agui.Tagged, text string) error {
	said, open := "", false
	if s := x.texts[m.ID]; s != nil {
		said, open = s.said.String(), s.open
	}
	content := &agui.TextMessageContent{MessageID: m.ID, Delta: text[len(said):]}
	if open {
		return x.passMessage(content)
	}
	err := x.passAll(&agui.TextMessageStart{Tagged: tagged, MessageID: m.ID, Name: m.Name}, content,
		&agui.TextMessageEnd{MessageID: m.ID})
	if err == nil && m.EncryptedValue != "" {
		err = x.encrypt(&agui.ReasoningEncryptedValue{
			Subtype: agui.EncryptedMessage, EntityID: m.ID, EncryptedValue: m.EncryptedValue,
		})
	}
	return err
}

func (x *exchange) passAll(events ...agui.Event) error {
	for _, e := range events {
		if err := x.passMessage(e); err != nil {
			return err
		}
	}
	return nil
}

// renamed finds the text that a snapshot has under another id than it was streamed under, as some servers do.
func (x *exchange) renamed(m *Message, text string, all []Message) *saidText {
	for id, s := range x.texts {
		if s.said.String() != text || s.open || s.ignored || s.tag != x.tag(m.SubagentRunID) {
			continue
		}
		if !slices.ContainsFunc(all, func(o Message) bool { return o.ID == id }) {
			return s
		}
	}
	return nil
}

// repeats reports whether a text is one of an earlier run of the turn, which the snapshot has under another id: once a
// flow of CrewAI's continues, what it said has new ids. A snapshot repeats each such text once.
func (x *exchange) repeats(text string, all []Message) bool {
	for id, said := range x.repeatable {
		if said == text && !slices.ContainsFunc(all, func(o Message) bool { return o.ID == id }) {
			delete(x.repeatable, id)
			return true
		}
	}
	return false
}

// rename makes a text go by its other id from now on.
func (x *exchange) rename(s *saidText, m *Message) error {
	x.texts[m.ID] = s
	err := x.emit(s.tag, &agui.TextMessageStart{
		Tagged: taggedWith(nil, x.remoteIDMetadata(m.ID)), MessageID: s.ours, Role: agui.RoleAssistant,
	})
	if err != nil {
		return err
	}
	return x.emit(s.tag, &agui.TextMessageEnd{MessageID: s.ours})
}

// snapshotReasoning shows reasoning that was not streamed.
func (x *exchange) snapshotReasoning(m *Message, tagged agui.Tagged) error {
	if x.reasoning[m.ID] != nil {
		return nil
	}
	err := x.passAll(
		&agui.ReasoningStart{Tagged: tagged, MessageID: m.ID},
		&agui.ReasoningMessageStart{Tagged: tagged, MessageID: m.ID, Role: agui.RoleReasoning},
		&agui.ReasoningMessageContent{MessageID: m.ID, Delta: m.Content.Text()},
		&agui.ReasoningMessageEnd{MessageID: m.ID},
		&agui.ReasoningEnd{MessageID: m.ID})
	if err == nil && m.EncryptedValue != "" {
		err = x.encrypt(&agui.ReasoningEncryptedValue{
			Subtype: agui.EncryptedMessage, EntityID: m.ID, EncryptedValue: m.EncryptedValue,
		})
	}
	return err
}

// snapshotActivity shows an activity that is not shown, or not like this.
func (x *exchange) snapshotActivity(m *Message, tagged agui.Tagged) error {
	content, _ := m.Content.Object()
	if a := x.activities[m.ID]; a != nil && bytes.Equal(a.content, content) {
		return nil
	}
	return x.activitySnapshot(&agui.ActivitySnapshot{Tagged: tagged, MessageID: m.ID, ActivityType: m.ActivityType,
		Content: content})
}
