package provider

import (
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// A Draft is a reply that is being received. What is added to it is handed on at once.
type Draft struct {
	on    model.Deltas
	reply model.Reply

	calls                    []*callDraft
	size                     int
	delivered                bool  // something was handed on
	refused                  error // by on
	text, reasoning, refusal strings.Builder
}

// A reply is kept, and sent back: it holds at most so many bytes, and calls.
const (
	maxText  = 4 << 20
	maxCalls = 64
)

// A callDraft is a call that is being received.
type callDraft struct {
	index     int // -1: the server gave none
	id, name  string
	arguments strings.Builder
	passed    int // bytes of arguments that were handed on; -1: not even the name
}

// Text adds to what the model says.
func (d *Draft) Text(delta string) error { return d.add(&d.text, delta, d.on.Text) }

// Reasoning adds to what it thinks.
func (d *Draft) Reasoning(delta string) error { return d.add(&d.reasoning, delta, d.on.Reasoning) }

// Refusal adds to what it says instead of a text.
func (d *Draft) Refusal(delta string) error { return d.add(&d.refusal, delta, d.on.Text) }

func (d *Draft) add(all *strings.Builder, delta string, on func(string) error) error {
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

// Call adds a piece of a call. The index is -1, and the others are empty, where the server does not say.
func (d *Draft) Call(index int, id, name, arguments string) error {
	c := d.call(index, id, name, arguments)
	c.arguments.WriteString(arguments)
	if d.size += len(arguments); d.size > maxText || len(d.calls) > maxCalls {
		return NewFault(Response, ErrLarge)
	}
	return d.passCall(c)
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

// passCall hands on what is new of a call, once its name is known.
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
	for i, other := range d.calls {
		if other == c {
			d.refused = d.on.Call(i, c.name, fresh)
		}
	}
	return d.refused
}

// Usage is what the call used, to be filled in as the server tells it.
func (d *Draft) Usage() *agui.TokenUsage { return &d.reply.Usage }

// Finish says why the model is done, in the words of [model.Reply]. Only what it used may still come.
func (d *Draft) Finish(reason string) { d.reply.Finish = reason }

// Finished returns what [Draft.Finish] was told; it is empty while the model speaks.
func (d *Draft) Finished() string { return d.reply.Finish }

// End makes the reply of what came, or says why it is none.
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
