package memstore

import (
	"testing"

	"github.com/agui-gateway/gateway/state/statetest"
	"github.com/agui-gateway/gateway/state/store"
)

// TestBackend runs the suite of all backends.
func TestBackend(t *testing.T) {
	statetest.RunBackend(t, func(_ *testing.T, clock *statetest.Clock) store.Backend {
		return newBackend(Options{Now: clock.Now, LogTTL: statetest.LogTTL})
	})
}
