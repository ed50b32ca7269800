package gateway_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A distant store can be away: then nothing gets through, and whoever tails it waits without a word.
type distantStore struct {
	state.Store
	away atomic.Bool
}

func (s *distantStore) fault() error {
	if s.away.Load() {
		return errAway
	}
	return nil
}

func (s *distantStore) Ping(ctx context.Context) error {
	if err := s.fault(); err != nil {
		return err
	}
	return s.Store.Ping(ctx)
}

func (s *distantStore) Overdue(ctx context.Context, limit int) ([]state.Key, error) {
	if err := s.fault(); err != nil {
		return nil, err
	}
	return s.Store.Overdue(ctx, limit)
}

func (s *distantStore) Append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	if err := s.fault(); err != nil {
		return err
	}
	return s.Store.Append(ctx, l, after, frames)
}

func (s *distantStore) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	if err := s.fault(); err != nil {
		return nil, err
	}
	return s.Store.Commit(ctx, l, c)
}

// Readers get an error when the store stays away for too long, also for another replica's run: that waits silently.
// When the store is back everything works again.
func TestReadersOfAStoreThatStaysAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, readersOfAStoreThatStaysAway)
}

func readersOfAStoreThatStaysAway(t *testing.T) {
	store := &distantStore{Store: memstore.New(memstore.Options{})}
	closeLast(t, store)
	change := func(o *gateway.Options) {
		o.Store, o.Shared, o.Now, o.NewID = store, true, nil, nil
	}
	owner, other := newBubbleWorld(t, change), newBubbleWorld(t, change)
	for round, thread := range []string{"t1", "t2"} {
		posted := owner.open("POST", "/agents/slow", input(thread, "r1", []string{"u1:Hi"}))
		watched := other.open("GET", "/threads/"+thread+"/events?protocolVersion=1.0", "")
		store.away.Store(true)
		posted.rest()
		watched.rest()
		if code := posted.code(); code != "store_unavailable" {
			t.Errorf("round %d: who posted is told %q", round, code)
		}
		if code := watched.code(); code != "store_unavailable" {
			t.Errorf("round %d: who watches is told %q", round, code)
		}
		store.away.Store(false)
		eventually(t, "another run", func() bool {
			status, _ := owner.call("GET", "/readyz", "")
			return status == 200
		})
		owner.post("echo", input(thread+"-after", "r1", []string{"u1:Hi"})).finished()
	}
	owner.release()
	owner.release()
}
