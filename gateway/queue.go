package gateway

import (
	"slices"
	"sync"

	"github.com/agui-gateway/gateway/state"
)

// A queue holds the requests that wait for a thread, in the order they came. It is this replica's own: the
// store decides among replicas.
type queue struct {
	mu      sync.Mutex
	waiting map[state.Key][]*place
}

// A place is one request's in the queue of a thread.
type place struct {
	q    *queue
	key  state.Key
	turn chan struct{} // closed when everybody before it has left
}

// enter takes the last place of a thread's queue, unless limit (0: none) have one already.
func (q *queue) enter(key state.Key, limit int) (*place, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	before := q.waiting[key]
	if limit > 0 && len(before) >= limit {
		return nil, false
	}
	p := &place{q: q, key: key, turn: make(chan struct{})}
	if q.waiting == nil {
		q.waiting = map[state.Key][]*place{}
	}
	q.waiting[key] = append(before, p)
	if len(before) == 0 {
		close(p.turn)
	}
	return p, true
}

// leave gives the place up, whoever's turn it is.
func (p *place) leave() {
	p.q.mu.Lock()
	defer p.q.mu.Unlock()
	list := p.q.waiting[p.key]
	i := slices.Index(list, p)
	list = slices.Delete(list, i, i+1)
	if len(list) == 0 {
		delete(p.q.waiting, p.key)
		return
	}
	p.q.waiting[p.key] = list
	if i == 0 {
		close(list[0].turn)
	}
}
