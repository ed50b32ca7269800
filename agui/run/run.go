package run

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/lock"
)

// Errors of a [Run]. Others are [*agui.OrderError], [*agui.EventError], and errors of the StateDocument.
var (
	// ErrRunEnded is returned for events after the terminal event.
	ErrRunEnded = errors.New("run: the run has ended")
	// ErrEventTooLarge is returned for an event over the size limit, of which no part was sent.
	ErrEventTooLarge = errors.New("run: the event is too large")
	// ErrNotEmitted is returned for events that [Run.Emit] never sends: the ends of a run, and unknown ones.
	ErrNotEmitted = errors.New("run: not an event of an agent")
)

var errNilEvent = errors.New("run: no event")

// Options configures a [Run]. Only Sink is required.
type Options struct {
	ThreadID string
	RunID    string
	// View is the thread when the run begins; the run applies its events to it. Nil is an empty thread without state.
	View *View
	// Sink takes each event with its encoded form, in order. It is called under the run's lock and must neither
	// wait for long nor call the run. Its first error ends the run for its writers.
	Sink func(e agui.Event, data []byte) error
	// Throttle is called before each event given to [Run.Emit], without the run's lock, and may block: a slow sink then
	// slows the writers down, but neither [Run.Inspect] nor the end of the run. Nil does not block.
	Throttle func()
	// Markers means that the log stores restated snapshots as markers of constant size: Sink gets them without data.
	Markers bool
	// NewID makes ids for messages, calls and subagents; nil means random text. It is called from every writer.
	NewID func() string
	// MaxEvent is the size of the largest event in bytes; 0 means no limit.
	MaxEvent int
	// Now stamps events that have no timestamp; nil means that they get none.
	Now func() time.Time
}

// A Run is the only writer of a run's events. It refuses events that are malformed, out of order or too large, and
// patches that do not apply; a refusal leaves the stream unchanged, and the agent may continue. The log that it writes
// has starts, contents and ends instead of chunks. It is stricter about owners than the protocol, so that readers can
// join anywhere (see [View.Prelude]).
//
// A Run is safe for concurrent use. It takes ownership of events.
type Run struct {
	// Writer writes in the name of the parent agent; [Run.As] returns that of a subagent.
	Writer

	o Options

	mu     lock.Lock // also held while the view reads the conversation before it
	view   *View
	chunks agui.Expander
	err    error // of the sink
	ended  bool

	interrupt context.CancelCauseFunc // ends the work on a patch, without the lock
}

// New returns a run that has not started.
func New(o Options) *Run {
	if o.NewID == nil {
		o.NewID = rand.Text
	}
	if o.View == nil {
		o.View = NewView(nil, nil)
	}
	r := &Run{o: o, mu: lock.New(), view: o.View, chunks: agui.Expander{Forgiving: true}}
	r.Writer = r.As("")
	r.view.patching, r.interrupt = context.WithCancelCause(context.Background())
	return r
}

// Start sends RUN_STARTED with the protocol version and the ids of the run. It must be the first call.
func (r *Run) Start(s *agui.RunStarted) error {
	if s == nil {
		return errNilEvent
	}
	s.ThreadID, s.RunID, s.ProtocolVersion = r.o.ThreadID, r.o.RunID, agui.ProtocolVersion
	return r.locked(func() error { return r.emit(s) })
}

// Emit sends any event but those of the run itself. See [Run] for what it refuses. It may wait, see [Options.Throttle].
func (r *Run) Emit(e agui.Event) error {
	switch e.(type) {
	case *agui.RunStarted, *agui.RunFinished, *agui.RunError, *agui.Unknown:
		return ErrNotEmitted
	}
	if agui.BaseOf(e) == nil {
		return errNilEvent
	}
	if r.o.Throttle != nil {
		r.o.Throttle()
	}
	return r.locked(func() error { return r.emit(e) })
}

// Restate sends the messages as they are, in a snapshot.
func (r *Run) Restate() error {
	return r.locked(func() error {
		if !r.o.Markers {
			return r.emit(&agui.MessagesSnapshot{Messages: r.view.Messages()})
		}
		return r.mark(&agui.MessagesSnapshot{}) // without a change to the view
	})
}

// RestateState sends a STATE_SNAPSHOT of the thread's state, for runs with markers. The run's view then has no state.
func (r *Run) RestateState() error {
	return r.locked(func() error { return r.mark(&agui.StateSnapshot{}) })
}

// mark sends an event of which the log keeps that it was sent.
func (r *Run) mark(e agui.Event) error {
	events := []agui.Event{e}
	if r.chunks.Concerns(e) {
		var err error
		if events, err = r.chunks.Expand(e); err != nil {
			return err
		}
	}
	for _, end := range events[:len(events)-1] {
		if err := r.write(end); err != nil {
			return err
		}
	}
	if err := r.view.open.Check(e); err != nil {
		return err
	}
	return r.send(e, nil)
}

// CloseOpen closes everything that is open.
func (r *Run) CloseOpen(o ClosingOptions) error {
	return r.locked(func() error { return r.closeOpen(o) })
}

// Finish closes open items and sends RUN_FINISHED with the ids of the run. Subagents that are still active are
// suspended if the outcome is an interrupt, else they finish. A success lists the calls without a result.
func (r *Run) Finish(f *agui.RunFinished) error {
	if f == nil {
		return errNilEvent
	}
	return r.locked(func() error {
		var o ClosingOptions
		if f.Outcome != nil && f.Outcome.Type == agui.OutcomeInterrupt {
			o.Interrupts = f.Outcome.Interrupts
		}
		if err := r.closeOpen(o); err != nil {
			return err
		}
		f.ThreadID, f.RunID = r.o.ThreadID, r.o.RunID
		f.Outcome = r.withPending(f.Outcome)
		return r.end(f)
	})
}

// withPending returns the outcome with the calls a success leaves open.
func (r *Run) withPending(o *agui.Outcome) *agui.Outcome {
	if o != nil && (o.Type != agui.OutcomeSuccess || o.PendingToolCallIDs != nil) {
		return o
	}
	open := r.view.OpenCalls()
	if len(open) == 0 {
		return o
	}
	named := &agui.Outcome{Type: agui.OutcomeSuccess}
	for _, c := range open {
		named.PendingToolCallIDs = append(named.PendingToolCallIDs, c.ID)
	}
	return named
}

// Fail sends RUN_ERROR and abandons open messages, calls and steps. It always succeeds in ending the run: of a
// malformed or too large error it sends only message and code, shortened if necessary. It does not wait for a patch.
func (r *Run) Fail(e *agui.RunError) error {
	if e == nil {
		return errNilEvent
	}
	r.interrupt(ErrRunEnded)
	return r.locked(func() error {
		agui.Normalize(e)
		if data, err := agui.Encode(e); err != nil || agui.Validate(e) != nil || r.tooLarge(data) {
			e = &agui.RunError{Message: r.clip(e.Message), Code: r.clip(e.Code)}
		}
		return r.end(e)
	})
}

// clip returns the beginning of a text of which two fit into an event.
func (r *Run) clip(text string) string {
	const share = 16 // a byte takes up to six in JSON
	if r.o.MaxEvent > 0 && len(text) > r.o.MaxEvent/share {
		return strings.ToValidUTF8(text[:r.o.MaxEvent/share], "")
	}
	return text
}

// Ended reports whether the terminal event was sent.
func (r *Run) Ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// Err returns the error of the sink that ended the run for its writers, if there was one.
func (r *Run) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Inspect calls look with the run's view while writers are blocked. look must not call the run.
func (r *Run) Inspect(look func(*View)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	look(r.view)
}

// locked does write under the lock if anything can be written.
func (r *Run) locked(write func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	if r.ended {
		return ErrRunEnded
	}
	return write()
}

func (r *Run) end(e agui.Event) error {
	if err := r.emit(e); err != nil {
		return err
	}
	r.ended = true
	return nil
}

func (r *Run) closeOpen(o ClosingOptions) error {
	for _, e := range r.chunks.Close() {
		if err := r.write(e); err != nil {
			return err
		}
	}
	for _, e := range r.view.Closing(o) {
		if err := r.write(e); err != nil {
			return err
		}
	}
	return nil
}

// emit writes e, or the events that a chunk expands to.
func (r *Run) emit(e agui.Event) error { return r.chunks.Each(e, r.write) }

// write sends one event. All that can refuse it comes before anything that remembers it.
func (r *Run) write(e agui.Event) error {
	agui.Normalize(e)
	item, effect := agui.ItemOf(e)
	b, content := agui.BaseOf(e), effect == agui.Continues
	if !content || b.Timestamp != 0 || b.RawEvent != nil || b.Metadata != nil { // other content is valid by now
		if err := agui.Validate(e); err != nil {
			return err
		}
	}
	if r.o.Now != nil && b.Timestamp == 0 {
		b.Timestamp = r.o.Now().UnixMilli()
	}
	if !content {
		if err := r.identify(e, item); err != nil {
			return err
		}
		if err := r.tagOpener(e, item, effect); err != nil {
			return err
		}
	}
	data, err := r.encode(e)
	if err != nil {
		return err
	}
	if err := r.view.open.Check(e); err != nil {
		return err
	}
	if err := r.view.Apply(e); err != nil {
		return err
	}
	return r.send(e, data)
}

func (r *Run) send(e agui.Event, data []byte) error {
	err := r.o.Sink(e, data)
	if err != nil {
		r.err = err
	}
	return err
}

func (r *Run) encode(e agui.Event) ([]byte, error) {
	if _, ok := e.(*agui.MessagesSnapshot); ok && r.o.Markers {
		return nil, nil
	}
	data, err := agui.Encode(e)
	if _, last := e.(*agui.RunError); err == nil && r.tooLarge(data) && !last { // Fail has shortened a RUN_ERROR
		return nil, ErrEventTooLarge
	}
	return data, err
}

func (r *Run) tooLarge(data []byte) bool { return r.o.MaxEvent > 0 && len(data) > r.o.MaxEvent }
