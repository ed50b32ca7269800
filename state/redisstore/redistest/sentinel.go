package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// A Sentinel is a master, its replica and what watches over them.
type Sentinel struct {
	Master, Replica *Server

	watcher *Server
}

// masterName is what the sentinel calls the master.
const masterName = "agui"

// StartSentinel starts a master, a replica that has caught up with it, and a sentinel that knows both.
func StartSentinel(t testing.TB) *Sentinel {
	t.Helper()
	ctx := context.Background()
	s := &Sentinel{Master: Start(t, "--repl-diskless-sync-delay", "0")}
	host, port, err := net.SplitHostPort(s.Master.Addr)
	if err != nil {
		t.Fatal(err)
	}
	s.Replica = Start(t, "--replicaof", host+" "+port, "--repl-diskless-sync-delay", "0")
	replica := s.Replica.Client()
	Until(t, "the replica", func() bool {
		info, err := replica.Info(ctx, "replication").Result()
		return err == nil && strings.Contains(info, "master_link_status:up")
	})
	conf := filepath.Join(t.TempDir(), "sentinel.conf") // it is rewritten
	text := fmt.Sprintf("sentinel monitor %[1]s %[2]s %[3]s 1\nsentinel down-after-milliseconds %[1]s 500\nsentinel "+
		"failover-timeout %[1]s 5000\n", masterName, host, port)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.watcher = start(t, func(port int) []string { return []string{"--port", strconv.Itoa(port)} }, conf, "--sentinel")
	watch := redis.NewSentinelClient(&redis.Options{Addr: s.watcher.Addr})
	t.Cleanup(func() {
		if err := watch.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	Until(t, "the sentinel", func() bool {
		replicas, err := watch.Replicas(ctx, masterName).Result()
		return err == nil && len(replicas) == 1 && replicas[0]["master-link-status"] == "ok"
	})
	return s
}

// URL is the address of the set for a store.
func (s *Sentinel) URL() string { return "redis+sentinel://" + s.watcher.Addr + "/" + masterName }
