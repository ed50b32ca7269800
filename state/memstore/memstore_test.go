package memstore_test

import (
	"testing"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/statetest"
)

func TestMemory(t *testing.T) {
	statetest.Run(t, func(_ *testing.T, clock *statetest.Clock) state.Store {
		return memstore.New(memstore.Options{Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL})
	})
}
