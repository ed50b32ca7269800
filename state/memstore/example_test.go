package memstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A request becomes a run, which holds the thread by a lease until its last commit.
func Example() {
	ctx := context.Background()
	store := memstore.New(memstore.Options{})
	defer store.Close()

	key := state.Key{Principal: "ada", Agent: "travel", ID: "t1"}
	begun, err := store.Begin(ctx, &state.Request{
		Key: key, RunID: "r1", Hash: "r1", Era: agui.Era1,
		Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("To Paris, please")}},
	}, state.LeaseOptions{Attempt: "unguessable", TTL: 10 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the request means:", begun.Verdict.Meaning)

	lease := begun.Lease
	frame := state.Frame{
		ID: state.FrameID{Fence: lease.Fence, Seq: 1}, Type: agui.TypeCustom,
		Data: json.RawMessage(`{"type":"CUSTOM","name":"found","value":3}`),
	}
	if err := store.Append(ctx, lease, state.FrameID{}, []state.Frame{frame}); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := store.Commit(ctx, lease, state.Commit{
		State:    json.RawMessage(`{"flights":3}`),
		Messages: []agui.Message{{ID: "m1", Role: agui.RoleAssistant, Content: agui.TextContent("Three flights")}},
		End:      &state.End{Status: state.RunSuccess},
	}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("once it has ended:", store.Append(ctx, lease, frame.ID, nil))

	now, err := store.Snapshot(ctx, key)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(now.Messages), "messages,", string(now.State), now.Runs[0].Status)
	// Output:
	// the request means: start
	// once it has ended: state: lease lost
	// 2 messages, {"flights":3} success
}
