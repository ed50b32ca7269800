package agui

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzEncodeMessage holds the short way of encoding a message against the general one: they write the same bytes.
func FuzzEncodeMessage(f *testing.F) {
	f.Add("m1", "assistant", "a word", true, "", "", uint8(0))
	f.Add("m1", "assistant", "", false, "", "call", uint8(3))
	f.Add("é\u2028", "tool", "<&>\n\xff", true, "name", "call", uint8(1))
	f.Add("", "user", "", false, "\x00", "", uint8(2))
	f.Add("m", "reasoning", "why", true, "", "\"", uint8(9))
	f.Add("m", "activity", "", false, "", "", uint8(0))
	f.Fuzz(func(t *testing.T, id, role, text string, said bool, name, call string, calls uint8) {
		m := Message{
			ID: id, Role: Role(role), Name: name, ToolCallID: call, Error: name, ActivityType: call, EncryptedValue: call, SubagentRunID: name,
		}
		if said {
			m.Content = TextContent(text)
		}
		for n := range calls % 4 {
			m.ToolCalls = append(m.ToolCalls, ToolCall{ID: call, Function: FunctionCall{Name: name, Arguments: text}})
			if n == 1 {
				m.ToolCalls[1].Type, m.ToolCalls[1].EncryptedValue = "function", text
			}
		}
		got, err := m.MarshalJSON()
		want, wantErr := m.encodeAny()
		if err != nil || wantErr != nil || string(got) != string(want) {
			t.Fatalf("%s, %v\nwant\n%s, %v", got, err, want, wantErr)
		}
		e := &MessagesSnapshot{Base: Base{Timestamp: int64(calls)}, Messages: []Message{m, withMore, m}}
		got, err = Encode(e)
		want, wantErr = encodeAny(e)
		if err != nil || wantErr != nil || string(got) != string(want) {
			t.Fatalf("%s, %v\nwant\n%s, %v", got, err, want, wantErr)
		}
	})
}

// withMore is a message that is not encoded the short way.
var withMore = Message{
	ID: "more", Role: RoleAssistant, Metadata: Metadata{"k": json.RawMessage(` [1, 2] `)},
	ToolCalls: []ToolCall{{ID: "c", Metadata: Metadata{}}},
}

func TestSnapshotsWithMoreAreEncodedInFull(t *testing.T) {
	for _, e := range []*MessagesSnapshot{
		{}, {Base: Base{RawEvent: json.RawMessage(`{"a":1}`)}}, {Base: Base{Metadata: Metadata{}}}, {Messages: []Message{}},
		{Messages: []Message{{ID: "p", Role: RoleUser, Content: PartsContent(Part{Type: PartText, Text: "x"})}}},
	} {
		got, err := Encode(e)
		want, wantErr := encodeAny(e)
		if err != nil || wantErr != nil || string(got) != string(want) {
			t.Errorf("%s, %v, want %s, %v", got, err, want, wantErr)
		}
	}
}

func BenchmarkEncodeMessage(b *testing.B) {
	m := Message{ID: "msg_3f2a91c07b5e", Role: RoleAssistant, Content: TextContent(strings.Repeat("Words that were said. ", 20))}
	for _, way := range []struct {
		name   string
		encode func() ([]byte, error)
	}{{"short", m.MarshalJSON}, {"in full", m.encodeAny}} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := way.encode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
