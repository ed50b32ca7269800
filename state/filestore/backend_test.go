package filestore

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/agui-gateway/gateway/state/statetest"
	"github.com/agui-gateway/gateway/state/store"
)

// TestBackend runs the suite of all backends.
func TestBackend(t *testing.T) {
	statetest.RunBackend(t, func(t *testing.T, clock *statetest.Clock) store.Backend {
		b, err := openBackend(filepath.Join(t.TempDir(), "threads.db"), Options{
			Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatalf("openBackend() = %v", err)
		}
		return b
	})
}
