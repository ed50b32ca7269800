package gateway

import (
	"fmt"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/copilotkit"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/gateway/internal/route"
)

// limits counts the use of this replica by principals, and by clients without one.
type limits struct {
	requests, anonymous *limit.Rates // of principals, and of addresses without credentials
	tokens              *limit.Tokens
	bodies, answers     *limit.Bytes
	runs, readers       *limit.Counts // of each principal
	mostRuns            int64         // 0 is no limit; so is that of the next
	mostReaders         int64
	refusalLog          *limit.Lines // about requests beyond a rate
	now                 func() time.Time
}

func newLimits(o Options) limits {
	l := limits{
		runs: &limit.Counts{}, readers: &limit.Counts{}, refusalLog: &limit.Lines{}, now: o.Now,
		bodies:  limit.NewBytes(o.Limits.Bodies, o.Principal != nil),
		answers: limit.NewBytes(o.Limits.Answers, o.Principal != nil),
	}
	if o.Principal == nil {
		return l
	}
	l.mostRuns, l.mostReaders = int64(o.Limits.RunsPerPrincipal), int64(o.Limits.ReadersPerPrincipal)
	l.requests = limit.NewRates(o.Limits.Rate, o.Limits.RateBurst, o.Now)
	l.anonymous = limit.NewRates(o.Limits.Rate, o.Limits.RateBurst, o.Now)
	l.tokens = limit.NewTokens(o.Limits.TokensPerPrincipal, o.TokenWindow, o.Now)
	return l
}

// takeRequest counts a request of a principal. It never refuses the first request of CopilotKit's pages.
func (l *limits) takeRequest(r *http.Request) error {
	wait := l.requests.Take(route.Principal(r))
	if wait == 0 || copilotkit.Probes(r) {
		return nil
	}
	return rateLimited(limit.Rate, wait, "the principal makes too many requests")
}

// takeAnonymous counts a request without valid credentials for its address, which many people may share.
func (l *limits) takeAnonymous(r *http.Request) error {
	if wait := l.anonymous.Take(limit.Network(route.Address(r))); wait > 0 {
		return rateLimited(limit.Rate, wait, "too many requests without a principal come from the address")
	}
	return nil
}

// takeRun counts one more run of a principal, unless it may not have it.
func (l *limits) takeRun(principal string) error {
	if err := l.checkTokens(principal); err != nil {
		return err
	}
	if !l.runs.Add(principal, 1, l.mostRuns) {
		return rateLimited(limit.RunsPerPrincipal, retryAfter, "the principal has too many runs")
	}
	return nil
}

// checkTokens returns an error if the principal has used up its tokens.
func (l *limits) checkTokens(principal string) error {
	if wait := l.tokens.Wait(principal); wait > 0 {
		return rateLimited(limit.TokensPerPrincipal, wait, "the principal has spent its tokens")
	}
	return nil
}

// rateLimited returns the error for a limit that allows a retry after wait.
func rateLimited(name limit.Name, wait time.Duration, why string) error {
	return limit.Reached(name, &retryError{&errcode.Error{Code: errcode.RateLimited,
		Err: fmt.Errorf("gateway: %s", why)}, wait})
}

// writeRateLimited answers a request that exceeds a rate. The log gets at most one line a second for these.
func (g *Gateway) writeRateLimited(w http.ResponseWriter, r *http.Request, err error) {
	if skipped, write := g.limits.refusalLog.Next(g.limits.now()); write {
		g.log(r).With(route.RequestAttrs(r)...).Warn("request: refused", "code", string(errcode.Of(err)), "error", err,
			"skipped", skipped)
	}
	g.noteLimit(err)
	g.writeError(w, r, err)
}

// spend adds the new usage of the run to its principal's, and returns an error if that is over its limit.
func (a *attempt) spend() error {
	total := agui.SumTokens(a.usage.Total())
	more := total - a.spent.Swap(total)
	principal := a.lease.Key.Principal
	a.g.limits.tokens.Spend(principal, more)
	return a.g.limits.checkTokens(principal)
}
