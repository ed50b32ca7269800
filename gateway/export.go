package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// exportFormat is the version of an export: a later one may have more members.
const exportFormat = 1

// ExportPrincipal writes all threads of a principal as JSON lines: first {"principal", "exportedAt", "format"} with the
// principal's remembered approvals, then each thread in the form of GET /threads/{id}, and last {"threads"} with the
// number of thread lines; without it the export is incomplete. A thread that changes meanwhile may appear twice; the
// later line counts. A damaged thread is {"id", "agent", "error"}. At most one thread is in memory at a time. It fails
// with the errors of w and of a [state.Store].
func ExportPrincipal(ctx context.Context, store state.Store, principal string, w io.Writer) (threads int, err error) {
	e := &exporter{store: store, principal: principal, out: json.NewEncoder(w)}
	e.out.SetEscapeHTML(false)
	err = e.export(ctx)
	return e.n, err
}

type exporter struct {
	store     state.Store
	principal string
	out       *json.Encoder
	n         int
}

// exportPasses bounds the passes over threads that changed during the previous one.
const exportPasses = 5

func (e *exporter) export(ctx context.Context) error {
	approvals, err := e.store.Approvals(ctx, state.ApprovalsKey(e.principal))
	if err != nil {
		return err
	}
	head := struct {
		Principal  string           `json:"principal"`
		ExportedAt route.Timestamp  `json:"exportedAt"`
		Format     int              `json:"format"`
		Approvals  []state.Approval `json:"approvals,omitempty"`
	}{e.principal, route.Timestamp(time.Now()), exportFormat, approvals}
	if err := e.out.Encode(head); err != nil {
		return err
	}
	var since time.Time
	for range exportPasses {
		newest, err := e.pass(ctx, since)
		if err != nil {
			return err
		}
		if newest.IsZero() {
			break
		}
		since = newest
	}
	return e.out.Encode(map[string]int{"threads": e.n})
}

// pass writes the threads that changed after since, and returns the newest time of change; zero without threads. A
// listing begins with the newest, so a thread that changes meanwhile can be missed by a pass and is found by the next.
func (e *exporter) pass(ctx context.Context, since time.Time) (newest time.Time, err error) {
	q := state.Query{Principal: e.principal, Limit: erasePage}
	for {
		page, err := e.store.List(ctx, q)
		if err != nil {
			return newest, err
		}
		for _, t := range page.Threads {
			if !t.UpdatedAt.After(since) {
				return newest, nil
			}
			if newest.Before(t.UpdatedAt) {
				newest = t.UpdatedAt
			}
			if err := e.thread(ctx, t.Key); err != nil {
				return newest, err
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return newest, nil
		}
	}
}

func (e *exporter) thread(ctx context.Context, key state.Key) error {
	s, err := e.store.Snapshot(ctx, key)
	var line any
	switch {
	case errors.Is(err, state.ErrUnknownThread):
		return nil
	case errors.Is(err, state.ErrDamaged), errors.Is(err, state.ErrLater):
		code := errcode.Of(route.StoreError(err))
		line = damagedThread{key.ID, key.Agent, map[string]string{"code": string(code), "message": code.Message()}}
	case err != nil:
		return err
	default:
		d, err := documentOf(s)
		if err != nil {
			return err
		}
		d.Messages = s.Messages.JSON()
		line = exportedThread{d, s.Thread.Notes, s.Thread.Approvals}
	}
	if err := e.out.Encode(line); err != nil {
		return err
	}
	e.n++
	return nil
}

// An exportedThread is a thread in its public form with its remembered approvals and its agents' notes.
type exportedThread struct {
	*threadDocument
	Notes     json.RawMessage  `json:"notes,omitempty"`
	Approvals []state.Approval `json:"approvals,omitempty"`
}

type damagedThread struct {
	ID    string            `json:"id"`
	Agent string            `json:"agent"`
	Error map[string]string `json:"error"`
}
