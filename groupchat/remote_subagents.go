package groupchat

import (
	"errors"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
)

// settled says what became of the agents behind the remote that wait, now that its questions are asked: they are
// suspended with the turn, unless somebody has answered for a person.
func (x *exchange) settled(err error) error {
	switch {
	case x == nil: // they waited in a run before this one
		return err
	case ask.PauseOf(err) != nil:
		x.suspend()
		return err
	case err != nil:
		return errors.Join(err, x.abandon())
	default:
		return x.resumeSubs()
	}
}

// suspend lets the agents behind the remote that wait be ended after the snapshots.
func (x *exchange) suspend() {
	for _, id := range x.Order {
		s := x.Subagents[id]
		if s.Suspended == nil {
			continue
		}
		out := x.t.run.As(s.Ours)
		w := waiting{path: s.Path, record: &turnRecord{}, run: x.t.run, out: out, clientWriter: out, bare: true}
		for _, i := range s.Suspended.Outcome.InterruptIDs {
			if ours := x.questionIDs[i]; ours != "" {
				w.interrupts = append(w.interrupts, ours)
			}
		}
		s.Announced, s.Suspended = false, nil
		x.t.x.suspend(w)
	}
}

// resumeSubs ends those that said they wait in a run that then did not.
func (x *exchange) resumeSubs() error {
	for _, id := range slices.Backward(x.Order) {
		if s := x.Subagents[id]; s.Suspended != nil {
			s.Suspended = nil
			if err := x.EndSub(s, &agui.SubagentFinished{SubagentRunID: s.Ours}); err != nil {
				return err
			}
		}
	}
	return nil
}

// abandon ends what a remote run that failed has left open behind it; its own is ended with the turn.
func (x *exchange) abandon() error {
	if x.t.x.endCause() != nil {
		return nil
	}
	code := errcode.RemoteFailed
	for _, id := range slices.Backward(x.Order) {
		s := x.Subagents[id]
		if !s.Announced {
			continue
		}
		_ = x.t.out.As(s.Ours).Flush() // a filter that has failed has failed the turn
		err := errors.Join(
			x.t.run.As(s.Ours).CloseOpen(),
			x.settleSub(s),
			x.EndSub(s, &agui.SubagentError{SubagentRunID: s.Ours, Code: string(code), Message: code.Message()}))
		if err != nil {
			return err
		}
	}
	if x.t.out.SubagentRunID() != "" {
		return nil // they end with the turn
	}
	return x.CloseSteps()
}
