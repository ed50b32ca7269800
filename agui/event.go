package agui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/agui-gateway/gateway/internal/jsonscan"
)

// An Event is one event of the protocol: a pointer to one of this package's event structs, or [*Unknown].
// Only this package can implement it. An Event carries no behaviour: [TypeOf] returns its name, and the [Verifier]
// checks the order of a stream.
type Event interface {
	base() *Base
}

// Base holds the fields every event may carry.
type Base struct {
	// Timestamp is in Unix milliseconds; zero means absent.
	Timestamp int64 `json:"timestamp,omitempty"`
	// RawEvent is the provider's event this one was made from. Never JSON null.
	RawEvent json.RawMessage `json:"rawEvent,omitempty" null:"absent"`
	Metadata Metadata        `json:"metadata,omitzero"`
}

func (b *Base) base() *Base { return b }

// BaseOf returns the fields of e that every event has, nil for a nil event.
func BaseOf(e Event) *Base {
	if checkSet(e) != nil {
		return nil
	}
	return e.base()
}

// Tagged is [Base] for the events that may be attributed to a subagent.
type Tagged struct {
	Base
	// SubagentRunID names the subagent invocation that produced the event; empty means the parent agent.
	SubagentRunID string `json:"subagentRunId,omitempty"`
}

func (t *Tagged) tag() *string { return &t.SubagentRunID }

// attributable is implemented by the events that embed [Tagged].
type attributable interface{ tag() *string }

// SubagentOf returns the subagent invocation e belongs to, or "" for the parent agent and for events that
// cannot be attributed. For the SUBAGENT_* events it is the invocation they announce or end.
func SubagentOf(e Event) string {
	switch e := e.(type) {
	case attributable:
		return *e.tag()
	case *SubagentStarted:
		return e.SubagentRunID
	case *SubagentFinished:
		return e.SubagentRunID
	case *SubagentError:
		return e.SubagentRunID
	default:
		return ""
	}
}

// Attribute gives e to a subagent invocation, unless it belongs to one already or cannot be attributed.
func Attribute(e Event, subagentRunID string) {
	if a, ok := e.(attributable); ok && checkSet(e) == nil && *a.tag() == "" {
		*a.tag() = subagentRunID
	}
}

// Reattribute gives e to a subagent invocation, whichever it belongs to; "" is the parent agent.
func Reattribute(e Event, subagentRunID string) {
	if a, ok := e.(attributable); ok && checkSet(e) == nil {
		*a.tag() = subagentRunID
	}
}

// Metadata is the open, per-event or per-message dictionary of the protocol. Values are kept byte for byte.
// Nil means absent, which differs from an empty object.
type Metadata map[string]json.RawMessage

// Unknown is an event of a type this package does not know. Decode keeps its bytes so that it can be passed
// on or logged; a producer never emits one, because 0.x clients crash on unknown types.
type Unknown struct {
	Base
	Type EventType
	Raw  json.RawMessage
}

// Encode returns the wire form of e: one JSON object on one line, led by "type". Optional fields that are not set are
// left out, required ones are always there, opaque JSON is copied without changing a value. A field that has one
// possible value, such as a reasoning message's role, is written although it is not set.
func Encode(e Event) ([]byte, error) {
	if err := checkSet(e); err != nil {
		return nil, err
	}
	if u, ok := e.(*Unknown); ok {
		return u.Raw, nil
	}
	if content := appendContent(e); content != nil {
		return content, nil
	}
	if snapshot, ok := e.(*MessagesSnapshot); ok {
		if data, err := appendSnapshot(snapshot); data != nil || err != nil {
			return data, err
		}
	}
	return encodeAny(e)
}

// encodeAny is [Encode] for events of any type that is known.
func encodeAny(e Event) ([]byte, error) {
	name := TypeOf(e)
	if name == "" {
		return nil, errNoEvent
	}
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("agui: encode %s: %w", name, err)
	}
	body := bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	const later = len(`,"timestamp":1234567890123`) // which logs add
	out := make([]byte, 0, len(body)+len(name)+len(`{"type":"",`)+later)
	out = append(out, `{"type":"`...)
	out = append(out, name...)
	out = append(out, '"')
	if len(body) > len(`{}`) {
		out = append(out, ',')
	}
	return append(out, body[1:]...), nil
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Marshal is json.Marshal without HTML escaping, so that opaque JSON inside v keeps its bytes.
func Marshal(v any) ([]byte, error) { return jsonscan.Marshal(v) }

// A List is a JSON array that is never null: a nil List is written as []. A []T can be assigned to it.
type List[T any] []T

// MarshalJSON writes l as an array.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return Marshal([]T(l))
}
