package agui

import (
	"encoding/json"
	"testing"
)

// contentEvents are the events that are encoded without reflection, with a text, an id and a tag.
func contentEvents(at int64, subagent, id, delta string) []Event {
	tag := Tagged{Base: Base{Timestamp: at}, SubagentRunID: subagent}
	return []Event{
		&TextMessageContent{Tagged: tag, MessageID: id, Delta: delta},
		&ReasoningMessageContent{Tagged: tag, MessageID: id, Delta: delta},
		&ToolCallArgs{Tagged: tag, ToolCallID: id, Delta: delta},
	}
}

// FuzzEncodeContent holds the short way of encoding a piece against the general one: they write the same bytes.
func FuzzEncodeContent(f *testing.F) {
	f.Add(int64(0), "", "m1", "a word")
	f.Add(int64(1790000000000), "s1", "m\n", "\"\\/\b\f\n\r\t\x00\x1f\x7f<>&")
	f.Add(int64(-1), "é", "😀", "\u2028\u2029\u202a\xff\xc3 é 😀 \xed\xa0\x80")
	f.Fuzz(func(t *testing.T, at int64, subagent, id, delta string) {
		for _, e := range contentEvents(at, subagent, id, delta) {
			got, err := Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			want, err := encodeAny(e)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Fatalf("%T:\n%s\nwant\n%s", e, got, want)
			}
		}
	})
}

func TestContentWithMoreIsEncodedInFull(t *testing.T) {
	for _, base := range []Base{{RawEvent: json.RawMessage(`{"a":1}`)}, {Metadata: Metadata{"k": json.RawMessage(`1`)}}, {Metadata: Metadata{}}} {
		e := &TextMessageContent{Tagged: Tagged{Base: base}, MessageID: "m", Delta: "x"}
		got, err := Encode(e)
		want, wantErr := encodeAny(e)
		if err != nil || wantErr != nil || string(got) != string(want) {
			t.Errorf("%s, %v, want %s, %v", got, err, want, wantErr)
		}
	}
}

func BenchmarkEncodeContent(b *testing.B) {
	e := &TextMessageContent{MessageID: "msg_3f2a91c07b5e", Delta: " word"}
	for _, way := range []struct {
		name   string
		encode func(Event) ([]byte, error)
	}{{"short", Encode}, {"in full", encodeAny}} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := way.encode(e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
