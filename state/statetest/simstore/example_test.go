package simstore_test

import (
	"context"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/statetest/simstore"
	"github.com/agui-gateway/gateway/state/store"
)

// A failover to a replica that lags takes back the newest changes.
func ExampleCluster_Lose() {
	now := time.Unix(1000, 0)
	cluster := simstore.New(simstore.Options{Now: func() time.Time { return now }})
	store := store.New(cluster.Replica(), store.Options{})
	defer store.Close()

	ctx, key := context.Background(), state.ApprovalsKey("ann")
	for _, id := range []string{"first", "second"} {
		now = now.Add(time.Second)
		if err := store.Remember(ctx, key, state.Approval{ID: id}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(cluster.Lose(now), "change is lost")
	list, err := store.Approvals(ctx, key)
	fmt.Println(len(list), list[0].ID, err)
	// Output:
	// 1 change is lost
	// 1 first <nil>
}
