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

// An Inspection describes a Redis. Fields that it does not report, for instance for lack of rights, are empty.
type Inspection struct {
	// Nodes are the masters of a cluster, or the one node that there is.
	Nodes []Node
	// Cluster is the state of a cluster as it reports it, "ok" or "fail"; empty without a cluster.
	Cluster string
	// Sentinels is the number of named sentinels; 0 without sentinels.
	Sentinels int
	// Format is the format of the store's record, which may be another than [state.CurrentFormat]; zero without a
	// record.
	Format state.Format
	// RoundTrip is the shortest of several exchanges.
	RoundTrip time.Duration
	// Ahead is how far the clock of the Redis is ahead of this machine's, within half a round trip; negative if it
	// is behind.
	Ahead time.Duration
}

// A Node is one server of a Redis.
type Node struct {
	Address string
	Version string // such as 7.0.15
	Role    string // master or slave
	// Policy is its maxmemory-policy. Any other than noeviction removes parts of threads when the memory is full.
	Policy string
	// Memory is the number of used bytes, and MaxMemory the limit; 0 is no limit.
	Memory, MaxMemory int64
	// AppendOnly and Snapshots say whether it writes each command to a disk, or everything from time to time.
	AppendOnly, Snapshots bool
	// Reported is true if the node has reported the fields above. Snapshots is known only with PersistenceReported,
	// because it is a setting.
	Reported, PersistenceReported bool
	// SaveFailed says that its last write to the disk failed.
	SaveFailed bool
	Replicas   int
	// MinReplicas is the number of replicas that a write needs; -1 is unknown.
	MinReplicas int
}

// Inspect reads the kind and the settings of the Redis at an address, and changes nothing in it. The address and
// the errors are those of [Open]; [ReasonOf] classifies an error. The format of a later version is no error: see
// [Inspection.Format].
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

// measureClock reads the time several times. The fastest answer is the most exact one.
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

// inspectNode reads the settings of one server. Refused ones stay empty.
func inspectNode(ctx context.Context, node *redis.Client) Node {
	n := Node{Address: node.Options().Addr, MinReplicas: -1}
	info, err := node.Info(ctx).Result()
	if err != nil {
		return n
	}
	f := infoFields(info)
	n.Reported, n.Version = true, cmp.Or(f["valkey_version"], f["redis_version"])
	n.Role, n.Policy = f["role"], f["maxmemory_policy"]
	n.Memory, n.MaxMemory = wholeNumber(f["used_memory"]), wholeNumber(f["maxmemory"])
	n.Replicas = int(wholeNumber(f["connected_slaves"]))
	n.AppendOnly = f["aof_enabled"] == "1"
	n.SaveFailed = f["rdb_last_bgsave_status"] == "err" || f["aof_last_write_status"] == "err"
	if set, err := node.ConfigGet(ctx, "save").Result(); err == nil { // hosted services refuse it
		n.PersistenceReported, n.Snapshots = true, set["save"] != ""
	}
	if set, err := node.ConfigGet(ctx, "min-replicas-to-write").Result(); err == nil && len(set) > 0 {
		n.MinReplicas = int(wholeNumber(set["min-replicas-to-write"]))
	}
	return n
}

// infoFields parses the lines name:value of an answer.
func infoFields(info string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			fields[name] = value
		}
	}
	return fields
}

// wholeNumber parses a number; 0 for other texts.
func wholeNumber(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

var agreesScript = newScript(source("agrees"), partThread, partLog)

// A Disagreement is a difference between a thread and its log: the Redis has lost a part of one of them, or another
// program has changed it.
type Disagreement struct {
	Tag    string // the hash tag of the thread's keys
	Log    string // the newest frame of the log
	Thread string // the newest frame by the thread
	Live   bool   // a run is live by the thread
}

// CompareLogs compares threads with their logs, at most so many on each node, and changes nothing. It returns the
// number of compared threads and the disagreements. The address and the errors are those of [Open].
func CompareLogs(
	ctx context.Context, address string, o Options, most int,
) (compared int, wrong []Disagreement, err error) {
	where, err := parseURL(address)
	if err != nil {
		return 0, nil, err
	}
	s := &backend{o: o.withDefaults()}
	s.main = newClient(where, s.o)
	var mu sync.Mutex
	err = s.eachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		n, found, err := s.compareNode(ctx, node, most)
		mu.Lock()
		defer mu.Unlock()
		compared, wrong = compared+n, append(wrong, found...)
		return err
	})
	return compared, wrong, errors.Join(err, s.main.Close())
}

// globs escapes the special characters of a pattern.
var globs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`)

func (s *backend) compareNode(
	ctx context.Context, node *redis.Client, most int,
) (n int, wrong []Disagreement, err error) {
	threads := node.Scan(ctx, 0, globs.Replace(s.o.Prefix)+":{*}:"+string(partThread), 500).Iterator()
	for ; n < most && threads.Next(ctx); n++ {
		h := hashTag(threads.Val()[len(s.o.Prefix)+2 : len(threads.Val())-len("}:")-len(partThread)])
		r, err := s.run(ctx, agreesScript, h, args{})
		if err != nil {
			return n, wrong, err
		}
		if r.text(0) != didIt {
			d := Disagreement{Tag: string(h), Log: r.text(1), Thread: r.text(2), Live: r.number(3) == 1}
			wrong = append(wrong, d)
		}
	}
	if err := threads.Err(); err != nil {
		return n, wrong, fmt.Errorf("redisstore: %w", err)
	}
	return n, wrong, nil
}
