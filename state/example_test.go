package state_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A run of a dead owner is taken over: the new attempt continues from the last commit, and the old one, if it lives
// after all, writes nothing any more. Readers see one log.
func ExampleStore() {
	ctx := context.Background()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	store := memstore.New(memstore.Options{Now: func() time.Time { return now }})
	defer store.Close()

	key := state.Key{Principal: "ada", Agent: "travel", ID: "t1"}
	begun, err := store.Begin(ctx, &state.Request{
		Key: key, RunID: "r1", Hash: "r1", Era: agui.Era1,
		Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("To Paris, please")}},
	}, state.LeaseOptions{Attempt: "of one replica", TTL: 10 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	frame := func(l *state.Lease, seq uint64, name string) []state.Frame {
		data := json.RawMessage(fmt.Sprintf(`{"type":"CUSTOM","name":%q}`, name))
		return []state.Frame{{ID: state.FrameID{Fence: l.Fence, Seq: seq}, Type: agui.TypeCustom, Data: data}}
	}
	_, err = store.Commit(ctx, begun.Lease, state.Commit{
		State: json.RawMessage(`{"flights":3}`), Checkpoint: json.RawMessage(`{"next":"hotel"}`), Frames: frame(begun.Lease, 1, "flights"),
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	now = now.Add(time.Minute) // without a renewal of the lease
	overdue, err := store.Overdue(ctx, 10)
	if err != nil || len(overdue) == 0 {
		fmt.Println("nothing is overdue:", err)
		return
	}
	taken, err := store.Take(ctx, overdue[0], state.LeaseOptions{Attempt: "of another", TTL: 10 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("continues with", string(taken.Thread.Checkpoint))
	err = store.Append(ctx, begun.Lease, state.FrameID{}, frame(begun.Lease, 2, "late"))
	fmt.Println("the old attempt may write:", !errors.Is(err, state.ErrLeaseLost))

	last := frame(taken.Lease, 1, "hotel")
	if _, err := store.Commit(ctx, taken.Lease, state.Commit{Frames: last, End: &state.End{Status: state.RunSuccess}}); err != nil {
		fmt.Println(err)
		return
	}
	for batch, err := range store.Tail(ctx, key, state.FrameID{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, f := range batch {
			fmt.Println(string(f.Data))
		}
		if batch[len(batch)-1].ID == last[0].ID {
			break // the log continues with the thread's next run
		}
	}
	// Output:
	// continues with {"next":"hotel"}
	// the old attempt may write: false
	// {"type":"CUSTOM","name":"flights"}
	// {"type":"CUSTOM","name":"hotel"}
}
