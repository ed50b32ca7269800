package redisstore

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/listed"
)

// FuzzHead compares the reader of message heads with package json.
func FuzzHead(f *testing.F) {
	for _, m := range []state.StoredMessage{
		{},
		{Slot: 3, Added: 4, Run: 1, ID: "m-1", Role: agui.RoleUser},
		{Slot: 1 << 40, Added: -1, Run: 1<<64 - 1, ID: "é\"\n", Role: agui.RoleTool, ToolCallID: "call"},
		{ID: "m", Role: agui.RoleAssistant, Calls: []string{"a", "b"}},
	} {
		text, err := messageText(&m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, text := range []string{`{"s":1.5}`, `{"s":1,"S":2}`, `{"i":"a","i":null}`, `{"r":-1}`, `{"x":1}`, `{ "s": 1 }`, `{"o":"\ud800"}`, "{\"i\":\"\xff\"}", `[]`, ``} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := listed.DecodeMessage(text)
		var want listed.Message
		wantErr := json.Unmarshal(text, &want)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("listed.DecodeMessage(%q) = %+v, %v, want %+v, %v", text, got, err, want, wantErr)
		}
	})
}

// BenchmarkHead reads the head of a message.
func BenchmarkHead(b *testing.B) {
	text, err := messageText(&state.StoredMessage{Slot: 1234, Added: 567, Run: 1_790_000_000_000_000, ID: "msg_0197b2c4d5e6-7f80", Role: agui.RoleAssistant})
	if err != nil {
		b.Fatal(err)
	}
	text = text[:len(text)-1]
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := listed.DecodeMessage(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decoded", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var h listed.Message
			if err := json.Unmarshal(text, &h); err != nil {
				b.Fatal(err)
			}
		}
	})
}
