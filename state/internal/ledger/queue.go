package ledger

import (
	"container/heap"
	"time"
)

// A Queue is a heap of items by a time.
type Queue[T any] struct {
	list  []T
	place func(T) *Place[T] // of an item in the queue
}

// NewQueue returns an empty queue of items that have their place in it.
func NewQueue[T any](place func(T) *Place[T]) Queue[T] { return Queue[T]{place: place} }

// A Place is the place of an item in a queue. The zero place is in none.
type Place[T any] struct {
	in *Queue[T] // nil: in none
	at int       // its index
	by time.Time
}

// Join moves an item to its place by a time in a queue.
func (p *Place[T]) Join(q *Queue[T], item T, by time.Time) {
	if p.in == q {
		p.by = by
		heap.Fix(q, p.at)
		return
	}
	p.Leave()
	p.in, p.by = q, by
	heap.Push(q, item)
}

// Leave removes the item from its queue.
func (p *Place[T]) Leave() {
	if p.in != nil {
		heap.Remove(p.in, p.at)
		p.in = nil
	}
}

// In reports whether the item is in a queue.
func (p *Place[T]) In() bool { return p.in != nil }

// First returns the first item and its time; not ok: the queue is empty.
func (q *Queue[T]) First() (item T, by time.Time, ok bool) {
	if len(q.list) == 0 {
		return item, by, false
	}
	return q.list[0], q.place(q.list[0]).by, true
}

// firstBut returns the first item that is not spared; not ok: there is none. At most one item is spared: in a heap the
// next one is one of the two below the root.
func (q *Queue[T]) firstBut(spared func(T) bool) (first T, ok bool) {
	best := -1
	for i := 0; i < min(3, len(q.list)); i++ {
		if !spared(q.list[i]) && (best < 0 || q.Less(i, best)) {
			best = i
		}
	}
	if best < 0 {
		return first, false
	}
	return q.list[best], true
}

// Len returns the number of items.
func (q *Queue[T]) Len() int { return len(q.list) }

// Less reports whether one item comes before another.
func (q *Queue[T]) Less(i, j int) bool { return q.place(q.list[i]).by.Before(q.place(q.list[j]).by) }

// Swap swaps two items.
func (q *Queue[T]) Swap(i, j int) {
	q.list[i], q.list[j] = q.list[j], q.list[i]
	q.place(q.list[i]).at, q.place(q.list[j]).at = i, j
}

// Push adds an item at the end.
func (q *Queue[T]) Push(x any) {
	item, _ := x.(T)
	q.place(item).at = len(q.list)
	q.list = append(q.list, item)
}

// Pop removes the item at the end.
func (q *Queue[T]) Pop() any {
	last := len(q.list) - 1
	item := q.list[last]
	var none T
	q.list[last], q.list = none, q.list[:last]
	return item
}
