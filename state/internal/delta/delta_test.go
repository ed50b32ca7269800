package delta_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/delta"
)

// TestEventsComeBack writes frames of all kinds, and reads those that were taken.
func TestEventsComeBack(t *testing.T) {
	t.Parallel()
	frames := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) state.Frame {
		f := state.Frame{Type: agui.EventType(fmt.Sprint("TYPE_", rapid.IntRange(0, delta.MaxKinds+2).Draw(t, "type")))}
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			f.Data = json.RawMessage(rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "bytes"))
		case 1:
			f.Data = json.RawMessage(strings.Repeat("x", rapid.IntRange(delta.MaxEvent-1, delta.MaxEvent+1).Draw(t, "length")))
		case 2:
			f.Rev, f.At = 7, 1_790_000_000_000
		case 3:
			f.Data, f.Ending = json.RawMessage(`{"type":"RUN_FINISHED"}`), &state.Ending{RunID: "r"}
		default:
			f.Data = fmt.Appendf(nil, `{"type":%q,"messageId":"m1","delta":%q}`, f.Type, rapid.StringN(0, 20, -1).Draw(t, "text"))
		}
		return f
	}), 1, 200)
	rapid.Check(t, func(t *rapid.T) {
		var writer, reader delta.Coder
		var data []byte
		var taken []state.Frame
		for _, f := range frames.Draw(t, "frames") {
			var ok bool
			if data, ok = writer.Append(data, &f); ok {
				taken = append(taken, f)
			} else if len(f.Data) > 0 && len(f.Data) <= delta.MaxEvent && f.Ending == nil && len(taken) == 0 {
				t.Fatalf("%v was not taken", f)
			}
		}
		var events []byte
		for _, f := range taken {
			from := len(events)
			kind, more, rest, err := reader.Next(events, data)
			if err != nil {
				t.Fatalf("Next() = %v", err)
			}
			events, data = more, rest
			if kind != f.Type || !bytes.Equal(events[from:], f.Data) {
				t.Fatalf("%s was read, and %s %s was written", events[from:], f.Type, f.Data)
			}
		}
		if len(data) > 0 {
			t.Fatalf("%d bytes are left", len(data))
		}
	})
}

// FuzzNext decodes random bytes: they are refused, or are events of at most the permitted length.
func FuzzNext(f *testing.F) {
	var c delta.Coder
	var data []byte
	for _, text := range []string{"a", "a longer text", "another text"} {
		data, _ = c.Append(data, &state.Frame{Type: agui.TypeCustom, Data: json.RawMessage(text)})
	}
	f.Add(data)
	f.Add([]byte{})
	f.Add([]byte{delta.Other})
	f.Add([]byte{0, 1, 'T', 5, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		var c delta.Coder
		var events []byte
		for len(data) > 0 {
			from := len(events)
			kind, more, rest, err := c.Next(events, data)
			if err != nil {
				if !errors.Is(err, delta.ErrBroken) {
					t.Fatalf("Next() = %v", err)
				}
				return
			}
			if len(more)-from > delta.MaxEvent || len(rest) >= len(data) {
				t.Fatalf("an event %q of %d bytes was read, and %d of %d bytes are left", kind, len(more)-from, len(rest), len(data))
			}
			events, data = more, rest
		}
	})
}

// TestABrokenPackNamesBytesThatAreNotThere has events that repeat more of the event before than it has.
func TestABrokenPackNamesBytesThatAreNotThere(t *testing.T) {
	t.Parallel()
	const number, length = 0, 9
	first := []byte{number, 1, 'A', 3, 0, 3, 'a', 'b', 'c'} // a type, and 3 bytes that nothing before has
	for name, second := range map[string][]byte{
		"all and more":     {number, length, length},
		"more behind some": {number, length, 2, 1, 'x', 3},
		"more at the end":  {number, length, 3, 1, 'x', 1},
	} {
		var c delta.Coder
		_, events, rest, err := c.Next(nil, append(bytes.Clone(first), second...))
		if err != nil || string(events) != "abc" {
			t.Fatalf("%s: the first event is %q, %v", name, events, err)
		}
		if _, _, _, err := c.Next(events, rest); !errors.Is(err, delta.ErrBroken) {
			t.Errorf("%s: Next() = %v, want ErrBroken", name, err)
		}
	}
}
