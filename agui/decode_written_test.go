package agui

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestDecodeWrittenIsDecode reads back whatever Encode writes, by both decoders, and wants what makes up most of a log
// to take the short way.
func TestDecodeWrittenIsDecode(t *testing.T) {
	t.Parallel()
	pieces := []string{"", "a", "héllo", "\n\r\t\b\f", `"\`, "\u2028\u2029", "\x00\x1b\x7f", "<&>", "🛫", "\xff", "\ufffd", `{"a":1}`, `\u0041`}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	text := func() string {
		var b strings.Builder
		for range r.IntN(4) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	check := func(e Event) []byte {
		data, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		compareDecoders(t, data)
		return data
	}
	for _, e := range goldenEvents {
		check(e)
	}
	for range 2000 {
		tag := Tagged{SubagentRunID: text()}
		if r.IntN(2) == 0 {
			tag.Timestamp = r.Int64N(2 * maxInteger)
		}
		contents := []Event{
			&TextMessageContent{Tagged: tag, MessageID: text(), Delta: text()},
			&ReasoningMessageContent{Tagged: tag, MessageID: text(), Delta: text()},
			&ToolCallArgs{Tagged: tag, ToolCallID: text(), Delta: text()},
		}
		for _, e := range contents {
			if data := check(e); tag.Timestamp <= maxInteger && scanContent(data, nil) == nil {
				t.Fatalf("seed %d: %s is left to Decode", seed, data)
			}
			BaseOf(e).Metadata = Metadata{text(): json.RawMessage(`{"delta":"x"}`)}
			check(e)
		}
	}
}

// FuzzDecodeWritten: whatever the bytes are, both decoders say the same of them.
func FuzzDecodeWritten(f *testing.F) {
	seeds(f, "testdata/golden/events/*.json", "", "")
	for _, s := range []string{
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\ud800b"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","timestamp":9007199254740992,"messageId":"m","delta":""}`,
		`{"type":"TEXT_MESSAGE_CONTENT","timestamp":01,"messageId":"m","delta":""}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"x","delta":"y"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"\x"}`,
		"{\"type\":\"REASONING_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"\xff\n\"}",
		`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"x"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { compareDecoders(t, data) })
}

// compareDecoders wants DecodeWritten, and a LogDecoder that has read something before, to return what Decode returns.
func compareDecoders(t *testing.T, data []byte) {
	t.Helper()
	want, wantErr := Decode(data, nil)
	used := LogDecoder{
		text:      TextMessageContent{Tagged: Tagged{Base: Base{Timestamp: 1}, SubagentRunID: "sub"}, MessageID: "m", Delta: "before"},
		reasoning: ReasoningMessageContent{Tagged: Tagged{Base: Base{Timestamp: 1}, SubagentRunID: "sub"}, MessageID: "m", Delta: "before"},
		args:      ToolCallArgs{Tagged: Tagged{Base: Base{Timestamp: 1}, SubagentRunID: "sub"}, ToolCallID: "c", Delta: "before"},
	}
	for _, decode := range []func([]byte) (Event, error){DecodeWritten, used.Decode} {
		if got, err := decode(data); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("of %q: %+v, %v; Decode returns %+v, %v", data, got, err, want, wantErr)
		}
	}
}

// BenchmarkDecodeWritten compares both decoders over a piece of text, by turns.
func BenchmarkDecodeWritten(b *testing.B) {
	for _, test := range []struct{ name, delta string }{{"plain", "Two flights match. "}, {"escaped", "Two \"flights\"\nmatch. "}} {
		b.Run(test.name, func(b *testing.B) {
			data, err := Encode(&TextMessageContent{Tagged: Tagged{SubagentRunID: "sub-1"}, MessageID: "msg-1", Delta: test.delta})
			if err != nil {
				b.Fatal(err)
			}
			decoders := []func() (Event, error){
				func() (Event, error) { return Decode(data, nil) },
				func() (Event, error) { return DecodeWritten(data) },
			}
			var spent [2]time.Duration
			b.ReportAllocs()
			for b.Loop() {
				for i, decode := range decoders {
					began := time.Now()
					for range 100 { // so that the clock itself is not measured
						if _, err := decode(); err != nil {
							b.Fatal(err)
						}
					}
					spent[i] += time.Since(began)
				}
			}
			b.ReportMetric(0, "ns/op") // of both together, which says nothing
			for i, name := range []string{"Decode", "DecodeWritten"} {
				b.ReportMetric(float64(spent[i].Nanoseconds())/float64(100*b.N), "ns-"+name)
			}
			b.ReportMetric(float64(spent[0])/float64(spent[1]), "times-faster")
		})
	}
}
