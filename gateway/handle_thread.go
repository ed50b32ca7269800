package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// stop serves POST /threads/{id}/stop: it ends the live run, on any replica.
func (g *Gateway) stop(w http.ResponseWriter, r *http.Request, key state.Key) error {
	if err := route.CheckType(r); err != nil {
		return err
	}
	stopped, err := g.store.Signal(r.Context(), key, 0, state.SignalStop)
	if err != nil {
		return route.StoreError(err)
	}
	g.noteStop(r, key, stopped)
	route.Answer(w, http.StatusOK, map[string]bool{"stopped": stopped})
	return nil
}

// noteStop writes the request of r for a stop to the server log, and to the audit log if it stopped a run.
func (g *Gateway) noteStop(r *http.Request, key state.Key, stopped bool) {
	g.logThread(r, key, "stop", "stopped", stopped)
	if stopped {
		g.audit(r, key, AuditEntry{Action: AuditStopped})
	}
}

// fork is POST /threads/{id}/fork: it makes a thread with the conversation up to a message.
func (g *Gateway) fork(w http.ResponseWriter, r *http.Request, key state.Key) error {
	var in struct {
		MessageID *string `json:"messageId"`
	}
	if err := g.readObject(r, &in); err != nil {
		return err
	}
	if in.MessageID == nil || *in.MessageID == "" {
		return &agui.FieldError{Path: "messageId", Problem: "is missing"}
	}
	t, err := g.store.Fork(r.Context(), key, *in.MessageID, g.o.NewID(), g.o.Limits.StoredPerPrincipal)
	if err != nil {
		return route.StoreError(err)
	}
	g.logThread(r, key, "forked", "into", t.Key.ID)
	g.audit(r, key, AuditEntry{Action: AuditForked, Into: t.Key.ID})
	answer := map[string]any{"id": t.Key.ID}
	if t.Approximate {
		answer["approximateState"] = true
	}
	route.Answer(w, http.StatusCreated, answer)
	return nil
}

// renameThread is PATCH /threads/{id}.
func (g *Gateway) renameThread(w http.ResponseWriter, r *http.Request, key state.Key) error {
	var in struct {
		Title *string `json:"title"`
	}
	if err := g.readObject(r, &in); err != nil {
		return err
	}
	title, err := titleOf(in.Title)
	if err != nil {
		return err
	}
	if err := g.store.Rename(r.Context(), key, title); err != nil {
		return route.StoreError(err)
	}
	g.logThread(r, key, "renamed")
	g.audit(r, key, AuditEntry{Action: AuditRenamed})
	return g.showThreadJSON(w, r, key)
}

// titleOf validates a title and trims white space around it.
func titleOf(given *string) (string, error) {
	const most = 500
	if given == nil {
		return "", &agui.FieldError{Path: "title", Problem: "is missing"}
	}
	title := strings.TrimSpace(*given)
	switch {
	case title == "":
		return "", &agui.FieldError{Path: "title", Problem: "is blank"}
	case len(title) > most:
		return "", &agui.FieldError{Path: "title", Problem: "is longer than 500 bytes"}
	}
	return title, nil
}

// deleteThread serves DELETE /threads/{id}: it stops the live run and deletes the thread.
func (g *Gateway) deleteThread(w http.ResponseWriter, r *http.Request, key state.Key) error {
	if err := g.endForGood(r.Context(), key); err != nil {
		return err
	}
	if err := g.store.Delete(r.Context(), key); err != nil {
		return route.StoreError(err)
	}
	g.logThread(r, key, "deleted")
	g.audit(r, key, AuditEntry{Action: AuditDeleted})
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// endForGood stops the live run of a thread for some time, and prevents waiting requests from starting another.
func (g *Gateway) endForGood(ctx context.Context, key state.Key) error {
	t, err := stopForGood(ctx, g.store, key, g.stopPatience())
	if err != nil {
		return route.StoreError(err)
	}
	if t == nil {
		return nil
	}
	ending, cancel := context.WithTimeout(ctx, g.stopPatience())
	defer cancel()
	if err := awaitEnd(ending, g.store, t); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// readObject reads a small JSON body into v. Members that v does not have are ignored.
func (g *Gateway) readObject(r *http.Request, v any) error {
	data, err := route.ReadJSON(r, g.o.Limits.Body)
	if err != nil {
		return err
	}
	if err := exact.Unmarshal(data, v); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return &agui.FieldError{Path: wrong.Field, Problem: "must be a " + wrong.Type.String()}
		}
		return &agui.FieldError{Problem: "is not a JSON object"}
	}
	return nil
}
