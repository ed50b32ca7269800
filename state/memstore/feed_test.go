package memstore

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// A countedBackend counts how often a log is read.
type countedBackend struct {
	store.Backend

	reads atomic.Int64
}

func (b *countedBackend) ReadLog(ctx context.Context, key state.Key, after state.FrameID) (*store.LogPage, error) {
	b.reads.Add(1)
	return b.Backend.ReadLog(ctx, key, after)
}

// TestARunIsReadFromMemory checks that readers from the beginning of a run use the feed, unless the run has said
// much before.
func TestARunIsReadFromMemory(t *testing.T) {
	t.Parallel()
	for _, size := range []int{100, 50_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			b := &countedBackend{Backend: newBackend(Options{})}
			s := store.New(b, store.Options{})
			key := state.Key{Principal: "local", Agent: "a", ID: "t"}
			m := agui.Message{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("Hi")}
			begun, err := s.Begin(t.Context(), &state.Request{Key: key, RunID: "r", Hash: "h", Era: agui.Era1, Messages: []agui.Message{m}}, state.LeaseOptions{Attempt: "x", TTL: time.Minute})
			if err != nil || begun.Lease == nil {
				t.Fatalf("Begin() = %+v, %v", begun, err)
			}
			fence := begun.Lease.Fence
			const frames = 3
			for seq := range uint64(frames) {
				f := state.Frame{ID: state.FrameID{Fence: fence, Seq: seq + 1}, Type: agui.TypeCustom, Data: []byte(`"` + strings.Repeat("x", size) + `"`)}
				if err := s.Append(t.Context(), begun.Lease, state.FrameID{}, []state.Frame{f}); err != nil {
					t.Fatal(err)
				}
			}
			last := state.FrameID{}
			for batch, err := range s.Tail(t.Context(), key, state.FrameID{Fence: fence}) {
				if err != nil {
					t.Fatal(err)
				}
				if last = batch[len(batch)-1].ID; last.Seq == frames {
					break
				}
			}
			if read, much := b.reads.Load() > 0, frames*size > 64<<10; read != much {
				t.Errorf("the log was read: %t, want %t", read, much)
			}
		})
	}
}
