package memstore

import (
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/ledger"
)

// deadLogs are the logs of deleted threads, for readers that still follow them. The backend's lock guards them.
// Each call but purge costs the same for any number of logs.
type deadLogs struct {
	queue ledger.Queue[*entry] // by the end of their time
	byKey map[state.Key][]*entry
}

// add keeps the log of an entry until a time.
func (d *deadLogs) add(e *entry, until time.Time) {
	e.due.Join(&d.queue, e, until)
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

// drop removes the oldest log and returns its size. Not ok: there is none, or its time is not before now.
func (d *deadLogs) drop(now time.Time) (size int64, ok bool) {
	e, until, ok := d.queue.First()
	if !ok || !until.Before(now) {
		return 0, false
	}
	e.due.Leave()
	list := d.byKey[e.key]
	if list = slices.DeleteFunc(list, func(x *entry) bool { return x == e }); len(list) > 0 {
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
		e.due.Leave()
	}
	delete(d.byKey, key)
	return size
}
