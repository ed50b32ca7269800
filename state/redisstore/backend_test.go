package redisstore

import (
	"crypto/rand"
	"log/slog"
	"testing"

	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/statetest"
	"github.com/agui-gateway/gateway/state/store"
)

// TestBackend runs the suite of all backends.
func TestBackend(t *testing.T) {
	url := redistest.Start(t).URL()
	backendSuite(t, url, Patient)
	t.Run("packing", func(t *testing.T) { backendSuite(t, url, func(o Options) Options { return Packing(Patient(o)) }) })
}

// TestClusterBackend runs it on a cluster.
func TestClusterBackend(t *testing.T) { backendSuite(t, redistest.StartCluster(t).URL(), Patient) }

func backendSuite(t *testing.T, url string, with func(Options) Options) {
	statetest.RunBackend(t, func(t *testing.T, clock *statetest.Clock) store.Backend {
		b, err := openBackend(t.Context(), url, with(Options{
			Prefix: rand.Text(), Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL, Logger: slog.New(slog.DiscardHandler),
		}))
		if err != nil {
			t.Fatalf("openBackend() = %v", err)
		}
		return b
	})
}
