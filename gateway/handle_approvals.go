package gateway

import (
	"errors"
	"net/http"

	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// An approvalDocument is a remembered approval as its owner sees it.
type approvalDocument struct {
	ID          string              `json:"id"`
	Agent       string              `json:"agent"`
	Participant string              `json:"participant,omitempty"` // path of the caller, if it is not the agent itself
	Tool        string              `json:"tool"`
	Scope       state.ApprovalScope `json:"scope"`
	ThreadID    string              `json:"threadId,omitempty"`
	CreatedAt   route.Timestamp     `json:"createdAt"`
	ExpiresAt   route.Timestamp     `json:"expiresAt"`
}

// showApprovals serves GET /threads/{id}/approvals: the remembered approvals of the thread.
func (g *Gateway) showApprovals(w http.ResponseWriter, r *http.Request, key state.Key) error {
	return g.answerApprovals(w, r, key, key.ID)
}

// showMyApprovals is GET /me/approvals: what the caller approved of beforehand in all of their threads with an agent.
func (g *Gateway) showMyApprovals(w http.ResponseWriter, r *http.Request) error {
	return g.answerApprovals(w, r, state.ApprovalsKey(route.Principal(r)), "")
}

func (g *Gateway) answerApprovals(w http.ResponseWriter, r *http.Request, key state.Key, thread string) error {
	list, err := g.store.Approvals(r.Context(), key)
	if err != nil {
		return route.StoreError(err)
	}
	shown := []approvalDocument{}
	for _, a := range list {
		shown = append(shown, approvalDocument{
			ID: a.ID, Agent: a.Agent, Participant: a.Path, Tool: a.Tool, Scope: a.Scope, ThreadID: thread,
			CreatedAt: route.Timestamp(a.CreatedAt), ExpiresAt: route.Timestamp(a.ExpiresAt),
		})
	}
	route.Answer(w, http.StatusOK, struct {
		Approvals []approvalDocument `json:"approvals"`
	}{shown})
	return nil
}

// revokeApproval is DELETE /threads/{id}/approvals/{approval}.
func (g *Gateway) revokeApproval(w http.ResponseWriter, r *http.Request, key state.Key) error {
	return g.revoke(w, r, key, key)
}

// revokeMyApproval is DELETE /me/approvals/{approval}.
func (g *Gateway) revokeMyApproval(w http.ResponseWriter, r *http.Request) error {
	principal := route.Principal(r)
	return g.revoke(w, r, state.ApprovalsKey(principal), state.Key{Principal: principal})
}

// revoke deletes the approval stored under key; the audit log gets noted. An unknown one has no effect.
func (g *Gateway) revoke(w http.ResponseWriter, r *http.Request, key, noted state.Key) error {
	a, err := g.store.Revoke(r.Context(), key, r.PathValue("approval"))
	if errors.Is(err, state.ErrUnknownApproval) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err != nil {
		return route.StoreError(err)
	}
	noted.Agent = a.Agent
	g.audit(r, noted, AuditEntry{Action: AuditApprovalRevoked, Approval: a.ID, Tool: a.Tool})
	w.WriteHeader(http.StatusNoContent)
	return nil
}
