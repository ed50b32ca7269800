package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

func TestASnapshotIsMadeOnce(t *testing.T) {
	t.Parallel()
	var c snapshotCache
	var made atomic.Int64
	id := snapshotID{fence: 1, rev: 2, kind: agui.TypeStateSnapshot}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			data, err := c.get(t.Context(), id, func() (json.RawMessage, error) {
				made.Add(1)
				return json.RawMessage(`{}`), nil
			})
			if err != nil || string(data) != `{}` {
				t.Errorf("get() = %s, %v", data, err)
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
	var c snapshotCache
	away := errors.New("away")
	id := snapshotID{fence: 1}
	if _, err := c.get(t.Context(), id, func() (json.RawMessage, error) { return nil, away }); !errors.Is(err, away) {
		t.Errorf("get() = %v, want %v", err, away)
	}
	if len(c.made) != 0 {
		t.Error("what failed is kept")
	}
	if data, err := c.get(t.Context(), id, func() (json.RawMessage, error) { return json.RawMessage(`1`), nil }); err != nil || string(data) != `1` {
		t.Errorf("get() = %s, %v", data, err)
	}
}

func TestWhoWaitsForASnapshotMayLeave(t *testing.T) {
	t.Parallel()
	var c snapshotCache
	ctx, cancel := context.WithCancel(t.Context())
	id := snapshotID{fence: 1}
	_, err := c.get(t.Context(), id, func() (json.RawMessage, error) {
		cancel() // somebody else's, who asks for the same
		if _, err := c.get(ctx, id, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("get() = %v, want %v", err, context.Canceled)
		}
		return json.RawMessage(`1`), nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestCachedSnapshotsAreBounded(t *testing.T) {
	t.Parallel()
	var c snapshotCache
	piece := make(json.RawMessage, cachedSnapshots/4)
	get := func(rev int64, data json.RawMessage) {
		if _, err := c.get(t.Context(), snapshotID{rev: rev}, func() (json.RawMessage, error) { return data, nil }); err != nil {
			t.Fatal(err)
		}
	}
	for rev := range int64(10) {
		get(rev, piece)
	}
	if c.size != cachedSnapshots || len(c.made) != 4 || len(c.order) != 4 {
		t.Errorf("%d bytes in %d snapshots, want %d in 4", c.size, len(c.made), cachedSnapshots)
	}
	get(9, nil) // it is there
	get(99, make(json.RawMessage, cachedSnapshots+1))
	if c.size != 0 || len(c.made) != 0 || len(c.order) != 0 {
		t.Errorf("%d bytes in %d snapshots are kept, want none beside one that is too large", c.size, len(c.made))
	}
}
