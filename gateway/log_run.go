package gateway

import (
	"log/slog"
	"net/http"

	"github.com/agui-gateway/gateway/state"
)

// runLog returns the logger of an attempt: each line says of which agent, thread, run and attempt it is. The fence is
// the first part of its events' ids.
func runLog(log *slog.Logger, lease *state.Lease, intent *state.Intent) *slog.Logger {
	return log.With("agent", lease.Key.Agent, "thread", lease.Key.ID, "run_id", intent.RunID, "fence", lease.Fence, "attempt", intent.Attempts)
}

// logStart writes the line of the attempt's start.
func (a *attempt) logStart() {
	if a.intent.Attempts > 1 {
		a.log.Info("run: taken over")
		return
	}
	a.log.Info("run: started")
}

// logEnd writes the line of the run's end: how it ended, how long it took since its first start, and the tokens of all its
// attempts, as far as they are known.
func (a *attempt) logEnd() {
	attrs := []any{"status", string(a.ended.Status)}
	if a.ended.Code != "" {
		attrs = append(attrs, "code", string(a.ended.Code))
	}
	attrs = append(attrs, "took_ms", a.clock.now().Sub(a.intent.StartedAt).Milliseconds())
	input, output := a.tokens()
	if input > 0 {
		attrs = append(attrs, "input_tokens", input)
	}
	if output > 0 {
		attrs = append(attrs, "output_tokens", output)
	}
	a.log.Info("run: ended", attrs...)
}

// tokens is what the run's models read and wrote, all of them together.
func (a *attempt) tokens() (input, output int64) {
	for _, u := range a.usage.Total() {
		if u.InputTokens != nil {
			input += *u.InputTokens
		}
		if u.OutputTokens != nil {
			output += *u.OutputTokens
		}
	}
	return input, output
}

// logThread writes a line about what a request does to a thread. It has no words of people: titles and messages are theirs.
func (g *Gateway) logThread(r *http.Request, key state.Key, what string, attrs ...any) {
	g.log(r).With("agent", key.Agent, "thread", key.ID).Info("thread: "+what, attrs...)
}
