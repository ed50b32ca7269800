package run

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

func TestTextHoldsBackHalfACharacter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, writes, want string }{
		{"split", "a\xe2|\x82|\xac\xf0\x9f|\x98\x80b|", "a€😀b"},
		{"never completed", "a\xe2\x82|", "a\uFFFD"},
		{"invalid inside", "a\xffb|\xe2x|", "a\uFFFDb\uFFFDx"},
		{"nothing", "", ""},
		{"ascii", "a|b", "ab"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, s := newTestRun(t, Options{})
			text := r.As("").Text(TextOptions{})
			for piece := range strings.SplitSeq(test.writes, "|") {
				if piece == "" {
					continue
				}
				if n, err := text.Write([]byte(piece)); n != len(piece) || err != nil {
					t.Fatalf("Write = %d, %v", n, err)
				}
			}
			if err := errors.Join(text.Close(), text.Close()); err != nil {
				t.Fatal(err)
			}
			if _, err := text.WriteString("x"); !errors.Is(err, ErrWriterClosed) {
				t.Errorf("WriteString after Close: %v", err)
			}
			var got strings.Builder
			for _, e := range s.events {
				if c, ok := e.(*agui.TextMessageContent); ok {
					got.WriteString(c.Delta)
				}
			}
			if got.String() != test.want {
				t.Errorf("sent %q, want %q", got.String(), test.want)
			}
			if err := r.Finish(&agui.RunFinished{}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestATextThatIsTooLargeStaysUsable(t *testing.T) {
	t.Parallel()
	r, s := newTestRun(t, Options{MaxEvent: 200})
	text := r.As("").Text(TextOptions{})
	if _, err := text.WriteString(strings.Repeat("x", 200)); !errors.Is(err, ErrEventTooLarge) {
		t.Errorf("WriteString: %v", err)
	}
	if _, err := text.WriteString("small"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(text.Close(), r.Finish(&agui.RunFinished{})); err != nil {
		t.Error(err)
	}
	if got, want := s.types(), "RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED"; got != want {
		t.Errorf("sent %s", got)
	}
}

func TestAnErrorOfClosingStays(t *testing.T) {
	t.Parallel()
	r, s := newTestRun(t, Options{})
	w := r.As("")
	text, thought, call := w.Text(TextOptions{}), w.Reasoning(ReasoningOptions{}), w.ToolCall(ToolCallOptions{Name: "f"})
	_, _ = text.WriteString("x")
	_, _ = thought.WriteString("x")
	for _, e := range []agui.Event{ // somebody else closes them
		&agui.TextMessageEnd{MessageID: text.ID()}, &agui.ReasoningMessageEnd{MessageID: thought.ID()}, &agui.ToolCallEnd{ToolCallID: call.ID()},
	} {
		if err := r.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	for name, closer := range map[string]func() error{"text": text.Close, "reasoning": thought.Close, "call": call.Close} {
		first, second := closer(), closer()
		if first == nil || second == nil || second.Error() != first.Error() {
			t.Errorf("%s: Close() = %v, then %v", name, first, second)
		}
	}
	if err := call.Result(agui.TextContent("x")); err == nil {
		t.Error("a call that could not be closed has a result")
	}
	if slices.ContainsFunc(s.events, func(e agui.Event) bool { return agui.TypeOf(e) == agui.TypeToolCallResult }) {
		t.Error("its result was sent")
	}
}

// The item of a refused chunk is not open: nothing continues it, and the run can be ended.
func TestARefusedChunkOpensNothing(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]func(id, delta string) agui.Event{
		"text":      func(id, delta string) agui.Event { return &agui.TextMessageChunk{MessageID: id, Delta: &delta} },
		"reasoning": func(id, delta string) agui.Event { return &agui.ReasoningMessageChunk{MessageID: id, Delta: &delta} },
		"call": func(id, delta string) agui.Event {
			return &agui.ToolCallChunk{ToolCallID: id, ToolCallName: "f", Delta: &delta}
		},
	} {
		for refused, id := range map[string]string{"too large": strings.Repeat("x", 500), "the id of something else": "known"} {
			t.Run(name+", "+refused, func(t *testing.T) {
				t.Parallel()
				r, s := newTestRun(t, Options{MaxEvent: 400, View: NewView([]agui.Message{{ID: "known", Role: agui.RoleUser, Content: agui.TextContent("Hi")}}, nil)})
				if err := r.Emit(chunk(id, "x")); err == nil {
					t.Fatal("it was sent")
				}
				if err := r.Emit(chunk("", "x")); err == nil {
					t.Error("it was gone on with")
				}
				if err := r.Emit(chunk("new", "x")); err != nil {
					t.Errorf("the next one: %v", err)
				}
				if err := r.Finish(&agui.RunFinished{}); err != nil {
					t.Errorf("Finish() = %v", err)
				}
				if last := s.events[len(s.events)-1]; agui.TypeOf(last) != agui.TypeRunFinished {
					t.Errorf("the run ends with %s", agui.TypeOf(last))
				}
			})
		}
	}
}
