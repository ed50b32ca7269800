package memstore

import (
	"reflect"
	"unsafe"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/ledger"
)

// entryCost is about what a thread takes beside what is in it: its entry, the thread itself, and its places in the maps that find it.
const entryCost = int64(unsafe.Sizeof(entry{})+unsafe.Sizeof(state.Thread{})) + 1800

// Sizes are the bytes of memory that the parts of a thread take. Each is kept up to date by what changes the part.
type sizes struct {
	messages, tokens, frames, replaced, state, past, runs, thread int64
}

func (s *sizes) total() int64 {
	return entryCost + s.messages + s.tokens + s.frames + s.replaced + s.state + s.past + s.runs + s.thread
}

// messageSize is what a message takes with its place. Its encoding is counted as it is kept, with what it was encoded from.
func messageSize(m *state.StoredMessage) int64 {
	const place = int64(unsafe.Sizeof(state.Place{})+unsafe.Sizeof("")) + 2*mapEntry
	return rounded(int64(unsafe.Sizeof(*m))) + 8 + footprint(*m) + place
}

// placeSize is what is left of a message that is in the conversation no more.
func placeSize(id string) int64 {
	return int64(unsafe.Sizeof(state.Place{})+unsafe.Sizeof(id)) + 2*mapEntry + rounded(int64(len(id)))
}

// frameSize is what a frame takes beside its place in the log.
func frameSize(f *state.Frame) int64 {
	n := rounded(int64(cap(f.Data)))
	if f.Ending != nil {
		n += footprint(f.Ending)
	}
	return n
}

// packSize is what a pack takes beside its place in the log.
func packSize(p *pack) int64 {
	n := rounded(int64(unsafe.Sizeof(*p))) + rounded(int64(cap(p.data))) + rounded(int64(cap(p.whole))*int64(unsafe.Sizeof(state.Frame{})))
	for i := range p.whole {
		n += frameSize(&p.whole[i])
	}
	return n
}

// threadSize is what a thread holds on to, with its checkpoint, its live attempt and who waits for it.
func threadSize(t *state.Thread) int64 { return heldBy(reflect.ValueOf(t).Elem()) }

// note tells the books what the entry, which is locked, takes now.
func (b *backend) note(e *entry) {
	t := e.thread.Load()
	e.size.frames = e.log.size + int64(cap(e.log.frames))*int64(unsafe.Sizeof(state.Frame{})) + int64(cap(e.log.packs))*int64(unsafe.Sizeof(&pack{}))
	n := ledger.Thread{Key: e.key, Size: e.size.total(), Used: t.UpdatedAt, Asks: e.asks, Live: t.Live != nil}
	if at, ok := e.log.oldest(); ok {
		n.LogEnd = at
	}
	b.books.Put(n)
}
