package redisstore_test

import (
	"crypto/rand"
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/statetest"
)

// open opens a store, closed with the test, with a random prefix unless o has one. It waits for its Redis as long
// as a slow machine needs.
func open(t *testing.T, url string, o redisstore.Options) state.Store {
	t.Helper()
	return openAsIs(t, url, redisstore.Patient(o))
}

// openAsIs is open for a store that waits for its Redis as long as others do.
func openAsIs(t *testing.T, url string, o redisstore.Options) state.Store {
	t.Helper()
	if o.Prefix == "" {
		o.Prefix = rand.Text()
	}
	o.Logger = slog.New(slog.DiscardHandler)
	s, err := redisstore.Open(t.Context(), url, o)
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return s
}

// suite runs the suite of all stores.
func suite(t *testing.T, url string) {
	statetest.Run(t, func(t *testing.T, clock *statetest.Clock) state.Store {
		return open(t, url, redisstore.Options{Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL})
	})
}

// TestMain holds closed stores to leaving nothing running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSingle(t *testing.T) { suite(t, redistest.Start(t).URL()) }

// TestPacking runs it where the log of a run is packed as soon as the run is over.
func TestPacking(t *testing.T) {
	url := redistest.Start(t).URL()
	statetest.Run(t, func(t *testing.T, clock *statetest.Clock) state.Store {
		return open(t, url, redisstore.Packing(redisstore.Options{Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL}))
	})
}

func TestCluster(t *testing.T) { suite(t, redistest.StartCluster(t).URL()) }
