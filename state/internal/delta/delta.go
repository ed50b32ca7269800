package delta

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// The longest event that is written as a difference, and the most types of events in a pack.
const (
	MaxEvent = 4 << 10
	MaxKinds = 32
)

// Other is a byte that no encoded event begins with. It marks data in another encoding.
const Other = 0xFF

// ErrBroken is returned for bytes that no Coder wrote.
var ErrBroken = errors.New("delta: not what was written")

// A Coder holds the state shared by encoder and decoder: the types of events in their order, each with its newest
// event. The zero value has none. It is for one goroutine, and either encodes or decodes.
//
// An encoded event begins with the number of its type; a new type is followed by its name. Then come the length of
// the event and, alternating, the number of bytes that are equal to the event before at the same place, and the
// number of different bytes with these bytes. Numbers are varints.
type Coder struct {
	kinds  []agui.EventType
	newest [][]byte
}

// Append appends the encoding of a frame's type and event, which must not change from then on. Not ok: the frame needs
// another encoding, because its event is missing or too long, it has more than an event, or there are too many types.
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

// leastSame is the number of equal bytes that is worth an entry.
const leastSame = 4

// appendDifference appends the difference of event from the one before.
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

// sameFrom returns the number of equal bytes from at on.
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

// sameFor reports whether n bytes from at on are equal.
func sameFor(a, b []byte, at, n int) bool {
	return at+n <= len(a) && at+n <= len(b) && string(a[at:at+n]) == string(b[at:at+n])
}

// Next decodes one event, which does not begin with [Other]. It returns the type, events with the event appended,
// and the rest of data. It fails with [ErrBroken].
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

// A reader reads from the front of data, as long as it is ok.
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

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.data)
	if size <= 0 {
		r.data, r.ok = nil, false
		return 0
	}
	r.data = r.data[size:]
	return n
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
