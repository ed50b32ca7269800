package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/internal/surrogate"
)

type answer struct {
	c       *Client
	request Request

	out    *Writer
	chunks agui.Expander
	repair reasoningRepair
	halves map[string]surrogate.Joiner // by the type and id of a text
}

// run posts the request, reads the response, and stops the run if it does not reach its end.
func (a *answer) run(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s := a.c.Session(ctx, a.request.Header)
	defer s.End()
	r, err := a.post(s, a.c.Server(s.reqCtx, a.request.Header))
	if err != nil {
		a.stop(ctx, err)
		return a.c.addHint(s.reqCtx, err)
	}
	defer r.close()
	if err = a.read(r); err != nil {
		a.stop(ctx, err)
	}
	return err
}

// stop ends the run at a server that would continue it. A long stop continues in the background.
func (a *answer) stop(ctx context.Context, err error) {
	refused, _ := errors.AsType[*Error](err)
	if a.out.ended || refused != nil && refused.Fault == FaultStatus {
		return // no run was started
	}
	a.request.Cancel(ctx, func(out context.Context) error {
		_, err := a.c.Stop(out, a.request.Input.ThreadID, a.request.Input.RunID, a.request.Header)
		return err
	})
}

// post sends the input. If a server refuses it as malformed, it is sent again in the form before 1.0.
func (a *answer) post(s *Session, kind ServerKind) (*response, error) {
	older := a.c.older.Load()
	r, err := a.postAs(s, kind, older)
	if kind == ServerCopilotKit && !a.c.single.Load() && mayBeSingle(err) &&
		a.c.singleRoute(s.reqCtx, a.request.Header) {
		r, err = a.postAs(s, kind, older)
	}
	refused, ok := errors.AsType[*Error](err)
	if !ok || older || refused.Status != http.StatusBadRequest && refused.Status != http.StatusUnprocessableEntity {
		return r, err
	}
	again, againErr := a.postAs(s, kind, true)
	if againErr != nil {
		return nil, err
	}
	a.c.older.Store(true)
	a.request.Warn("", "the server does not take requests of "+agui.ProtocolVersion)
	return again, nil
}

func (a *answer) postAs(s *Session, kind ServerKind, older bool) (*response, error) {
	call := Call{Method: http.MethodPost, URL: a.c.url, Body: a.input(older)}
	switch {
	case kind == ServerGateway:
		u := *a.c.url
		q := u.Query()
		q.Set("disconnect", "detach")
		u.RawQuery, call.URL = q.Encode(), &u
	case kind == ServerCopilotKit && a.c.single.Load():
		call = a.c.envelope(runtimeCall{Method: "agent/run", Params: map[string]string{"agentId": a.c.Agent()},
			Body: call.Body})
	}
	r, err := s.send(call, eventStream)
	if err != nil || r.StatusCode == http.StatusOK && r.media == eventStream {
		return r, err
	}
	defer r.close()
	return nil, refusal(r.Response)
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

func (a *answer) read(r *response) (err error) {
	in := &paddedReader{r: r}
	readErr := r.stream(in, func(record agui.Record, _ error) bool {
		err = a.take(record.Data)
		r.ended(a.out.ended)
		return err == nil
	})
	switch {
	case err != nil && in.added && !errors.Is(err, errEnough):
		return &Error{Fault: FaultCut, Err: err} // the last event is half of one
	case err != nil:
		return err
	case readErr != nil && (!a.out.ended || r.s.ctx.Err() != nil || errors.Is(readErr, errEvents)):
		return readErr // otherwise the run was complete
	case !a.out.ended:
		return &Error{Fault: FaultCut, Err: errNoEnd}
	}
	return nil
}

func (a *answer) take(data []byte) error {
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
		if err := a.pass(e); err != nil {
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
	delta := agui.DeltaOf(e)
	var members map[string]json.RawMessage
	var piece surrogate.Text
	if delta != nil && exact.Unmarshal(data, &members) == nil && exact.Unmarshal(members["delta"], &piece) == nil {
		*delta = string(piece)
	}
}

// join joins characters that the server has split between deltas. It reports whether e still has content.
func (a *answer) join(e agui.Event) bool {
	item, _ := agui.ItemOf(e)
	delta, key := agui.DeltaOf(e), string(item.Kind)+item.ID
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

// pass sends an event, expanded.
func (a *answer) pass(e agui.Event) error {
	err := a.chunks.Each(e, func(e agui.Event) error {
		if !a.join(e) {
			return nil
		}
		return a.out.Emit(e)
	})
	if _, ok := errors.AsType[*Error](err); err != nil && !ok && !errors.Is(err, errEnough) {
		return &Error{Fault: FaultInvalid, Err: err} // a chunk that fits nowhere
	}
	return err
}
