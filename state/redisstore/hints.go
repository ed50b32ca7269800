package redisstore

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// hintGrace is the age from which a hint without a thread is removed. A younger one may belong to a transition that
// is still being written.
const hintGrace = 10 * time.Second

// score returns t in an index. A double holds its microseconds exactly.
func score(t time.Time) float64 { return float64(t.UnixMicro()) }

// member joins texts with any content to an entry of an index.
func member(texts ...string) string {
	escaped := make([]string, len(texts))
	for i, text := range texts {
		escaped[i] = url.PathEscape(text)
	}
	return strings.Join(escaped, "/")
}

// parseMember reads the n texts of an entry.
func parseMember(entry string, n int) ([]string, bool) {
	texts := strings.Split(entry, "/")
	if len(texts) != n {
		return nil, false
	}
	for i, text := range texts {
		var err error
		if texts[i], err = url.PathUnescape(text); err != nil {
			return nil, false
		}
	}
	return texts, true
}

// liveMember names an attempt in the index of live runs, with its fence, so that the end of one attempt does not
// remove the entry of the next.
func liveMember(key state.Key, fence uint64) string {
	return member(key.Principal, key.Agent, key.ID, strconv.FormatUint(fence, 10))
}

func parseLiveMember(entry string) (state.Key, string, bool) {
	p, ok := parseMember(entry, 4)
	if !ok {
		return state.Key{}, "", false
	}
	return state.Key{Principal: p[0], Agent: p[1], ID: p[2]}, p[3], true
}

// indexMember names a thread in its principal's index.
func indexMember(key state.Key) string { return member(key.Agent, key.ID) }

func parseIndexMember(principal, entry string) (state.Key, bool) {
	p, ok := parseMember(entry, 2)
	if !ok {
		return state.Key{}, false
	}
	return state.Key{Principal: principal, Agent: p[0], ID: p[1]}, true
}

// announce writes the hints of a transition, and of the attempt that begins with it, before the transition. It
// fails with [state.ErrLater] if a later version has taken the store: then the transition must not follow.
func (s *backend) announce(ctx context.Context, t *state.Thread, begins bool) error {
	var record *redis.StringCmd
	err := s.together(ctx, func(ctx context.Context, p redis.Pipeliner) {
		s.hintIndex(ctx, p, t, s.o.ThreadTTL)
		s.expectWrite(ctx, p, t.Key)
		if begins {
			key := s.liveKey(hashTagOf(t.Key).shard(liveShards))
			p.ZAdd(ctx, key, redis.Z{Score: score(t.Live.Until), Member: liveMember(t.Key, t.Fence)})
		}
		// It is last, because the first error counts, and there may be no record yet.
		record = p.GetEx(ctx, s.formatKey(), s.o.ThreadTTL+grace)
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	return s.formatOf(record)
}

// hintIndex writes the index and name hints of a thread, with their expiry.
func (s *backend) hintIndex(ctx context.Context, p redis.Pipeliner, t *state.Thread, keep time.Duration) {
	index := s.indexKey(t.Key.Principal, hashTagOf(t.Key).shard(indexShards))
	names := s.nameKey(t.Key.Principal, t.Key.ID)
	p.ZAdd(ctx, index, redis.Z{Score: score(t.UpdatedAt), Member: indexMember(t.Key)})
	p.ZAdd(ctx, names, redis.Z{Score: score(t.UpdatedAt), Member: t.Key.Agent})
	for _, key := range []string{index, names} { // not less than other threads need
		p.ExpireNX(ctx, key, keep+grace)
		p.ExpireGT(ctx, key, keep+grace)
	}
}

// hint runs commands that only update indices. A failure is repaired by the next reader. The transition is written
// already, so neither its context nor its error matters.
func (s *backend) hint(ctx context.Context, commands func(ctx context.Context, p redis.Pipeliner)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.timeout/2)
	defer cancel()
	if err := s.together(ctx, commands); err != nil {
		s.o.Logger.DebugContext(ctx, "an index was not written", slog.Any("error", err))
	}
}

// liveScript is a ZADD in a batch of scripts, because there is one for each renewal of a lease.
var liveScript = script{Script: redis.NewScript("return redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])")}

// hintLive writes the end of an attempt's lease to the index of live runs.
func (s *backend) hintLive(ctx context.Context, key state.Key, fence uint64, until time.Time) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.timeout/2)
	defer cancel()
	index := s.liveKey(hashTagOf(key).shard(liveShards))
	_, err := s.batchOn(ctx, liveScript, []string{index}, args{score(until), liveMember(key, fence)}, 0)
	if err != nil {
		s.o.Logger.DebugContext(ctx, "an index was not written", slog.Any("error", err))
	}
}

// unlistLive removes an ended attempt from the index of live runs.
func (s *backend) unlistLive(ctx context.Context, key state.Key, fence uint64) {
	s.hint(ctx, func(ctx context.Context, p redis.Pipeliner) {
		p.ZRem(ctx, s.liveKey(hashTagOf(key).shard(liveShards)), liveMember(key, fence))
	})
}

// retire writes the hints of a thread without a live run.
func (s *backend) retire(ctx context.Context, w *store.Write) {
	t := w.Transition.Thread
	s.hint(ctx, func(ctx context.Context, p redis.Pipeliner) {
		if w.Lease != nil {
			p.ZRem(ctx, s.liveKey(hashTagOf(t.Key).shard(liveShards)), liveMember(t.Key, w.Lease.Fence))
		}
		s.hintIndex(ctx, p, t, s.keepFor(w))
	})
}

// sweepIndex removes expired threads from a principal's indices. It reads the oldest entries. A young hint without
// a thread stays: its thread is being written.
func (s *backend) sweepIndex(ctx context.Context, principal string) {
	const few = 32
	for shard := range indexShards {
		oldest, err := s.main.ZRangeWithScores(ctx, s.indexKey(principal, shard), 0, few-1).Result()
		if err != nil {
			return
		}
		var keys []state.Key
		var scores []float64
		for _, z := range oldest {
			text, _ := z.Member.(string)
			if key, ok := parseIndexMember(principal, text); ok {
				keys, scores = append(keys, key), append(scores, z.Score)
			}
		}
		looks, err := s.readSummaries(ctx, keys)
		if err != nil {
			return
		}
		for i, l := range looks {
			if l.stale(scores[i]) {
				s.unlist(ctx, l.key, scores[i])
			}
		}
	}
}

// unlist removes a thread from the indices, except entries with a score above upTo: those belong to a newer thread.
func (s *backend) unlist(ctx context.Context, key state.Key, upTo float64) {
	limit := strconv.FormatFloat(upTo, 'f', 0, 64)
	s.hint(ctx, func(ctx context.Context, p redis.Pipeliner) {
		for shard := range indexShards { // in any shard
			unlistScript.Eval(ctx, p, []string{s.indexKey(key.Principal, shard)}, indexMember(key), limit)
		}
		unlistScript.Eval(ctx, p, []string{s.nameKey(key.Principal, key.ID)}, key.Agent, limit)
	})
}
