package delta

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// How many frames a pack has at most, and about how many bytes of events: a reader decodes the whole pack.
const (
	PackFrames = 512
	packBytes  = 64 << 10
)

// maxRoom is the most bytes of events that the coder of a pack takes.
const maxRoom = PackFrames * MaxEvent

// A Pack has consecutive frames of one fence in a tenth of their bytes. The zero value is empty. Frames are added
// by one goroutine; a pack that is not added to is safe for concurrent readers.
type Pack struct {
	First, Last state.FrameID
	// Data has the frames, each as a [Coder] writes it or, behind [Other], in full: its type, its event, the
	// revision and time of a marker, and the ending as JSON.
	Data []byte
	// Room is the number of bytes of the events that the coder took.
	Room int

	n, raw int // frames, and bytes of their types and events
	coder  Coder
}

// Full reports whether the pack has room for no other frame.
func (p *Pack) Full() bool { return p.n >= PackFrames || p.raw >= packBytes }

// Follows reports whether a frame can be added behind the last one.
func (p *Pack) Follows(f *state.Frame) bool {
	return p.n == 0 || f.ID == state.FrameID{Fence: p.Last.Fence, Seq: p.Last.Seq + 1}
}

// Add appends a frame, which follows the last one. The pack shares its event.
func (p *Pack) Add(f *state.Frame) {
	data, ok := p.coder.Append(p.Data, f)
	if ok {
		p.Room += len(f.Data)
	} else {
		data = appendFull(data, f)
	}
	if p.n == 0 {
		p.First = f.ID
	}
	p.Data, p.Last = data, f.ID
	p.n, p.raw = p.n+1, p.raw+len(f.Type)+len(f.Data)
}

// Sealed returns a copy of the pack, without the memory that additions need.
func (p *Pack) Sealed() *Pack {
	return &Pack{First: p.First, Last: p.Last, Data: bytes.Clone(p.Data), Room: p.Room}
}

// Frames decodes a pack of First, Last, Data and Room. It fails with [ErrBroken].
func (p *Pack) Frames() ([]state.Frame, error) {
	if p.Last.Fence != p.First.Fence || p.Last.Seq-p.First.Seq >= PackFrames || p.Room < 0 || p.Room > maxRoom {
		return nil, ErrBroken
	}
	frames := make([]state.Frame, p.Last.Seq-p.First.Seq+1)
	events, rest := make([]byte, 0, p.Room), p.Data
	var coder Coder
	for i := range frames {
		f := &frames[i]
		f.ID = state.FrameID{Fence: p.First.Fence, Seq: p.First.Seq + uint64(i)}
		var err error
		switch begin := len(events); {
		case len(rest) == 0:
			err = ErrBroken
		case rest[0] == Other:
			rest, err = readFull(f, rest[1:])
		default:
			f.Type, events, rest, err = coder.Next(events, rest)
			f.Data = events[min(begin, len(events)):len(events):len(events)]
		}
		if err != nil {
			return nil, err
		}
	}
	if len(rest) > 0 {
		return nil, ErrBroken
	}
	return frames, nil
}

// appendFull appends a frame that the coder does not take. An ending can be encoded: its interrupts were, for the
// event.
func appendFull(data []byte, f *state.Frame) []byte {
	var ending []byte
	if f.Ending != nil {
		ending, _ = agui.Marshal(f.Ending)
	}
	data = appendText(append(data, Other), []byte(f.Type))
	data = appendText(data, f.Data)
	data = binary.AppendVarint(binary.AppendVarint(data, f.Rev), f.At)
	return appendText(data, ending)
}

func appendText(data, text []byte) []byte {
	return append(binary.AppendUvarint(data, uint64(len(text))), text...)
}

// readFull reads what appendFull writes behind [Other], and returns the rest. The event is a copy.
func readFull(f *state.Frame, data []byte) ([]byte, error) {
	r := reader{data: data, ok: true}
	f.Type = agui.EventType(r.bytes(r.number()))
	f.Data = append(f.Data, r.bytes(r.number())...)
	f.Rev, f.At = r.signed(), r.signed()
	if ending := r.bytes(r.number()); len(ending) > 0 {
		if err := json.Unmarshal(ending, &f.Ending); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBroken, err)
		}
	}
	if !r.ok {
		return nil, ErrBroken
	}
	return r.data, nil
}
