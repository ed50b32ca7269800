package filestore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/listed"
)

// A threadDoc is the part of a thread that every transition writes. Large parts, and parts that change without a
// transition, have their own records.
type threadDoc struct {
	Tag      string        `json:"tag"`
	Born     string        `json:"born"`
	Deadline time.Time     `json:"deadline,omitzero"` // when the thread is over; zero while it is live
	Due      time.Time     `json:"due,omitzero"`      // its entry in the table of deadlines; zero: it has none
	Asks     time.Time     `json:"asks,omitzero"`     // until when it has an open question; zero: it has none
	Thread   *state.Thread `json:"thread"`

	// Trimmed is the revision at the end of the newest run that was trimmed from the log, and Cut its last frame.
	Trimmed int64         `json:"trimmed,omitempty"`
	Cut     state.FrameID `json:"cut,omitzero"`
	// Dropped is the revision that removed the newest message of those that are not kept.
	Dropped int64 `json:"dropped,omitempty"`
	// Replaced and Past are the bytes of the replaced values, and of the patches to earlier states.
	Replaced int `json:"replaced,omitempty"`
	Past     int `json:"past,omitempty"`

	// Gone says that the thread was removed, and that its log is left for its readers.
	Gone bool `json:"gone,omitempty"`
}

// marshal encodes v without escaping HTML: stored JSON is returned byte for byte.
func marshal(v any) ([]byte, error) { return agui.Marshal(v) }

// unmarshal decodes a record. One with a good checksum that cannot be decoded is damaged too.
func unmarshal(what string, raw []byte, v any) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("%w: stored %s: %w", state.ErrDamaged, what, err)
	}
	return nil
}

// withHead encodes head as a line in front of data, which stays byte for byte the same.
func withHead(head any, data []byte) ([]byte, error) {
	line, err := marshal(head)
	if err != nil {
		return nil, err
	}
	return append(append(line, '\n'), data...), nil
}

// cutHead reads what withHead writes. The data is a copy.
func cutHead(what string, raw []byte, head any) (json.RawMessage, error) {
	line, data, _ := bytes.Cut(raw, []byte("\n"))
	if err := unmarshal(what, line, head); err != nil || len(data) == 0 {
		return nil, err
	}
	return bytes.Clone(data), nil
}

func encodeMessage(m *state.StoredMessage) ([]byte, error) {
	return withHead(listed.MessageOf(m), m.Raw)
}

func decodeMessage(raw []byte) (state.StoredMessage, error) {
	head, data, _ := bytes.Cut(raw, []byte("\n"))
	h, err := listed.DecodeMessage(head)
	if err != nil {
		return state.StoredMessage{}, fmt.Errorf("%w: stored message: %w", state.ErrDamaged, err)
	}
	return h.Stored(bytes.Clone(data)), nil
}

// A frameHead has the fields of a frame beside its event. The id of the frame is the key.
type frameHead struct {
	Type   agui.EventType `json:"t"`
	Rev    int64          `json:"r,omitempty"`
	At     int64          `json:"a,omitempty"`
	Ending *state.Ending  `json:"e,omitempty"`
}

func encodeFrame(f *state.Frame) ([]byte, error) {
	return withHead(frameHead{f.Type, f.Rev, f.At, f.Ending}, f.Data)
}

func decodeFrame(id state.FrameID, raw []byte) (state.Frame, error) {
	var h frameHead
	data, err := cutHead("frame", raw, &h)
	return state.Frame{ID: id, Type: h.Type, Rev: h.Rev, At: h.At, Ending: h.Ending, Data: data}, err
}
