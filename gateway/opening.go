package gateway

import (
	"bytes"
	"errors"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/state"
)

// openingOptions say how a reader is sent the snapshot of the messages that opens its run.
type openingOptions struct {
	// skip is set if the reader's own list is the thread's.
	skip bool
	// insert, if not 0, is the revision to show to a reader that lacks messages in a run that added none, so that the
	// log has no such snapshot: what it is sent next would be out of its place.
	insert int64
	// before, if unordered is set, is sent before that snapshot, to a reader whose list is out of order.
	before    state.Conversation
	unordered bool
}

// openingOptions compares the messages that came with the request with the thread's.
func (r *reader) openingOptions(begun *state.Begun) (openingOptions, error) {
	defer r.keepAlive()()
	messages, err := r.messages(begun.Thread.Rev)
	if errors.Is(err, state.ErrUnknownThread) {
		return openingOptions{}, nil // deleted: the log says how the run ends
	}
	if err != nil {
		return openingOptions{}, err
	}
	own := slices.DeleteFunc(slices.Clone(r.own), func(m agui.Message) bool { return m.Role == agui.RoleActivity })
	if slices.EqualFunc(own, messages, equalMessages) {
		return openingOptions{skip: true}, nil
	}
	var o openingOptions
	o.before, o.unordered = unordered(own, messages)
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

// An opening finds the snapshot of the messages that opens a run: the frame right behind its first state.
type opening uint8

const (
	started opening = iota + 1 // the last frame was RUN_STARTED
	stated                     // the last frames were RUN_STARTED and STATE_SNAPSHOT
)

// isSnapshot takes the next frame and reports whether it is that snapshot.
func (o *opening) isSnapshot(f state.Frame) bool {
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

// openingSnapshots returns the snapshots that this reader is sent behind the first state of a run and that the log does not have.
func (r *reader) openingSnapshots(o openingOptions) ([]state.Frame, error) {
	var frames []state.Frame
	if o.unordered {
		sent, err := r.project(state.Frame{Type: agui.TypeMessagesSnapshot, Data: frame.MessagesSnapshot(o.before)})
		if err != nil {
			return nil, err
		}
		frames = sent
	}
	if o.insert != 0 {
		sent, err := r.project(state.Frame{Type: agui.TypeMessagesSnapshot, Rev: o.insert})
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
