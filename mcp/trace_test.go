package mcp

import (
	"testing"

	"github.com/agui-gateway/gateway/telemetry"
)

// TestAServerIsToldOfTheTrace in a call's _meta, which a program on stdio gets too.
func TestAServerIsToldOfTheTrace(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o Options) {
		t.Helper()
		const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		source := start(t, o).Source(SourceOptions{})
		result, err := call(telemetry.WithTraceparent(t.Context(), trace), t, source, "key", "{}")
		if err != nil || result.Content.Text() != trace {
			t.Errorf("the server was told %q, %v", result.Content.Text(), err)
		}
	})
}
