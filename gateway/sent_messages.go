package gateway

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// sentMessages has the ids of the messages that a reader was sent as deltas since its run began or since its last
// snapshot.
//
// Some front ends, such as assistant-ui, show one message for a whole run while it streams. A snapshot that separates
// the run's messages shows such a reader the later ones twice, so it can ask for snapshots with new content only.
type sentMessages map[string]bool

// news removes, in place, the snapshots of messages that have nothing new for the reader.
func (t *sentMessages) news(frames []state.Frame) ([]state.Frame, error) {
	kept := frames[:0]
	for _, f := range frames {
		restates, err := t.restates(f)
		if err != nil {
			return nil, fmt.Errorf("reader: %s: %w", f.Type, err)
		}
		if !restates {
			kept = append(kept, f)
		}
	}
	return kept, nil
}

// restates records the next frame, and reports whether it is a snapshot that ends with the messages sent since the
// last.
func (t *sentMessages) restates(f state.Frame) (bool, error) {
	switch f.Type {
	case agui.TypeRunStarted:
		*t = nil
		return false, nil
	case agui.TypeTextMessageStart, agui.TypeTextMessageChunk, agui.TypeReasoningMessageStart, agui.TypeToolCallStart,
		agui.TypeToolCallResult, agui.TypeActivitySnapshot:
		return false, t.add(f)
	case agui.TypeMessagesSnapshot:
		restated, err := t.end(f)
		if !restated {
			*t = nil
		}
		return restated, err
	default:
		return false, nil
	}
}

// end reports whether a snapshot ends with the sent messages, in any order.
func (t *sentMessages) end(f state.Frame) (bool, error) {
	type message struct {
		ID string `json:"id"`
	}
	var snapshot struct {
		Messages []message `json:"messages"`
	}
	if err := json.Unmarshal(f.Data, &snapshot); err != nil {
		return false, err
	}
	first := len(snapshot.Messages) - len(*t)
	if len(*t) == 0 || first < 0 {
		return false, nil
	}
	return !slices.ContainsFunc(snapshot.Messages[first:], func(m message) bool { return !(*t)[m.ID] }), nil
}

func (t *sentMessages) add(f state.Frame) error {
	var e struct {
		MessageID       string `json:"messageId"`
		ParentMessageID string `json:"parentMessageId"`
		ToolCallID      string `json:"toolCallId"`
	}
	if err := json.Unmarshal(f.Data, &e); err != nil {
		return err
	}
	id := e.MessageID
	if f.Type == agui.TypeToolCallStart {
		id = cmp.Or(e.ParentMessageID, e.ToolCallID) // a call without a parent is a message
	}
	if *t == nil {
		*t = sentMessages{}
	}
	(*t)[id] = true
	return nil
}
