package redisstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// ErrReplicas is returned if too few replicas had a write in time. A failover may lose or keep it.
var ErrReplicas = errors.New("redisstore: too few replicas have the write")

// replicatedScript writes to a thread that has a tag. WAIT covers the last write of its connection and all earlier
// writes on the same server. The tag proves that this server has the transition: a master after a failover may lack it.
var replicatedScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'tag') ~= ARGV[1] then return 'conflict' end
redis.call('HSET', KEYS[1], 'waited', ARGV[1])
return 'done'`)

// Replicated returns when Options.Wait replicas have the transition that left a tag; see [store.Replicator].
func (s *backend) Replicated(ctx context.Context, key state.Key, tag string) error {
	if s.o.Wait <= 0 {
		return nil
	}
	thread, node := s.key(hashTagOf(key), partThread), s.main
	if cluster, ok := s.main.(*redis.ClusterClient); ok {
		master, err := cluster.MasterForKey(ctx, thread)
		if err != nil {
			return fmt.Errorf("redisstore: %w", err)
		}
		node = master
	}
	p := node.Pipeline() // both on one connection
	answer := replicatedScript.Eval(ctx, p, []string{thread}, tag)
	wait := p.Do(ctx, "WAIT", s.o.Wait, (s.o.timeout / 2).Milliseconds())
	_, err := p.Exec(ctx)
	have, _ := wait.Int() // its error is that of the pipeline
	switch {
	case err != nil:
		return fmt.Errorf("redisstore: %w", err)
	case answer.Val() == conflict:
		return store.ErrConflict
	case have < s.o.Wait:
		return fmt.Errorf("%w: %d of %d", ErrReplicas, have, s.o.Wait)
	}
	return nil
}
