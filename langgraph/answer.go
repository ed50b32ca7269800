package langgraph

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

type answer struct {
	c       *Client
	s       *client.Session
	request client.Request
	out     *translator
	before  threadState     // before the run
	old     map[string]bool // ids of the messages that the run did not make

	runID  string // the server's, empty until it is known
	over   bool   // the run has ended there
	posted bool   // the server may have begun a run
	last   string // id of the last event
	failed *agui.RunError
}

type statusOf struct {
	ID       string                     `json:"run_id"`
	Status   string                     `json:"status"`
	Metadata map[string]json.RawMessage `json:"metadata"`
}

func (s statusOf) active() bool { return s.Status == "pending" || s.Status == "running" }

func (a *answer) run() error {
	p, err := a.prepare()
	if err != nil {
		return err
	}
	if err := a.out.Start(); err != nil {
		return err
	}
	switch {
	case p.off:
		a.over = true
		if p.clear {
			if err := a.clear(); err != nil {
				return err
			}
		}
		return a.out.Finish(nil, nil)
	case p.served:
		a.over = true
		return a.finish(statusOf{Status: "success"})
	case p.join != "":
		a.runID = p.join
		return a.follow(a.joining())
	default:
		a.posted = true
		call := a.call(http.MethodPost, p.body, "runs", "stream")
		call.Stream = true
		return a.follow(call)
	}
}

// joining is the request for the rest of the run's stream.
func (a *answer) joining() client.Call {
	call := a.call(http.MethodGet, nil, "runs", a.runID, "stream")
	call.Stream = true
	call.Header = http.Header{"Last-Event-ID": {cmp.Or(a.last, "-1")}} // -1 is from its beginning
	return call
}

// maxJoins is how often in a row a stream is joined that then brings nothing, mostJoins how often the streams of a run
// are joined in all.
const maxJoins, mostJoins = 5, 50

// follow reads the run's stream, which may be cut, until the server says that the run is over.
func (a *answer) follow(call client.Call) error {
	for joins, all := 0, 0; ; joins, all = joins+1, all+1 {
		seen, err := a.read(call)
		if err != nil && !client.IsCut(err, a.runID != "") {
			return err
		}
		if seen {
			joins = 0
		}
		if a.runID == "" {
			if a.runID = a.begun(a.s); a.runID == "" {
				return unlessWhole(err)
			}
		}
		var run statusOf
		if asked := a.s.Ask(a.call(http.MethodGet, nil, "runs", a.runID), &run); asked != nil {
			if _, ok := errors.AsType[*client.Error](asked); ok && err != nil {
				return err // the stream was cut, and the server is gone
			}
			return asked
		}
		if !run.active() {
			a.over = true
			return a.finish(run)
		}
		if joins >= maxJoins || all >= mostJoins {
			return unlessWhole(err)
		}
		a.request.Warn("", "the stream was cut, and is joined again")
		if err := a.s.Sleep(time.Duration(joins) * 200 * time.Millisecond); err != nil {
			return err
		}
		call = a.joining()
	}
}

var errNoEnd = errors.New("the stream ended before its run")

// unlessWhole is the error of a stream that has ended too early, whatever it ended with.
func unlessWhole(err error) error {
	if err == nil {
		return &client.Error{Fault: client.FaultCut, Err: errNoEnd}
	}
	return err
}

// read takes what one stream brings, and reports whether it brought anything.
func (a *answer) read(call client.Call) (seen bool, err error) {
	for record, err := range a.s.Records(call) {
		if err != nil {
			return seen, err
		}
		if record.ID != "" {
			a.last = record.ID
		}
		seen = true
		if err := a.take(record); err != nil {
			return seen, err
		}
	}
	return seen, nil
}

// begun finds the run that the request has begun, of which the stream did not tell.
func (a *answer) begun(s *client.Session) string {
	runs, err := a.active(s)
	if err != nil {
		return ""
	}
	for _, r := range runs {
		if isOurs(r.Metadata, a.request.Input.RunID) {
			return r.ID
		}
	}
	return ""
}

// stop cancels a run after its reader has left. A slow request continues in the background.
func (a *answer) stop(ctx context.Context) {
	if a.over || a.runID == "" && !a.posted {
		return // nothing is at work
	}
	a.request.Cancel(ctx, func(out context.Context) error {
		s := a.c.conn.Session(out, a.request.Header)
		defer s.End()
		id := a.runID
		if id == "" {
			id = a.begun(s)
		}
		if id == "" {
			return nil // it was refused
		}
		return a.cancel(s, id)
	})
}

func (a *answer) cancel(s *client.Session, run string) error {
	return s.Ask(a.call(http.MethodPost, struct{}{}, "runs", run, "cancel"), nil)
}
