package agui

import (
	"encoding/json"
	"testing"
)

// FuzzScanMessage holds the short way of decoding a message against the general one.
func FuzzScanMessage(f *testing.F) {
	for _, s := range []string{
		`{"id":"m","role":"user","content":"x"}`, `{"id":"m","role":"assistant","content":"a\nb","name":"n","subagentRunId":"s"}`,
		`{"id":"m","role":"tool","content":"x"}`, `{"id":"m","role":"user","content":"x","id":"n"}`, `{"id":"m","role":"user"}`, `{"id":"m","role":"user","content":"\ud800"}`,
		`{"id":"m","role":"user","content":"x"} `, `{"id":"","role":"system","content":""}`, `{"id":"m","role":"developer","content":"x","toolCalls":[]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		short, ok := scanMessage(data)
		if !ok {
			return
		}
		in := append(append([]byte(`{"threadId":"t","runId":"r","messages":[`), data...), "]}"...)
		if !json.Valid(in) { // whoever scans a message knows that
			return
		}
		var full Message
		if err := full.readFull(newDecoder(data), data); err != nil {
			t.Fatalf("scanMessage(%q) = %+v; in full: %v", data, short, err)
		}
		if got, want := encoded(t, short), encoded(t, full); got != want {
			t.Fatalf("scanMessage(%q) is %s, want %s", data, got, want)
		}
	})
}

func encoded(t *testing.T, m Message) string {
	t.Helper()
	data, err := m.encodeAny()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
