package redisstore_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

var timeCalls = regexp.MustCompile(`cmdstat_time:calls=\d+`)

// TestClusterTime holds a store on a cluster to judging a thread by the clock of the node that has it, which set its
// deadlines: that of another may be wrong.
func TestClusterTime(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartCluster(t)
	s := open(t, cluster.URL(), redisstore.Options{})
	th := newThread(t)
	th.succeed(s, th.begin(s, time.Hour), 1)
	for _, node := range cluster.Nodes {
		if err := node.Client().ConfigResetStat(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		if keys, err := s.Find(t.Context(), th.key.Principal, th.key.ID); err != nil || len(keys) != 1 {
			t.Fatalf("Find() = %v, %v", keys, err)
		}
		if page, err := s.List(t.Context(), state.Query{Principal: th.key.Principal}); err != nil || len(page.Threads) != 1 {
			t.Fatalf("List() = %v, %v", page, err)
		}
	}
	asked := 0
	for _, node := range cluster.Nodes {
		client := node.Client()
		keys, err := client.Keys(t.Context(), "*}:thread").Result()
		if err != nil {
			t.Fatal(err)
		}
		stats, err := client.Info(t.Context(), "commandstats").Result()
		if err != nil {
			t.Fatal(err)
		}
		if calls := timeCalls.FindString(stats); calls != "" {
			asked++
			if len(keys) == 0 {
				t.Errorf("a node that has not the thread is asked for the time: %s", calls)
			}
		}
	}
	if asked != 1 {
		t.Errorf("%d nodes are asked for the time, want the thread's", asked)
	}
}
