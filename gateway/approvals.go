package gateway

import (
	"context"

	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/state"
)

// rememberedApprovals are those of an attempt's thread. They are read for each call, in case of revocation.
type rememberedApprovals struct{ *attempt }

// keyOf returns the key that stores the approvals of a scope.
func (a rememberedApprovals) keyOf(scope state.ApprovalScope) state.Key {
	if scope == state.ApprovalPrincipal {
		return state.ApprovalsKey(a.lease.Key.Principal)
	}
	return a.lease.Key
}

// Covers is part of groupchat.ApprovalStore.
func (a rememberedApprovals) Covers(ctx context.Context, call string, about state.ApprovalSubject,
	scopes []state.ApprovalScope) (state.Approval, bool, error) {
	for _, scope := range scopes {
		ctx, cancel := context.WithTimeout(ctx, calls.StoreTimeout)
		list, err := a.g.store.Approvals(ctx, a.keyOf(scope))
		cancel()
		if err != nil {
			return state.Approval{}, false, err
		}
		if found, ok := state.Covering(list, about, []state.ApprovalScope{scope}); ok {
			a.g.auditRun(a.lease.Key, AuditEntry{
				Action: AuditApprovalUsed, RunID: a.intent.RunID, Calls: []string{call}, Approval: found.ID,
				Tool: found.Tool,
			})
			return found, true, nil
		}
	}
	return state.Approval{}, false, nil
}

// Remember is part of groupchat.ApprovalStore.
func (a rememberedApprovals) Remember(ctx context.Context, approval state.Approval) error {
	ctx, cancel := context.WithTimeout(ctx, calls.StoreTimeout)
	defer cancel()
	return a.g.store.Remember(ctx, a.keyOf(approval.Scope), approval)
}
