package simstore_test

import (
	"flag"
	"testing"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/statetest"
	"github.com/agui-gateway/gateway/state/statetest/simstore"
	"github.com/agui-gateway/gateway/state/store"
)

// TestBackend runs the suite of all backends.
func TestBackend(t *testing.T) {
	statetest.RunBackend(t, func(_ *testing.T, clock *statetest.Clock) store.Backend {
		return simstore.New(simstore.Options{Now: clock.Now, LogTTL: statetest.LogTTL}).Replica()
	})
}

// Each run of the tests plays the same histories. The flag -rapid.seed selects others; 0 means new ones.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

// TestHistories compares the store with the one in memory by random histories of calls.
func TestHistories(t *testing.T) {
	t.Parallel()
	statetest.RunHistories(t,
		statetest.Candidate{Name: "memory", Open: func(clock *statetest.Clock) (state.Store, error) {
			return memstore.New(memstore.Options{Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL}), nil
		}},
		statetest.Candidate{Name: "simulated", Open: func(clock *statetest.Clock) (state.Store, error) {
			b := simstore.New(simstore.Options{Now: clock.Now, LogTTL: statetest.LogTTL}).Replica()
			return store.New(b, store.Options{ThreadTTL: statetest.ThreadTTL}), nil
		}},
	)
}
