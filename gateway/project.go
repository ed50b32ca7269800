package gateway

import (
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// project makes the reader's frames of a stored one. A marker is rendered first: the messages or the state
// of the thread at the revision it names.
func (c *caller) project(key state.Key, f state.Frame) ([]state.Frame, error) {
	if f.Data == nil && (f.Type == agui.TypeMessagesSnapshot || f.Type == agui.TypeStateSnapshot) {
		data, err := c.rendered(key, f)
		if errors.Is(err, state.ErrUnknownThread) && c.stream != nil && c.stream.inRun {
			return nil, nil // deleted: the end of its run is on its way, and what the reader has is whole without
		}
		if err != nil {
			return nil, err
		}
		f.Data = data
	}
	frames, loss, err := c.wire.Project(f)
	if loss != 0 {
		level := slog.LevelWarn
		if loss == wire.LostExpiry {
			level = slog.LevelDebug // every question to an older client has it, and the deadline holds all the same
		}
		c.g.log(c.r).Log(c.r.Context(), level, "reader: cannot be told everything", "event", string(f.Type), "lost", loss.String())
	}
	return frames, err
}

// rendered is the snapshot that a marker stands for. The readers of a stream share those of the log.
func (c *caller) rendered(key state.Key, f state.Frame) (json.RawMessage, error) {
	read := func() (json.RawMessage, error) {
		if f.Type == agui.TypeStateSnapshot {
			raw, err := c.state(key, f.Rev)
			return stateData(raw), err
		}
		messages, err := c.messages(key, f.Rev)
		return messagesData(messages), err
	}
	if c.stream == nil || f.ID.IsZero() {
		return read()
	}
	return c.g.snapshots.get(c.r.Context(), snapshotID{key: key, fence: f.ID.Fence, rev: f.Rev, kind: f.Type}, read)
}

// show sends events that are not in the log; only the last gets an id.
func (c *caller) show(key state.Key, id state.FrameID, events ...framed) error {
	if err := c.open(); err != nil {
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
		frames, err := c.project(key, state.Frame{Type: e.event.EventType(), Data: data, Ending: e.ending})
		if err != nil {
			return err
		}
		all = append(all, frames...)
	}
	if len(all) > 0 {
		all[len(all)-1].ID = id
	}
	c.again.note(all)
	return c.stream.send(all...)
}

// framed is an event on its way to one reader.
type framed struct {
	event  agui.Event
	data   json.RawMessage // the event, if it is encoded already
	ending *state.Ending
}

func plain(events ...agui.Event) []framed {
	out := make([]framed, len(events))
	for i, e := range events {
		out[i] = framed{event: e}
	}
	return out
}

// terminal reports whether f ends a run.
func terminal(f state.Frame) bool {
	return f.Type == agui.TypeRunFinished || f.Type == agui.TypeRunError
}
