package run

import (
	"iter"

	"github.com/agui-gateway/gateway/agui"
)

// Earlier is the earlier conversation of a view, which most runs never need. It is read when the messages are
// requested, or an event has an id that may be one of theirs, so a run's cost does not depend on the thread's size.
type Earlier struct {
	// Read returns the messages. On error the view omits them and retries later; the caller must fail the run.
	Read func() ([]agui.Message, error)
	// New reports whether an id is that of none of the messages, and of none of their calls.
	New func(id string) bool
	// Last is the id of the last message.
	Last string
}

// NewViewAfter returns a view of a run on an earlier conversation. State is as in [NewView].
func NewViewAfter(e Earlier, state StateDocument) *View {
	v := NewView(nil, state)
	v.earlier = &e
	return v
}

// load reads the earlier messages, if they are not there yet.
func (v *View) load() {
	if v.earlier == nil {
		return
	}
	messages, err := v.earlier.Read()
	if err != nil {
		return
	}
	v.earlier = nil
	own := v.list
	v.list = make([]*entry, 0, len(messages)+len(own))
	for _, m := range messages {
		v.keep(newEntry(m))
	}
	v.list = append(v.list, own...)
}

// ownerOf returns the owner of a message or call, of this run's or of the conversation before it.
func (v *View) ownerOf(kind agui.Kind, id string) (owner string, known bool) {
	if kind == agui.KindToolCall {
		if c := v.callOf(id); c != nil && c.in != nil {
			return c.in.head.SubagentRunID, true
		}
		return "", false
	}
	e := v.entryOf(id)
	if kind == agui.KindSpan {
		kind = agui.KindReasoning
	}
	if e == nil || agui.KindOf(e.head.Role) != kind {
		return "", false
	}
	return e.head.SubagentRunID, true
}

func (v *View) entryOf(id string) *entry {
	if e := v.byID[id]; e != nil || v.earlier == nil || v.earlier.New(id) {
		return e
	}
	v.load()
	return v.byID[id]
}

func (v *View) callOf(id string) *call {
	if c := v.calls[id]; c != nil || v.earlier == nil || v.earlier.New(id) {
		return c
	}
	v.load()
	return v.calls[id]
}

// Last returns the id of the last message, or "". Unlike [View.Messages] it reads nothing.
func (v *View) Last() string {
	switch n := len(v.list); {
	case n > 0:
		return v.list[n-1].head.ID
	case v.earlier != nil:
		return v.earlier.Last
	}
	return ""
}

// Backward yields [View.Messages], the newest first. It loads earlier ones lazily. The view must not change meanwhile.
func (v *View) Backward() iter.Seq[agui.Message] {
	return func(yield func(agui.Message) bool) {
		own := len(v.list)
		for i := range own {
			if !yield(v.list[own-1-i].message()) {
				return
			}
		}
		v.load()
		for i := len(v.list) - own - 1; i >= 0; i-- {
			if !yield(v.list[i].message()) {
				return
			}
		}
	}
}

// Joined returns how many messages were added by events since the view was made.
func (v *View) Joined() int { return v.joined }
