package delta

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// How long an event may be that is written as a difference, and how many types of events are told apart.
const (
	MaxEvent = 4 << 10
	MaxKinds = 32
)

// Other is a byte that no event begins with. The caller writes it before what it keeps in another way.
const Other = 0xFF

// ErrBroken is returned for bytes that no Coder has written.
var ErrBroken = errors.New("delta: not what was written")

// A Coder is what who writes and who reads know of the events so far: their types in the order in which they came, each with its newest
// event. The zero value knows none. It is for one goroutine, and either writes or reads.
//
// What is written of an event begins with the number of its type. A type that is new is named. Then come the length of the event, and by turns
// how many bytes are those of the event before, in the same place, and how many are not, with these, until it is as long as it should be.
// Numbers are varints.
type Coder struct {
	kinds  []agui.EventType
	newest [][]byte
}

// Append appends what is to be written of a frame's type and event, which nobody may change from then on. Not ok: the frame has to be kept in another
// way, because its event is too long or none, it has more than an event, or its type is one too many.
func (c *Coder) Append(data []byte, f *state.Frame) (_ []byte, ok bool) {
	kind, ok := c.kindOf(f)
	if !ok {
		return data, false
	}
	data = append(data, byte(kind))
	if kind == len(c.kinds) {
		c.kinds, c.newest = append(c.kinds, f.Type), append(c.newest, nil)
		data = append(binary.AppendUvarint(data, uint64(len(f.Type))), f.Type...)
	}
	data = binary.AppendUvarint(data, uint64(len(f.Data)))
	data = appendDifference(data, c.newest[kind], f.Data)
	c.newest[kind] = f.Data
	return data, true
}

// kindOf returns the number of the frame's type.
func (c *Coder) kindOf(f *state.Frame) (kind int, ok bool) {
	if len(f.Data) == 0 || len(f.Data) > MaxEvent || f.Rev != 0 || f.At != 0 || f.Ending != nil {
		return 0, false
	}
	for i, name := range c.kinds {
		if name == f.Type {
			return i, true
		}
	}
	return len(c.kinds), len(c.kinds) < MaxKinds
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

// Next reads one event that is not [Other], and returns its type, events with the event behind, and what comes behind it in data. It fails with
// [ErrBroken].
func (c *Coder) Next(events, data []byte) (kind agui.EventType, more, rest []byte, err error) {
	r := reader{data: data, ok: true}
	number := r.number()
	switch {
	case number == len(c.kinds) && number < MaxKinds:
		c.kinds, c.newest = append(c.kinds, agui.EventType(r.bytes(r.number()))), append(c.newest, nil)
	case number > len(c.kinds):
		r.ok = false
	}
	begin, length := len(events), r.number()
	r.ok = r.ok && number < len(c.kinds) && length <= MaxEvent
	for r.ok && len(events) < begin+length {
		at, same := len(events)-begin, r.number()
		before := c.newest[number]
		if same > len(before)-at {
			if r.ok = r.ok && same == 0; !r.ok {
				break
			}
		} else {
			events = append(events, before[at:at+same]...)
		}
		if len(events) < begin+length {
			events = append(events, r.bytes(r.number())...)
		}
	}
	if !r.ok || len(events) != begin+length {
		return "", nil, nil, ErrBroken
	}
	c.newest[number] = events[begin:len(events):len(events)]
	return c.kinds[number], events, r.data, nil
}

// A reader takes from the front of data, as long as it is ok.
type reader struct {
	data []byte
	ok   bool
}

func (r *reader) number() int {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > 1<<31 {
		r.data, r.ok = nil, false
		return 0
	}
	r.data = r.data[size:]
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.data) {
		r.data, r.ok = nil, false
		return nil
	}
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}
