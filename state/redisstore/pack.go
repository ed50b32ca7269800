package redisstore

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/klauspost/compress/s2"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/delta"
)

// How many frames a pack has, and about how many bytes of events: it is read as a whole.
const (
	packFrames = 512
	packBytes  = 64 << 10
)

// What scripts answer of a pack, beside the id of its last frame.
const (
	packFirst = "f" // the id of the first frame; the others follow without a gap
	packBorn  = "b" // whose log it is
	packValue = "v"
)

// maxPack is the most bytes that a pack has.
const maxPack = packsOfRun + 64<<10

// A pack is frames of one fence, one behind the other, each as package delta writes it, or if that does not take it in full behind
// [delta.Other]: its type, its event, the revision and time of a marker, and the ending as JSON. In Redis it is compressed as a block of S2:
// questions are long, and have much of each other.
type pack struct {
	first, last state.FrameID
	n, raw      int // frames, and bytes of their types and events
	events      int // bytes of the events that the coder took
	coder       delta.Coder
	data        []byte
}

// full reports whether there is no room for another frame.
func (p *pack) full() bool { return p.n >= packFrames || p.raw >= packBytes }

// add appends the next frame.
func (p *pack) add(f *state.Frame) error {
	data, ok := p.coder.Append(p.data, f)
	if !ok {
		ending := []byte(nil)
		if f.Ending != nil {
			var err error
			if ending, err = marshal(f.Ending); err != nil {
				return err
			}
		}
		data = appendText(append(data, delta.Other), string(f.Type))
		data = appendText(data, f.Data)
		data = binary.AppendVarint(binary.AppendVarint(data, f.Rev), f.At)
		data = appendText(data, ending)
	} else {
		p.events += len(f.Data)
	}
	if p.n == 0 {
		p.first = f.ID
	}
	p.data, p.last = data, f.ID
	p.n, p.raw = p.n+1, p.raw+len(f.Type)+len(f.Data)
	return nil
}

// value is what Redis keeps of the pack, with the bytes of the coder's events in front.
func (p *pack) value() []byte {
	return s2.Encode(nil, append(binary.AppendUvarint(nil, uint64(p.events)), p.data...))
}

// packData is what value was made of, and room for the events.
func packData(value []byte) (data, events []byte, err error) {
	n, err := s2.DecodedLen(value)
	if err == nil && n <= maxPack {
		data, err = s2.Decode(nil, value)
	}
	if err != nil {
		return nil, nil, err
	}
	size, n := binary.Uvarint(data)
	if n <= 0 || size > packFrames*delta.MaxEvent {
		return nil, nil, delta.ErrBroken
	}
	return data[n:], make([]byte, 0, size), nil
}

func appendText[T string | []byte | json.RawMessage](data []byte, text T) []byte {
	return append(binary.AppendUvarint(data, uint64(len(text))), text...)
}

// addPack adds the frames of a pack to a page that are behind its end, and not cut off.
func addPack(page *state.LogPage, last string, fields map[string]string) error {
	id, err := state.ParseFrameID(fields[packFirst])
	if err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	end, err := state.ParseFrameID(last)
	if err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	rest, events, err := packData([]byte(fields[packValue]))
	if err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	var coder delta.Coder
	for ; len(rest) > 0 && !end.Less(id); id.Seq++ {
		f := state.Frame{ID: id}
		if rest[0] == delta.Other {
			rest, err = fullFrame(&f, rest[1:])
		} else {
			begin := len(events)
			f.Type, events, rest, err = coder.Next(events, rest)
			f.Data = events[min(begin, len(events)):len(events):len(events)]
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errFrame, err)
		}
		if page.End.Less(id) && page.Cut.Less(id) {
			page.Frames = append(page.Frames, f)
		}
	}
	if id != (state.FrameID{Fence: end.Fence, Seq: end.Seq + 1}) || len(rest) > 0 {
		return fmt.Errorf("%w: a pack has not the frames that it says", errFrame)
	}
	if page.End.Less(end) {
		page.End = end
	}
	if page.Born == "" { // the thread is gone
		page.Marker = fields[packBorn]
	}
	return nil
}

// fullFrame reads a frame that was written in full, and returns what is behind it.
func fullFrame(f *state.Frame, data []byte) ([]byte, error) {
	r := packReader{data: data}
	f.Type = agui.EventType(r.text())
	if event := r.text(); event != "" {
		f.Data = json.RawMessage(event)
	}
	f.Rev, f.At = r.number(), r.number()
	if ending := r.text(); ending != "" && !r.broken {
		if err := json.Unmarshal([]byte(ending), &f.Ending); err != nil {
			return nil, err
		}
	}
	if r.broken {
		return nil, delta.ErrBroken
	}
	return r.data, nil
}

// A packReader takes from the front of what is left of a pack, as long as it is not broken.
type packReader struct {
	data   []byte
	broken bool
}

func (r *packReader) text() string {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > uint64(len(r.data)-size) {
		r.data, r.broken = nil, true
		return ""
	}
	text := string(r.data[size : size+int(n)])
	r.data = r.data[size+int(n):]
	return text
}

func (r *packReader) number() int64 {
	n, size := binary.Varint(r.data)
	if size <= 0 {
		r.data, r.broken = nil, true
		return 0
	}
	r.data = r.data[size:]
	return n
}
