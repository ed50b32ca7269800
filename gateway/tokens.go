package gateway

import "github.com/agui-gateway/gateway/agui"

// spend counts what the run's models have used since its last call as its principal's, and returns an error if the principal has
// spent more than it may.
func (a *attempt) spend() error {
	total := agui.SumTokens(a.usage.Total())
	more := total - a.spent.Swap(total)
	principal := a.lease.Key.Principal
	a.g.limits.tokens.Spend(principal, more)
	return a.g.limits.spent(principal)
}
