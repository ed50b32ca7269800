package memstore

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/internal/delta"
	"github.com/agui-gateway/gateway/state/internal/ledger"
)

// What the parts of a thread take beside their encodings, with their places in lists and maps. These are means of what
// the heap shows, see TestTheBooksAreAboutTheHeap.
const (
	threadCost   = 2500
	liveCost     = 1000
	partCost     = 100
	messageCost  = 700
	placeCost    = 160
	tokenCost    = 900
	frameCost    = 110
	packCost     = 220
	replacedCost = 120
	runCost      = 500
	opCost       = 100 // of a patch
)

// The sizes of a thread are the bytes of memory that its parts take, about: their encodings, and a cost for each.
type sizes struct {
	messages, tokens, frames, replaced, state, past, runs, thread int64
}

func (s *sizes) total() int64 {
	return s.messages + s.tokens + s.frames + s.replaced + s.state + s.past + s.runs + s.thread
}

// encodedSize returns the length of v as JSON.
func encodedSize(v any) int64 {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0 // stored values were JSON before
	}
	return int64(len(raw))
}

// messageSize returns the size of a message with its place. A small one is stored with its decoded value.
func messageSize(m *state.StoredMessage) int64 {
	n := int64(len(m.Raw))
	if n < state.LeanFrom {
		n *= 2
	}
	return messageCost + n
}

// placeSize returns the size of the place of a message that left the conversation.
func placeSize(id string) int64 { return placeCost + int64(len(id)) }

// tokenSize returns the size of a token.
func tokenSize(token *state.Token) int64 { return tokenCost + encodedSize(token) }

// frameSize returns the size of a frame.
func frameSize(f *state.Frame) int64 {
	n := frameCost + int64(len(f.Data))
	if f.Ending != nil {
		n += encodedSize(f.Ending)
	}
	return n
}

// packSize returns the size of a pack.
func packSize(p *delta.Pack) int64 { return packCost + int64(len(p.Data)) }

// pastSize returns the size of the patches that lead to earlier states.
func pastSize(h document.History) (n int64) {
	for _, mark := range h.Marks {
		n += opCost + int64(len(mark.Name))
		for _, op := range mark.Undo {
			n += opCost + int64(len(op.Path)+len(op.Value))
		}
	}
	return n
}

// runsSize returns the size of the records of runs.
func runsSize(runs []state.Run) (n int64) {
	for i := range runs {
		n += runCost + int64(len(runs[i].Text))
	}
	return n
}

// threadSize returns the size of a thread with its checkpoint, its live attempt and its queue. It is computed with each
// change, so only rare parts are encoded for it.
func threadSize(t *state.Thread) int64 {
	n := threadCost + int64(len(t.Title)+len(t.Checkpoint)+len(t.Notes))
	n += partCost * int64(len(t.Answered)+len(t.Settled)+len(t.Approvals)+len(t.Patched)+len(t.Queue)+len(t.Usage))
	if len(t.Calls) > 0 || len(t.Pending) > 0 || t.Kept != nil {
		n += encodedSize([]any{t.Calls, t.Pending, t.Kept})
	}
	l := t.Live
	if l == nil {
		return n
	}
	n += liveCost + int64(len(l.Intent.ForwardedProps))
	for key, result := range l.Memo {
		n += partCost + int64(len(key)+len(result))
	}
	for _, tool := range l.Intent.Tools {
		n += partCost + int64(len(tool.Name)+len(tool.Description)+len(tool.Parameters))
	}
	for _, c := range l.Intent.Context {
		n += partCost + int64(len(c.Description)+len(c.Value))
	}
	if i := &l.Intent; len(i.Claims) > 0 || len(i.Effects) > 0 {
		n += encodedSize([]any{i.Claims, i.Questions, i.Effects})
	}
	return n
}

// note updates the size of an entry, which is locked, in the ledger.
func (b *backend) note(e *entry) {
	t := e.thread.Load()
	e.size.frames = e.log.size
	n := ledger.Thread{Key: e.key, Size: e.size.total(), Used: t.UpdatedAt, Asks: e.asks, Live: t.Live != nil}
	if at, ok := e.log.oldest(); ok {
		n.LogEnd = at
	}
	b.books.Put(n)
}
