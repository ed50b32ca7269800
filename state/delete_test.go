package state_test

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// The attempt of a deleted thread is told to stop, and the store keeps nothing of it although it writes no more: notices for a webhook
// end by being deleted.
func TestDeleteForgetsTheAttempt(t *testing.T) {
	t.Parallel()
	store := memstore.New(memstore.Options{})
	key := state.Key{Principal: "p", Agent: "a", ID: "t"}
	lease := func() weak.Pointer[state.Lease] {
		begun, err := store.Begin(t.Context(), &state.Request{
			Key: key, RunID: "r", Hash: "h", Era: agui.Era1,
			Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Hello")}},
		}, state.LeaseOptions{Attempt: "1", TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		if told := <-begun.Lease.Signals; told != state.SignalStop {
			t.Errorf("it is told %q", told)
		}
		return weak.Make(begun.Lease)
	}()
	runtime.GC()
	if lease.Value() != nil {
		t.Error("the store keeps the lease of a thread that is gone")
	}
	runtime.KeepAlive(store)
}
