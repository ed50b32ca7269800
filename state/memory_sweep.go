package state

import (
	"container/heap"
	"slices"
	"time"
)

// sweepMost is how many rooms one call looks after, so that none pays for the rest of an hour.
const sweepMost = 64

// sweep trims logs and forgets threads whose time is over. It is called where no room is locked.
func (m *Memory) sweep(now time.Time) {
	m.bury(now)
	for range sweepMost {
		m.mu.Lock()
		if len(m.due) == 0 || m.due[0].at.After(now) {
			m.mu.Unlock()
			return
		}
		r := heap.Pop(&m.due).(*room)
		m.mu.Unlock()
		if !r.mu.TryLock() {
			m.later(r, now.Add(time.Second)) // in use: nobody waits for another thread's work
			continue
		}
		r.trim(now.Add(-m.o.LogTTL))
		switch {
		case r.gone:
		case m.expired(r):
			m.forget(r)
		default:
			m.index(r, false)
		}
		r.mu.Unlock()
	}
}

// bury lets go of the logs of threads that have been gone for a while.
func (m *Memory) bury(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for n < len(m.dead) && m.dead[n].at.Before(now) {
		n++
	}
	m.dead = slices.Delete(m.dead, 0, n)
}

// later looks after a room another time.
func (m *Memory) later(r *room, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.slot < 0 {
		r.at = at
		heap.Push(&m.due, r)
	}
}

// next is when there is something to sweep in an idle room: its log, or itself.
func (m *Memory) next(r *room) time.Time {
	at := Deadline(r.thread.Load(), r, m.o.ThreadTTL)
	if ended, ok := r.log.oldest(); ok && ended.Add(m.o.LogTTL).Before(at) {
		return ended.Add(m.o.LogTTL)
	}
	return at
}

// expired reports whether the thread's time is over. The room is locked.
func (m *Memory) expired(r *room) bool {
	t := r.thread.Load()
	if t.Rev == 0 || t.Live != nil {
		return false
	}
	return !m.o.Now().Before(Deadline(t, r, m.o.ThreadTTL))
}

// forget takes the room, which is locked, off the books. Its fence stays the least a new thread of that key
// gets, whatever the clock does.
func (m *Memory) forget(r *room) {
	r.gone = true
	r.messages, r.known, r.tokens, r.state, r.past, r.runs, r.replaced = nil, nil, nil, nil, History{}, nil, nil
	r.signals.tell(SignalStop)
	r.log.grows.wakeAll()
	r.turns.wakeAll()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.floor = max(m.floor, r.thread.Load().Fence)
	delete(m.rooms, r.key)
	delete(m.live, r)
	if r.slot >= 0 {
		heap.Remove(&m.due, r.slot)
	}
	if len(r.log.frames) > 0 {
		r.at = m.o.Now().Add(DeadLogTTL)
		m.dead = append(m.dead, r)
	}
	name := Key{Principal: r.key.Principal, ID: r.key.ID}
	m.named[name] = slices.DeleteFunc(m.named[name], func(x *room) bool { return x == r })
	if len(m.named[name]) == 0 {
		delete(m.named, name)
	}
	delete(m.owned[r.key.Principal], r)
	if len(m.owned[r.key.Principal]) == 0 {
		delete(m.owned, r.key.Principal)
	}
}

// deadlines is a heap of idle rooms by when they are to be looked after.
type deadlines []*room

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].at.Before(d[j].at) }

// Swap swaps two rooms.
func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].slot, d[j].slot = i, j
}

// Push adds a room at the end.
func (d *deadlines) Push(x any) {
	r := x.(*room)
	r.slot = len(*d)
	*d = append(*d, r)
}

// Pop takes the room at the end.
func (d *deadlines) Pop() any {
	last := len(*d) - 1
	r := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	r.slot = -1
	return r
}
