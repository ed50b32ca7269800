package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// record makes an event of the run a frame of the log. A snapshot of what the thread has is recorded as a
// marker that names its revision, so that its cost does not grow with the thread (R6).
func (a *attempt) record(e agui.Event, data []byte) error {
	data, err := removeTimestamp(e, data)
	if err != nil {
		return err
	}
	f := state.Frame{Type: agui.TypeOf(e), Data: data}
	switch e.(type) {
	case *agui.RunStarted:
		f.Rev = a.thread.Load().Rev // what the run's readers build their view on
	case *agui.MessagesSnapshot, *agui.StateSnapshot:
		if data != nil {
			break
		}
		f.Rev = a.thread.Load().Rev
		if a.rec.Holding() {
			f.Rev = state.ThisRev // the one that the commit is about to make
		}
	case *agui.RunFinished, *agui.RunError:
		f.Ending = a.ending
		a.trace.end(e)
	}
	err = a.rec.Add(f)
	if f.Type == agui.TypeRunStarted {
		a.trace.begin(nil)
	}
	return err
}

// removeTimestamp returns an event without the time set by its agent: all events of a log use one clock.
func removeTimestamp(e agui.Event, data []byte) ([]byte, error) {
	base := agui.BaseOf(e)
	if base.Timestamp == 0 || data == nil {
		return data, nil
	}
	base.Timestamp = 0
	return agui.Encode(e)
}

// Commit stores the run between two turns. If the principal's token budget is used up, the run ends with this turn.
func (a *attempt) Commit(ctx context.Context, checkpoint json.RawMessage) error {
	if err := a.committing.LockContext(ctx); err != nil {
		return err
	}
	defer a.committing.Unlock()
	if a.detached {
		return run.ErrRunEnded
	}
	if err := a.commit(state.Commit{State: a.changedState(), Messages: a.changedMessages(),
		Checkpoint: checkpoint}); err != nil {
		return err
	}
	if err := a.takePatches(checkpoint); err != nil {
		return err
	}
	return a.spend()
}

// takePatches applies the patches from outside that waited for the end of a turn, in a separate commit: the last commit
// decides which of them still apply. The caller holds committing.
func (a *attempt) takePatches(checkpoint json.RawMessage) error {
	t := a.thread.Load()
	if len(t.Pending) == 0 || a.doc == nil {
		return nil
	}
	a.rec.Hold()
	var results []state.PatchResult
	for i := range t.Pending {
		tag := ""
		if a.doc.Rev() == a.committed {
			tag = t.StateTag()
		}
		result, err := t.Pending[i].Apply(a.doc, tag)
		if err != nil {
			return err
		}
		results = append(results, result)
	}
	return a.commit(state.Commit{State: a.changedState(), Messages: a.changedMessages(), Checkpoint: checkpoint,
		Patched: results})
}

// Once stores the result of an effect.
func (a *attempt) Once(ctx context.Context, key string, result json.RawMessage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// The effect has happened, so it is recorded even if the run was cancelled meanwhile.
	err := a.rec.Retry(context.WithoutCancel(ctx), func(ctx context.Context) error {
		return a.g.store.Once(ctx, a.lease, key, result)
	})
	if err != nil {
		return err
	}
	a.committing.Lock()
	defer a.committing.Unlock()
	if !a.answersUsed {
		a.effects[key] = result
	}
	return nil
}

// commit stores c with all events so far, even if the run is stopped meanwhile. The caller holds committing.
func (a *attempt) commit(c state.Commit) error {
	c.Trace, c.Notes = telemetry.Traceparent(a.background), a.notes.Changed()
	if !a.answersUsed {
		c.Answers = a.meant
	}
	t, err := a.rec.Commit(a.background, c)
	if err != nil {
		return err
	}
	a.thread.Store(t)
	if c.State != nil {
		a.committed = a.compared
	}
	if !a.answersUsed && (c.End == nil || !c.End.Reopen) {
		a.measureAnswers()
	}
	a.answersUsed, a.effects = true, nil
	if c.End != nil {
		a.ended = c.End
		a.g.settlePatches(t)
	}
	return nil
}

// changedMessages returns the messages that are new or changed since its last call.
func (a *attempt) changedMessages() (changed []agui.Message) {
	a.run.Inspect(func(v *run.View) {
		changed = v.Changed()
		v.Mark()
	})
	return changed
}

// completeMessages returns the new messages that a run which failed with cause leaves in the thread: the complete ones,
// except results of calls with reopened questions. all is the whole conversation with them.
func (a *attempt) completeMessages(cause error, reopened []agui.Interrupt) (kept, all []agui.Message) {
	broken := groupchat.OpenMessages(cause)
	gone := func(m agui.Message) bool {
		return slices.Contains(broken, m.ID) || m.Role == agui.RoleTool &&
			slices.ContainsFunc(reopened, func(i agui.Interrupt) bool {
				return i.ToolCallID == m.ToolCallID
			})
	}
	a.run.Inspect(func(v *run.View) {
		fresh := map[string]bool{}
		for _, m := range v.Changed() {
			fresh[m.ID] = true
		}
		all = slices.DeleteFunc(v.Closed(), func(m agui.Message) bool { return fresh[m.ID] && gone(m) })
		for _, m := range all {
			if fresh[m.ID] {
				kept = append(kept, m)
			}
		}
	})
	return kept, all
}

// changedState returns the state if it was changed since the last commit, nil otherwise. The caller holds committing.
func (a *attempt) changedState() json.RawMessage {
	if a.doc == nil {
		return nil
	}
	a.compared = a.doc.Rev() // a change from here on differs, even if it is rendered below
	if a.compared == a.committed {
		return nil
	}
	return a.doc.JSON()
}
