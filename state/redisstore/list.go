package redisstore

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// maxLook is the most threads of one round trip: their documents are in memory at once.
const maxLook = 1000

// Index yields the threads of a principal; see [store.Backend]. It follows the index. A thread with an outdated
// entry comes where it was found, and the entry is corrected for the next time.
func (s *backend) Index(ctx context.Context, q store.IndexQuery) iter.Seq2[store.IndexEntry, error] {
	return func(yield func(store.IndexEntry, error) bool) {
		l := &indexScan{backend: s, yield: yield, count: q.Count, left: cmp.Or(q.Most, math.MaxInt)}
		defer func() { s.repairIndex(ctx, l.wrong) }()
		// A shard has a fourth of the threads. If all of them may be needed, a third each is enough for one round trip.
		for count := max(q.Count, min(q.Most, maxLook)/3); ; {
			entries, horizon, all, err := s.entries(ctx, q, count)
			if err != nil {
				yield(store.IndexEntry{}, err)
				return
			}
			if !l.at(ctx, entries) || all {
				return
			}
			switch {
			case len(entries) > 0:
				q.From = &entries[len(entries)-1].at
			case q.From == nil || horizon.Before(q.From.UpdatedAt):
				q.From = &state.Cursor{UpdatedAt: horizon} // only threads of other agents
			default:
				count *= 2 // only threads of one moment
			}
		}
	}
}

// An indexScan scans an index.
type indexScan struct {
	*backend

	yield func(store.IndexEntry, error) bool
	count int // the number of threads of the next read
	left  int // the most threads that are still wanted
	wrong []wrongEntry
}

// at yields the threads of entries, and reports whether to continue. It reads as many as are wanted, and then more
// each time, so that a search for few among many needs few round trips.
func (l *indexScan) at(ctx context.Context, entries []entry) bool {
	for len(entries) > 0 {
		n := min(len(entries), l.count, max(l.left, 1))
		keys := make([]state.Key, n)
		for i, e := range entries[:n] {
			keys[i] = e.key
		}
		reads, err := l.readSummaries(ctx, keys)
		if err != nil {
			l.yield(store.IndexEntry{}, err)
			return false
		}
		for i, e := range entries[:n] {
			shown := reads[i].summary()
			wrong := e.wrong(shown, reads[i].clock.now)
			if wrong && shown == nil {
				l.wrong = append(l.wrong, wrongEntry{e, nil})
			}
			if shown == nil {
				continue
			}
			if shown.UpdatedAt.IsZero() { // its document cannot be read, and the index has the time of its change
				shown.CreatedAt, shown.UpdatedAt = e.at.UpdatedAt, e.at.UpdatedAt
			}
			l.left--
			if !l.yield(store.IndexEntry{At: e.at, Summary: *shown}, nil) {
				return false // it is on the next page, which begins at the place in the index
			}
			if wrong {
				l.wrong = append(l.wrong, wrongEntry{e, shown})
			}
		}
		entries, l.count = entries[n:], min(4*l.count, maxLook)
	}
	return true
}

// An entry is a thread at its place in the index.
type entry struct {
	key state.Key
	at  state.Cursor
}

// A wrongEntry is one with the present thread; nil if it is gone.
type wrongEntry struct {
	entry
	is *state.Summary
}

// wrong reports whether the index has to be corrected.
func (e entry) wrong(is *state.Summary, now time.Time) bool {
	if is == nil {
		return e.at.UpdatedAt.Before(now.Add(-hintGrace))
	}
	return e.at.UpdatedAt.UnixMicro() < is.UpdatedAt.UnixMicro()
}

// entries returns the entries of the index after from, newest first, down to a horizon. At the horizon and before
// it a shard may have more entries than were read. All: there are no more.
func (s *backend) entries(ctx context.Context, q store.IndexQuery, count int) ([]entry, time.Time, bool, error) {
	newest := "+inf"
	if q.From != nil {
		newest = strconv.FormatInt(q.From.UpdatedAt.UnixMicro(), 10)
	}
	p := s.main.Pipeline()
	var shards [indexShards]*redis.ZSliceCmd
	for i := range shards {
		by := &redis.ZRangeBy{Min: "-inf", Max: newest, Count: int64(count)}
		shards[i] = p.ZRevRangeByScoreWithScores(ctx, s.indexKey(q.Principal, i), by)
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, time.Time{}, false, fmt.Errorf("redisstore: %w", err)
	}
	all, end := true, int64(0)
	for _, shard := range shards {
		if found := shard.Val(); len(found) == count {
			all, end = false, max(end, int64(found[count-1].Score))
		}
	}
	var list []entry
	for _, shard := range shards {
		for _, z := range shard.Val() {
			if !all && int64(z.Score) <= end {
				break
			}
			text, _ := z.Member.(string)
			key, ok := parseIndexMember(q.Principal, text)
			at := state.Cursor{UpdatedAt: time.UnixMicro(int64(z.Score)).UTC(), Agent: key.Agent, ID: key.ID}
			if ok && (q.Agent == "" || q.Agent == key.Agent) && (q.From == nil || at.Compare(*q.From) > 0) {
				list = append(list, entry{key: key, at: at})
			}
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return a.at.Compare(b.at) })
	return list, time.UnixMicro(end).UTC(), all, nil
}

// repairIndex corrects entries.
func (s *backend) repairIndex(ctx context.Context, wrong []wrongEntry) {
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
