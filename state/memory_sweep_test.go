package state

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// TestMemorySweep holds the store to forgetting what nobody asks for, without being asked.
func TestMemorySweep(t *testing.T) {
	t.Parallel()
	now := noon
	m := NewMemory(MemoryOptions{Now: func() time.Time { return now }})
	ctx := t.Context()
	const threads = 3 * sweepMost
	for i := range threads {
		r := ask("u1")
		r.Key = Key{Principal: "local", ID: fmt.Sprint(i)}
		b, err := m.Begin(ctx, r, LeaseOptions{Attempt: "x", TTL: time.Second})
		if err != nil {
			t.Fatalf("Begin() = %v", err)
		}
		frame := Frame{ID: FrameID{Fence: b.Lease.Fence, Seq: 1}, Type: agui.TypeCustom, Data: json.RawMessage(`{}`)}
		if _, err := m.Commit(ctx, b.Lease, Commit{Frames: []Frame{frame}, End: &End{Status: RunSuccess}}); err != nil {
			t.Fatalf("Commit() = %v", err)
		}
		now = now.Add(time.Millisecond)
	}
	for _, test := range []struct {
		after         time.Duration
		frames, rooms int
	}{{0, threads, threads}, {time.Hour, 0, threads}, {30 * 24 * time.Hour, 0, 0}} {
		now = now.Add(test.after)
		for range threads / sweepMost {
			if _, err := m.Overdue(ctx, 1); err != nil {
				t.Fatalf("Overdue() = %v", err)
			}
		}
		frames := 0
		for _, r := range m.rooms {
			frames += len(r.log.frames)
		}
		if frames != test.frames || len(m.rooms) != test.rooms || len(m.due) != test.rooms {
			t.Errorf("after %v: %d frames, %d rooms, %d due; want %d and %d", test.after, frames, len(m.rooms), len(m.due), test.frames, test.rooms)
		}
	}
	if len(m.named)+len(m.owned)+len(m.live) > 0 {
		t.Errorf("books are not empty: %d names, %d owners, %d live", len(m.named), len(m.owned), len(m.live))
	}
}

// TestMemoryKeepsNothing holds requests that run nothing to leaving nothing behind.
func TestMemoryKeepsNothing(t *testing.T) {
	t.Parallel()
	m := NewMemory(MemoryOptions{})
	for _, r := range []*Request{ask(""), ask("a1"), ask("", answer("q1=1"))} {
		if _, err := m.Begin(t.Context(), r, LeaseOptions{Attempt: "x", TTL: time.Second}); err != nil {
			t.Fatalf("Begin() = %v", err)
		}
	}
	if _, _, err := m.Load(t.Context(), Key{}); err == nil || len(m.rooms) > 0 {
		t.Errorf("Load() = %v, %d rooms", err, len(m.rooms))
	}
}
