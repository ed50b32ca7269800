package gateway

import (
	"slices"

	"github.com/agui-gateway/gateway/state"
)

// maxRecentBytes is how much a run keeps of what its store has acknowledged since the last commit. A Redis that writes
// to disk once a second, or a replica that takes its place, lacks less than two seconds of it.
const maxRecentBytes = 1 << 20

// recentFrames are the newest frames of a run that its store has acknowledged and may lose all the same.
type recentFrames struct {
	after  state.FrameID // the frame before them; zero: none
	frames []state.Frame
	size   int
}

// add keeps frames, and lets go of the oldest where they are too many.
func (r *recentFrames) add(frames []state.Frame) {
	r.frames = append(r.frames, frames...)
	for _, f := range frames {
		r.size += len(f.Data)
	}
	n := 0
	for ; r.size > maxRecentBytes; n++ {
		r.size -= len(r.frames[n].Data)
		r.after = r.frames[n].ID
	}
	r.frames = slices.Delete(r.frames, 0, n)
}

// committed lets go of all: a store that has lost a commit has lost the run's lease, and nothing is sent again.
func (r *recentFrames) committed(last state.FrameID) { *r = recentFrames{after: last} }
