package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

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

// A store that is behind holds back who writes, and nobody who looks.
func TestWhoLooksDoesNotWaitForTheStore(t *testing.T) {
	t.Parallel()
	shared := memstore.New(memstore.Options{})
	defer shared.Close()
	store := slowLog{shared, make(chan struct{})}
	var sent atomic.Int64
	looked := make(chan bool, 1)
	w := newWorld(t, func(o *gateway.Options) {
		o.Store = store
		o.Agents["writes"] = groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
			written := make(chan error, 1)
			go func() {
				for range 6000 {
					if err := t.Emit(&agui.Custom{Name: "x.y", Value: json.RawMessage("1")}); err != nil {
						written <- err
						return
					}
					sent.Add(1)
				}
				written <- nil
			}()
			for n := int64(-1); n != sent.Load(); time.Sleep(50 * time.Millisecond) {
				n = sent.Load() // until it is held back
			}
			done := make(chan struct{})
			go func() {
				t.LastUser()
				close(done)
			}()
			select {
			case <-done:
				looked <- true
			case <-time.After(20 * time.Second):
				looked <- false
			}
			close(store.open)
			return <-written
		})
	})
	r := w.begin(http.MethodPost, "/agents/writes", input("t", "r1", []string{"u1:Go"}))
	defer r.hangUp()
	if !<-looked {
		t.Error("who looks waits for the store")
	}
	r.rest()
	r.finished()
	if n := sent.Load(); n != 6000 {
		t.Errorf("%d events were sent", n)
	}
}
