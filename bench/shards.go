package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/agui-gateway/gateway/internal/port"
)

// A shard is one master of a Redis Cluster, and a connection to it that asks what it has used.
type shard struct {
	process *process
	bus     *port.Reservation // where the masters speak to each other
	client  *redis.Client
}

// startShards starts the masters of a Redis Cluster, each with as many slots as the others, and waits until they know
// of each other. The caller stops the returned shards, also with an error.
func startShards(ctx context.Context, dir string, n int) (shards []*shard, err error) {
	var seed []any // where the first is met
	for i := range n {
		reserved, err := port.Reserve()
		if err != nil {
			return shards, err
		}
		bus := strconv.Itoa(reserved.Port())
		p, err := startRedis(ctx, dir, "--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-config-file",
			fmt.Sprintf("nodes-%d.conf", i),
			"--appenddirname", fmt.Sprintf("aof-%d", i))
		if err != nil {
			return shards, errors.Join(err, reserved.Close())
		}
		addr := strings.TrimPrefix(p.url, "redis://")
		s := &shard{process: p, bus: reserved, client: clientOf(addr, 1)}
		shards = append(shards, s)
		const slots = 16384
		err = errors.Join(s.client.Do(ctx, "cluster", "set-config-epoch", i+1).Err(),
			s.client.ClusterAddSlotsRange(ctx, i*slots/n, (i+1)*slots/n-1).Err())
		if i == 0 {
			host, number, _ := strings.Cut(addr, ":")
			seed = []any{"cluster", "meet", host, number, bus}
		} else {
			err = errors.Join(err, s.client.Do(ctx, seed...).Err())
		}
		if err != nil {
			return shards, err
		}
	}
	for _, s := range shards {
		for known := false; !known; time.Sleep(20 * time.Millisecond) {
			info, err := s.client.ClusterInfo(ctx).Result() // ctx ends the loop, if nothing else does
			if err != nil {
				return shards, err
			}
			known = strings.Contains(info, "cluster_state:ok") &&
				strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d", n))
		}
	}
	return shards, nil
}

func clientOf(addr string, connections int) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: addr, PoolSize: connections,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

func (s *shard) stop() error { return errors.Join(s.client.Close(), s.process.stop(), s.bus.Close()) }

// A shardUsage is what a shard has used so far, and what it has now.
type shardUsage struct {
	cpu, commands, in, out    float64 // microseconds, number, bytes
	keys, memory, connections float64 // now; memory without that of connections, connections without ours
}

// usage asks the shard for its account.
func (s *shard) usage(ctx context.Context) (u shardUsage, err error) {
	fields := map[string]float64{}
	for _, section := range []string{"cpu", "stats", "memory", "clients", "persistence"} {
		info, err := s.client.Info(ctx, section).Result()
		if err != nil {
			return u, err
		}
		for line := range strings.Lines(info) {
			name, text, _ := strings.Cut(strings.TrimSpace(line), ":")
			if value, err := strconv.ParseFloat(text, 64); err == nil {
				fields[name] = value
			}
		}
	}
	keys, err := s.client.DBSize(ctx).Result()
	return shardUsage{
		cpu:      1e6 * (fields["used_cpu_user"] + fields["used_cpu_sys"]),
		commands: fields["total_commands_processed"],
		in:       fields["total_net_input_bytes"], out: fields["total_net_output_bytes"],
		keys: float64(keys), memory: fields["used_memory"] - fields["mem_clients_normal"] - fields["mem_aof_buffer"],
		connections: fields["connected_clients"] - 1,
	}, err
}

// packs is how many bytes the packed logs of all shards take.
func (s *simulation) packs(ctx context.Context) (bytes float64, err error) {
	for _, one := range s.shards {
		for cursor := uint64(0); ; {
			keys, next, err := one.client.Scan(ctx, cursor, "*}:packs", 1000).Result()
			if err != nil {
				return 0, err
			}
			sizes, err := one.client.Pipelined(ctx, func(p redis.Pipeliner) error {
				for _, key := range keys {
					p.MemoryUsage(ctx, key, 0)
				}
				return nil
			})
			if err != nil {
				return 0, err
			}
			for _, size := range sizes {
				if size, ok := size.(*redis.IntCmd); ok {
					bytes += float64(size.Val())
				}
			}
			if cursor = next; cursor == 0 {
				break
			}
		}
	}
	return bytes, nil
}
