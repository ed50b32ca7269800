package predict

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/internal/partial"
)

const (
	// maxValue is the limit of a followed value, in bytes. A longer one is in the state when the call is complete.
	maxValue = 256 << 10
	// The state changes when the value has grown by so many bytes, or by this part of itself if that is more. The
	// changes of a value add up to some ten times its length.
	step, part = 24, 8
)

// A Follower reads the arguments of a call while they are written, for one place that follows one argument.
type Follower struct {
	Path  string // of the place
	value *partial.Value
	next  int  // the length of the value at which the state changes again
	off   bool // the state does not follow until the call is complete
}

// NewFollower returns a follower of the argument; without a name, of all arguments.
func NewFollower(path, argument string) *Follower {
	return &Follower{Path: path, value: partial.New(argument), next: 1}
}

// Stop ends the following.
func (f *Follower) Stop() { f.off = true }

// Read reads more of the arguments. It returns the known part of the value if that has grown enough. Text that is no
// JSON, or nests too deeply, is not followed.
func (f *Follower) Read(more string) (json.RawMessage, bool) {
	if !f.off && (f.value.Write(more) != nil || f.value.Len() > maxValue) {
		f.off = true
	}
	size := f.value.Len()
	if f.off || size < f.next && !f.value.Ended() || size == 0 {
		return nil, false
	}
	if f.value.Ended() && f.next > size {
		return nil, false // it was complete before
	}
	raw, ok := f.value.JSON()
	if ok {
		f.next = size + max(step, size/part)
	}
	return raw, ok
}
