package filestore_test

import (
	"log/slog"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/statetest"
)

// TestMain holds closed stores to leaving nothing running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestFile runs the suite of all stores.
func TestFile(t *testing.T) {
	statetest.Run(t, func(t *testing.T, clock *statetest.Clock) state.Store {
		s, err := filestore.Open(filepath.Join(t.TempDir(), "threads.db"), filestore.Options{
			Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatalf("Open() = %v", err)
		}
		return s
	})
}
