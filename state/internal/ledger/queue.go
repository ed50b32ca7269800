package ledger

import (
	"container/heap"

	"github.com/agui-gateway/gateway/state"
)

// A queue is a heap of accounts by a time.
type queue struct {
	list  []*account
	place func(*account) *place // of an account in the queue
}

var _ heap.Interface = (*queue)(nil)

// first returns the first account but for one, nil if there is none: in a heap that is the root or one of the two
// below it.
func (q *queue) first(spared state.Key) *account {
	best := -1
	for i := 0; i < min(3, len(q.list)); i++ {
		if q.list[i].Key != spared && (best < 0 || q.Less(i, best)) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	return q.list[best]
}

// Len is how many there are.
func (q *queue) Len() int { return len(q.list) }

// Less reports whether one account comes before another.
func (q *queue) Less(i, j int) bool { return q.place(q.list[i]).by.Before(q.place(q.list[j]).by) }

// Swap swaps two accounts.
func (q *queue) Swap(i, j int) {
	q.list[i], q.list[j] = q.list[j], q.list[i]
	q.place(q.list[i]).at, q.place(q.list[j]).at = i, j
}

// Push adds an account at the end.
func (q *queue) Push(x any) {
	a := x.(*account)
	q.place(a).at = len(q.list)
	q.list = append(q.list, a)
}

// Pop takes the account at the end.
func (q *queue) Pop() any {
	last := len(q.list) - 1
	a := q.list[last]
	q.list[last] = nil
	q.list = q.list[:last]
	return a
}
