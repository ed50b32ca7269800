package redistest

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
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
		buses[i] = FreePort(t)
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
		host, port, err := net.SplitHostPort(c.Nodes[0].Addr)
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Do(ctx, "cluster", "meet", host, port, buses[0]).Err(); err != nil {
			t.Fatalf("cluster meet: %v", err)
		}
	}
	for _, node := range c.Nodes {
		client := node.Client()
		Until(t, "the cluster", func() bool {
			info, err := client.ClusterInfo(ctx).Result()
			return err == nil && strings.Contains(info, "cluster_state:ok") && strings.Contains(info, fmt.Sprintf("cluster_size:%d", nodes))
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
