package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/internal/surrogate"
)

type answer struct {
	c       *Client
	request Request

	order  agui.Verifier
	chunks agui.Expander
	repair reasoningRepair
	halves map[string]surrogate.Joiner // by the type and id of a text

	events int
	ended  bool // the last event was terminal
	broke  bool // the consumer has stopped
}

// run posts the request, reads the response, and stops the run if it does not reach its end.
func (a *answer) run(ctx context.Context, yield func(agui.Event, error) bool) error {
	reqCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if d := a.c.o.Timeout; d > 0 {
		defer time.AfterFunc(d, func() { cancel(errTotal) }).Stop()
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	kind := a.c.Server(reqCtx, a.request.Header)
	response, err := a.post(ctx, reqCtx, cancel, kind)
	if err != nil {
		a.stop(ctx, err)
		return a.c.addHint(reqCtx, err)
	}
	defer func() { _ = response.Body.Close() }() // the rest is not needed
	err = a.read(ctx, reqCtx, cancel, response.Body, yield)
	if err != nil || a.broke && !a.ended {
		a.stop(ctx, err)
	}
	return err
}

// stop ends the run at a server that would continue it. A long stop continues in the background.
func (a *answer) stop(ctx context.Context, err error) {
	refused, _ := errors.AsType[*Error](err)
	if a.ended || refused != nil && refused.Fault == FaultStatus {
		return // no run was started
	}
	a.request.Cancel(ctx, func(out context.Context) error {
		_, err := a.c.Stop(out, a.request.Input.ThreadID, a.request.Input.RunID, a.request.Header)
		return err
	})
}

// post sends the input. If a server refuses it as malformed, it is sent again in the form before 1.0.
func (a *answer) post(ctx, reqCtx context.Context, cancel context.CancelCauseFunc,
	kind ServerKind) (*http.Response, error) {
	older := a.c.older.Load()
	response, err := a.postAs(ctx, reqCtx, cancel, kind, older)
	if kind == ServerCopilotKit && !a.c.single.Load() && mayBeSingle(err) && a.c.singleRoute(reqCtx, a.request.Header) {
		response, err = a.postAs(ctx, reqCtx, cancel, kind, older)
	}
	refused, ok := errors.AsType[*Error](err)
	if !ok || older || refused.Status != http.StatusBadRequest && refused.Status != http.StatusUnprocessableEntity {
		return response, err
	}
	again, againErr := a.postAs(ctx, reqCtx, cancel, kind, true)
	if againErr != nil {
		return nil, err
	}
	a.c.older.Store(true)
	a.request.Warn("", "the server does not take requests of "+agui.ProtocolVersion)
	return again, nil
}

func (a *answer) postAs(ctx, reqCtx context.Context, cancel context.CancelCauseFunc, kind ServerKind,
	older bool) (*http.Response, error) {
	body, err := agui.Marshal(a.input(older))
	if err != nil {
		return nil, &Error{Fault: FaultInvalid, Err: errors.New("the input cannot be written")}
	}
	u := *a.c.url
	switch {
	case kind == ServerGateway:
		q := u.Query()
		q.Set("disconnect", "detach")
		u.RawQuery = q.Encode()
	case kind == ServerCopilotKit && a.c.single.Load():
		u = *a.c.runtimeBase()
		body, err = agui.Marshal(runtimeCall{Method: "agent/run", Params: map[string]string{"agentId": a.c.Agent()},
			Body: body})
		if err != nil {
			return nil, &Error{Fault: FaultInvalid, Err: errors.New("the input cannot be written")}
		}
	}
	request, err := a.c.newRequest(reqCtx, http.MethodPost, &u, body, a.request.Header)
	if err != nil {
		return nil, err
	}
	return a.c.openStream(ctx, reqCtx, cancel, request)
}

// input is the request as the server can read it. What every client before 1.0 sent is always there.
func (a *answer) input(older bool) agui.RunAgentInput {
	in := a.request.Input
	in.ProtocolVersion = agui.ProtocolVersion
	if older {
		in.ProtocolVersion, in.ParentRunID = "", ""
		in.Messages = append(agui.List[agui.Message](nil), in.Messages...)
		if media, files := agui.Downgrade(in.Messages); media || files {
			a.request.Warn("messages", "have media or files that an older server does not support")
		}
	}
	empty := []byte("{}")
	if in.State == nil {
		in.State = empty
	}
	if in.ForwardedProps == nil {
		in.ForwardedProps = empty
	}
	return in
}

// linger bounds the time for closing a stream after its run's end, in case a failure or another run follows.
const linger = time.Second

func (a *answer) read(ctx, reqCtx context.Context, cancel context.CancelCauseFunc, body io.Reader,
	yield func(agui.Event, error) bool) error {
	end := &idleTimer{idle: a.c.o.Idle, cancel: cancel}
	defer end.stop()
	all := &boundedReader{r: body, left: a.c.o.MaxBytes, limited: a.c.o.MaxBytes > 0, clock: end}
	in := &paddedReader{r: all}
	for record, err := range agui.ReadStream(in, unlimited(a.c.o.MaxEvent)) {
		if err != nil {
			if a.ended && ctx.Err() == nil {
				return nil // it was all there
			}
			if all.over {
				err = errBytes
			}
			return classifyRead(ctx, reqCtx, err)
		}
		err = a.take(record.Data, yield)
		switch {
		case a.broke:
			return nil
		case err != nil && in.added:
			return &Error{Fault: FaultCut, Err: err} // the last event is half of one
		case err != nil:
			return err
		}
		end.ended(a.ended)
	}
	if !a.ended {
		return &Error{Fault: FaultCut, Err: errNoEnd}
	}
	return nil
}

// classifyRead maps an error of reading to an *Error.
func classifyRead(ctx, reqCtx context.Context, err error) error {
	switch {
	case errors.Is(err, bufio.ErrTooLong), errors.Is(err, errBytes):
		return &Error{Fault: FaultTooLarge, Err: err}
	default:
		return classify(ctx, reqCtx, FaultCut, err)
	}
}

func (a *answer) take(data []byte, yield func(agui.Event, error) bool) error {
	a.events++
	if most := a.c.o.MaxEvents; most > 0 && a.events > most {
		return &Error{Fault: FaultTooLarge, Err: errEvents}
	}
	if string(data) == "[DONE]" {
		a.request.Warn("", "a sentinel is no event, passed over")
		return nil
	}
	e, err := agui.DecodeForeign(data, a.request.Note)
	if err != nil {
		return &Error{Fault: FaultInvalid, Err: err}
	}
	split(e, data)
	repaired, err := a.repair.repair(e, a.request.Note)
	if err != nil {
		return &Error{Fault: FaultInvalid, Err: err}
	}
	for _, e := range repaired {
		if err := a.pass(e, yield); err != nil || a.broke {
			return err
		}
	}
	return nil
}

// split restores the halves of characters in the piece of a text that e carries.
func split(e agui.Event, data []byte) {
	if !bytes.Contains(data, []byte(`\ud`)) && !bytes.Contains(data, []byte(`\uD`)) {
		return
	}
	var delta *string
	switch e := e.(type) {
	case *agui.TextMessageContent:
		delta = &e.Delta
	case *agui.TextMessageChunk:
		delta = e.Delta
	case *agui.ReasoningMessageContent:
		delta = &e.Delta
	case *agui.ReasoningMessageChunk:
		delta = e.Delta
	case *agui.ToolCallArgs:
		delta = &e.Delta
	case *agui.ToolCallChunk:
		delta = e.Delta
	}
	var members map[string]json.RawMessage
	var piece surrogate.Text
	if delta != nil && exact.Unmarshal(data, &members) == nil && exact.Unmarshal(members["delta"], &piece) == nil {
		*delta = string(piece)
	}
}

// join joins characters that the server has split between deltas. It reports whether e still has content.
func (a *answer) join(e agui.Event) bool {
	var delta *string
	key := string(e.EventType())
	switch e := e.(type) {
	case *agui.TextMessageContent:
		delta, key = &e.Delta, key+e.MessageID
	case *agui.ReasoningMessageContent:
		delta, key = &e.Delta, key+e.MessageID
	case *agui.ToolCallArgs:
		delta, key = &e.Delta, key+e.ToolCallID
	}
	if delta == nil || len(a.halves) == 0 && utf8.ValidString(*delta) {
		return true
	}
	j, piece := a.halves[key], *delta
	*delta = j.Add(surrogate.Text(piece))
	if a.halves == nil {
		a.halves = map[string]surrogate.Joiner{}
	}
	if a.halves[key] = j; j == (surrogate.Joiner{}) {
		delete(a.halves, key)
	}
	return *delta != "" || piece == ""
}

// pass yields an event, expanded and verified.
func (a *answer) pass(e agui.Event, yield func(agui.Event, error) bool) error {
	whole := []agui.Event{e}
	if a.chunks.Concerns(e) {
		var err error
		if whole, err = a.chunks.Expand(e); err != nil {
			return &Error{Fault: FaultInvalid, Err: err}
		}
	}
	for _, e := range whole {
		if !a.join(e) {
			continue
		}
		if err := a.order.Next(e); err != nil {
			return &Error{Fault: FaultInvalid, Err: err}
		}
		switch e.(type) {
		case *agui.RunFinished, *agui.RunError:
			a.ended = true
		default:
			a.ended = false
		}
		if !yield(e, nil) {
			a.broke = true
			return nil
		}
	}
	return nil
}

func (c *Client) openStream(ctx, reqCtx context.Context, cancel context.CancelCauseFunc,
	request *http.Request) (*http.Response, error) {
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Accept-Encoding", "identity") // compression delays events
	if d := c.o.Connect; d > 0 {
		defer time.AfterFunc(d, func() { cancel(errConnect) }).Stop()
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, classify(ctx, reqCtx, FaultUnreachable, err)
	}
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode == http.StatusOK && media == "text/event-stream" {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }() // read as far as needed
	return nil, refusal(response)
}
