package gateway

import (
	"bytes"
	"errors"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// openingFor says what the caller of a run needs of the snapshot of the messages that opens it.
type openingFor struct {
	// skip: the caller's own list is the thread's.
	skip bool
	// insert, if not 0, is the revision to show a caller who lacks messages in a run that added none, so that the
	// log has no such snapshot: what it is told next would be out of its place.
	insert int64
	// before, if out is set, is sent before that snapshot, to a caller whose list is out of order.
	before state.Conversation
	out    bool
}

// needs compares the request's own list of messages with the thread's.
func (c *caller) needs(begun *state.Begun) (openingFor, error) {
	defer c.beat()()
	messages, err := c.messages(c.req.Key, begun.Thread.Rev)
	if errors.Is(err, state.ErrUnknownThread) {
		return openingFor{}, nil // deleted: the log says how the run ends
	}
	if err != nil {
		return openingFor{}, err
	}
	own := slices.DeleteFunc(slices.Clone(c.req.Messages), func(m agui.Message) bool { return m.Role == agui.RoleActivity })
	if slices.EqualFunc(own, messages, equalMessages) {
		return openingFor{skip: true}, nil
	}
	var o openingFor
	o.before, o.out = unordered(own, messages)
	intent := begun.Thread.Live.Intent
	sameIDs := slices.EqualFunc(own, messages, func(a agui.Message, b state.StoredMessage) bool { return a.ID == b.ID })
	if !intent.Added && !intent.Cut && !sameIDs {
		o.insert = begun.Thread.Rev
	}
	return o, nil
}

func equalMessages(own agui.Message, stored state.StoredMessage) bool {
	if own.ID != stored.ID {
		return false
	}
	raw, err := own.MarshalJSON()
	return err == nil && bytes.Equal(raw, stored.Raw)
}

// An opening finds the snapshot of the messages that opens a run: the one right behind its first state.
type opening uint8

const (
	started opening = iota + 1 // the last frame was RUN_STARTED
	stated                     // the last frames were RUN_STARTED and STATE_SNAPSHOT
)

// restates takes the next frame and reports whether it is that snapshot.
func (o *opening) restates(f state.Frame) bool {
	found := *o == stated && f.Type == agui.TypeMessagesSnapshot
	switch {
	case f.Type == agui.TypeRunStarted:
		*o = started
	case *o == started && f.Type == agui.TypeStateSnapshot:
		*o = stated
	default:
		*o = 0
	}
	return found
}

// A client that is sent a MESSAGES_SNAPSHOT keeps what it has of it where it has it, and adds the rest behind. One that
// said something without knowing what was said before, in another tab, would show the conversation out of order for
// good. It is sent a shorter snapshot first, of what it has in its place; the rest then comes in order.

// openWith are the snapshots behind the first state of a run that its log does not have, for this caller.
func (c *caller) openWith(t tailing) ([]state.Frame, error) {
	var frames []state.Frame
	if t.opening.out {
		sent, err := c.project(t.key, state.Frame{Type: agui.TypeMessagesSnapshot, Data: messagesData(t.opening.before)})
		if err != nil {
			return nil, err
		}
		frames = sent
	}
	if t.opening.insert != 0 {
		sent, err := c.project(t.key, state.Frame{Type: agui.TypeMessagesSnapshot, Rev: t.opening.insert})
		if err != nil {
			return nil, err
		}
		frames = append(frames, sent...)
	}
	return frames, nil
}

// unordered returns the beginning of messages that a client must be sent first that has own, and whether it must.
func unordered(own []agui.Message, messages state.Conversation) (state.Conversation, bool) {
	place := make(map[string]int, len(messages))
	for i, m := range messages {
		place[m.ID] = i
	}
	kept, inPlace := 0, 0
	for _, m := range own {
		i, there := place[m.ID]
		if !there {
			continue // it goes
		}
		if i == kept && inPlace == kept {
			inPlace++
		}
		kept++
	}
	return slices.Clip(messages[:inPlace]), inPlace < kept
}
