package run

import (
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/lock"
)

// An Emit sends an event on its way.
type Emit = func(e agui.Event) error

// A Filter gets every event of a writer, and passes on zero or more events. It has to send content that it holds back
// before the end of its message or call. It gets starts, contents and ends instead of chunks, and the ends of all open
// items: see [Writer.Flush]. It must write only with next, and not after it has returned.
//
// Its error is returned to the writer, and to all later writes: after an error a filter passes nothing. An error
// returned by next is not the filter's: then the writer may continue.
type Filter func(e agui.Event, next Emit) error

// A filter is a [Filter] before the rest of a writer's way. One event passes at a time.
type filter struct {
	mu     lock.Lock // also held while the run throttles its writers
	pass   Filter
	next   Writer
	chunks agui.Expander
	open   []agui.Item // items opened before the filter and not ended, in order
	err    error       // of the filter
}

// Through returns a writer of the same events, which pass f first and then what those of w pass.
func (w Writer) Through(f Filter) Writer {
	return Writer{run: w.run, tag: w.tag,
		filter: &filter{mu: lock.New(), pass: f, next: w, chunks: agui.Expander{Forgiving: true}}}
}

// As returns a writer of events that belong to another invocation and pass the same filters.
func (w Writer) As(subagentRunID string) Writer {
	w.tag = subagentRunID
	return w
}

// Unfiltered returns a writer of the same events that pass no filter.
func (w Writer) Unfiltered() Writer { return w.run.As(w.tag) }

// Flush sends the ends of the open messages, calls and spans of the writer's invocation to its filters, so that these
// send what they hold back. It returns their errors, also those of earlier events. Without a filter it does nothing.
func (w Writer) Flush() error {
	if w.filter == nil {
		return nil
	}
	return w.filter.flush(w.tag)
}

func (f *filter) emit(e agui.Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.chunks.Each(e, f.send)
}

// send lets one event pass. The lock is held.
func (f *filter) send(e agui.Event) error {
	if f.err != nil {
		return f.err
	}
	item, effect := agui.ItemOf(e)
	switch effect {
	case agui.Opens:
		f.open = append(f.open, item)
	case agui.Closes:
		f.forget(item)
	default:
	}
	var below error
	err := f.pass(e, func(e agui.Event) error {
		err := f.next.Emit(e)
		if err != nil {
			below = err
		}
		return err
	})
	if err != nil && below == nil {
		f.err = err
	}
	if err != nil && effect == agui.Opens {
		f.forget(item)
	}
	return err
}

// forget removes an item from those that are open.
func (f *filter) forget(item agui.Item) {
	f.open = slices.DeleteFunc(f.open,
		func(open agui.Item) bool { return open.Kind == item.Kind && open.ID == item.ID })
}

// flush ends what the invocation has open, the innermost first.
func (f *filter) flush(tag string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	ends := f.chunks.CloseOf(tag)
	for _, o := range slices.Backward(f.open) {
		if o.Owner == tag && !slices.ContainsFunc(ends,
			func(e agui.Event) bool { c, _ := agui.ItemOf(e); return c.Kind == o.Kind && c.ID == o.ID }) {
			ends = append(ends, agui.Item{Kind: o.Kind, ID: o.ID}.End())
		}
	}
	first := f.err
	for _, e := range ends {
		agui.Attribute(e, tag)
		if err := f.send(e); first == nil {
			first = err
		}
	}
	if err := f.next.As(tag).Flush(); first == nil {
		first = err
	}
	return first
}
