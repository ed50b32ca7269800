package memstore

import (
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/delta"
)

// packFrames packs frames, in order. No pack has a gap.
func packFrames(frames []state.Frame) (packs []*delta.Pack) {
	var p *delta.Pack
	for i := range frames {
		if f := &frames[i]; p == nil || p.Full() || !p.Follows(f) {
			p = &delta.Pack{}
			packs = append(packs, p)
		}
		p.Add(&frames[i])
	}
	for _, p := range packs {
		p.Seal()
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
