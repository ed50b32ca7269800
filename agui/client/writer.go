package client

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/surrogate"
)

// A Writer writes the events of one run. It checks their order, and closes open messages and calls at the end. Clients
// of other protocols translate runs with it. It is for use by one goroutine.
type Writer struct {
	threadID, runID string

	yield func(agui.Event, error) bool
	order agui.Verifier
	sent  int
	ended bool       // the last event was terminal
	state string     // the last snapshot
	open  []*Message // in the order in which they began
}

// Writer returns the writer of the requested run, which passes its events to yield.
func (r *Request) Writer(yield func(agui.Event, error) bool) *Writer {
	return &Writer{threadID: r.Input.ThreadID, runID: r.Input.RunID, yield: yield}
}

// Emit sends events. Its error is an [*Error] for an event that is out of order, or says that the reader wants no more,
// which [Once] does not pass on.
func (w *Writer) Emit(events ...agui.Event) error {
	for _, e := range events {
		if err := w.order.Next(e); err != nil {
			return &Error{Fault: FaultInvalid, Err: err}
		}
		w.sent++
		switch e.(type) {
		case *agui.RunFinished, *agui.RunError:
			w.ended = true
		default:
			w.ended = false
		}
		if !w.yield(e, nil) {
			return errEnough
		}
	}
	return nil
}

// Sent returns how many events were sent.
func (w *Writer) Sent() int { return w.sent }

// Start sends RUN_STARTED.
func (w *Writer) Start() error {
	return w.Emit(&agui.RunStarted{ThreadID: w.threadID, RunID: w.runID, ProtocolVersion: agui.ProtocolVersion})
}

// State sends a state with the members, unless it is the one that was sent last.
func (w *Writer) State(members map[string]json.RawMessage) error {
	raw, err := agui.Marshal(members)
	if err != nil {
		return &Error{Fault: FaultInvalid, Err: errors.New("the state cannot be written")}
	}
	if string(raw) == w.state {
		return nil
	}
	w.state = string(raw)
	return w.Emit(&agui.StateSnapshot{Snapshot: raw})
}

// Finish closes the open messages and sends RUN_FINISHED.
func (w *Writer) Finish(outcome *agui.Outcome, usage []agui.TokenUsage) error {
	if err := w.Close(); err != nil {
		return err
	}
	return w.Emit(&agui.RunFinished{ThreadID: w.threadID, RunID: w.runID, Outcome: outcome, Usage: usage})
}

// Fail closes the open messages and sends RUN_ERROR.
func (w *Writer) Fail(code, message string, usage []agui.TokenUsage) error {
	if err := w.Close(); err != nil {
		return err
	}
	return w.Emit(&agui.RunError{Code: code, Message: message, Usage: usage})
}

// Close closes the open messages.
func (w *Writer) Close() error {
	for len(w.open) > 0 {
		if err := w.open[0].Close(); err != nil {
			return err
		}
	}
	return nil
}

// A Message is a text message of the agent.
type Message struct {
	ID    string
	Owner agui.Tagged

	w    *Writer
	join surrogate.Joiner
	text strings.Builder
}

// Message returns a message that has the text already. It begins with the next piece.
func (w *Writer) Message(id, text string) *Message {
	m := &Message{ID: id, w: w}
	m.text.WriteString(text)
	return m
}

// Text returns the text so far.
func (m *Message) Text() string { return m.text.String() }

// Join returns the valid text of the next piece, see [surrogate.Joiner].
func (m *Message) Join(piece string) string { return m.join.Add(surrogate.Text(piece)) }

// Say sends more text, and begins the message if it is not open.
func (m *Message) Say(text string) error {
	if text == "" {
		return nil
	}
	if !slices.Contains(m.w.open, m) {
		m.w.open = append(m.w.open, m)
		start := &agui.TextMessageStart{Tagged: m.Owner, MessageID: m.ID, Role: agui.RoleAssistant}
		if err := m.w.Emit(start); err != nil {
			return err
		}
	}
	m.text.WriteString(text)
	return m.w.Emit(&agui.TextMessageContent{Tagged: m.Owner, MessageID: m.ID, Delta: text})
}

// Close ends the message if it is open.
func (m *Message) Close() error {
	i := slices.Index(m.w.open, m)
	if i < 0 {
		return nil
	}
	m.w.open = slices.Delete(m.w.open, i, i+1)
	return m.w.Emit(&agui.TextMessageEnd{Tagged: m.Owner, MessageID: m.ID})
}

// Restart closes the message and continues it under another id, without the text so far.
func (m *Message) Restart(id string) error {
	err := m.Close()
	m.ID = id
	m.text.Reset()
	return err
}

// IsCut reports whether err leaves open how a run ended at a server: the response broke off, or, for a run that known
// says the server has, a request about it failed on the way or at the server.
func IsCut(err error, known bool) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Fault == FaultCut || known && (e.Fault == FaultUnreachable ||
		e.Fault == FaultStatus && e.Status >= 500))
}
