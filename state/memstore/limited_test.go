package memstore

import (
	"testing"

	"github.com/agui-gateway/gateway/state/statetest"
	"github.com/agui-gateway/gateway/state/store"
)

// TestLimited runs the suite of backends with a limit.
func TestLimited(t *testing.T) {
	t.Parallel()
	statetest.RunLimited(t, func(_ *testing.T, clock *statetest.Clock, limit int64) store.Backend {
		return newBackend(Options{Now: clock.Now, LogTTL: statetest.LogTTL, Limit: limit})
	})
}

func TestShared(t *testing.T) {
	t.Parallel()
	statetest.RunShared(t, func(_ *testing.T, clock *statetest.Clock, share int64) store.Backend {
		return newBackend(Options{Now: clock.Now, LogTTL: statetest.LogTTL, Share: share})
	})
}
