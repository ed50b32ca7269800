package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// errMalformed is in the error of a stored frame that is no event.
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
// today; that is read as another server's event would be. What cannot be read even so is errMalformed.
func decodeFrame(data []byte) (agui.Event, error) {
	e, err := agui.Decode(data, nil)
	if err != nil {
		if e, err = agui.DecodeForeign(data, nil); err != nil {
			return nil, fmt.Errorf("%w: %w", errMalformed, err)
		}
	}
	return e, nil
}

// malformedFrames counts the frames of a log that were passed over. A run is not lost, and neither are its readers, because
// one of its events makes no sense: clients have passed it over too, or have died of it.
type malformedFrames struct {
	n     int
	first state.FrameID
	cause error
}

// skips reports whether err, met at frame f, is passed over: f is malformed, or continues what a malformed frame opened.
func (m *malformedFrames) skips(f state.Frame, err error) bool {
	_, order := errors.AsType[*agui.OrderError](err)
	if !errors.Is(err, errMalformed) && (!order || m.n == 0) {
		return false
	}
	if m.n++; m.n == 1 {
		m.first, m.cause = f.ID, err
	}
	return true
}

// log says once what was passed over.
func (m *malformedFrames) log(log *slog.Logger) {
	if m.n > 0 {
		log.Warn("log: malformed frames passed over", "count", m.n, "first", m.first.String(), "error", m.cause)
	}
}
