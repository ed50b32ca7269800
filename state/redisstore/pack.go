package redisstore

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/s2"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/delta"
	"github.com/agui-gateway/gateway/state/store"
)

// The fields of a pack in the answer of a script, beside the id of its last frame.
const (
	packFirst = "f" // the id of the first frame; the others follow without a gap
	packBorn  = "b" // the incarnation of the thread
	packValue = "v"
)

// maxPack is the most bytes of a pack.
const maxPack = packsOfRun + 64<<10

// packText returns the value of a pack in Redis: a block of S2 with the room for its events and its data. Questions are
// long and repeat each other, which S2 finds.
func packText(p *delta.Pack) []byte {
	return s2.Encode(nil, append(binary.AppendUvarint(nil, uint64(p.Room)), p.Data...))
}

// parsePack reads a pack from the fields of an answer.
func parsePack(last string, fields map[string]string) (p *delta.Pack, err error) {
	p = &delta.Pack{}
	if p.First, err = state.ParseFrameID(fields[packFirst]); err != nil {
		return nil, err
	}
	if p.Last, err = state.ParseFrameID(last); err != nil {
		return nil, err
	}
	value := []byte(fields[packValue])
	if n, err := s2.DecodedLen(value); err != nil || n > maxPack {
		return nil, delta.ErrBroken
	}
	data, err := s2.Decode(nil, value)
	if err != nil {
		return nil, err
	}
	room, n := binary.Uvarint(data)
	if n <= 0 || room > maxPack {
		return nil, delta.ErrBroken
	}
	p.Room, p.Data = int(room), data[n:]
	return p, nil
}

// addPack adds the frames of a pack to a page, but for those before its end and those that are trimmed.
func addPack(page *store.LogPage, last string, fields map[string]string) error {
	p, err := parsePack(last, fields)
	if err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	frames, err := p.Frames()
	if err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	for i := range frames {
		if id := frames[i].ID; page.End.Less(id) && page.Cut.Less(id) {
			page.Frames = append(page.Frames, frames[i])
		}
	}
	if page.End.Less(p.Last) {
		page.End = p.Last
	}
	if page.Born == "" { // the thread was deleted
		page.Marker = fields[packBorn]
	}
	return nil
}
