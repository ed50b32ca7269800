package gateway

import (
	"fmt"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/copilotkit"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/gateway/internal/route"
)

// limits counts what principals, and clients that have none, use of this replica. Without [Options].Principal everybody is one
// principal, and only what all together may use is limited.
type limits struct {
	requests, strangers *limit.Rates // of principals, and of addresses without credentials
	tokens              *limit.Tokens
	bodies, answers     *limit.Bytes
	runs, readers       *limit.Counts // of each principal
	mostRuns            int64         // 0 is no limit; so is that of the next
	mostReaders         int64
	often               *limit.Lines // about requests beyond a rate
	now                 func() time.Time
}

func newLimits(o Options) limits {
	l := limits{
		runs: &limit.Counts{}, readers: &limit.Counts{}, often: &limit.Lines{}, now: o.Now,
		bodies:  limit.NewBytes(o.Limits.Bodies, o.Principal != nil),
		answers: limit.NewBytes(o.Limits.Answers, o.Principal != nil),
	}
	if o.Principal == nil {
		return l
	}
	l.mostRuns, l.mostReaders = int64(o.Limits.RunsPerPrincipal), int64(o.Limits.ReadersPerPrincipal)
	l.requests = limit.NewRates(o.Limits.Rate, o.Limits.RateBurst, o.Now)
	l.strangers = limit.NewRates(o.Limits.Rate, o.Limits.RateBurst, o.Now)
	l.tokens = limit.NewTokens(o.Limits.TokensPerPrincipal, o.TokenWindow, o.Now)
	return l
}

// takeRequest counts a request of a principal. CopilotKit's pages give the gateway up when the answer to their first request is an error, so
// that request is never refused.
func (l *limits) takeRequest(r *http.Request) error {
	wait := l.requests.Take(route.Principal(r))
	if wait == 0 || copilotkit.Probes(r) {
		return nil
	}
	return rateLimited(limit.Rate, wait, "the principal makes too many requests")
}

// takeStranger counts a request without a principal that is allowed in. Right credentials from the same address are not counted, because
// many people may be behind it.
func (l *limits) takeStranger(r *http.Request) error {
	if wait := l.strangers.Take(limit.Network(route.Address(r))); wait > 0 {
		return rateLimited(limit.Rate, wait, "too many requests without a principal come from the address")
	}
	return nil
}

// takeRun counts one more run of a principal, unless it may not have it.
func (l *limits) takeRun(principal string) error {
	if err := l.spent(principal); err != nil {
		return err
	}
	if !l.runs.Add(principal, 1, l.mostRuns) {
		return rateLimited(limit.RunsPerPrincipal, retryAfter, "the principal has too many runs")
	}
	return nil
}

// spent returns an error if the principal has spent its tokens.
func (l *limits) spent(principal string) error {
	if wait := l.tokens.Wait(principal); wait > 0 {
		return rateLimited(limit.TokensPerPrincipal, wait, "the principal has spent its tokens")
	}
	return nil
}

// rateLimited is the error of a caller that has reached a limit and may try again after wait.
func rateLimited(name limit.Name, wait time.Duration, why string) error {
	return limit.Reached(name, &retryError{&errcode.Error{Code: errcode.RateLimited, Err: fmt.Errorf("gateway: %s", why)}, wait})
}

// refuseOften answers a request beyond a rate. There may be many of these, so the log gets a line a second for all of them.
func (g *Gateway) refuseOften(w http.ResponseWriter, r *http.Request, err error) {
	if skipped, write := g.limits.often.Next(g.limits.now()); write {
		g.log(r).With(route.Described(r)...).Warn("request: refused", "code", string(errcode.Of(err)), "error", err, "skipped", skipped)
	}
	g.noteLimit(err)
	g.writeError(w, r, err)
}
