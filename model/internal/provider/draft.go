package provider

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/surrogate"
	"github.com/agui-gateway/gateway/model"
)

// A Draft is an incomplete reply. Additions are passed on at once.
type Draft struct {
	on    model.Deltas
	reply model.Reply

	calls                    []*callDraft
	size                     int
	delivered                bool  // something was handed on
	refused                  error // by on
	text, reasoning, refusal draftText
}

type draftText struct {
	strings.Builder
	join surrogate.Joiner
}

// NewDraft returns an empty reply that is passed on as it comes. Usage has the members that are known in advance.
func NewDraft(on model.Deltas, usage agui.TokenUsage) Draft {
	return Draft{on: on, reply: model.Reply{Usage: usage}}
}

// A reply is kept, and sent back: it holds at most so many bytes, and calls.
const (
	maxText   = 4 << 20
	maxCalls  = 64
	maxOpaque = 1 << 20
)

type callDraft struct {
	index     int // -1: the server gave none
	id, name  string
	arguments draftText
	passed    int // bytes of arguments that were handed on; -1: not even the name
}

// Text adds to what the model says.
func (d *Draft) Text(delta surrogate.Text) error { return d.add(&d.text, delta, d.on.Text) }

// Reasoning adds to what it thinks.
func (d *Draft) Reasoning(delta surrogate.Text) error {
	return d.add(&d.reasoning, delta, d.on.Reasoning)
}

// Refusal adds to what it says instead of a text.
func (d *Draft) Refusal(delta surrogate.Text) error { return d.add(&d.refusal, delta, d.on.Text) }

func (d *Draft) add(all *draftText, piece surrogate.Text, on func(string) error) error {
	delta := all.join.Add(piece)
	if delta == "" {
		return nil
	}
	if d.size += len(delta); d.size > maxText {
		return NewFault(Response, ErrLarge)
	}
	all.WriteString(delta)
	d.delivered = true
	if on == nil {
		return nil
	}
	d.refused = on(delta)
	return d.refused
}

// Said returns the text and the reasoning so far.
func (d *Draft) Said() (text, reasoning string) { return d.text.String(), d.reasoning.String() }

// Call adds a piece of a call, and returns which one of the reply it is. The index is -1, and the others are empty,
// where the server does not say.
func (d *Draft) Call(index int, id, name string, piece surrogate.Text) (int, error) {
	c := d.call(index, id, name, string(piece))
	arguments := c.arguments.join.Add(piece)
	c.arguments.WriteString(arguments)
	if d.size += len(arguments); d.size > maxText || len(d.calls) > maxCalls {
		return 0, NewFault(Response, ErrLarge)
	}
	return slices.Index(d.calls, c), d.passCall(c)
}

// Opaque is what the server wants back with the following calls of the turn.
func (d *Draft) Opaque(raw json.RawMessage) error {
	if len(raw) > maxOpaque {
		return NewFault(Response, ErrLarge)
	}
	d.reply.Opaque = raw
	return nil
}

// call finds the call that a piece belongs to, or begins one. The index decides; but some servers give none, some give
// the same to all, and ids may be missing or doubled.
func (d *Draft) call(index int, id, name, arguments string) *callDraft {
	var found *callDraft
	for _, c := range d.calls {
		if index >= 0 && c.index == index || index < 0 && id != "" && c.id == id {
			found = c
		}
	}
	if index < 0 && id == "" && len(d.calls) > 0 {
		found = d.calls[len(d.calls)-1]
		if written := found.arguments.String(); strings.TrimSpace(arguments) != "" && strings.HasPrefix(written, "{") &&
			json.Valid([]byte(written)) {
			name, found = cmp.Or(name, found.name), nil // nothing can follow a whole object: they are another call's
		}
	}
	if found != nil && id != "" && found.id != "" && found.id != id {
		found = nil // another call under the same index
	}
	if found != nil && id == "" && name != "" && found.name != "" {
		whole := json.Valid([]byte(found.arguments.String()))
		if found.name != name || whole && arguments != "" {
			found = nil // another call without an id, and not the name said again
		}
	}
	if found == nil {
		found = &callDraft{index: index, passed: -1}
		d.calls = append(d.calls, found)
	}
	if found.id == "" {
		found.id = id
	}
	if found.name == "" {
		found.name = name
	}
	return found
}

// passCall passes on the new part of a call, once its name is known.
func (d *Draft) passCall(c *callDraft) error {
	if c.name == "" {
		return nil
	}
	arguments := c.arguments.String()
	fresh := arguments[max(c.passed, 0):]
	if c.passed >= 0 && fresh == "" {
		return nil
	}
	c.passed = len(arguments)
	d.delivered = true
	if d.on.Call == nil {
		return nil
	}
	d.refused = d.on.Call(slices.Index(d.calls, c), c.name, fresh)
	return d.refused
}

// Usage is what the call used, to be filled in as the server tells it.
func (d *Draft) Usage() *agui.TokenUsage { return &d.reply.Usage }

// Finish says why the model is done, in the words of [model.Reply]. Only what it used may still come.
func (d *Draft) Finish(reason string) { d.reply.Finish = reason }

// Finished returns the argument of [Draft.Finish]; it is empty while the model speaks.
func (d *Draft) Finished() string { return d.reply.Finish }

// Complete is for a server that says, in whatever way, that the reply is complete, and gave no reason for its end. It
// makes up the reason, unless nothing was said or a call has arguments that are not whole: such a reply broke off all
// the same.
func (d *Draft) Complete() {
	switch {
	case d.reply.Finish != "":
	case len(d.calls) > 0:
		for _, c := range d.calls {
			if arguments := c.arguments.String(); arguments != "" && !json.Valid([]byte(arguments)) {
				return
			}
		}
		d.reply.Finish = "tool_calls"
	case d.text.Len() > 0 || d.refusal.Len() > 0:
		d.reply.Finish = "stop"
	}
}

// End completes the reply, or returns the error of an incomplete one.
func (d *Draft) End() error {
	r := &d.reply
	r.Text, r.Reasoning, r.Refusal = d.text.String(), d.reasoning.String(), d.refusal.String()
	if r.Finish == "" {
		return NewFault(Broken, errCut)
	}
	for _, c := range d.calls {
		if c.name == "" {
			return NewFault(Response, errNameless)
		}
		r.Calls = append(r.Calls, model.Call{ID: c.id, Name: c.name, Arguments: c.arguments.String()})
	}
	return nil
}
