package memstore

import (
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// The deadLogs are logs of threads that are gone, for those who still read them. They are guarded by the backend's lock, and each call
// but purge costs the same however many there are.
type deadLogs struct {
	queue []*entry // as they went, the oldest first; one that was purged is still there, and is in byKey no more
	byKey map[state.Key][]*entry
}

// add keeps the log of an entry.
func (d *deadLogs) add(e *entry) {
	d.queue = append(d.queue, e)
	if d.byKey == nil {
		d.byKey = map[state.Key][]*entry{}
	}
	d.byKey[e.key] = append(d.byKey[e.key], e)
}

// of returns the log of a thread with this key that had a run with a frame; an empty one if there is none.
func (d *deadLogs) of(key state.Key, id state.FrameID) log {
	for _, e := range d.byKey[key] {
		if !id.IsZero() && id.Fence >= e.first && id.Fence <= e.log.last.Fence {
			return e.log
		}
	}
	return log{}
}

// drop lets go of the oldest log, and returns how many bytes it took; not ok: there is none, or it is to be kept, until it has been gone
// for a while at now. The zero time lets go of any.
func (d *deadLogs) drop(now time.Time) (size int64, ok bool) {
	if len(d.queue) == 0 || !now.IsZero() && !d.queue[0].at.Before(now) {
		return 0, false
	}
	e := d.queue[0]
	d.queue[0], d.queue = nil, d.queue[1:]
	list := d.byKey[e.key]
	i := slices.Index(list, e)
	if i < 0 {
		return 0, true // it was purged
	}
	if list = slices.Delete(list, i, i+1); len(list) > 0 {
		d.byKey[e.key] = list
	} else {
		delete(d.byKey, e.key)
	}
	return e.size.frames, true
}

// purge lets go of all logs that threads of a key left, and returns how many bytes they took.
func (d *deadLogs) purge(key state.Key) (size int64) {
	for _, e := range d.byKey[key] {
		size += e.size.frames
		e.log = log{last: e.log.last}
	}
	delete(d.byKey, key)
	return size
}
