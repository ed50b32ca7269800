package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A slowLog is a store that appends nothing until it is open.
type slowLog struct {
	state.Store
	open chan struct{}
}

func (s slowLog) Append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	select {
	case <-s.open:
		return s.Store.Append(ctx, l, after, frames)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A slow store delays writers, and not viewers.
func TestWhoLooksDoesNotWaitForTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, whoLooksDoesNotWaitForTheStore)
}

func whoLooksDoesNotWaitForTheStore(t *testing.T) {
	const events = 10_000 // more than wait for the store, and those that it is given first
	shared := closeLast(t, memstore.New(memstore.Options{}))
	store := slowLog{shared, make(chan struct{})}
	var sent atomic.Int64
	turns := make(chan *groupchat.Turn, 1)
	w := newBubbleWorld(t, func(o *gateway.Options) {
		o.Store, o.Now = store, nil
		o.Agents["writes"] = groupchat.AgentFunc(func(_ context.Context, turn *groupchat.Turn) error {
			turns <- turn
			for range events {
				if err := turn.Emit(&agui.Custom{Name: "x.y", Value: json.RawMessage("1")}); err != nil {
					return err
				}
				sent.Add(1)
			}
			return nil
		})
	})
	r := w.begin(http.MethodPost, "/agents/writes", input("t", "r1", []string{"u1:Go"}))
	defer r.hangUp()
	turn := receive(t, "the agent writes", turns)
	synctest.Wait()
	if n := sent.Load(); n == events {
		t.Error("nobody is held back")
	}
	looked := make(chan struct{})
	go func() {
		turn.LastUser()
		close(looked)
	}()
	synctest.Wait()
	select {
	case <-looked:
	default:
		t.Error("who looks waits for the store")
	}
	close(store.open)
	r.rest()
	r.finished()
	if n := sent.Load(); n != events {
		t.Errorf("%d events were sent", n)
	}
}
