package bounded

import (
	"cmp"
	"container/heap"
)

// A Table maps keys to values. [New] makes one. It must not be used by several goroutines at once.
type Table[K comparable, V any] struct {
	entries  int
	bytes    int64
	used     int64
	sequence int64
	by       map[K]*entry[K, V]
	ranked   ranking[K, V]
}

// An entry is one value in a table.
type entry[K comparable, V any] struct {
	key            K
	value          V
	size           int64
	rank, inserted int64
	index          int // in the heap
}

// New returns a table of at most so many entries, of at most so many bytes in all.
func New[K comparable, V any](entries int, bytes int64) *Table[K, V] {
	return &Table[K, V]{entries: entries, bytes: bytes, by: map[K]*entry[K, V]{}}
}

// Len returns the number of entries.
func (t *Table[K, V]) Len() int { return len(t.by) }

// Bytes returns the size of all entries.
func (t *Table[K, V]) Bytes() int64 { return t.used }

// Get returns the value of a key.
func (t *Table[K, V]) Get(key K) (value V, ok bool) {
	e, ok := t.by[key]
	if ok {
		value = e.value
	}
	return value, ok
}

// Use returns the value of a key and ranks it above all others.
func (t *Table[K, V]) Use(key K) (value V, ok bool) {
	value, ok = t.Get(key)
	if ok {
		t.Rank(key, t.next())
	}
	return value, ok
}

// Put sets the value of a key, of so many bytes, and ranks it above all others. It evicts others first if the table is
// full.
func (t *Table[K, V]) Put(key K, value V, size int64) {
	t.Delete(key)
	for len(t.by) > 0 && (len(t.by) >= t.entries || t.used+size > t.bytes) {
		t.Delete(t.ranked[0].key)
	}
	e := &entry[K, V]{key: key, value: value, size: size, rank: t.next(), inserted: t.sequence}
	t.by[key] = e
	t.used += size
	heap.Push(&t.ranked, e)
}

// Rank changes the rank of a key that is in the table.
func (t *Table[K, V]) Rank(key K, rank int64) {
	e := t.by[key]
	e.rank = rank
	heap.Fix(&t.ranked, e.index)
}

// Lowest returns the entry that is evicted next, if there is one.
func (t *Table[K, V]) Lowest() (key K, value V, ok bool) {
	if len(t.ranked) == 0 {
		return key, value, false
	}
	return t.ranked[0].key, t.ranked[0].value, true
}

// Delete removes a key.
func (t *Table[K, V]) Delete(key K) {
	if e := t.by[key]; e != nil {
		delete(t.by, key)
		t.used -= e.size
		heap.Remove(&t.ranked, e.index)
	}
}

// DeleteFunc removes the keys with values for which f returns true.
func (t *Table[K, V]) DeleteFunc(f func(V) bool) {
	for key, e := range t.by {
		if f(e.value) {
			t.Delete(key)
		}
	}
}

// next returns a rank above all that it has returned before.
func (t *Table[K, V]) next() int64 {
	t.sequence++
	return t.sequence
}

// A ranking is a heap of entries. The root has the lowest rank; of equal ranks it is the one inserted first.
type ranking[K comparable, V any] []*entry[K, V]

// Len is part of [heap.Interface].
func (r ranking[K, V]) Len() int { return len(r) }

// Less is part of [heap.Interface].
func (r ranking[K, V]) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(r[i].rank, r[j].rank), cmp.Compare(r[i].inserted, r[j].inserted)) < 0
}

// Swap is part of [heap.Interface].
func (r ranking[K, V]) Swap(i, j int) {
	r[i], r[j] = r[j], r[i]
	r[i].index, r[j].index = i, j
}

// Push is part of [heap.Interface].
func (r *ranking[K, V]) Push(x any) {
	e := x.(*entry[K, V])
	e.index = len(*r)
	*r = append(*r, e)
}

// Pop is part of [heap.Interface].
func (r *ranking[K, V]) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}
