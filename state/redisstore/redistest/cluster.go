package redistest

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/internal/port"
)

// A Cluster is a Redis Cluster of three masters.
type Cluster struct {
	Nodes []*Server
}

// slots is how many hash slots a cluster has.
const slots = 16384

// StartCluster starts three nodes and introduces them to each other.
func StartCluster(t testing.TB) *Cluster {
	t.Helper()
	const nodes = 3
	c := &Cluster{}
	buses := make([]int, nodes)
	for i := range nodes {
		buses[i] = port.ForTest(t).Port()
		c.Nodes = append(c.Nodes, Start(t, "--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(buses[i]),
			"--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "5000"))
	}
	ctx := context.Background()
	for i, node := range c.Nodes {
		client := node.Client()
		first, last := i*slots/nodes, (i+1)*slots/nodes-1
		for _, cmd := range [][]any{
			{"cluster", "set-config-epoch", i + 1},
			{"cluster", "addslotsrange", first, last},
		} {
			if err := client.Do(ctx, cmd...).Err(); err != nil {
				t.Fatalf("%v: %v", cmd, err)
			}
		}
		if i == 0 {
			continue
		}
		host, seed, err := net.SplitHostPort(c.Nodes[0].Addr)
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Do(ctx, "cluster", "meet", host, seed, buses[0]).Err(); err != nil {
			t.Fatalf("cluster meet: %v", err)
		}
	}
	for _, node := range c.Nodes {
		client := node.Client()
		Until(t, "the cluster", func() bool {
			info, err := client.ClusterInfo(ctx).Result()
			return err == nil && strings.Contains(info, "cluster_state:ok") &&
				strings.Contains(info, fmt.Sprintf("cluster_size:%d", nodes))
		})
	}
	return c
}

// URL is the cluster's address for a store.
func (c *Cluster) URL() string {
	addrs := make([]string, len(c.Nodes))
	for i, node := range c.Nodes {
		addrs[i] = node.Addr
	}
	return "redis+cluster://" + strings.Join(addrs, ",")
}

// A Slot is one that moves from the node that has it to another.
type Slot struct {
	from, to *redis.Client
	number   int
	source   string // ids of the nodes
	target   string
	host     string // of the target
	port     string
}

// Migrate marks the slot of a key as moving to another node, as the first step of resharding does. Its keys stay where
// they are until [Slot.Move].
func (c *Cluster) Migrate(t testing.TB, key string) *Slot {
	t.Helper()
	ctx := context.Background()
	s := &Slot{}
	nodes := make([]*redis.Client, len(c.Nodes))
	for i, node := range c.Nodes {
		nodes[i] = node.Client()
	}
	n, err := nodes[0].ClusterKeySlot(ctx, key).Result()
	if err != nil {
		t.Fatal(err)
	}
	s.number = int(n)
	from := 0
	for i := range nodes {
		if i*slots/len(nodes) <= s.number {
			from = i
		}
	}
	to := (from + 1) % len(nodes)
	s.from, s.to = nodes[from], nodes[to]
	if s.host, s.port, err = net.SplitHostPort(c.Nodes[to].Addr); err != nil {
		t.Fatal(err)
	}
	for client, id := range map[*redis.Client]*string{s.from: &s.source, s.to: &s.target} {
		if *id, err = client.Do(ctx, "cluster", "myid").Text(); err != nil {
			t.Fatal(err)
		}
	}
	s.do(t, s.to, "cluster", "setslot", s.number, "importing", s.source)
	s.do(t, s.from, "cluster", "setslot", s.number, "migrating", s.target)
	return s
}

func (s *Slot) do(t testing.TB, client *redis.Client, args ...any) {
	t.Helper()
	if err := client.Do(context.Background(), args...).Err(); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

// Move moves at most n of the slot's keys, and returns how many are left.
func (s *Slot) Move(t testing.TB, n int) int {
	t.Helper()
	keys, err := s.from.ClusterGetKeysInSlot(context.Background(), s.number, 1000).Result()
	if err != nil {
		t.Fatal(err)
	}
	n = min(n, len(keys))
	for _, key := range keys[:n] {
		s.do(t, s.from, "migrate", s.host, s.port, key, 0, 5000)
	}
	return len(keys) - n
}

// Finish makes the target the slot's node.
func (s *Slot) Finish(t testing.TB) {
	t.Helper()
	Until(t, "the slot is empty", func() bool { return s.Move(t, 1000) == 0 })
	s.do(t, s.to, "cluster", "setslot", s.number, "node", s.target)
	s.do(t, s.from, "cluster", "setslot", s.number, "node", s.target)
}
