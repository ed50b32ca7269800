package simstore

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// Options say how long a cluster keeps logs. The zero value is good.
type Options struct {
	Now    func() time.Time // nil means time.Now
	LogTTL time.Duration    // of a run that is over; 0 means an hour
}

// A Cluster has the rows of all threads. It is safe for concurrent use.
type Cluster struct {
	o Options

	mu       sync.Mutex
	rows     map[state.Key]*row
	dead     map[state.Key]*row   // what Delete has left for readers
	floors   map[state.Key]uint64 // the highest fence of a thread that is gone
	changes  []change             // oldest first
	replicas []*Replica
}

// A change is one that can be taken back.
type change struct {
	at     time.Time
	key    state.Key
	before *row
}

// New returns an empty cluster.
func New(o Options) *Cluster {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.LogTTL = cmp.Or(o.LogTTL, time.Hour)
	return &Cluster{o: o, rows: map[state.Key]*row{}, dead: map[state.Key]*row{}, floors: map[state.Key]uint64{}}
}

// Replica returns a backend for one more store.
func (c *Cluster) Replica() *Replica {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &Replica{cluster: c, followed: map[state.Key]int64{}, tell: func(store.Event) {}}
	c.replicas = append(c.replicas, r)
	return r
}

// Lose takes back all changes that were made since a moment, and returns how many these are. All replicas look at their
// logs again.
func (c *Cluster) Lose(since time.Time) int {
	c.mu.Lock()
	n := 0
	for i := len(c.changes) - 1; i >= 0 && !c.changes[i].at.Before(since); i-- {
		lost := c.changes[i]
		c.changes = c.changes[:i]
		c.rows[lost.key] = lost.before
		if lost.before == nil {
			delete(c.rows, lost.key)
		}
		n++
	}
	replicas := slices.Clone(c.replicas)
	c.mu.Unlock()
	for _, r := range replicas {
		r.tell(store.Event{Kind: store.EventGrown})
	}
	return n
}

// row returns the row of a thread, nil if there is none. The lock is held.
func (c *Cluster) row(key state.Key) *row {
	r := c.rows[key]
	if r == nil {
		return nil
	}
	now := c.o.Now()
	if !r.deadline.IsZero() && !now.Before(r.deadline) {
		c.remove(r)
		return nil
	}
	if n := r.over(now.Add(-c.o.LogTTL)); n > 0 {
		r = r.clone()
		r.dropEnds(n)
		c.rows[key] = r
	}
	return r
}

// put replaces the row of a thread. The lock is held.
func (c *Cluster) put(key state.Key, r *row) {
	c.changes = append(c.changes, change{at: c.o.Now(), key: key, before: c.rows[key]})
	c.rows[key] = r
	if r == nil {
		delete(c.rows, key)
	}
}

// remove forgets a thread. Its log stays for its readers. The lock is held.
func (c *Cluster) remove(r *row) {
	key := r.thread.Key
	c.put(key, nil)
	c.floors[key] = max(c.floors[key], r.thread.Fence)
	r = r.clone()
	r.deadline = c.o.Now().Add(state.DeadLogTTL)
	c.dead[key] = r
}

// all returns the rows of all threads in the order of their keys. The lock is held.
func (c *Cluster) all() []*row {
	keys := slices.SortedFunc(maps.Keys(c.rows), func(a, b state.Key) int {
		return cmp.Or(cmp.Compare(a.Principal, b.Principal), cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.ID, b.ID))
	})
	var rows []*row
	for _, key := range keys {
		if r := c.row(key); r != nil {
			rows = append(rows, r)
		}
	}
	return rows
}

// tell tells every replica. The one that writes a log knows by itself that it has grown.
func (c *Cluster) tell(writer *Replica, events []store.Event) {
	if len(events) == 0 {
		return
	}
	c.mu.Lock()
	replicas := slices.Clone(c.replicas)
	c.mu.Unlock()
	for _, r := range replicas {
		for _, e := range events {
			if r != writer || e.Kind != store.EventGrown {
				r.tell(e)
			}
		}
	}
}
