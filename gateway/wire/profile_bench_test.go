package wire

import (
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// BenchmarkProject projects a text delta: for a reader that is sent it unchanged, and for one that needs a conversion.
func BenchmarkProject(b *testing.B) {
	event := &agui.TextMessageContent{MessageID: "0123456789abcdef", Delta: "a few words"}
	data, err := agui.Encode(event)
	if err != nil {
		b.Fatal(err)
	}
	f := state.Frame{ID: state.FrameID{Fence: 1, Seq: 1}, Type: agui.TypeOf(event), Data: data}
	for _, reader := range []struct {
		name string
		wire Profile
	}{{"same", Profile{Era: agui.Era1}}, {"chunks", Profile{Era: agui.Era1, Chunks: true}}} {
		b.Run("reader="+reader.name, func(b *testing.B) {
			var sent []state.Frame
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if sent, _, err = reader.wire.Project(sent[:0], f); err != nil || len(sent) != 1 {
					b.Fatalf("Project() = %v, %v", sent, err)
				}
			}
		})
	}
}
