package memstore

import (
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// deadLogs are the logs of deleted threads, for readers that still follow them. The backend's lock guards them.
// Each call but purge costs the same for any number of logs.
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

// drop removes the oldest log and returns its size. Not ok: there is none, or its time is not over at now. The zero
// time removes any.
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

// purge removes all logs that threads of a key left, and returns their size.
func (d *deadLogs) purge(key state.Key) (size int64) {
	for _, e := range d.byKey[key] {
		size += e.size.frames
		e.log = log{last: e.log.last}
	}
	delete(d.byKey, key)
	return size
}
