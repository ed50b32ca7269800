package recorder

import (
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
)

func TestStamp(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1000)
	s := stamper{now: func() time.Time { return at }}
	for event, want := range map[string]string{
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hi"}`: `{"type":"TEXT_MESSAGE_CONTENT","timestamp":1000,"messageId":"m","delta":"Hi"}`,
		`{"type":"CUSTOM","name":"n","value":{"type":"x"}}`:            `{"type":"CUSTOM","timestamp":1000,"name":"n","value":{"type":"x"}}`,
		`{"type":"RUN_ERROR","message":"m"}`:                           `{"type":"RUN_ERROR","timestamp":1000,"message":"m"}`,
	} {
		f := state.Frame{Type: "X", Data: []byte(event)}
		if s.stamp(&f); string(f.Data) != want || f.At != 0 {
			t.Errorf("the event is %s, want %s", f.Data, want)
		}
	}
	at = time.UnixMilli(500) // the clock was set back
	f := state.Frame{Type: "MESSAGES_SNAPSHOT"}
	if s.stamp(&f); f.Data != nil || f.At != 1000 {
		t.Errorf("the marker is %+v, want one at 1000", f)
	}
}

// What an event costs beyond its encoding, which leaves room for the time.
func BenchmarkStamp(b *testing.B) {
	s := stamper{now: time.Now}
	data := []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"0123456789abcdef","delta":"a few words"}`)
	room := make([]byte, len(data)+32)
	b.ReportAllocs()
	for b.Loop() {
		f := state.Frame{Type: "TEXT_MESSAGE_CONTENT", Data: append(room[:0], data...)}
		s.stamp(&f)
	}
}
