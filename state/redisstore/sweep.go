package redisstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// A candidate is an entry of the index of live runs.
type candidate struct {
	key    state.Key
	fence  string
	shard  string
	member string
}

// Overdue returns threads with a run and no lease; see [store.Backend]. It corrects wrong entries of the index. It
// fails with [state.ErrLater] if a later version has taken the store, which owns the runs then.
func (s *backend) Overdue(ctx context.Context, limit int) ([]state.Key, error) {
	now, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.candidates(ctx, strconv.FormatInt(now.UnixMicro(), 10), limit)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	named := make([]state.Key, len(found))
	for i, c := range found {
		named[i] = c.key
	}
	threads, err := s.readFields(ctx, named, "fence", "live", "until")
	if err != nil {
		return nil, err
	}
	var keys []state.Key
	s.hint(ctx, func(ctx context.Context, p redis.Pipeliner) {
		for i, c := range found {
			is := threads[i]
			until := parseMoment(is.text(2))
			switch {
			case is.err != nil: // a node that is down does not hide the runs of the others
			case is.text(0) != c.fence || is.text(1) == "":
				// Entries are written before their run begins, so only one with a deadline more than hintGrace ago
				// may be removed.
				old, err := s.main.ZScore(ctx, c.shard, c.member).Result()
				if err == nil && score(is.clock.now.Add(-hintGrace)) > old {
					p.ZRem(ctx, c.shard, c.member)
				}
			case until.After(is.clock.now):
				p.ZAdd(ctx, c.shard, redis.Z{Score: score(until), Member: c.member})
			case limit <= 0 || len(keys) < limit:
				keys = append(keys, c.key)
			}
		}
	})
	return keys, nil
}

// candidates reads the due entries of all shards. It begins with a random shard, so that replicas that read at the
// same time do not all try the same runs.
func (s *backend) candidates(ctx context.Context, due string, limit int) ([]*candidate, error) {
	by := &redis.ZRangeBy{Min: "-inf", Max: due}
	if limit > 0 {
		by.Count = int64(limit) + 16 // some may be wrong
	}
	p := s.main.Pipeline()
	var shards [liveShards]*redis.StringSliceCmd
	for i := range shards {
		shards[i] = p.ZRangeByScore(ctx, s.liveKey(i), by)
	}
	record := p.Get(ctx, s.formatKey())
	_, err := p.Exec(ctx)
	if err != nil && !slices.ContainsFunc(shards[:], func(c *redis.StringSliceCmd) bool { return c.Err() == nil }) {
		return nil, fmt.Errorf("redisstore: %w", err)
	}
	if err := s.formatOf(record); err != nil {
		return nil, err
	}
	var found []*candidate
	for first, n := rand.IntN(liveShards), 0; n < liveShards; n++ {
		i := (first + n) % liveShards
		for _, member := range shards[i].Val() {
			key, fence, ok := parseLiveMember(member)
			if !ok {
				fence = "0" // of no attempt: it is removed
			}
			found = append(found, &candidate{key: key, fence: fence, shard: s.liveKey(i), member: member})
		}
	}
	return found, nil
}
