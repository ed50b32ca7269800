package frame

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

func TestASnapshotIsMadeOnce(t *testing.T) {
	t.Parallel()
	var c Cache
	var made atomic.Int64
	id := Snapshot{Fence: 1, Rev: 2, Type: agui.TypeStateSnapshot}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			data, err := c.Get(t.Context(), id, func() (json.RawMessage, error) {
				made.Add(1)
				return json.RawMessage(`{}`), nil
			})
			if err != nil || string(data) != `{}` {
				t.Errorf("Get() = %s, %v", data, err)
			}
		})
	}
	wg.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("it was made %d times", n)
	}
}

func TestASnapshotThatCannotBeMadeIsTriedAgain(t *testing.T) {
	t.Parallel()
	var c Cache
	away := errors.New("away")
	id := Snapshot{Fence: 1}
	if _, err := c.Get(t.Context(), id, func() (json.RawMessage, error) { return nil, away }); !errors.Is(err, away) {
		t.Errorf("Get() = %v, want %v", err, away)
	}
	if n := len(c.threads[id.Key]); n != 0 {
		t.Error("what failed is kept")
	}
	if data, err := c.Get(t.Context(), id, func() (json.RawMessage, error) { return json.RawMessage(`1`), nil }); err != nil || string(data) != `1` {
		t.Errorf("Get() = %s, %v", data, err)
	}
}

func TestWhoWaitsForASnapshotMayLeave(t *testing.T) {
	t.Parallel()
	var c Cache
	ctx, cancel := context.WithCancel(t.Context())
	id := Snapshot{Fence: 1}
	_, err := c.Get(t.Context(), id, func() (json.RawMessage, error) {
		cancel() // another caller, of the same snapshot
		if _, err := c.Get(ctx, id, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("Get() = %v, want %v", err, context.Canceled)
		}
		return json.RawMessage(`1`), nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestCachedSnapshotsAreBounded(t *testing.T) {
	t.Parallel()
	var c Cache
	get := func(thread string, rev int64, size int) {
		id := Snapshot{Key: state.Key{ID: thread}, Rev: rev}
		data, err := c.Get(t.Context(), id, func() (json.RawMessage, error) { return make(json.RawMessage, size), nil })
		if err != nil || len(data) != size {
			t.Fatalf("Get() = %d bytes, %v, want %d", len(data), err, size)
		}
	}
	for rev := range int64(10) {
		get("a", rev, 1000)
	}
	if a := c.threads[state.Key{ID: "a"}]; c.size != 4000 || len(a) != 4 {
		t.Errorf("%d bytes in %d snapshots, want 4000 in 4", c.size, len(a))
	}
	get("b", 1, cachedSnapshots-4000)
	get("b", 2, 1) // there is no room
	if b := c.threads[state.Key{ID: "b"}]; c.size != cachedSnapshots || len(b) != 1 {
		t.Errorf("%d bytes, %d of the other thread's snapshots, want %d and 1", c.size, len(b), cachedSnapshots)
	}
	c.Drop(state.Key{ID: "a"})
	c.Drop(state.Key{ID: "b"})
	if c.size != 0 || len(c.threads) != 0 {
		t.Errorf("%d bytes of %d threads are left", c.size, len(c.threads))
	}
}
