package ledger_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/ledger"
)

var start = time.Unix(1_800_000_000, 0)

// at is a moment of the tests; 0 is none.
func at(n int) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return start.Add(time.Duration(n) * time.Second)
}

// first is what the books should say, by looking at all threads.
func first(threads map[state.Key]ledger.Thread, now time.Time, spared state.Key) (by time.Time, log, ok bool) {
	var logs, idle, asking []time.Time
	for _, t := range threads {
		if !t.LogEnd.IsZero() {
			logs = append(logs, t.LogEnd)
		}
		switch {
		case t.Live || t.Key == spared:
		case t.Asks.After(now):
			asking = append(asking, t.Asks)
		default:
			idle = append(idle, t.Used)
		}
	}
	for i, list := range [][]time.Time{logs, idle, asking} {
		if len(list) > 0 {
			return slices.MinFunc(list, time.Time.Compare), i == 0, true
		}
	}
	return time.Time{}, false, false
}

// TestTheBooksAreRight compares the books with a sum over all threads, whatever happens to them.
func TestTheBooksAreRight(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		books, threads, other := ledger.New(), map[state.Key]ledger.Thread{}, int64(0)
		key := rapid.Custom(func(t *rapid.T) state.Key {
			return state.Key{Principal: rapid.SampledFrom([]string{"ada", "bob"}).Draw(t, "principal"), ID: strconv.Itoa(rapid.IntRange(0, 9).Draw(t, "id"))}
		})
		moment := rapid.IntRange(0, 20)
		now := 0
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				n := ledger.Thread{
					Key: key.Draw(t, "key"), Size: rapid.Int64Range(0, 100).Draw(t, "size"), LogEnd: at(moment.Draw(t, "log")),
					Used: at(1 + moment.Draw(t, "used")), Asks: at(moment.Draw(t, "asks")), Live: rapid.Bool().Draw(t, "live"),
				}
				books.Put(n)
				threads[n.Key] = n
			},
			"grow": func(t *rapid.T) {
				k, n := key.Draw(t, "key"), rapid.Int64Range(-50, 50).Draw(t, "n")
				books.Grow(k, n)
				if known, ok := threads[k]; ok {
					known.Size += n
					threads[k] = known
				}
			},
			"remove": func(t *rapid.T) {
				k := key.Draw(t, "key")
				books.Remove(k)
				delete(threads, k)
			},
			"adjust": func(t *rapid.T) {
				n := rapid.Int64Range(-50, 50).Draw(t, "n")
				books.Adjust(n)
				other += n
			},
			"time": func(*rapid.T) { now++ },
			"": func(t *rapid.T) {
				sums, total := map[string]int64{}, other
				for k, n := range threads {
					sums[k.Principal] += n.Size
					total += n.Size
					if got := books.Size(k); got != n.Size {
						t.Fatalf("Size(%v) = %d, want %d", k, got, n.Size)
					}
				}
				for _, p := range []string{"ada", "bob", "eve"} {
					if got := books.Principal(p); got != sums[p] {
						t.Fatalf("Principal(%s) = %d, want %d", p, got, sums[p])
					}
				}
				if got := books.Total(); got != total {
					t.Fatalf("Total() = %d, want %d", got, total)
				}
				spared := key.Draw(t, "spared")
				by, log, ok := first(threads, at(1+now), spared)
				k, gotLog, gotOK := books.First(at(1+now), spared)
				if gotLog != log || gotOK != ok {
					t.Fatalf("First() = %v, %t, %t, want a log: %t, any: %t", k, gotLog, gotOK, log, ok)
				}
				n := threads[k]
				if ok && !log && n.Asks.After(at(1+now)) && !n.Asks.Equal(by) {
					t.Fatalf("First() = %v, which asks until %v, want one until %v", k, n.Asks, by)
				}
				if ok && (log && !n.LogEnd.Equal(by) || !log && !n.Asks.After(at(1+now)) && !n.Used.Equal(by) || !log && (n.Live || k == spared)) {
					t.Fatalf("First() = %+v, want the one of %v", n, by)
				}
			},
		})
	})
}
