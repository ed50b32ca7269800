package agui_test

import (
	"encoding/json"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// TestAChunkOfMetadata has chunks without a text: one with metadata is an event, one with nothing is none.
func TestAChunkOfMetadata(t *testing.T) {
	t.Parallel()
	text := "Hi"
	var x agui.Expander
	for _, step := range []struct {
		chunk *agui.TextMessageChunk
		want  []agui.EventType
	}{
		{&agui.TextMessageChunk{MessageID: "m", Delta: &text}, []agui.EventType{agui.TypeTextMessageStart, agui.TypeTextMessageContent}},
		{&agui.TextMessageChunk{MessageID: "m"}, nil},
		{
			&agui.TextMessageChunk{MessageID: "m", Tagged: agui.Tagged{Base: agui.Base{Metadata: agui.Metadata{"k": json.RawMessage(`1`)}}}},
			[]agui.EventType{agui.TypeTextMessageContent},
		},
	} {
		events, err := x.Expand(step.chunk)
		if err != nil || len(events) != len(step.want) {
			t.Fatalf("Expand(%+v) = %v, %v, want %v", step.chunk, events, err, step.want)
		}
		for i, e := range events {
			if agui.TypeOf(e) != step.want[i] {
				t.Errorf("event %d is %s, want %s", i, agui.TypeOf(e), step.want[i])
			}
		}
		if content, ok := events0(events).(*agui.TextMessageContent); ok && string(content.Metadata["k"]) != `1` {
			t.Errorf("the event has metadata %v", content.Metadata)
		}
	}
}

// events0 returns the first of some events, nil if there is none.
func events0(events []agui.Event) agui.Event {
	if len(events) == 0 {
		return nil
	}
	return events[0]
}

// TestAbandon abandons the start that a chunk stood for: it has no end, and a chunk may open the id again.
func TestAbandon(t *testing.T) {
	t.Parallel()
	text := "x"
	for _, chunk := range []agui.Event{
		&agui.TextMessageChunk{MessageID: "i", Delta: &text},
		&agui.ToolCallChunk{ToolCallID: "i", ToolCallName: "search", Delta: &text},
		&agui.ReasoningMessageChunk{MessageID: "i", Delta: &text},
	} {
		t.Run(string(agui.TypeOf(chunk)), func(t *testing.T) {
			t.Parallel()
			var x agui.Expander
			events, err := x.Expand(chunk)
			if err != nil || len(events) != 2 {
				t.Fatalf("Expand() = %v, %v", events, err)
			}
			x.Abandon(events[1])
			if !x.Concerns(&agui.RunStarted{}) {
				t.Error("a content abandons what is open")
			}
			x.Abandon(events[0])
			if ends := x.Close(); len(ends) > 0 {
				t.Errorf("Close() = %v", ends)
			}
			if again, err := x.Expand(chunk); err != nil || len(again) != 2 || agui.TypeOf(again[0]) != agui.TypeOf(events[0]) {
				t.Errorf("Expand() = %v, %v", again, err)
			}
		})
	}
}
