package gateway

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/internal/lock"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// A reader is a client's connection that is sent a thread's frames: it posted a run, or only reads one.
type reader struct {
	g       *Gateway
	w       http.ResponseWriter
	req     *http.Request
	key     state.Key
	profile wire.Profile
	stream  *stream // nil until open

	// runID is the id of the run in the stream; it is generated when needed.
	runID       string
	parentRunID string
	// named is the fence of the log's run with the run id that this reader uses; 0 if unknown.
	named uint64
	// posted is set if the reader requested runID.
	posted bool
	// requestMessages are those of the request until the run's start, and requestIDs their ids after it.
	requestMessages []agui.Message
	requestIDs      []string

	// opening are the thread's messages at openingRev, the run's start, until the first snapshot.
	opening    state.Conversation
	openingRev int64

	// resumed records a run that must not end in an error for this reader; nil if it may.
	resumed *resumedRun
	// sentMessages is only kept for a reader with snapshots=news.
	sentMessages sentMessages
}

// sent returns the ids of the request's messages.
func (r *reader) sent() []string {
	if r.requestMessages == nil {
		return r.requestIDs
	}
	return idsOf(r.requestMessages)
}

func idsOf(messages []agui.Message) []string {
	ids := make([]string, len(messages))
	for i := range messages {
		ids[i] = messages[i].ID
	}
	return ids
}

// open sends the headers immediately: a client may have a deadline for them.
func (r *reader) open() error {
	if r.stream != nil {
		return nil
	}
	s, err := agui.NewStream(r.w, agui.StreamOptions{}) // the writer has deadlines
	if err != nil {
		return err
	}
	r.stream = &stream{
		sending: lock.New(), out: s, every: r.g.o.Heartbeat, mark: threadMark(r.key), answers: r.g.limits.answers,
		owner: r.key.Principal, metrics: r.g.metrics,
	}
	return r.stream.open()
}

// keepAlive sends heartbeats while nothing else is sent, until the returned function is called.
func (r *reader) keepAlive() (stop func()) {
	if r.stream == nil {
		return func() {}
	}
	return r.stream.keepAlive()
}

// runStarted is the event that opens a stream which the gateway makes up for this reader.
func (r *reader) runStarted() agui.Event {
	return &agui.RunStarted{ThreadID: r.key.ID, RunID: r.nameOfRun(), ProtocolVersion: agui.ProtocolVersion,
		ParentRunID: r.parentRunID}
}

// runFinished returns the terminal event of such a stream.
func (r *reader) runFinished(outcome *agui.Outcome) agui.Event {
	return &agui.RunFinished{ThreadID: r.key.ID, RunID: r.nameOfRun(), Outcome: outcome}
}

func (r *reader) nameOfRun() string {
	if r.runID == "" {
		r.runID = r.g.o.NewID()
	}
	return r.runID
}

// endWithError ends a stream that cannot continue with the code of err: otherwise only the log would have the error,
// and a stream without a terminal event would look like a success.
func (r *reader) endWithError(err error) error {
	if err == nil || r.stream == nil || r.req.Context().Err() != nil || errors.Is(err, route.ErrReaderGone) {
		return err
	}
	if errors.Is(err, state.ErrUnknownThread) {
		return r.endDeleted()
	}
	code := errcode.Internal // errors in stored frames are the server's
	if errors.Is(err, state.ErrDamaged) {
		code = errcode.ThreadDamaged
	} else if errors.Is(err, state.ErrLater) {
		code = errcode.StoreTooNew
	} else if coded, ok := errors.AsType[*errcode.Error](err); ok {
		code = coded.Code
	}
	r.g.noteLimit(err)
	r.g.log(r.req).Error("reader: cannot continue", "code", string(code), "error", err)
	return r.endEarly(code)
}

// endOnPanic, when deferred, ends the stream if the handler panics, and panics again.
func (r *reader) endOnPanic() {
	if p := recover(); p != nil {
		_ = r.endWithError(fmt.Errorf("gateway: panic: %v", p)) // the panic is what matters
		panic(p)
	}
}

// endEarly ends a stream within a run that cannot be read further: its thread was deleted, or the store is away.
func (r *reader) endEarly(code errcode.Code) error {
	if r.resumed != nil {
		return r.askAgain(code)
	}
	events := []agui.Event{&agui.RunError{Message: code.Message(), Code: string(code)}}
	if !r.stream.inRun {
		events = append([]agui.Event{r.runStarted()}, events...)
	}
	if err := r.send(state.FrameID{}, readerEvents(events...)...); err != nil {
		return err
	}
	return r.stream.close()
}

// endDeleted ends the stream of a reader after its thread was deleted. The deletion ends the log of the live run, so a
// reader in the middle of it gets an early end; for a reader that saw nothing of the run, it was stopped.
func (r *reader) endDeleted() error {
	if r.inRun() {
		return r.endEarly(errcode.RunLost)
	}
	return r.sendCancelled()
}

// inRun reports whether the reader has seen the start of a run and not its end.
func (r *reader) inRun() bool { return r.stream.inRun || r.resumed != nil && r.resumed.started }

// sendCancelled sends a run that was stopped before it had output.
func (r *reader) sendCancelled() error {
	events := readerEvents(r.runStarted(), r.runFinished(&agui.Outcome{Type: agui.OutcomeCancelled}))
	if err := r.send(state.FrameID{}, events...); err != nil {
		return err
	}
	return r.stream.close()
}

// A stream is one response, shared by events and heartbeats.
type stream struct {
	every time.Duration
	mark  string // of the thread, in the ids of events
	// answers bounds the bytes being sent, which count for owner.
	answers *limit.Bytes
	owner   string
	metrics *telemetry.Metrics

	sending lock.Lock // guards what follows; held while the reader is written to, which ends by the writer's deadline
	out     *agui.Stream
	last    time.Time // when something went out
	// inRun is set between the start and the end of a run.
	inRun bool
	first *firstWait // nil when there is nothing more to measure
}

func (s *stream) open() error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return route.ReaderGone(s.out.Open())
}

func (s *stream) send(frames ...state.Frame) error {
	if len(frames) == 0 {
		return nil // no event was sent, so the heartbeat's deadline is unchanged
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	size := 0
	for _, f := range frames {
		size += len(f.Data)
	}
	if size > writePiece { // it takes memory until its reader has it
		room := s.answers.Hold(s.owner)
		defer room.Release()
		if err := room.Grow(context.Background(), int64(size)); err != nil {
			return limit.Reached(limit.Answers, route.RoomError(err))
		}
	}
	s.last = time.Now()
	if err := s.out.SendAll(s.records(frames)); err != nil {
		return route.ReaderGone(err)
	}
	s.metrics.Sent(context.Background(), len(frames), size)
	s.first = s.first.sent(frames)
	return nil
}

// records yields the events to send for frames, and updates inRun. The caller holds sending.
func (s *stream) records(frames []state.Frame) iter.Seq[agui.Record] {
	return func(yield func(agui.Record) bool) {
		var ids strings.Builder // all of them in one piece of memory
		ids.Grow(len(frames) * (len(s.mark) + idBytes))
		for i := range frames {
			f := &frames[i]
			s.inRun = (s.inRun || f.Type == agui.TypeRunStarted) && !frame.Terminal(*f)
			record := agui.Record{Data: f.Data}
			if !f.ID.IsZero() {
				begin := ids.Len()
				writeEventID(&ids, f.ID, s.mark)
				record.ID = ids.String()[begin:]
			}
			if !yield(record) {
				return
			}
		}
	}
}

// keepAlive sends a comment whenever the stream has been silent for a heartbeat interval, so that proxies keep the
// connection. It runs until stop is called, and has ended when stop returns.
func (s *stream) keepAlive() (stop func()) {
	return calls.Repeat(s.every, func() (next time.Duration, again bool) {
		err := calls.Protect(func() (err error) { next, err = s.tick(); return err })
		return next, err == nil // otherwise the next send returns the error
	})
}

// tick sends the comment if it is due, and returns the time until the next one. None is due during a send.
func (s *stream) tick() (time.Duration, error) {
	if !s.sending.TryLock() {
		return s.every, nil
	}
	defer s.sending.Unlock()
	if silent := time.Since(s.last); silent < s.every {
		return s.every - silent, nil
	}
	s.last = time.Now()
	return s.every, route.ReaderGone(s.out.Comment("keep-alive"))
}

func (s *stream) close() error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return route.ReaderGone(s.out.Close())
}
