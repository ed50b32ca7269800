package frame

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// errMalformed is wrapped by the error of a stored frame that is no event.
var errMalformed = errors.New("gateway: malformed frame")

// A Decoder decodes the frames of one log in order. An event is valid until the next call: see [agui.LogDecoder].
type Decoder struct{ log agui.LogDecoder }

// Event decodes a stored frame; a marker becomes its snapshot, of the messages or the state at its revision.
func (d *Decoder) Event(f state.Frame, messages func(rev int64) ([]agui.Message, error),
	states func(rev int64) (json.RawMessage, error)) (agui.Event, error) {
	if f.Type == agui.TypeMessagesSnapshot && f.Data == nil {
		list, err := messages(f.Rev)
		if err != nil {
			return nil, err
		}
		return &agui.MessagesSnapshot{Base: agui.Base{Timestamp: f.At}, Messages: list}, nil
	}
	if f.Type == agui.TypeStateSnapshot && f.Data == nil {
		raw, err := states(f.Rev)
		return &agui.StateSnapshot{Tagged: agui.Tagged{Base: agui.Base{Timestamp: f.At}}, Snapshot: Object(raw)}, err
	}
	return decodeTolerantly(d.log.Decode, f.Data)
}

// Decode decodes an event of the log.
func Decode(data []byte) (agui.Event, error) { return decodeTolerantly(agui.DecodeWritten, data) }

// decodeTolerantly decodes an event of the log. One that an earlier version wrote and that is invalid today is decoded
// like one of a foreign server. If that fails too, the error is errMalformed.
func decodeTolerantly(decode func([]byte) (agui.Event, error), data []byte) (agui.Event, error) {
	e, err := decode(data)
	if err != nil {
		if e, err = agui.DecodeForeign(data, nil); err != nil {
			return nil, fmt.Errorf("%w: %w", errMalformed, err)
		}
	}
	return e, nil
}

// Terminal reports whether f ends a run.
func Terminal(f state.Frame) bool {
	return f.Type == agui.TypeRunFinished || f.Type == agui.TypeRunError
}

// Malformed counts the frames of a log that were skipped. Neither a run nor its readers fail because
// one of its events cannot be decoded: clients have skipped it too, or failed themselves.
type Malformed struct {
	n     int
	first state.FrameID
	cause error
}

// Skip reports whether frame f, which caused err, is skipped: it is malformed, or continues a skipped item.
func (m *Malformed) Skip(f state.Frame, err error) bool {
	_, order := errors.AsType[*agui.OrderError](err)
	if !errors.Is(err, errMalformed) && (!order || m.n == 0) {
		return false
	}
	if m.n++; m.n == 1 {
		m.first, m.cause = f.ID, err
	}
	return true
}

// Log writes one line about skipped frames, if there were any.
func (m *Malformed) Log(log *slog.Logger) {
	if m.n > 0 {
		log.Warn("log: malformed frames skipped", "count", m.n, "first", m.first.String(), "error", m.cause)
	}
}
