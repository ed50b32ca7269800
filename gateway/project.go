package gateway

import (
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// project makes the reader's frames of a stored one. A marker is rendered first: the messages or the state
// of the thread at the revision it names.
func (r *reader) project(f state.Frame) ([]state.Frame, error) {
	if f.Data == nil && (f.Type == agui.TypeMessagesSnapshot || f.Type == agui.TypeStateSnapshot) {
		data, err := r.render(f)
		if errors.Is(err, state.ErrUnknownThread) && r.stream != nil && r.stream.inRun {
			return nil, nil // deleted: the log has the end of the run, and the reader needs no snapshot until then
		}
		if err != nil {
			return nil, err
		}
		f.Data = data
	}
	frames, loss, err := r.profile.Project(f)
	if loss != 0 {
		level := slog.LevelWarn
		if loss == wire.LostExpiry {
			level = slog.LevelDebug // every question to an older client loses it, and the deadline holds all the same
		}
		r.g.log(r.req).Log(r.req.Context(), level, "reader: cannot be told everything", "event", string(f.Type), "lost", loss.String())
	}
	return frames, err
}

// render returns the snapshot that a marker stands for. The readers of a thread share those of its log.
func (r *reader) render(f state.Frame) (json.RawMessage, error) {
	read := func() (json.RawMessage, error) {
		if f.Type == agui.TypeStateSnapshot {
			raw, err := r.state(f.Rev)
			return frame.StateSnapshot(raw), err
		}
		messages, err := r.messages(f.Rev)
		return frame.MessagesSnapshot(messages), err
	}
	if r.stream == nil || f.ID.IsZero() {
		return read()
	}
	return r.g.snapshots.Get(r.req.Context(), frame.Snapshot{Key: r.key, Fence: f.ID.Fence, Rev: f.Rev, Type: f.Type}, read)
}

// send sends events that are not in the log; only the last gets an id.
func (r *reader) send(id state.FrameID, events ...readerEvent) error {
	if err := r.open(); err != nil {
		return err
	}
	var all []state.Frame
	for _, e := range events {
		data := e.data
		if data == nil {
			var err error
			if data, err = agui.Encode(e.event); err != nil {
				return err
			}
		}
		frames, err := r.project(state.Frame{Type: e.event.EventType(), Data: data, Ending: e.ending})
		if err != nil {
			return err
		}
		all = append(all, frames...)
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
	return readerEvent{event: &agui.StateSnapshot{}, data: frame.StateSnapshot(raw)}
}

// messagesSnapshot returns a MESSAGES_SNAPSHOT of messages in their stored form.
func messagesSnapshot(messages state.Conversation) readerEvent {
	return readerEvent{event: &agui.MessagesSnapshot{}, data: frame.MessagesSnapshot(messages)}
}
