package redisstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// An Inspection is what a Redis says of itself. What it does not say, for instance because the user may not ask, is empty.
type Inspection struct {
	// Nodes are the masters of a cluster, or the one node that there is.
	Nodes []Node
	// Cluster is the state of a cluster by its own word, "ok" or "fail"; empty if it is none.
	Cluster string
	// Sentinels is how many sentinels were named; 0 if the Redis is not found by any.
	Sentinels int
	// Format is the format of the store's record, which may be another than [state.CurrentFormat]; zero without a record.
	Format state.Format
	// RoundTrip is the shortest of several exchanges.
	RoundTrip time.Duration
	// Ahead is by how much the clock of the Redis is ahead of this machine's, give or take half a round trip; negative if it is behind.
	Ahead time.Duration
}

// A Node is one server of a Redis.
type Node struct {
	Address string
	Version string // such as 7.0.15
	Role    string // master or slave
	// Policy is its maxmemory-policy: what it does when it is full. Any other than noeviction removes parts of threads.
	Policy string
	// Memory is how many bytes it uses, and MaxMemory how many it may; 0 is any number.
	Memory, MaxMemory int64
	// AppendOnly and Snapshots say whether it writes what it has to a disk: each command, or everything from time to time.
	AppendOnly, Snapshots bool
	// Told says that the node has told the fields above. Snapshots is known only if PersistenceTold, because it is a setting.
	Told, PersistenceTold bool
	// SaveFailed says that the last time it wrote to its disk failed.
	SaveFailed bool
	Replicas   int
	// MinReplicas is how many of them have to follow for a write to be taken; -1 is not known.
	MinReplicas int
}

// Inspect asks the Redis at an address what it is and how it is set up, and changes nothing in it. The address and the errors are those of
// [Open]; [ReasonOf] says what an error means. The format of a later version is no error: see [Inspection.Format].
func Inspect(ctx context.Context, address string, o Options) (*Inspection, error) {
	where, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	s := &backend{o: o.withDefaults()}
	s.main = newClient(where, s.o)
	in := &Inspection{}
	if where.MasterName != "" {
		in.Sentinels = len(where.Addrs)
	}
	return in, errors.Join(s.inspect(ctx, in), s.main.Close())
}

func (s *backend) inspect(ctx context.Context, in *Inspection) error {
	if err := s.main.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("redisstore: %w", err)
	}
	if err := s.measureClock(ctx, in); err != nil {
		return fmt.Errorf("redisstore: %w", err)
	}
	record, err := s.main.Get(ctx, s.formatKey()).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("redisstore: %w", err)
	}
	if in.Format, err = s.checkFormat(record); err != nil && !errors.Is(err, state.ErrLater) {
		return err
	}
	if c, ok := s.main.(*redis.ClusterClient); ok {
		if info, failed := c.ClusterInfo(ctx).Result(); failed == nil {
			in.Cluster = infoFields(info)["cluster_state"]
		}
	}
	var mu sync.Mutex
	ask := func(ctx context.Context, node *redis.Client) error {
		n := inspectNode(ctx, node)
		mu.Lock()
		defer mu.Unlock()
		in.Nodes = append(in.Nodes, n)
		return nil
	}
	if err := s.eachMaster(ctx, ask); err != nil {
		return fmt.Errorf("redisstore: %w", err)
	}
	return nil
}

// measureClock asks several times what time it is. The answer that came soonest says most.
func (s *backend) measureClock(ctx context.Context, in *Inspection) error {
	const times = 5
	for range times {
		asked := time.Now()
		told, err := s.main.Time(ctx).Result()
		if err != nil {
			return err
		}
		took := time.Since(asked)
		if in.RoundTrip == 0 || took < in.RoundTrip {
			in.RoundTrip, in.Ahead = took, told.Sub(asked.Add(took/2))
		}
	}
	return nil
}

// inspectNode asks one server about itself. What it refuses to say stays empty.
func inspectNode(ctx context.Context, node *redis.Client) Node {
	n := Node{Address: node.Options().Addr, MinReplicas: -1}
	info, err := node.Info(ctx).Result()
	if err != nil {
		return n
	}
	f := infoFields(info)
	n.Told, n.Version, n.Role, n.Policy = true, cmp.Or(f["valkey_version"], f["redis_version"]), f["role"], f["maxmemory_policy"]
	n.Memory, n.MaxMemory = wholeNumber(f["used_memory"]), wholeNumber(f["maxmemory"])
	n.Replicas = int(wholeNumber(f["connected_slaves"]))
	n.AppendOnly = f["aof_enabled"] == "1"
	n.SaveFailed = f["rdb_last_bgsave_status"] == "err" || f["aof_last_write_status"] == "err"
	if set, err := node.ConfigGet(ctx, "save").Result(); err == nil { // services that run a Redis for others refuse it
		n.PersistenceTold, n.Snapshots = true, set["save"] != ""
	}
	if set, err := node.ConfigGet(ctx, "min-replicas-to-write").Result(); err == nil && len(set) > 0 {
		n.MinReplicas = int(wholeNumber(set["min-replicas-to-write"]))
	}
	return n
}

// infoFields are the lines name:value of an answer.
func infoFields(info string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			fields[name] = value
		}
	}
	return fields
}

// wholeNumber is 0 for a text that is none.
func wholeNumber(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
