package memstore

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// TestOrder changes and removes threads at random, by a clock that is set back now and then, and reads the order page
// by page.
func TestOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var o order
	there := map[*entry]bool{}
	entries := make([]*entry, 200)
	for i := range entries {
		entries[i] = &entry{key: state.Key{Agent: "a" + strconv.Itoa(i%3), ID: strconv.Itoa(i)}}
	}
	now := int64(1000)
	for step := range 5000 {
		e := entries[random.IntN(len(entries))]
		if random.IntN(4) == 0 {
			o.remove(e)
			delete(there, e)
		} else {
			now += random.Int64N(3)
			if random.IntN(50) == 0 {
				now -= 40
			}
			e.thread.Store(&state.Thread{Key: e.key, UpdatedAt: time.Unix(0, now)})
			o.put(e)
			there[e] = true
		}
		if o.none() != (len(there) == 0) || len(o.places) > 2*len(there)+mostEmpty+1 {
			t.Fatalf("step %d: %d places for %d threads", step, len(o.places), len(there))
		}
		if step%100 > 0 {
			continue
		}
		for _, agent := range []string{"", "a1"} {
			var want, got []state.Cursor
			for e := range there {
				if agent == "" || agent == e.key.Agent {
					want = append(want, state.CursorOf(e.thread.Load()))
				}
			}
			slices.SortFunc(want, state.Cursor.Compare)
			q := store.IndexQuery{Agent: agent}
			for page := o.newest(&q, 7); len(page) > 0; page = o.newest(&q, 7) {
				for _, l := range page {
					got = append(got, l.at)
				}
				q.From = &got[len(got)-1]
			}
			if !slices.Equal(got, want) {
				t.Fatalf("step %d: the order is %v, want %v", step, got, want)
			}
		}
	}
}
