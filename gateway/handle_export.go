package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// eraseTime bounds the work of DELETE /me before it replies that data remains.
const eraseTime = 20 * time.Second

// exportMe serves GET /me/export: all threads of the caller, streamed from the store.
func (g *Gateway) exportMe(w http.ResponseWriter, r *http.Request) error {
	// an unavailable store needs its own response
	if _, err := remaining(r.Context(), g.store, route.Principal(r), 1); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Content-Disposition", `attachment; filename="threads.ndjson"`)
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	n, err := ExportPrincipal(r.Context(), g.store, route.Principal(r), w)
	if err != nil {
		if r.Context().Err() != nil {
			return route.ReaderGone(err)
		}
		// The status is sent already, so the last line reports the error and the count is missing.
		line, encodeErr := json.Marshal(errorBody(r, errcode.Of(route.StoreError(err)),
			errcode.Of(route.StoreError(err)).Message()))
		if encodeErr == nil {
			_, encodeErr = w.Write(append(line, '\n'))
		}
		g.log(r).Error("principal: not exported", "threads", n, "error", errors.Join(err, encodeErr))
		return nil
	}
	g.log(r).Info("principal: exported", "threads", n)
	g.audit(r, state.Key{Principal: route.Principal(r)}, AuditEntry{Action: AuditExportedAll})
	return nil
}

// deleteMe serves DELETE /me: it deletes all data of the caller. After eraseTime it replies 202 for a retry.
func (g *Gateway) deleteMe(w http.ResponseWriter, r *http.Request) error {
	principal := route.Principal(r)
	ctx, cancel := context.WithTimeout(r.Context(), eraseTime)
	defer cancel()
	n, err := ErasePrincipal(ctx, g.store, principal, g.stopPatience())
	if n > 0 || err == nil {
		g.log(r).Info("principal: deleted", "threads", n)
		g.audit(r, state.Key{Principal: principal}, AuditEntry{Action: AuditDeletedAll})
	}
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if r.Context().Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return route.StoreError(err)
	}
	const most = 1000
	left, err := remaining(r.Context(), g.store, principal, most)
	if err != nil {
		return err
	}
	route.Answer(w, http.StatusAccepted, map[string]int{"deleted": n, "remaining": left})
	return nil
}
