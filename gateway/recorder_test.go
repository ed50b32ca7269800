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
	"github.com/agui-gateway/gateway/state/memstore"
)

// A deafStore fails every append until it is switched on, and counts them. It records the bytes of the largest commit's
// frames.
type deafStore struct {
	state.Store
	listens atomic.Bool
	failed  atomic.Int32
	largest atomic.Int64
}

func (s *deafStore) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	size := 0
	for _, f := range c.Frames {
		size += len(f.Data)
	}
	s.largest.Store(max(s.largest.Load(), int64(size)))
	return s.Store.Commit(ctx, l, c)
}

func (s *deafStore) Append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	if !s.listens.Load() {
		s.failed.Add(1)
		return errAway
	}
	return s.Store.Append(ctx, l, after, frames)
}

// floods is a world on store with an agent that sends a number of large events, and how many it has sent.
func floods(t *testing.T, store state.Store, events int) (*world, *atomic.Int32) {
	t.Helper()
	var said atomic.Int32
	closeLast(t, store)
	return newWorld(t, func(o *gateway.Options) {
		o.Store = store
		o.Agents["floods"] = groupchat.AgentFunc(func(_ context.Context, turn *groupchat.Turn) error {
			value := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
			for range events {
				if err := turn.Emit(&agui.Custom{Name: "large", Value: value}); err != nil {
					return err
				}
				said.Add(1)
			}
			return nil
		})
	}), &said
}

// A commit takes little of the log along, so that one exchange with the store is enough for it.
func TestACommitBehindLargeEvents(t *testing.T) {
	t.Parallel()
	const events, most = 10, 5 << 20
	store := &deafStore{Store: memstore.New(memstore.Options{})}
	w, said := floods(t, store, events)
	posted := w.open("POST", "/agents/floods", input("t", "r1", []string{"u1:Hi"}))
	eventually(t, "all is said, and waits", func() bool { return said.Load() == events && store.failed.Load() > 0 })
	store.listens.Store(true)
	posted.rest()
	posted.finished()
	if n := store.largest.Load(); n > most {
		t.Errorf("a commit takes %d bytes of the log along, want at most %d", n, most)
	}
}

// An agent that says large things faster than its store takes them waits for the store, before they fill the memory.
func TestAnAgentAheadOfItsStore(t *testing.T) {
	t.Parallel()
	const events, most = 30, 20
	store := &deafStore{Store: memstore.New(memstore.Options{})}
	w, said := floods(t, store, events)
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
