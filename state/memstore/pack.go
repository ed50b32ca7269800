package memstore

import (
	"sync"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/delta"
)

// rooms has memory for packs until they are sealed.
var rooms = sync.Pool{New: func() any { return new([4 << 10]byte) }}

// packFrames packs frames, in order. No pack has a gap.
func packFrames(frames []state.Frame) (packs []*delta.Pack) {
	room := rooms.Get().(*[4 << 10]byte)
	defer rooms.Put(room)
	for len(frames) > 0 {
		p := delta.Pack{Data: room[:0]}
		for len(frames) > 0 && !p.Full() && p.Follows(&frames[0]) {
			p.Add(&frames[0])
			frames = frames[1:]
		}
		packs = append(packs, p.Sealed())
	}
	return packs
}

// unpack returns the frames of a pack of this process.
func unpack(p *delta.Pack) []state.Frame {
	frames, err := p.Frames()
	if err != nil {
		panic(err) // only packFrames makes packs
	}
	return frames
}
