package gateway_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A server that leaves while its store is away does not wait for the store: what could not be kept is taken over.
func TestADrainDoesNotWaitForAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aDrainDoesNotWaitForAStoreThatIsAway)
}

func aDrainDoesNotWaitForAStoreThatIsAway(t *testing.T) {
	store := &distantStore{Store: memstore.New(memstore.Options{})}
	closeLast(t, store)
	w := newBubbleWorld(t, func(o *gateway.Options) {
		o.Store, o.Shared, o.Now, o.StoreBuffer, o.Lease = store, true, nil, time.Hour, time.Hour
	})
	r := w.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
	r.until(agui.TypeCustom)
	store.away.Store(true)
	w.release() // the run comes to its end, which cannot be kept
	begun := time.Now()
	w.cutShort()
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("the gateway waits for its store, %v", took)
	}
	store.away.Store(false)
}

// A short store keeps nothing that was replaced.
type shortStore struct{ state.Store }

func (shortStore) Messages(context.Context, state.Key, int64) (state.Conversation, error) {
	return nil, state.ErrRevision
}

// What a store does not keep any more it will not have later: no run waits for it.
func TestARunDoesNotWaitForWhatIsNotKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesktop(t, func(o *gateway.Options) { o.Store = shortStore{o.Store} })
		defer d.close()
		d.serve(newSink(), "POST", "/agents/echo", input("t", "r1", []string{"u1:Hi"}))
		if got := d.status("echo"); got != state.RunError {
			t.Errorf("the run is %s, want %s", got, state.RunError)
		}
	})
}
