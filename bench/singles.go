package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// singles measures what single commands cost: one that writes an entry of an index, and a signal, at the shards that
// only pass it on.
func (s *simulation) singles(ctx context.Context, units map[string]float64) error {
	const commands = 20_000
	client := clientOf(s.shards[0].client.Options().Addr, 16)
	defer func() { _ = client.Close() }() // nothing is left on its way
	key := "bench"
	for n := 0; client.ZCard(ctx, key).Err() != nil; n++ { // until it is this shard's
		key = fmt.Sprintf("bench%d", n)
	}
	used := func(shard int, do func(n int) error) (float64, error) {
		before, err := s.shards[shard].usage(ctx)
		if err != nil {
			return 0, err
		}
		err = together(commands, do)
		after, usageErr := s.shards[shard].usage(ctx)
		return (after.cpu - before.cpu) / commands, errors.Join(err, usageErr)
	}
	var err error
	units["redisHint"], err = used(0, func(n int) error {
		return client.ZAdd(ctx, key,
			redis.Z{Score: float64(n), Member: fmt.Sprintf("caller/agent/7f0c9b2e-5a41-4c38-9d27-%d/1", n)}).Err()
	})
	if err != nil {
		return err
	}
	bytes, err := client.MemoryUsage(ctx, key).Result()
	if err != nil {
		return err
	}
	units["bytesEntry"] = float64(bytes) / commands
	units["redisSignal"], err = used(1,
		func(n int) error { return client.Publish(ctx, "agui:sig:bench", "7f0c9b2e5a414c389d27 1 stop").Err() })
	return errors.Join(err, client.Del(ctx, key).Err())
}
