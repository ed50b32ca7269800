package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// record is where every event of the run goes: into a frame of the log. A snapshot of the messages is kept
// as a marker, the revision it restates (R6).
func (a *attempt) record(e agui.Event, data []byte) error {
	f := agui.Frame{Type: e.EventType(), Data: data}
	switch e.(type) {
	case *agui.RunStarted:
		f.Rev = a.thread.Rev // what the run's readers build their view on
	case *agui.MessagesSnapshot:
		f.Data, f.Rev = nil, a.thread.Rev
		if a.rec.holding() {
			f.Rev = state.ThisRev // restates what the commit that takes it along is about to keep
		}
	case *agui.RunFinished, *agui.RunError:
		f.Ending = a.ending
	}
	return a.rec.add(f)
}

// Commit keeps the run at a turn boundary.
func (a *attempt) Commit(ctx context.Context, checkpoint json.RawMessage) error {
	return a.commit(ctx, state.Commit{State: a.changedState(), Messages: a.changed(), Checkpoint: checkpoint})
}

// Once keeps the result of an effect.
func (a *attempt) Once(ctx context.Context, key string, result json.RawMessage) error {
	return a.g.store.Once(ctx, a.lease, key, result)
}

func (a *attempt) commit(ctx context.Context, c state.Commit) error {
	t, err := a.rec.commit(ctx, c)
	if err != nil {
		return err
	}
	a.thread = t
	a.settled = true
	a.run.Inspect((*agui.View).Mark)
	return nil
}

// changed are the messages said or changed since the last commit.
func (a *attempt) changed() (changed []agui.Message) {
	a.run.Inspect(func(v *agui.View) { changed = v.Changed() })
	return changed
}

// kept are those of them that a failed run leaves behind: the complete ones.
func (a *attempt) kept() (kept, all []agui.Message) {
	a.run.Inspect(func(v *agui.View) {
		fresh := map[string]bool{}
		for _, m := range v.Changed() {
			fresh[m.ID] = true
		}
		all = v.Closed()
		for _, m := range all {
			if fresh[m.ID] {
				kept = append(kept, m)
			}
		}
	})
	return kept, all
}

// changedState is the shared state if it differs from what is committed.
func (a *attempt) changedState() json.RawMessage {
	now := a.doc.JSON()
	if bytes.Equal(now, a.thread.State) {
		return nil
	}
	return now
}

// end brings the run to its end, whichever it is: the last commit, with the terminal event, in one step.
func (a *attempt) end(result groupchat.Result, err error) {
	switch {
	case errors.Is(err, errLeaseLost) || a.rec.lost():
		return // it is another's run now; its readers follow the store
	case errors.Is(err, errStopped):
		err = a.stopped()
	case err != nil:
		err = a.failed(err)
	case result.Pause != nil && len(result.Pause.Interrupts) > 0:
		err = a.interrupted(result)
	default:
		err = a.succeeded(result)
	}
	if err == nil {
		return
	}
	if failErr := a.failed(err); failErr != nil {
		a.g.o.Log.Error("run: could not be ended", "thread", a.lease.Key.ID, "agent", a.lease.Key.Agent, "error", failErr)
	}
}

// restate shows state and conversation as they are about to be committed.
func (a *attempt) restate() error {
	if err := a.run.Emit(&agui.StateSnapshot{Snapshot: a.doc.JSON()}); err != nil {
		return err
	}
	var all []agui.Message
	a.run.Inspect(func(v *agui.View) { all = v.Messages() })
	return a.run.Emit(&agui.MessagesSnapshot{Messages: all})
}

func (a *attempt) succeeded(result groupchat.Result) error {
	c := state.Commit{End: &state.End{Status: state.RunSuccess}}
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	if result.Pause != nil { // frontend calls alone: a success that names them, which the client goes on from
		c.Checkpoint, c.Calls = result.Checkpoint, result.Pause.Calls
	}
	return a.finish(c, outcome, result.Closings)
}

func (a *attempt) interrupted(result groupchat.Result) error {
	tokens := make([]state.Token, 0, len(result.Pause.Interrupts))
	shown := make([]agui.Interrupt, 0, len(result.Pause.Interrupts))
	for _, i := range result.Pause.Interrupts {
		ttl := i.TTL
		if ttl <= 0 {
			ttl = a.agent.InterruptTTL
		}
		expires := a.g.o.Now().Add(ttl).UTC()
		i.ExpiresAt = expires.Format(time.RFC3339)
		tokens = append(tokens, state.Token{Interrupt: i.Interrupt, ExpiresAt: expires, Status: state.TokenOpen})
		shown = append(shown, i.Interrupt)
	}
	c := state.Commit{
		Checkpoint: result.Checkpoint, Tokens: tokens, Calls: result.Pause.Calls,
		End: &state.End{Status: state.RunInterrupt},
	}
	return a.finish(c, &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: shown}, result.Closings)
}

// stopped ends a run that was stopped: what was said stays, as far as it went.
func (a *attempt) stopped() error {
	a.rec.hold()
	code := agui.CodeCancelled
	if err := a.run.CloseOpen(agui.ClosingOptions{SubagentCode: string(code), SubagentMessage: code.Message()}); err != nil {
		return err
	}
	if err := a.run.Finish(&agui.RunFinished{Outcome: &agui.Outcome{Type: agui.OutcomeCancelled}}); err != nil {
		return err
	}
	return a.commit(context.Background(), state.Commit{
		State: a.changedState(), Messages: a.changed(), End: &state.End{Status: state.RunCancelled, Code: code},
	})
}

// finish ends a run that came to its end by itself: the snapshots, what closes after them, the terminal event.
func (a *attempt) finish(c state.Commit, outcome *agui.Outcome, closings []agui.Event) error {
	a.rec.hold()
	if err := a.restate(); err != nil {
		return err
	}
	for _, e := range closings {
		if err := a.run.Emit(e); err != nil {
			return err
		}
	}
	a.ending = a.newEnding()
	a.ending.Open = outcome.Interrupts
	if err := a.run.Finish(&agui.RunFinished{Outcome: outcome}); err != nil {
		return err
	}
	c.State, c.Messages = a.changedState(), a.changed()
	return a.commit(context.Background(), c)
}

// newEnding is what the terminal frame carries for readers that are told the end in another way.
func (a *attempt) newEnding() *agui.Ending {
	return &agui.Ending{Resumed: a.intent.Resumed, ThreadID: a.lease.Key.ID, RunID: a.intent.RunID}
}
