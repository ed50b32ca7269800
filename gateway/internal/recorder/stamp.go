package recorder

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// A stamper assigns non-decreasing times to frames: clocks of replicas differ a little, and may be set back.
type stamper struct {
	now  func() time.Time
	last int64 // in Unix milliseconds
}

// stamp gives f the present time: its event, or the frame itself if it is a marker, which has none.
func (s *stamper) stamp(f *state.Frame) {
	s.last = max(s.last, s.now().UnixMilli())
	if f.Data == nil {
		f.At = s.last
		return
	}
	const before = len(`{"type":"`)
	if len(f.Data) <= before {
		return
	}
	if at := before + bytes.IndexByte(f.Data[before:], '"') + 1; at > before {
		var room [40]byte
		text := strconv.AppendInt(append(room[:0], `,"timestamp":`...), s.last, 10)
		f.Data = slices.Insert(f.Data, at, text...)
	}
}
