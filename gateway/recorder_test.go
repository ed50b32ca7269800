package gateway_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// A deafStore fails every append until it is to listen, and counts them.
type deafStore struct {
	state.Store
	listens atomic.Bool
	failed  atomic.Int32
}

func (s *deafStore) Append(ctx context.Context, l *state.Lease, after agui.FrameID, frames []agui.Frame) error {
	if !s.listens.Load() {
		s.failed.Add(1)
		return errAway
	}
	return s.Store.Append(ctx, l, after, frames)
}

// An agent that says large things faster than its store takes them waits for the store, before they fill the memory.
func TestAnAgentAheadOfItsStore(t *testing.T) {
	t.Parallel()
	const events, size, most = 100, 1 << 20, 20
	var said atomic.Int32
	store := &deafStore{Store: state.NewMemory(state.MemoryOptions{})}
	t.Cleanup(func() { _ = store.Close() }) // a store in memory
	w := newWorld(t, func(o *gateway.Options) {
		o.Store = store
		o.Agents["floods"] = groupchat.AgentFunc(func(_ context.Context, turn *groupchat.Turn) error {
			value := json.RawMessage(`"` + strings.Repeat("x", size) + `"`)
			for range events {
				if err := turn.Emit(&agui.Custom{Name: "large", Value: value}); err != nil {
					return err
				}
				said.Add(1)
			}
			return nil
		})
	})
	posted := w.open("POST", "/agents/floods", input("t", "r1", []string{"u1:Hi"}))
	eventually(t, "a few appends have failed", func() bool { return store.failed.Load() >= 8 })
	if n := said.Load(); n > most {
		t.Errorf("%d megabytes wait for the store, want at most %d", n, most)
	}
	store.listens.Store(true)
	posted.rest()
	posted.finished()
	if n := said.Load(); n != events {
		t.Errorf("%d of %d events were said", n, events)
	}
}
