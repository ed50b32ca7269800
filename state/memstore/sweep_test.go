package memstore

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// request asks for a turn, unless it has no message.
func request(key state.Key, messages ...string) *state.Request {
	r := &state.Request{Key: key, RunID: "run", Hash: "h", Era: agui.Era1}
	for _, id := range messages {
		r.Messages = append(r.Messages, agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent("say " + id)})
	}
	return r
}

// TestMemorySweep holds the store to forgetting what nobody asks for, without being asked.
func TestMemorySweep(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	b := newBackend(Options{Now: func() time.Time { return now }})
	s := state.NewStore(b, state.StoreOptions{})
	ctx := t.Context()
	const threads = 3 * sweepLimit
	for i := range threads {
		r := request(state.Key{Principal: "local", ID: fmt.Sprint(i)}, "u1")
		begun, err := s.Begin(ctx, r, state.LeaseOptions{Attempt: "x", TTL: time.Second})
		if err != nil {
			t.Fatalf("Begin() = %v", err)
		}
		frame := state.Frame{ID: state.FrameID{Fence: begun.Lease.Fence, Seq: 1}, Type: agui.TypeCustom, Data: json.RawMessage(`{}`)}
		if _, err := s.Commit(ctx, begun.Lease, state.Commit{Frames: []state.Frame{frame}, End: &state.End{Status: state.RunSuccess}}); err != nil {
			t.Fatalf("Commit() = %v", err)
		}
		now = now.Add(time.Millisecond)
	}
	for _, test := range []struct {
		after           time.Duration
		frames, entries int
	}{{0, threads, threads}, {time.Hour, 0, threads}, {30 * 24 * time.Hour, 0, 0}} {
		now = now.Add(test.after)
		for range threads / sweepLimit {
			if _, err := s.Overdue(ctx, 1); err != nil {
				t.Fatalf("Overdue() = %v", err)
			}
		}
		frames := 0
		for _, e := range b.threads {
			frames += len(logOf(&e.log))
		}
		if frames != test.frames || len(b.threads) != test.entries || len(b.due) != test.entries {
			t.Errorf("after %v: %d frames, %d entries, %d due; want %d and %d", test.after, frames, len(b.threads), len(b.due), test.frames, test.entries)
		}
	}
	if len(b.named)+len(b.owned)+len(b.live) > 0 {
		t.Errorf("indices are not empty: %d names, %d owners, %d live", len(b.named), len(b.owned), len(b.live))
	}
}

// TestMemoryKeepsNothing holds requests that run nothing to leaving nothing behind.
func TestMemoryKeepsNothing(t *testing.T) {
	t.Parallel()
	b := newBackend(Options{})
	s := state.NewStore(b, state.StoreOptions{})
	answered := request(state.Key{})
	answered.Answers = []state.Answer{{ID: "q1", Status: agui.ResumeResolved, Payload: json.RawMessage("1")}}
	unknown := request(state.Key{}, "a1")
	unknown.Messages[0].Role = agui.RoleAssistant
	for _, r := range []*state.Request{request(state.Key{}), unknown, answered} {
		if _, err := s.Begin(t.Context(), r, state.LeaseOptions{Attempt: "x", TTL: time.Second}); err != nil {
			t.Fatalf("Begin() = %v", err)
		}
	}
	if _, _, err := s.Load(t.Context(), state.Key{}); err == nil || len(b.threads) > 0 {
		t.Errorf("Load() = %v, %d entries", err, len(b.threads))
	}
}
