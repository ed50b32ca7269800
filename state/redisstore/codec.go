package redisstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/listed"
)

// The fields of a thread's document. They change with a transition, and only changed ones are sent. The hash also
// has fields of every transition (tag, born, fence, deadline, asks), and fields that scripts change without one:
// state, which transitions write that change it; last, the newest frame; liveFields; trimmed, cut, packed, dropped,
// pushed and pastsize about the past; damaged, after the eviction of a part; and floor and by, which are all that a
// deletion leaves.
const (
	fieldDoc        = "doc"        // the thread without the fields below
	fieldCheckpoint = "checkpoint" // unchanged JSON
	fieldRun        = "run"        // the newest run
	fieldLive       = "live"       // the live attempt without liveFields; absent if there is none
	fieldOpen       = "open"       // the ids of the tokens that a transition reads
	fieldRev        = "rev"
	fieldStateRev   = "staterev"
	fieldSlots      = "slots"
)

var documentFields = []string{
	fieldDoc, fieldCheckpoint, fieldRun, fieldLive, fieldOpen, fieldRev, fieldStateRev, fieldSlots,
}

// liveFields are the fields of the live attempt that scripts read and change without a transition, except origin,
// the fence of the run's first attempt.
var liveFields = []string{"attempt", "until", "tied", "hungup", "stopped", "owner", "released", "origin", "read"}

var errMissing = fmt.Errorf("%w: it has no document", state.ErrDamaged)

// undecodable returns the error of a part of a thread that cannot be decoded. Reading it again does not help.
func undecodable(what string, err error) error {
	return fmt.Errorf("%w: stored %s: %w", state.ErrDamaged, what, err)
}

// marshal encodes v without escaping HTML: stored JSON is returned byte for byte.
func marshal(v any) ([]byte, error) { return agui.Marshal(v) }

// encode returns the document fields of t. Empty ones are not stored.
func encode(t *state.Thread) (map[string]string, error) {
	doc := *t
	doc.Checkpoint, doc.Run, doc.Live, doc.Last, doc.Queue = nil, nil, nil, state.FrameID{}, nil
	fields := map[string]string{
		fieldCheckpoint: string(t.Checkpoint), fieldRev: strconv.FormatInt(t.Rev, 10),
		fieldStateRev: strconv.FormatInt(t.StateRev, 10), fieldSlots: strconv.Itoa(t.Slots),
	}
	put := func(field string, v any) error {
		raw, err := marshal(v)
		fields[field] = string(raw)
		return err
	}
	err := put(fieldDoc, doc)
	if t.Run != nil {
		err = errors.Join(err, put(fieldRun, t.Run))
	}
	open := t.Open
	if t.Live != nil {
		live := *t.Live
		live.Attempt, live.Until, live.Memo = "", time.Time{}, nil
		live.Tied, live.HungUp, live.Stopped, live.ReadUntil = false, false, false, time.Time{}
		err = errors.Join(err, put(fieldLive, live))
		for _, claim := range live.Intent.Claims {
			open = append(open[:len(open):len(open)], claim.ID)
		}
	}
	if len(open) > 0 {
		err = errors.Join(err, put(fieldOpen, open))
	}
	return fields, err
}

// decode reads a thread from its fields.
func decode(fields map[string]string) (*state.Thread, error) {
	if fields[fieldDoc] == "" {
		return nil, errMissing
	}
	var t state.Thread
	get := func(field string, v any) error {
		if fields[field] == "" {
			return nil
		}
		if err := json.Unmarshal([]byte(fields[field]), v); err != nil {
			return undecodable(field, err)
		}
		return nil
	}
	err := errors.Join(get(fieldDoc, &t), get(fieldRun, &t.Run), get(fieldLive, &t.Live))
	t.Checkpoint = raw(fields[fieldCheckpoint])
	return &t, err
}

// refresh sets the parts of t that change without a transition.
func refresh(t *state.Thread, fields, memo map[string]string) {
	if id, err := state.ParseFrameID(fields["last"]); err == nil {
		t.Last = id
	}
	if t.Live == nil {
		return
	}
	live := *t.Live
	live.Attempt, live.Until = fields["attempt"], parseMoment(fields["until"])
	live.Tied, live.HungUp, live.Stopped = fields["tied"] != "", fields["hungup"] != "", fields["stopped"] != ""
	live.ReadUntil = parseMoment(fields["read"])
	live.Memo = nil
	for field, result := range memo {
		key, ok := strings.CutPrefix(field, memoField(""))
		if !ok {
			continue // the placeholder
		}
		if live.Memo == nil {
			live.Memo = map[string]json.RawMessage{}
		}
		live.Memo[key] = json.RawMessage(result)
	}
	t.Live = &live
}

// memoField returns the field of an effect's result. No key makes it that of the placeholder.
func memoField(key string) string { return "-" + key }

func raw(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// placeText encodes the place of a message. Scripts change its first character.
func placeText(m *state.StoredMessage) string {
	return fmt.Sprintf("-%d %d %d %d %s", m.Run, m.Slot, m.Added, len(m.Raw), m.Role)
}

func parsePlace(text string) (state.Place, bool) {
	if text == "" {
		return state.Place{}, false
	}
	parts := strings.SplitN(text[1:], " ", 5)
	if len(parts) < 5 {
		return state.Place{}, false
	}
	place := state.Place{Left: text[0] == 'L', Role: agui.Role(parts[4])}
	var err, err2, err3, err4 error
	place.Run, err = strconv.ParseUint(parts[0], 10, 64)
	place.Slot, err2 = strconv.Atoi(parts[1])
	place.Added, err3 = strconv.ParseInt(parts[2], 10, 64)
	place.Size, err4 = strconv.Atoi(parts[3])
	return place, errors.Join(err, err2, err3, err4) == nil
}

func messageText(m *state.StoredMessage) ([]byte, error) {
	head, err := marshal(listed.MessageOf(m))
	return append(append(head, '\n'), m.Raw...), err
}

func parseMessage(text string) (state.StoredMessage, error) {
	head, encoded, _ := strings.Cut(text, "\n")
	h, err := listed.DecodeMessage([]byte(head))
	if err != nil {
		return state.StoredMessage{}, undecodable("message", err)
	}
	return h.Stored(raw(encoded)), nil
}

// errFrame: no store has written this entry of a log. Reading it again does not help.
var errFrame = fmt.Errorf("%w: a frame of its log is broken", state.ErrDamaged)

// parseFrame reads an entry of the log; false for a marker, which readers do not get.
func parseFrame(id string, fields map[string]string) (state.Frame, bool, error) {
	if fields["t"] == "" {
		return state.Frame{}, false, nil
	}
	f := state.Frame{Type: agui.EventType(fields["t"]), Data: raw(fields["d"])}
	var err, err2, err3, err4 error
	f.ID, err = state.ParseFrameID(id)
	if rev := fields["r"]; rev != "" {
		f.Rev, err2 = strconv.ParseInt(rev, 10, 64)
	}
	if ending := fields["e"]; ending != "" {
		err3 = json.Unmarshal([]byte(ending), &f.Ending)
	}
	if at := fields["a"]; at != "" {
		f.At, err4 = strconv.ParseInt(at, 10, 64)
	}
	if err := errors.Join(err, err2, err3, err4); err != nil {
		return f, false, fmt.Errorf("%w: %w", errFrame, err)
	}
	return f, true, nil
}
