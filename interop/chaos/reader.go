package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// How long things may take before they count as hung, or lost.
const (
	hungAfter = 30 * time.Second
	stepLimit = 90 * time.Second
	maxEvent  = 8 << 20
)

// A reader is a client as a page is one: it posts, reads, and reconnects when its connection breaks.
type reader struct {
	stats         *stats
	client        *http.Client
	where         func() string // address of a server, anew for each request
	agent, thread string
	uncut         bool // nothing is killed, so no stream may be cut
	leave         int  // if it is not 0: hang up behind so many events of the log
	stay          bool // attach for the runs that follow, too

	verifier *agui.Verifier
	view     *run.View
	doc      *document.Document
	messages []agui.Message // as last seen whole
	cursor   string
	last     time.Time // when the last event came
	ids      []string  // of the frames that were read, in order
	events   []agui.Event
	progress atomic.Int64 // how many events were read
}

// Events of a run of the agent long: the first, and one in the middle of the second turn, which takes seconds.
const (
	runBegan    = 1
	runInMiddle = 40
)

// await waits until each of the readers has read that many events.
func (r *result) await(ctx context.Context, events int64, readers ...*reader) {
	for deadline := time.Now().Add(hungAfter); ; time.Sleep(5 * time.Millisecond) {
		i := slices.IndexFunc(readers, func(r *reader) bool { return r.progress.Load() < events })
		switch {
		case i < 0, ctx.Err() != nil:
			return
		case time.Now().After(deadline):
			r.stats.problem("%s: the run has not come to event %d", readers[i].thread, events)
			return
		}
	}
}

// errInvalid says that a stream breaks the protocol; the reader stops there. errLeft says that it has left on request,
// and errDraining that its replica ends while the run continues elsewhere.
var (
	errInvalid  = errors.New("invalid stream")
	errLeft     = errors.New("left")
	errDraining = errors.New("the replica drains")
)

// gaveUp reports whether a reader that failed so has given up.
func gaveUp(err error) bool { return errors.Is(err, errInvalid) || errors.Is(err, errLeft) }

// run posts an input and follows the run to its terminal event, over as many connections as it takes.
func (r *reader) run(ctx context.Context, in *agui.RunAgentInput) (agui.Event, error) {
	in.ProtocolVersion, in.ThreadID = agui.ProtocolVersion, r.thread
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	r.cursor, r.last, r.ids, r.events = "", time.Now(), nil, nil
	return r.retry(ctx, func(ctx context.Context) (*http.Request, error) {
		if r.cursor != "" {
			return r.attach(ctx, r.cursor)
		}
		if len(in.Resume) > 0 {
			r.stats.do(func() { r.stats.resumes++ })
		}
		r.reset(in.Messages)
		return r.request(ctx, http.MethodPost, "/agents/"+r.agent, body)
	})
}

// follow attaches without a cursor and reads to the terminal event.
func (r *reader) follow(ctx context.Context) (agui.Event, error) {
	r.cursor, r.last, r.ids, r.events = "", time.Now(), nil, nil
	return r.retry(ctx, func(ctx context.Context) (*http.Request, error) { return r.attach(ctx, r.cursor) })
}

// back attaches with the cursor of a reader that has left, and reads to the terminal event.
func (r *reader) back(ctx context.Context) (agui.Event, error) {
	r.leave, r.last = 0, time.Now()
	return r.retry(ctx, func(ctx context.Context) (*http.Request, error) { return r.attach(ctx, r.cursor) })
}

// retry asks again until a terminal event came, or the reader leaves.
func (r *reader) retry(ctx context.Context, ask func(context.Context) (*http.Request, error)) (agui.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	for {
		end, err := r.once(ctx, ask)
		if end != nil || gaveUp(err) {
			return end, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("no end after %v; lastly: %w", stepLimit, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (r *reader) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, r.where()+path, bytes.NewReader(body))
	if err == nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, err
}

func (r *reader) attach(ctx context.Context, cursor string) (*http.Request, error) {
	path := "/threads/" + r.thread + "/events?agent=" + r.agent + "&protocolVersion=" + agui.ProtocolVersion
	if r.stay {
		path += "&follow=1"
	}
	request, err := r.request(ctx, http.MethodGet, path, nil)
	if err == nil && cursor != "" {
		request.Header.Set("Last-Event-ID", cursor)
	}
	return request, err
}

// once reads one connection. It returns the terminal event, or nil if the stream has to be asked for again.
func (r *reader) once(ctx context.Context, ask func(context.Context) (*http.Request, error)) (agui.Event, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(hungAfter, func() { cancel(errHung) })
	defer watch.Stop()
	request, err := ask(ctx)
	if err != nil {
		return nil, err
	}
	response, err := r.client.Do(request)
	if err == nil {
		defer func() { _ = response.Body.Close() }() // read as far as it goes
		if response.StatusCode == http.StatusOK {
			var end agui.Event
			body := &watched{Reader: response.Body, timer: watch}
			end, err = r.read(body, request.Method == http.MethodPost)
			if end == nil && !gaveUp(err) {
				r.cut(fmt.Errorf("%s %s: %w after %d bytes", request.Method, request.URL.Host, err, body.n))
			}
			if end != nil || gaveUp(err) {
				return end, err
			}
		} else {
			err = r.refused(response)
		}
	}
	if errors.Is(context.Cause(ctx), errHung) {
		r.stats.do(func() { r.stats.hung++ })
	}
	return nil, err
}

var errHung = errors.New("hung")

// A watched body restarts a timer with every byte.
type watched struct {
	io.Reader
	timer *time.Timer
	n     int // bytes so far
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.n += n
	if n > 0 {
		w.timer.Reset(hungAfter)
	}
	return n, err
}

// refused notes an answer that is no stream. After 404 and 204 the reader attaches without its cursor.
func (r *reader) refused(response *http.Response) error {
	var answer struct {
		Error struct{ Code string }
	}
	_ = json.NewDecoder(response.Body).Decode(&answer) // 204 has none
	r.stats.failure(fmt.Sprint(response.StatusCode, " ", answer.Error.Code))
	switch response.StatusCode {
	case http.StatusNotFound, http.StatusNoContent:
		r.cursor = ""
	case http.StatusServiceUnavailable:
		if response.Header.Get("Retry-After") == "" {
			r.stats.problem("%s: 503 without Retry-After", r.thread)
		}
	}
	return errors.New(response.Status)
}

// reset starts a stream that does not continue another, on top of messages.
func (r *reader) reset(messages []agui.Message) {
	doc, err := document.New(nil, document.Options{})
	if err != nil {
		panic(err) // an empty document is one
	}
	r.verifier, r.doc, r.view = &agui.Verifier{}, doc, run.NewView(messages, doc)
}

// read reads a stream up to a terminal event.
func (r *reader) read(body io.Reader, fresh bool) (agui.Event, error) {
	r.stats.do(func() { r.stats.streams++ })
	first := true
	for record, err := range agui.ReadStream(body, maxEvent) {
		if err != nil {
			return nil, err
		}
		now := time.Now()
		r.stats.do(func() { r.stats.silence = max(r.stats.silence, now.Sub(r.last)) })
		r.last = now
		e, err := agui.Decode(record.Data, func(w agui.Warning) { err = fmt.Errorf("%v", w) })
		if err != nil {
			return nil, r.wrong(record, err)
		}
		if record.ID == "" && codeOf(e) == string(errcode.Draining) {
			return nil, errDraining
		}
		if first && !fresh {
			r.startStream(record, e)
		}
		first = false
		if err := r.take(record, e); err != nil {
			return nil, r.wrong(record, err)
		}
		switch e.(type) {
		case *agui.RunFinished, *agui.RunError:
			r.messages = r.view.Messages()
			return e, nil
		}
		if r.leave > 0 && len(r.events) >= r.leave {
			return nil, errLeft
		}
	}
	return nil, io.ErrUnexpectedEOF
}

// cut notes a stream that broke off.
func (r *reader) cut(why error) {
	r.stats.do(func() { r.stats.cut++ })
	if r.uncut {
		r.stats.problem("%s: a stream broke off behind %q although nothing was killed: %v", r.thread, r.cursor, why)
	}
}

// startStream finds out whether an attached stream continues after the cursor or starts with a prelude, which has a
// RUN_STARTED without an id.
func (r *reader) startStream(record agui.Record, e agui.Event) {
	if _, start := e.(*agui.RunStarted); r.verifier != nil && (!start || record.ID != "") {
		r.stats.do(func() { r.stats.goneOn++ })
		return
	}
	r.stats.do(func() { r.stats.restated++ })
	r.reset(nil)
	r.cursor = "" // an earlier version does not know a later one's, and begins before it
}

func (r *reader) take(record agui.Record, e agui.Event) error {
	if record.ID != "" {
		if err := r.checkOrder(record.ID); err != nil {
			return err
		}
		r.cursor = record.ID
		r.ids, r.events = append(r.ids, record.ID), append(r.events, e)
		r.progress.Add(1)
	}
	if err := r.verifier.Next(e); err != nil {
		return err
	}
	return r.view.Apply(e)
}

// checkOrder checks that ids grow along the thread.
func (r *reader) checkOrder(id string) error {
	now, err := frameOf(id)
	if err != nil || r.cursor == "" {
		return err
	}
	before, err := frameOf(r.cursor)
	if err == nil && !before.Less(now) {
		err = fmt.Errorf("id %s comes after %s", id, r.cursor)
	}
	return err
}

// frameOf returns the frame that the id of an event names, with or without the mark of its thread, which earlier
// versions do not write.
func frameOf(id string) (state.FrameID, error) {
	if parts := strings.SplitN(id, "-", 3); len(parts) == 3 {
		id = parts[0] + "-" + parts[1]
	}
	return state.ParseFrameID(id)
}

func (r *reader) wrong(record agui.Record, err error) error {
	r.stats.do(func() { r.stats.invalid++ })
	r.stats.problem("%s: invalid stream at %s %.200s: %v", r.thread, record.ID, record.Data, err)
	return fmt.Errorf("%w: %w", errInvalid, err)
}
