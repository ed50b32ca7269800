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

	// runID is what the stream calls its run; a reader that did not name one is given one when it is needed.
	runID       string
	parentRunID string
	// named is the fence of a run that the log has under the name which this reader has for it; 0 if none is known.
	named uint64
	// posted says that runID is the run that the reader asked for.
	posted bool
	// own are the messages that came with the request, until they were compared with the thread's as the run began; ownIDs are those of them then.
	own    []agui.Message
	ownIDs []string

	// opening are the thread's messages as the run began, at openingRev, from when they were compared with own until its first snapshot; nil
	// before and behind.
	opening    state.Conversation
	openingRev int64

	// resumed is what the reader has of a run whose end must not be an error for it; nil if it may be.
	resumed *resumedRun
	// told is kept for a reader that is sent news only.
	told toldMessages
}

// sent are the ids of the messages that came with the request.
func (r *reader) sent() []string {
	if r.own == nil {
		return r.ownIDs
	}
	return idsOf(r.own)
}

func idsOf(messages []agui.Message) []string {
	ids := make([]string, len(messages))
	for i := range messages {
		ids[i] = messages[i].ID
	}
	return ids
}

// open sends the headers, at once: a client may wait for them with a deadline of its own.
func (r *reader) open() error {
	if r.stream != nil {
		return nil
	}
	s, err := agui.NewStream(r.w, agui.StreamOptions{}) // the writer has deadlines
	if err != nil {
		return err
	}
	r.stream = &stream{
		sending: lock.New(), out: s, every: r.g.o.Heartbeat, mark: threadMark(r.key), answers: r.g.limits.answers, owner: r.key.Principal, metrics: r.g.metrics,
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
	return &agui.RunStarted{ThreadID: r.key.ID, RunID: r.nameOfRun(), ProtocolVersion: agui.ProtocolVersion, ParentRunID: r.parentRunID}
}

// runFinished is the event that ends such a stream.
func (r *reader) runFinished(outcome *agui.Outcome) agui.Event {
	return &agui.RunFinished{ThreadID: r.key.ID, RunID: r.nameOfRun(), Outcome: outcome}
}

func (r *reader) nameOfRun() string {
	if r.runID == "" {
		r.runID = r.g.o.NewID()
	}
	return r.runID
}

// endWithError ends a stream that cannot go on with the code of err: otherwise the error would be seen in the log alone, and a
// stream that ends without a terminal event would look like a success.
func (r *reader) endWithError(err error) error {
	if err == nil || r.stream == nil || r.req.Context().Err() != nil || errors.Is(err, route.ErrReaderGone) {
		return err
	}
	if errors.Is(err, state.ErrUnknownThread) {
		return r.endDeleted()
	}
	code := errcode.Internal // what is wrong with a stored frame is not the client's doing
	if errors.Is(err, state.ErrDamaged) {
		code = errcode.ThreadDamaged
	} else if errors.Is(err, state.ErrLater) {
		code = errcode.StoreTooNew
	} else if coded, ok := errors.AsType[*errcode.Error](err); ok {
		code = coded.Code
	}
	r.g.noteLimit(err)
	r.g.log(r.req).Error("reader: cannot go on", "code", string(code), "error", err)
	return r.endEarly(code)
}

// endOnPanic is to be deferred: it ends the stream when the handler panics, and lets the panic go on.
func (r *reader) endOnPanic() {
	if p := recover(); p != nil {
		_ = r.endWithError(fmt.Errorf("gateway: panic: %v", p)) // the panic is what matters
		panic(p)
	}
}

// endEarly ends a stream in the middle of a run whose end the reader will not see: the thread was deleted, or the store cannot
// be reached.
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

// endDeleted ends the stream of a reader whose thread was deleted. A deletion ends the log of the live run, so a reader in
// the middle of it has lost it in another way; for one that has seen nothing of it, the run was stopped.
func (r *reader) endDeleted() error {
	if r.inRun() {
		return r.endEarly(errcode.RunLost)
	}
	return r.sendCancelled()
}

// inRun reports whether the reader has seen the start of a run and not its end.
func (r *reader) inRun() bool { return r.stream.inRun || r.resumed != nil && r.resumed.started }

// sendCancelled sends a run that was stopped before there was anything to read of it.
func (r *reader) sendCancelled() error {
	events := readerEvents(r.runStarted(), r.runFinished(&agui.Outcome{Type: agui.OutcomeCancelled}))
	if err := r.send(state.FrameID{}, events...); err != nil {
		return err
	}
	return r.stream.close()
}

// A stream is one response, shared by what is sent and by the heartbeats between.
type stream struct {
	every time.Duration
	mark  string // of the thread, in the ids of events
	// answers limits what is sent at a time, and owner is whose stream this is.
	answers *limit.Bytes
	owner   string
	metrics *telemetry.Metrics

	sending lock.Lock // guards what follows; held while the reader is written to, which ends by the writer's deadline
	out     *agui.Stream
	last    time.Time // when something went out
	// inRun says that the start of a run was sent and its end was not.
	inRun bool
	first *firstWait // nil if nothing is measured of the run, or nothing more
}

func (s *stream) open() error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return route.ReaderGone(s.out.Open())
}

func (s *stream) send(frames ...state.Frame) error {
	if len(frames) == 0 {
		return nil // nothing was sent, so the next heartbeat is due as before
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

// records yields what is sent of frames, and notes whether the reader is in a run then. The caller holds sending.
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

// keepAlive sends a comment whenever nothing else was sent for a heartbeat, so that proxies keep the connection.
// It ends when stop is called, and has ended when stop returns.
func (s *stream) keepAlive() (stop func()) {
	return calls.Repeat(s.every, func() (next time.Duration, again bool) {
		err := calls.Protect(func() (err error) { next, err = s.tick(); return err })
		return next, err == nil // otherwise the next send says so
	})
}

// tick sends the comment if it is due, and returns how long it is to the next one. While something else is being sent none is due.
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
