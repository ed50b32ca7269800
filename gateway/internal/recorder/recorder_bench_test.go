package recorder

import (
	"context"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// A sink is a store that takes whatever is appended.
type sink struct{ state.Writer }

func (sink) Append(context.Context, *state.Lease, state.FrameID, []state.Frame) error { return nil }

// BenchmarkLog numbers, stamps and appends events, 100 at a time.
func BenchmarkLog(b *testing.B) {
	r := New(Options{
		Store: sink{}, Lease: &state.Lease{Fence: 1}, Context: b.Context(), Patience: time.Second, GiveUp: b.Context(),
		NoteError: func() {}, Wrote: func(int, int) {}, OnFailure: func(err error) { b.Error(err) }, Now: time.Now,
	})
	defer r.Stop()
	event := []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"0123456789abcdef","delta":"a few words"}`)
	const later = 24 // bytes of its time, for which its encoder leaves room
	b.ReportAllocs()
	for b.Loop() {
		for range 100 {
			data := append(make([]byte, 0, len(event)+later), event...)
			if err := r.Add(state.Frame{Type: "TEXT_MESSAGE_CONTENT", Data: data}); err != nil {
				b.Fatal(err)
			}
		}
		r.Flush()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*100), "ns/event")
}
