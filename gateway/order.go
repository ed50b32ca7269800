package gateway

import (
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A client that is sent a MESSAGES_SNAPSHOT keeps what it has of it where it has it, and adds the rest behind. One that
// said something without knowing what was said before, in another tab, would show the conversation out of order for
// good. It is sent a shorter snapshot first, of what it has in its place; the rest then comes in order.

// openWith are the snapshots behind the first state of a run that its log does not have, for this caller.
func (c *caller) openWith(t tailing) ([]state.Frame, error) {
	var frames []state.Frame
	if t.opening.out {
		sent, err := c.project(t.key, state.Frame{Type: agui.TypeMessagesSnapshot, Data: messagesData(t.opening.before)})
		if err != nil {
			return nil, err
		}
		frames = sent
	}
	if t.opening.insert != 0 {
		sent, err := c.project(t.key, state.Frame{Type: agui.TypeMessagesSnapshot, Rev: t.opening.insert})
		if err != nil {
			return nil, err
		}
		frames = append(frames, sent...)
	}
	return frames, nil
}

// unordered returns the beginning of messages that a client must be sent first that has own, and whether it must.
func unordered(own []agui.Message, messages state.Conversation) (state.Conversation, bool) {
	place := make(map[string]int, len(messages))
	for i, m := range messages {
		place[m.ID] = i
	}
	kept, inPlace := 0, 0
	for _, m := range own {
		i, there := place[m.ID]
		if !there {
			continue // it goes
		}
		if i == kept && inPlace == kept {
			inPlace++
		}
		kept++
	}
	return slices.Clip(messages[:inPlace]), inPlace < kept
}
