package spending

import (
	"container/heap"
	"math"
	"sync"
	"time"
)

// A Table knows what owners have spent in their windows. [New] makes one. It is safe for concurrent use.
type Table struct {
	most int

	mu    sync.Mutex
	by    map[string]*owner
	least owners    // the owner that has spent least at the root
	swept time.Time // time of the last sweep of expired owners
}

// An owner is what one has spent.
type owner struct {
	name  string
	until time.Time
	spent int64
	at    int // in the heap
}

// New returns a table of at most most owners.
func New(most int) *Table { return &Table{most: most, by: map[string]*owner{}} }

// Add counts n, if it is positive, as spent by an owner. A new window begins at now if the owner has none.
func (t *Table) Add(name string, n int64, now time.Time, window time.Duration) {
	if n <= 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.of(name, now)
	if o == nil {
		t.makeRoom(now, window)
		o = &owner{name: name, until: now.Add(window)}
		t.by[name] = o
		heap.Push(&t.least, o)
	}
	o.spent += min(n, math.MaxInt64-o.spent)
	heap.Fix(&t.least, o.at)
}

// Spent returns what an owner has spent in its window, and when that ends; 0 if it has none.
func (t *Table) Spent(name string, now time.Time) (n int64, until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if o := t.of(name, now); o != nil {
		return o.spent, o.until
	}
	return 0, time.Time{}
}

// of returns the owner name, or nil after the end of its window. The caller holds the lock.
func (t *Table) of(name string, now time.Time) *owner {
	o := t.by[name]
	if o != nil && !now.Before(o.until) {
		t.drop(o)
		return nil
	}
	return o
}

// makeRoom evicts owners after the end of their windows, with a few scans in each window, and then the owner that has
// spent least if the table is full. The caller holds the lock.
func (t *Table) makeRoom(now time.Time, window time.Duration) {
	const looks = 8
	if len(t.by) < t.most {
		return
	}
	if now.Sub(t.swept) >= window/looks {
		t.swept = now
		for _, o := range t.by {
			if !now.Before(o.until) {
				t.drop(o)
			}
		}
	}
	if len(t.by) >= t.most {
		t.drop(t.least[0])
	}
}

func (t *Table) drop(o *owner) {
	delete(t.by, o.name)
	heap.Remove(&t.least, o.at)
}

// owners is a heap by what they have spent.
type owners []*owner

// Len is part of [heap.Interface].
func (o owners) Len() int { return len(o) }

// Less is part of [heap.Interface]. It orders owners by what they have spent, then by the end of their windows.
func (o owners) Less(i, j int) bool {
	return o[i].spent < o[j].spent || o[i].spent == o[j].spent && o[i].until.Before(o[j].until)
}

// Swap is part of [heap.Interface].
func (o owners) Swap(i, j int) {
	o[i], o[j] = o[j], o[i]
	o[i].at, o[j].at = i, j
}

// Push is part of [heap.Interface].
func (o *owners) Push(x any) {
	x.(*owner).at = len(*o)
	*o = append(*o, x.(*owner))
}

// Pop is part of [heap.Interface].
func (o *owners) Pop() any {
	last := (*o)[len(*o)-1]
	*o = (*o)[:len(*o)-1]
	return last
}
