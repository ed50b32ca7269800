package memstore

import (
	"testing"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/statetest"
)

// TestLimited runs the suite of backends with a limit.
func TestLimited(t *testing.T) {
	t.Parallel()
	statetest.RunLimited(t, func(_ *testing.T, clock *statetest.Clock, limit int64) state.Backend {
		return newBackend(Options{Now: clock.Now, LogTTL: statetest.LogTTL, Limit: limit})
	})
}
