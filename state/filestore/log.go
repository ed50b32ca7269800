package filestore

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// How much of a log is read at once.
const (
	pageFrames = 256
	pageBytes  = 4 << 20 // unless a single frame has more
)

// Append adds frames to the log; see [store.Backend]. It returns once they are on the disk, together with
// concurrent appends.
func (b *backend) Append(
	ctx context.Context, lease *state.Lease, revision int64, after state.FrameID, frames []state.Frame,
) (before state.FrameID, told state.Flags, err error) {
	var last state.FrameID
	var flags state.Flags
	err = b.update(ctx, canWait, func(x *txn) error {
		a := x.attempt(lease.Key)
		if a == nil || a.rev < revision || !a.thread(lease.Key).HeldBy(lease) {
			return state.ErrLeaseLost
		}
		l := &loaded{key: lease.Key, name: threadName(lease.Key)}
		l.table = x.root(threadsTable).sub(l.name)
		l.counting()
		defer func() { x.booked(l.key).grown += l.grown }()
		if last = l.lastFrame(); last.Less(after) {
			return state.ErrGap
		}
		flags = state.Flags{Stopped: a.stopped, Tied: a.tied, HungUp: a.hungUp}
		x.dirty = true
		l.append(last, frames)
		return nil
	})
	if err != nil {
		return state.FrameID{}, state.Flags{}, err
	}
	if b.o.Limit > 0 {
		room, err := b.books.MakeRoom(b.o.Limit, b.limits(), lease.Key, b.evict(ctx))
		flags.Stopped = flags.Stopped || err == nil && !room
	}
	return last, flags, nil
}

// append writes the frames behind the last one.
func (l *loaded) append(last state.FrameID, frames []state.Frame) {
	for len(frames) > 0 && frames[0].ID.Compare(last) <= 0 {
		frames = frames[1:]
	}
	if len(frames) == 0 {
		return
	}
	log := l.table.make(logTable)
	if log.b != nil {
		log.b.FillPercent = 0.9 // it grows at its end
	}
	for i := range frames {
		raw, err := encodeFrame(&frames[i])
		log.fail(err)
		log.put(frameName(frames[i].ID), raw)
	}
	l.table.put(lastKey, frameName(frames[len(frames)-1].ID))
}

// A logEnd is the end of a run in the log.
type logEnd struct {
	last state.FrameID
	at   time.Time
	rev  int64
}

func decodeEnd(key, value []byte) logEnd {
	end := logEnd{last: frameOf(key), at: momentOf(numberOf(value))}
	if len(value) > 8 {
		end.rev = int64(numberOf(value[8:]))
	}
	return end
}

// endLog records that the frames up to last belong to runs that ended up to revision rev.
func (l *loaded) endLog(last state.FrameID, at time.Time, rev int64) {
	if l.table.sub(logTable).last() == nil {
		l.doc.Trimmed = rev
		return
	}
	ends, key := l.table.make(endsTable), frameName(last)
	if old := ends.get(key); old != nil {
		at = decodeEnd(key, old).at
	}
	ends.put(key, append(number8(moment(at)), number8(uint64(rev))...))
}

// oldestEnd returns the end of the oldest run in the log that is over.
func (l *loaded) oldestEnd() (end logEnd, ok bool) {
	l.table.sub(endsTable).each(nil, func(key, value []byte) bool {
		end, ok = decodeEnd(key, value), true
		return false
	})
	return end, ok
}

// kept returns the last frame and the revision up to which the log is trimmed for readers: those of the newest run
// that ended at cutoff or before. It may not be removed from the file yet.
func (l *loaded) kept(cutoff time.Time) (cut state.FrameID, trimmed int64) {
	cut, trimmed = l.doc.Cut, l.doc.Trimmed
	l.table.sub(endsTable).each(nil, func(key, value []byte) bool {
		end := decodeEnd(key, value)
		if end.at.After(cutoff) {
			return false
		}
		cut, trimmed = end.last, end.rev
		return true
	})
	return cut, trimmed
}

// trim removes the runs that ended at cutoff or before, and the replaced values that only their frames name.
func (x *txn) trim(l *loaded, cutoff time.Time) {
	trimmed := false
	for x.err == nil {
		end, ok := l.oldestEnd()
		if !ok || end.at.After(cutoff) {
			break
		}
		l.dropRun(end)
		trimmed = true
	}
	if trimmed {
		l.forgetReplaced()
	}
}

// dropRun removes the oldest run from the log.
func (l *loaded) dropRun(end logEnd) {
	l.table.sub(logTable).deleteTo(frameName(end.last))
	l.doc.Trimmed, l.doc.Cut = end.rev, end.last
	l.table.sub(endsTable).delete(frameName(end.last))
}

// ReadLog returns the frames of a log after a frame; see [store.Backend].
func (b *backend) ReadLog(ctx context.Context, key state.Key, after state.FrameID) (*store.LogPage, error) {
	page := &store.LogPage{End: after}
	err := b.view(ctx, func(v *view) {
		l := v.find(key)
		if l == nil {
			return
		}
		now := b.o.Now()
		page.Last = l.lastFrame()
		page.Cut, _ = l.kept(now.Add(-b.o.LogTTL))
		if !l.over(now) {
			page.Born = l.doc.Born
		} else if !l.knows(after, page.Last) || now.After(l.doc.Deadline.Add(state.DeadLogTTL)) {
			return
		}
		l.readPage(page, after)
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}

// knows reports whether after is a place in the log of the thread: its reader has read the log, or knows a run in it.
func (l *loaded) knows(after, last state.FrameID) bool {
	first, _, _ := strings.Cut(l.doc.Born, ".")
	fence, err := strconv.ParseUint(first, 10, 64)
	return err == nil && !after.IsZero() && after.Fence >= fence && after.Fence <= last.Fence
}

// readPage reads the frames behind after that are kept.
func (l *loaded) readPage(page *store.LogPage, after state.FrameID) {
	from, size := after, 0
	if from.Less(page.Cut) {
		from = page.Cut
	}
	next := frameName(state.FrameID{Fence: from.Fence, Seq: from.Seq + 1})
	l.table.sub(logTable).each(next, func(name, raw []byte) bool {
		if len(page.Frames) == pageFrames || size+len(raw) > pageBytes && size > 0 {
			page.More = true
			return false
		}
		f, err := decodeFrame(frameOf(name), raw)
		l.table.fail(err)
		page.Frames, size = append(page.Frames, f), size+len(raw)
		return true
	})
	if n := len(page.Frames); n > 0 {
		page.End = page.Frames[n-1].ID
	}
	if !page.More && page.End.Less(page.Last) {
		page.End = page.Last // frames between are not kept
	}
}

// Holds reports whether the log still has a frame; see [store.Backend].
func (b *backend) Holds(ctx context.Context, key state.Key, id state.FrameID) (held bool, err error) {
	err = b.existing(ctx, key, func(l *loaded) { held = l.holds(id, b.o.Now().Add(-b.o.LogTTL)) })
	return held, err
}

func (l *loaded) holds(id state.FrameID, cutoff time.Time) bool {
	cut, _ := l.kept(cutoff)
	return cut.Less(id) && l.table.sub(logTable).get(frameName(id)) != nil
}

// existing reads a thread that has to exist.
func (b *backend) existing(ctx context.Context, key state.Key, f func(l *loaded)) error {
	return b.view(ctx, func(v *view) {
		l := v.find(key)
		if l.over(b.o.Now()) {
			v.fail(state.ErrUnknownThread)
			return
		}
		f(l)
	})
}
