package memstore

import (
	"bytes"
	"slices"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/delta"
)

// How many frames a pack has, and about how many bytes of events: a reader is given one at a time.
const (
	packFrames = 512
	packBytes  = 64 << 10
)

// A pack has frames of runs that ended, in a tenth of the memory; see package delta. Frames that delta does not
// take are stored as they are and shared with readers. A pack is immutable.
type pack struct {
	first, last state.FrameID
	n           int           // how many frames there are
	raw         int           // bytes of the events that are packed
	data        []byte        // the encoded frames
	whole       []state.Frame // those that are kept as they are, in order
}

// packSome packs the first of some frames, and returns those behind them.
func packSome(frames []state.Frame) (*pack, []state.Frame) {
	p := &pack{first: frames[0].ID}
	var known delta.Coder
	var room [4 << 10]byte
	data, size := room[:0], 0
	for p.n < len(frames) && p.n < packFrames && size < packBytes {
		f := &frames[p.n]
		follows := p.n == 0 || f.ID == nextID(p.last)
		p.n, p.last = p.n+1, f.ID
		size += len(f.Data)
		ok := false
		if follows {
			data, ok = known.Append(data, f)
		}
		if ok {
			p.raw += len(f.Data)
		} else {
			data = append(data, delta.Other)
			p.whole = append(p.whole, *f)
		}
	}
	p.data, p.whole = bytes.Clone(data), slices.Clone(p.whole)
	return p, frames[p.n:]
}

// nextID is the id behind one of the same fence.
func nextID(id state.FrameID) state.FrameID { return state.FrameID{Fence: id.Fence, Seq: id.Seq + 1} }

// frames are the frames that were packed.
func (p *pack) frames() []state.Frame {
	frames := make([]state.Frame, p.n)
	events, rest, whole := make([]byte, 0, p.raw), p.data, p.whole
	var known delta.Coder
	id := p.first
	for i := range frames {
		if rest[0] == delta.Other {
			frames[i], whole, rest = whole[0], whole[1:], rest[1:]
		} else {
			begin := len(events)
			var err error
			if frames[i].Type, events, rest, err = known.Next(events, rest); err != nil {
				panic(err) // only this package writes packs
			}
			frames[i].ID, frames[i].Data = id, events[begin:len(events):len(events)]
		}
		id = nextID(frames[i].ID)
	}
	return frames
}

// behind are the frames behind a place.
func (p *pack) behind(id state.FrameID) []state.Frame {
	frames := p.frames()
	return frames[findFrame(frames, id):]
}
