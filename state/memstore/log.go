package memstore

import (
	"context"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/delta"
	"github.com/agui-gateway/gateway/state/store"
)

// A log has the frames of a thread's runs, as far back as they are kept. The entry's lock guards it.
type log struct {
	packs  []*delta.Pack // of the runs that are over, oldest first: no run shares one with another
	frames []state.Frame // of the live run; only ever appended to or replaced, so that readers may hold a part of it
	last   state.FrameID // also when the log is empty
	ends   []logEnd      // of the runs that are over, oldest first
	// trimmed is the revision at which the newest run ended that is not kept any more, cut is its last frame.
	trimmed int64
	cut     state.FrameID
	size    int64 // bytes of packs and frames, without their places in the lists
}

// A logEnd is the end of a run in the log.
type logEnd struct {
	last state.FrameID
	at   time.Time
	rev  int64
}

// append adds the frames that are not there yet.
func (l *log) append(frames []state.Frame) {
	for len(frames) > 0 && frames[0].ID.Compare(l.last) <= 0 {
		frames = frames[1:]
	}
	if len(frames) == 0 {
		return
	}
	l.frames = append(l.frames, frames...)
	for i := range frames {
		l.size += frameSize(&frames[i])
	}
	l.last = frames[len(frames)-1].ID
}

// end records that the frames in the log belong to runs that ended up to revision rev.
func (l *log) end(now time.Time, rev int64) {
	l.pack()
	n := len(l.ends)
	switch {
	case len(l.packs) == 0:
		l.trimmed = rev
	case n > 0 && l.ends[n-1].last == l.last:
		l.ends[n-1].rev = rev
	default:
		l.ends = append(l.ends, logEnd{last: l.last, at: now, rev: rev})
	}
}

// pack packs all frames. A live run's are not packed, because readers and takeovers still ask for them.
func (l *log) pack() {
	for i := range l.frames {
		l.size -= frameSize(&l.frames[i])
	}
	for _, p := range packFrames(l.frames) {
		l.packs = append(l.packs, p)
		l.size += packSize(p)
	}
	l.frames = nil
}

// oldest is when the oldest run that is kept ended.
func (l *log) oldest() (time.Time, bool) {
	if len(l.ends) == 0 {
		return time.Time{}, false
	}
	return l.ends[0].at, true
}

// trim removes the runs that ended at cutoff or before.
func (l *log) trim(cutoff time.Time) {
	n := 0
	for n < len(l.ends) && !l.ends[n].at.After(cutoff) {
		n++
	}
	l.drop(n)
}

// drop removes the n oldest runs that ended.
func (l *log) drop(n int) {
	if n == 0 {
		return
	}
	cut := l.ends[n-1].last
	behind := l.packBehind(cut)
	for _, p := range l.packs[:behind] {
		l.size -= packSize(p)
	}
	l.packs = slices.Clone(l.packs[behind:])
	l.trimmed, l.cut = l.ends[n-1].rev, cut
	l.ends = slices.Clone(l.ends[n:])
}

func comparePack(p *delta.Pack, id state.FrameID) int { return p.Last.Compare(id) }

// packBehind returns the index of the first pack that has something behind id.
func (l *log) packBehind(id state.FrameID) int {
	i, found := slices.BinarySearchFunc(l.packs, id, comparePack)
	if found {
		i++
	}
	return i
}

// findFrame returns the index of the first frame behind id.
func findFrame(frames []state.Frame, id state.FrameID) int {
	compare := func(f state.Frame, id state.FrameID) int { return f.ID.Compare(id) }
	i, found := slices.BinarySearchFunc(frames, id, compare)
	if found {
		i++
	}
	return i
}

// behind returns the frames after id, and whether there are more. They are shared and must not be changed.
func (l *log) behind(id state.FrameID) (frames []state.Frame, more bool) {
	if i := l.packBehind(id); i < len(l.packs) {
		frames = unpack(l.packs[i])
		return frames[findFrame(frames, id):], l.packs[i].Last.Less(l.last)
	}
	return slices.Clip(l.frames[findFrame(l.frames, id):]), false
}

func (l *log) has(id state.FrameID) bool {
	frames := l.frames
	i, _ := slices.BinarySearchFunc(l.packs, id, comparePack)
	if i < len(l.packs) {
		if id.Less(l.packs[i].First) {
			return false
		}
		frames = unpack(l.packs[i])
	}
	i = findFrame(frames, id)
	return i > 0 && frames[i-1].ID == id
}

// ReadLog returns the frames of a log after a frame; see [store.Backend]. After a deletion only a reader with a
// frame of the log reads on.
func (b *backend) ReadLog(_ context.Context, key state.Key, after state.FrameID) (*store.LogPage, error) {
	e := b.lock(key)
	if e == nil {
		page := &store.LogPage{Frames: b.deadLog(key, after), End: after}
		if n := len(page.Frames); n > 0 {
			page.End = page.Frames[n-1].ID
		}
		return page, nil
	}
	defer e.mu.Unlock()
	b.trim(e, b.o.Now().Add(-b.o.LogTTL))
	page := &store.LogPage{Born: e.born, Last: e.log.last, Cut: e.log.cut, End: after}
	page.Frames, page.More = e.log.behind(after)
	switch {
	case page.More:
		page.End = page.Frames[len(page.Frames)-1].ID
	case after.Less(page.Last):
		page.End = page.Last
	}
	return page, nil
}

// deadLog returns the frames after a frame in the log of a deleted thread.
func (b *backend) deadLog(key state.Key, after state.FrameID) []state.Frame {
	b.mu.Lock()
	left := b.dead.of(key, after)
	b.mu.Unlock()
	frames, _ := left.behind(after)
	return frames
}

// Holds reports whether the log still has the frame; see [store.Backend].
func (b *backend) Holds(_ context.Context, key state.Key, id state.FrameID) (bool, error) {
	e := b.lock(key)
	if e == nil {
		return false, state.ErrUnknownThread
	}
	defer e.mu.Unlock()
	b.trim(e, b.o.Now().Add(-b.o.LogTTL))
	return e.log.has(id), nil
}
