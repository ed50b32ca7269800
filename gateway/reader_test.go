package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A reader is a client of one stream. It holds every stream it reads to the order rules, and adds it up as a client
// does: its own list of messages and its own state, to which every delta must apply.
type reader struct {
	t        *testing.T
	response *http.Response
	cancel   context.CancelFunc
	next     func() (agui.Record, error, bool)
	stop     func()
	patience time.Duration // how long it waits for an event

	verifier agui.Verifier
	view     *run.View
	doc      *document.Document
	stated   bool
	events   []agui.Event
	records  []agui.Record
}

func newReader(t *testing.T, response *http.Response, cancel context.CancelFunc, body string) *reader {
	t.Helper()
	r := newFold(t, body)
	r.response, r.cancel, r.patience = response, cancel, patience
	next, stop := iter.Pull2(agui.ReadStream(response.Body, 10<<20))
	r.next, r.stop = pulled(next), stop
	if got := response.Header.Get("Content-Type"); response.StatusCode == http.StatusOK && got != "text/event-stream" {
		t.Errorf("content type = %q, want text/event-stream", got)
	}
	return r
}

// newFold returns a reader of nothing, that starts from the messages of a request.
func newFold(t *testing.T, body string) *reader {
	t.Helper()
	doc, err := document.New(nil, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var in struct{ Messages []json.RawMessage }
	if body != "" {
		if err := json.Unmarshal([]byte(body), &in); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
	}
	return &reader{t: t, doc: doc, view: run.NewView(messagesOf(t, in.Messages), doc)}
}

// pulled remembers the end of a stream.
func pulled(next func() (agui.Record, error, bool)) func() (agui.Record, error, bool) {
	over := false
	return func() (agui.Record, error, bool) {
		if over {
			return agui.Record{}, nil, false
		}
		record, err, ok := next()
		over = !ok || err != nil
		return record, err, ok
	}
}

// goOnFrom makes r continue from the events of another reader that was cut off. It compares nothing.
func (r *reader) goOnFrom(other *reader) {
	r.view, r.doc, r.verifier, r.stated = other.view, other.doc, other.verifier, other.stated
}

// read reads one record, for which it waits no longer than patience; false is the end of the stream.
func (r *reader) read() (agui.Record, error, bool) {
	r.t.Helper()
	late := time.AfterFunc(r.patience, func() {
		r.cancel()
		_ = r.response.Body.Close() // which ends what waits for it
	})
	record, err, ok := r.next()
	if !late.Stop() {
		r.t.Fatalf("no event for %v, behind %v", r.patience, types(r.events))
	}
	return record, err, ok
}

// step reads one event; false is the end of the stream.
func (r *reader) step() (agui.Event, bool) {
	r.t.Helper()
	record, err, ok := r.read()
	if !ok {
		return nil, false
	}
	if err != nil {
		if !errors.Is(err, context.Canceled) && !errors.Is(err, io.ErrUnexpectedEOF) {
			r.t.Errorf("stream: %v", err)
		}
		return nil, false
	}
	return r.take(record), true
}

// take adds up one event.
func (r *reader) take(record agui.Record) agui.Event {
	r.t.Helper()
	e, err := agui.Decode(record.Data, func(w agui.Warning) { r.t.Errorf("%s: %s", record.Data, w) })
	if err != nil {
		r.t.Fatalf("%s: %v", record.Data, err)
	}
	if _, unknown := e.(*agui.Unknown); unknown {
		r.t.Errorf("unknown event %s", record.Data)
	}
	if err := r.verifier.Next(e); err != nil {
		r.t.Fatalf("after %v: %s: %v", types(r.events), record.Data, err)
	}
	if _, delta := e.(*agui.StateDelta); delta && !r.stated {
		r.t.Errorf("a delta before any snapshot: %s", record.Data)
	}
	if _, snapshot := e.(*agui.StateSnapshot); snapshot {
		r.stated = true
	}
	if err := r.view.Apply(e); err != nil {
		r.t.Fatalf("%s: %v", record.Data, err)
	}
	r.events = append(r.events, e)
	r.records = append(r.records, record)
	return e
}

// until reads up to an event of a type.
func (r *reader) until(want agui.EventType) agui.Event {
	r.t.Helper()
	for {
		e, ok := r.step()
		if !ok {
			r.t.Fatalf("the stream ended before %s: %v", want, types(r.events))
		}
		if agui.TypeOf(e) == want {
			return e
		}
	}
}

// rest reads to the end, which must be behind a terminal event.
func (r *reader) rest() {
	r.t.Helper()
	for {
		if _, ok := r.step(); !ok {
			break
		}
	}
	if len(r.events) == 0 {
		r.t.Errorf("an empty stream, status %d", r.response.StatusCode)
		return
	}
	switch last := r.events[len(r.events)-1]; last.(type) {
	case *agui.RunFinished, *agui.RunError:
	default:
		r.t.Errorf("the stream ends with %s, want a terminal event: %v", agui.TypeOf(last), types(r.events))
	}
}

// hangUp closes the connection.
func (r *reader) hangUp() {
	r.cancel()
	r.stop()
	_ = r.response.Body.Close() // it was cut off
}

// last returns the last event.
func (r *reader) last() agui.Event { return r.events[len(r.events)-1] }

// finished returns the end of the run, which must be no error.
func (r *reader) finished() *agui.RunFinished {
	r.t.Helper()
	f, ok := r.last().(*agui.RunFinished)
	if !ok {
		r.t.Fatalf("the run ended with %s, want RUN_FINISHED", r.records[len(r.records)-1].Data)
	}
	return f
}

// interrupts returns the questions the run ended with.
func (r *reader) interrupts() []agui.Interrupt {
	r.t.Helper()
	f := r.finished()
	if f.Outcome == nil || f.Outcome.Type != agui.OutcomeInterrupt {
		r.t.Fatalf("the run ended with %s, want an interrupt", r.records[len(r.records)-1].Data)
	}
	return f.Outcome.Interrupts
}

// code returns the code of the error the run ended with.
func (r *reader) code() string {
	r.t.Helper()
	e, ok := r.last().(*agui.RunError)
	if !ok {
		r.t.Fatalf("the run ended with %s, want RUN_ERROR", r.records[len(r.records)-1].Data)
	}
	return e.Code
}

// cursorID is the last id the reader saw.
func (r *reader) cursorID() string {
	id := ""
	for _, record := range r.records {
		if record.ID != "" {
			id = record.ID
		}
	}
	return id
}

// equals reports what the reader shows that the thread is not.
func (r *reader) equals(d threadDoc) {
	r.t.Helper()
	if diff := cmp.Diff(textOf(r.t, d.Messages), textOf(r.t, r.view.Messages())); diff != "" {
		r.t.Errorf("the reader's messages are not the thread's (-thread +reader):\n%s", diff)
	}
	if got, want := canonical(r.t, r.doc.JSON()), canonical(r.t, d.State); got != want {
		r.t.Errorf("the reader's state = %s, the thread's = %s", got, want)
	}
}

// hasWhat reports what the reader shows that another reader of the run does not.
func (r *reader) hasWhat(other *reader) {
	r.t.Helper()
	if diff := cmp.Diff(textOf(r.t, other.view.Messages()), textOf(r.t, r.view.Messages())); diff != "" {
		r.t.Errorf("the reader's messages are not the other's (-other +reader):\n%s", diff)
	}
	if got, want := canonical(r.t, r.doc.JSON()), canonical(r.t, other.doc.JSON()); got != want {
		r.t.Errorf("the reader's state = %s, the other's = %s", got, want)
	}
}

func canonical(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	return string(state.Canonical(raw))
}

func textOf(t *testing.T, messages []agui.Message) []string {
	t.Helper()
	var out []string
	for _, m := range messages {
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, canonical(t, raw))
	}
	return out
}

func types(events []agui.Event) []agui.EventType {
	out := make([]agui.EventType, len(events))
	for i, e := range events {
		out[i] = agui.TypeOf(e)
	}
	return out
}

// lines are the records as conversations show them: ids without the mark of their thread.
func (r *reader) lines(from int) string {
	var b strings.Builder
	for _, record := range r.records[from:] {
		id := "-"
		if record.ID != "" {
			id = frameOf(r.t, record.ID).String()
		}
		b.WriteString(id + " ")
		b.Write(bytes.TrimSpace(record.Data))
		b.WriteByte('\n')
	}
	return b.String()
}
