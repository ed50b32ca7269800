package gateway

import "github.com/agui-gateway/gateway/agui"

// spend adds the new usage of the run to its principal's, and returns an error if that is over its limit.
func (a *attempt) spend() error {
	total := agui.SumTokens(a.usage.Total())
	more := total - a.spent.Swap(total)
	principal := a.lease.Key.Principal
	a.g.limits.tokens.Spend(principal, more)
	return a.g.limits.checkTokens(principal)
}
