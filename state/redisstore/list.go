package redisstore

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// Index yields the threads of a principal; see [state.Backend]. It goes by the index; a thread that turns out to be
// elsewhere comes where it was found, and stands in the right place the next time.
func (s *backend) Index(ctx context.Context, q state.IndexQuery) iter.Seq2[state.IndexEntry, error] {
	return func(yield func(state.IndexEntry, error) bool) {
		var wrong []entry
		defer func() { s.repairIndex(ctx, wrong) }()
		for count := q.Count; ; {
			entries, horizon, all, err := s.entries(ctx, q, count)
			if err != nil {
				yield(state.IndexEntry{}, err)
				return
			}
			keys := make([]state.Key, len(entries))
			for i, e := range entries {
				keys[i] = e.key
			}
			looks, err := s.readSummaries(ctx, keys)
			if err != nil {
				yield(state.IndexEntry{}, err)
				return
			}
			for i, e := range entries {
				shown := looks[i].summary()
				if e.wrong(shown, looks[i].now) {
					e.is = shown
					wrong = append(wrong, e)
				}
				if shown != nil && !yield(state.IndexEntry{At: e.at, Summary: *shown}, nil) {
					return
				}
			}
			switch {
			case all:
				return
			case len(entries) > 0:
				q.From = &entries[len(entries)-1].at
			case q.From == nil || horizon.Before(q.From.UpdatedAt):
				q.From = &state.Cursor{UpdatedAt: horizon} // nothing but other agents' threads
			default:
				count *= 2 // nothing but threads of one moment
			}
		}
	}
}

// An entry is a thread where the index has it.
type entry struct {
	key state.Key
	at  state.Cursor
	is  *state.Summary // if the entry is wrong: the thread, nil if it is gone
}

// wrong reports whether the index has to be put right.
func (e entry) wrong(is *state.Summary, now time.Time) bool {
	if is == nil {
		return e.at.UpdatedAt.Before(now.Add(-hintGrace))
	}
	return e.at.UpdatedAt.UnixMicro() < is.UpdatedAt.UnixMicro()
}

// entries returns what the index has behind from, newest first, down to a horizon: of that moment, and of what is
// older, a shard may have more than was read. All: there is no more.
func (s *backend) entries(ctx context.Context, q state.IndexQuery, count int) ([]entry, time.Time, bool, error) {
	newest := "+inf"
	if q.From != nil {
		newest = strconv.FormatInt(q.From.UpdatedAt.UnixMicro(), 10)
	}
	p := s.main.Pipeline()
	var shards [indexShards]*redis.ZSliceCmd
	for i := range shards {
		shards[i] = p.ZRevRangeByScoreWithScores(ctx, s.indexKey(q.Principal, i), &redis.ZRangeBy{Min: "-inf", Max: newest, Count: int64(count)})
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, time.Time{}, false, fmt.Errorf("redisstore: %w", err)
	}
	all := true
	var entries []entry
	var horizon time.Time
	for _, shard := range shards {
		found := shard.Val()
		for _, z := range found {
			text, _ := z.Member.(string)
			key, ok := parseIndexMember(q.Principal, text)
			at := state.Cursor{UpdatedAt: time.UnixMicro(int64(z.Score)).UTC(), Agent: key.Agent, ID: key.ID}
			if ok && (q.Agent == "" || q.Agent == key.Agent) && (q.From == nil || at.Compare(*q.From) > 0) {
				entries = append(entries, entry{key: key, at: at})
			}
		}
		if len(found) == count {
			all = false
			if end := time.UnixMicro(int64(found[count-1].Score)).UTC(); horizon.Before(end) {
				horizon = end
			}
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return a.at.Compare(b.at) })
	if !all {
		entries = slices.DeleteFunc(entries, func(e entry) bool { return !e.at.UpdatedAt.After(horizon) })
	}
	return entries, horizon, all, nil
}

// repairIndex puts entries right.
func (s *backend) repairIndex(ctx context.Context, wrong []entry) {
	for _, e := range wrong {
		if e.is == nil {
			s.unlist(ctx, e.key, score(e.at.UpdatedAt))
			continue
		}
		s.hint(ctx, func(ctx context.Context, p redis.Pipeliner) {
			s.hintIndex(ctx, p, &state.Thread{Key: e.key, UpdatedAt: e.is.UpdatedAt}, s.o.ThreadTTL)
		})
	}
}
