package store_test

import (
	"context"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/statetest/simstore"
	"github.com/agui-gateway/gateway/state/store"
)

// A store over a backend admits a request: it begins a run, and the next request finds the thread busy.
func ExampleNew() {
	ctx := context.Background()
	s := store.New(simstore.New(simstore.Options{}).Replica(), store.Options{ThreadTTL: time.Hour})
	defer s.Close()
	for _, id := range []string{"first", "second"} {
		begun, err := s.Begin(ctx, &state.Request{
			Key: state.Key{Principal: "ada", Agent: "travel", ID: "t1"}, RunID: id, Hash: id, Era: agui.Era1,
			Messages: []agui.Message{{ID: id, Role: agui.RoleUser, Content: agui.TextContent("To Paris")}},
		}, state.LeaseOptions{Attempt: id, TTL: time.Minute})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(begun.Verdict.Meaning, begun.Lease != nil)
	}
	// Output:
	// start true
	// busy false
}
