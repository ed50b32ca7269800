package memstore

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// How many frames a pack has, and about how many bytes of events: a reader is given one at a time.
const (
	packFrames = 512
	packBytes  = 64 << 10
)

// How long an event may be that is packed, and how many types of events a pack knows. What is beyond that is kept as it is, and shared
// with those who read it.
const (
	packedData  = 4 << 10
	packedKinds = 32
)

// A pack is frames of runs that are over, in a tenth of the memory. Events of one type differ by little, the pieces of a text most of all,
// so each is kept as what differs from the one before it. No pack is ever changed.
type pack struct {
	first, last state.FrameID
	n           int           // how many frames there are
	raw         int           // bytes of the events that are packed
	data        []byte        // what is said of each frame, see packer
	whole       []state.Frame // those that are kept as they are, in order
}

// A packer is what both sides know of the frames so far: their types in the order in which they came, each with its newest event.
//
// What is said of a frame begins with the number of its type, or wholeFrame, and that is all then. A type that is new is named.
// Its id is the one that follows. The event is its length, and by turns how many bytes are those of the event before, in the same place,
// and how many are not, with these, until it is as long as it should be. Numbers are varints.
type packer struct {
	kinds  []agui.EventType
	newest [][]byte
}

// wholeFrame stands for the number of a type.
const wholeFrame = 0xFF

// packSome packs the first of some frames, and returns those behind them.
func packSome(frames []state.Frame) (*pack, []state.Frame) {
	p := &pack{first: frames[0].ID}
	var known packer
	var room [4 << 10]byte
	data, size := room[:0], 0
	for p.n < len(frames) && p.n < packFrames && size < packBytes {
		f := &frames[p.n]
		follows := p.n == 0 || f.ID == nextID(p.last)
		p.n, p.last = p.n+1, f.ID
		size += len(f.Data)
		if kind, ok := known.kindOf(f); follows && ok {
			data = known.append(data, kind, f)
			p.raw += len(f.Data)
		} else {
			data = append(data, wholeFrame)
			p.whole = append(p.whole, *f)
		}
	}
	p.data, p.whole = bytes.Clone(data), slices.Clone(p.whole)
	return p, frames[p.n:]
}

// nextID is the id behind one of the same fence.
func nextID(id state.FrameID) state.FrameID { return state.FrameID{Fence: id.Fence, Seq: id.Seq + 1} }

// kindOf returns the number of the frame's type; not ok: it is not to be packed.
func (k *packer) kindOf(f *state.Frame) (kind int, ok bool) {
	if len(f.Data) == 0 || len(f.Data) > packedData || f.Rev != 0 || f.At != 0 || f.Ending != nil {
		return 0, false
	}
	for i, name := range k.kinds {
		if name == f.Type {
			return i, true
		}
	}
	return len(k.kinds), len(k.kinds) < packedKinds
}

// append says of a frame what there is to say.
func (k *packer) append(data []byte, kind int, f *state.Frame) []byte {
	data = append(data, byte(kind))
	if kind == len(k.kinds) {
		k.kinds, k.newest = append(k.kinds, f.Type), append(k.newest, nil)
		data = append(binary.AppendUvarint(data, uint64(len(f.Type))), f.Type...)
	}
	data = binary.AppendUvarint(data, uint64(len(f.Data)))
	data = appendDifference(data, k.newest[kind], f.Data)
	k.newest[kind] = f.Data
	return data
}

// leastSame is how many bytes have to be the same to be worth telling apart from what differs.
const leastSame = 4

// appendDifference appends what event has that the one before has not in the same place.
func appendDifference(data, before, event []byte) []byte {
	for at := 0; at < len(event); {
		same := sameFrom(before, event, at)
		from := at + same
		data = binary.AppendUvarint(data, uint64(same))
		if at = from; at == len(event) {
			break
		}
		for at++; at < len(event) && !sameFor(before, event, at, leastSame); at++ {
		}
		data = binary.AppendUvarint(data, uint64(at-from))
		data = append(data, event[from:at]...)
	}
	return data
}

// sameFrom is how many bytes from at on are the same.
func sameFrom(a, b []byte, at int) int {
	if at >= len(a) {
		return 0
	}
	a, b = a[at:], b[at:]
	n := 0
	for n+8 <= len(a) && n+8 <= len(b) {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
		n += 8
	}
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// sameFor reports whether n bytes from at on are the same.
func sameFor(a, b []byte, at, n int) bool {
	return at+n <= len(a) && at+n <= len(b) && string(a[at:at+n]) == string(b[at:at+n])
}

// frames are the frames that were packed.
func (p *pack) frames() []state.Frame {
	frames := make([]state.Frame, p.n)
	events, rest, whole := make([]byte, 0, p.raw), p.data, p.whole
	var known packer
	id := p.first
	for i := range frames {
		if rest[0] == wholeFrame {
			frames[i], whole, rest = whole[0], whole[1:], rest[1:]
		} else {
			begin := len(events)
			frames[i].ID = id
			frames[i].Type, events, rest = known.next(events, rest)
			frames[i].Data = events[begin:len(events):len(events)]
		}
		id = nextID(frames[i].ID)
	}
	return frames
}

// next appends the event that is told of next.
func (k *packer) next(events, data []byte) (kind agui.EventType, event, rest []byte) {
	number, data := int(data[0]), data[1:]
	if number == len(k.kinds) {
		size, data2 := uvarint(data)
		k.kinds, k.newest = append(k.kinds, agui.EventType(data2[:size])), append(k.newest, nil)
		data = data2[size:]
	}
	begin := len(events)
	length, data := uvarint(data)
	for len(events) < begin+length {
		var same, other int
		same, data = uvarint(data)
		at := len(events) - begin
		events = append(events, k.newest[number][at:at+same]...)
		if len(events) == begin+length {
			break
		}
		other, data = uvarint(data)
		events, data = append(events, data[:other]...), data[other:]
	}
	k.newest[number] = events[begin:]
	return k.kinds[number], events, data
}

// uvarint takes a number from the front.
func uvarint(data []byte) (int, []byte) {
	n, size := binary.Uvarint(data)
	return int(n), data[size:]
}

// behind are the frames behind a place.
func (p *pack) behind(id state.FrameID) []state.Frame {
	frames := p.frames()
	return frames[findFrame(frames, id):]
}
