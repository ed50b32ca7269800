package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/agui-gateway/gateway/agui"
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
			return stateData(raw), err
		}
		messages, err := r.messages(f.Rev)
		return messagesData(messages), err
	}
	if r.stream == nil || f.ID.IsZero() {
		return read()
	}
	return r.g.snapshots.get(r.req.Context(), snapshotID{key: r.key, fence: f.ID.Fence, rev: f.Rev, kind: f.Type}, read)
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

// terminal reports whether f ends a run.
func terminal(f state.Frame) bool {
	return f.Type == agui.TypeRunFinished || f.Type == agui.TypeRunError
}

// stateSnapshot returns a STATE_SNAPSHOT of a state in its stored form: what is stored is not encoded again for each reader.
func stateSnapshot(raw json.RawMessage) readerEvent {
	return readerEvent{event: &agui.StateSnapshot{}, data: stateData(raw)}
}

func stateData(raw json.RawMessage) json.RawMessage {
	return snapshotData(`{"type":"STATE_SNAPSHOT","snapshot":`, object(raw))
}

// messagesSnapshot returns a MESSAGES_SNAPSHOT of messages in their stored form.
func messagesSnapshot(messages state.Conversation) readerEvent {
	return readerEvent{event: &agui.MessagesSnapshot{}, data: messagesData(messages)}
}

func messagesData(messages state.Conversation) json.RawMessage {
	return snapshotData(`{"type":"MESSAGES_SNAPSHOT","messages":`, messages.JSON())
}

func snapshotData(before string, value json.RawMessage) json.RawMessage {
	data := append(make([]byte, 0, len(before)+len(value)+len("}")), before...)
	return append(append(data, value...), '}')
}

// errMalformed is wrapped by the error of a stored frame that is no event.
var errMalformed = errors.New("gateway: malformed frame")

// eventOf decodes a stored frame; a marker becomes the snapshot it stands for.
func eventOf(f state.Frame, messages func(rev int64) ([]agui.Message, error), states func(rev int64) (json.RawMessage, error)) (agui.Event, error) {
	if f.Type == agui.TypeMessagesSnapshot && f.Data == nil {
		list, err := messages(f.Rev)
		if err != nil {
			return nil, err
		}
		return &agui.MessagesSnapshot{Messages: list}, nil
	}
	if f.Type == agui.TypeStateSnapshot && f.Data == nil {
		raw, err := states(f.Rev)
		return &agui.StateSnapshot{Snapshot: object(raw)}, err
	}
	return decodeFrame(f.Data)
}

// decodeFrame decodes an event of the log. An earlier version of the gateway may have written what a [run.Run] refuses
// today; such an event is decoded like one of another server. If that fails too, the error is errMalformed.
func decodeFrame(data []byte) (agui.Event, error) {
	e, err := agui.Decode(data, nil)
	if err != nil {
		if e, err = agui.DecodeForeign(data, nil); err != nil {
			return nil, fmt.Errorf("%w: %w", errMalformed, err)
		}
	}
	return e, nil
}

// malformedFrames counts the frames of a log that were skipped. Neither a run nor its readers fail because
// one of its events cannot be decoded: clients have skipped it too, or failed themselves.
type malformedFrames struct {
	n     int
	first state.FrameID
	cause error
}

// skip reports whether frame f, which led to err, is skipped: it is malformed, or continues what a malformed frame opened.
func (m *malformedFrames) skip(f state.Frame, err error) bool {
	_, order := errors.AsType[*agui.OrderError](err)
	if !errors.Is(err, errMalformed) && (!order || m.n == 0) {
		return false
	}
	if m.n++; m.n == 1 {
		m.first, m.cause = f.ID, err
	}
	return true
}

// log writes one line about what was skipped, if anything was.
func (m *malformedFrames) log(log *slog.Logger) {
	if m.n > 0 {
		log.Warn("log: malformed frames skipped", "count", m.n, "first", m.first.String(), "error", m.cause)
	}
}
