package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// project appends the reader's frames of a stored one. A marker is rendered first.
func (r *reader) project(sent []state.Frame, f state.Frame) ([]state.Frame, error) {
	if f.Data == nil && (f.Type == agui.TypeMessagesSnapshot || f.Type == agui.TypeStateSnapshot) {
		data, err := r.render(f)
		if errors.Is(err, state.ErrUnknownThread) && r.stream != nil && r.stream.inRun {
			return sent, nil // deleted: the log has the end of the run, and the reader needs no snapshot until then
		}
		if err != nil {
			return sent, err
		}
		f.Data = data
	}
	before := len(sent)
	profile := r.profile
	if f.ID.Fence != 0 && f.ID.Fence == r.named {
		profile.RunID = "" // there is no run to rename
	}
	sent, loss, err := profile.Project(sent, f)
	if loss != 0 {
		level := slog.LevelWarn
		if loss == wire.LostExpiry {
			level = slog.LevelDebug // every question to an older client loses it, and the deadline holds all the same
		}
		r.g.log(r.req).Log(r.req.Context(), level, "reader: content that it does not support is left out", "event",
			string(f.Type), "lost", loss.String())
	}
	if err != nil || !r.profile.News {
		return sent, err
	}
	news, err := r.sentMessages.news(sent[before:])
	return sent[:before+len(news)], err
}

// render renders the snapshot of the marker f. The readers of a thread share rendered snapshots.
func (r *reader) render(f state.Frame) (json.RawMessage, error) {
	read := func() (json.RawMessage, error) {
		if f.Type == agui.TypeStateSnapshot {
			raw, err := r.state(f.Rev)
			return frame.StateSnapshot(raw, f.At), err
		}
		messages, err := r.messages(f.Rev)
		return frame.MessagesSnapshot(messages, f.At), err
	}
	if r.stream == nil || f.ID.IsZero() {
		return read()
	}
	return r.g.snapshots.Get(r.req.Context(),
		frame.Snapshot{Key: r.key, Fence: f.ID.Fence, Rev: f.Rev, At: f.At, Type: f.Type}, read)
}

// send sends events that are not in the log; only the last gets an id.
func (r *reader) send(id state.FrameID, events ...readerEvent) error {
	if err := r.open(); err != nil {
		return err
	}
	var all []state.Frame
	for _, e := range events {
		var err error
		data := e.data
		if data == nil {
			if data, err = agui.Encode(e.event); err != nil {
				return err
			}
		}
		f := state.Frame{Type: agui.TypeOf(e.event), Data: data, Ending: e.ending}
		if all, err = r.project(all, f); err != nil {
			return err
		}
	}
	if len(all) > 0 {
		all[len(all)-1].ID = id
	}
	r.resumed.add(all)
	return r.stream.send(all...)
}

// A readerEvent is an event that one reader is sent and the log does not have.
type readerEvent struct {
	event  agui.Event
	data   json.RawMessage // the event, if it is encoded already
	ending *state.Ending
}

func readerEvents(events ...agui.Event) []readerEvent {
	out := make([]readerEvent, len(events))
	for i, e := range events {
		out[i] = readerEvent{event: e}
	}
	return out
}

// stateSnapshot returns a STATE_SNAPSHOT of a state in its stored form.
func stateSnapshot(raw json.RawMessage) readerEvent {
	return readerEvent{event: &agui.StateSnapshot{}, data: frame.StateSnapshot(raw, 0)}
}

// messagesSnapshot returns a MESSAGES_SNAPSHOT of messages in their stored form.
func messagesSnapshot(messages state.Conversation) readerEvent {
	return readerEvent{event: &agui.MessagesSnapshot{}, data: frame.MessagesSnapshot(messages, 0)}
}

// openingOptions selects how a reader is sent the messages snapshot that opens its run.
type openingOptions struct {
	// skip is set if the reader's own list is the thread's.
	skip bool
	// insert, if not 0, is the revision to show to a reader that lacks messages in a run that added none. The log of
	// such a run has no messages snapshot, and later messages would be misplaced.
	insert int64
	// before, if unordered is set, is sent before that snapshot to a reader with messages out of order.
	before    state.Conversation
	unordered bool
}

// openingOptions compares the messages of the request with the thread's.
func (r *reader) openingOptions(begun *state.Begun) (openingOptions, error) {
	defer r.keepAlive()()
	messages, err := r.messages(begun.Thread.Rev)
	if errors.Is(err, state.ErrUnknownThread) {
		return openingOptions{}, nil // deleted: the log has the end of the run
	}
	if err != nil {
		return openingOptions{}, err
	}
	sent, activity := r.requestMessages, func(m agui.Message) bool { return m.Role == agui.RoleActivity }
	r.requestMessages, r.requestIDs = nil, idsOf(sent) // the texts are not needed for the rest of the stream
	if slices.ContainsFunc(sent, activity) {
		sent = slices.DeleteFunc(slices.Clone(sent), activity)
	}
	if r.has(sent, messages) {
		return openingOptions{skip: true}, nil
	}
	r.opening, r.openingRev = messages, begun.Thread.Rev
	var o openingOptions
	o.before, o.unordered = compareOrder(idsOf(sent), messages)
	intent := begun.Thread.Live.Intent
	sameIDs := slices.EqualFunc(sent, messages,
		func(a agui.Message, b state.StoredMessage) bool { return a.ID == b.ID })
	if !intent.Added && !intent.Cut && !sameIDs {
		o.insert = begun.Thread.Rev
	}
	return o, nil
}

// has reports whether a client's messages are those that are stored or, where it was sent links, have those.
func (r *reader) has(own []agui.Message, messages state.Conversation) bool {
	if len(own) != len(messages) {
		return false
	}
	var raw []byte
	for i := range own {
		stored := messages[i]
		if own[i].ID != stored.ID {
			return false
		}
		var err error
		if raw, err = own[i].AppendJSON(raw[:0]); err != nil {
			return false
		}
		if bytes.Equal(raw, stored.Raw) {
			continue
		}
		if r.profile.Links == (wire.Links{}) {
			return false
		}
		if linked, err := linkedMessage(r.profile.Links, stored); err != nil || !bytes.Equal(raw, linked.Raw) {
			return false
		}
	}
	return true
}

// linkedMessage is a stored message as a reader has it that is sent links in the place of files.
func linkedMessage(links wire.Links, stored state.StoredMessage) (state.StoredMessage, error) {
	m, err := stored.Message()
	if err != nil {
		return stored, err
	}
	return state.NewStoredMessage(links.In(m))
}

// An opening finds the messages snapshot that opens a run: the frame right after its first state.
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

// openingSnapshots appends the reader's snapshots after the first state of a run that the log does not have.
func (r *reader) openingSnapshots(sent []state.Frame, o openingOptions) (_ []state.Frame, err error) {
	if o.unordered {
		sent, err = r.project(sent, state.Frame{Type: agui.TypeMessagesSnapshot,
			Data: frame.MessagesSnapshot(o.before, 0)})
	}
	if err == nil && o.insert != 0 {
		sent, err = r.project(sent, state.Frame{Type: agui.TypeMessagesSnapshot, Rev: o.insert})
	}
	return sent, err
}

// compareOrder compares a client's messages, own, with the thread's. It returns the thread's first messages up to where
// the order differs, and whether there is such a place. A client keeps its order for messages in a MESSAGES_SNAPSHOT
// that it has, and appends the others. If it wrote a message before it had seen those of another tab, its conversation
// would stay out of order. So it is sent a snapshot of the ordered part first, and then one of all.
func compareOrder(own []string, messages state.Conversation) (state.Conversation, bool) {
	kept := 0
	for kept < min(len(own), len(messages)) && own[kept] == messages[kept].ID {
		kept++
	}
	inPlace := kept
	place := make(map[string]int, len(own)-kept)
	for _, id := range own[kept:] {
		place[id] = -1
	}
	for i, m := range messages[kept:] {
		if _, has := place[m.ID]; has {
			place[m.ID] = kept + i
		}
	}
	for _, id := range own[kept:] {
		i := place[id]
		if i < 0 {
			continue // the client drops it
		}
		if i == kept && inPlace == kept {
			inPlace++
		}
		kept++
	}
	return slices.Clip(messages[:inPlace]), inPlace < kept
}
