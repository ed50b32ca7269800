package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/host"
	"github.com/agui-gateway/gateway/state"
)

// record is where every event of the run goes: into a frame of the log. A snapshot of what the thread has is kept as a
// marker, the revision it restates (R6).
func (a *attempt) record(e agui.Event, data []byte) error {
	f := state.Frame{Type: e.EventType(), Data: data}
	switch e.(type) {
	case *agui.RunStarted:
		f.Rev = a.thread.Load().Rev // what the run's readers build their view on
	case *agui.MessagesSnapshot, *agui.StateSnapshot:
		if data != nil {
			break
		}
		f.Rev = a.thread.Load().Rev
		if a.rec.holding() {
			f.Rev = state.ThisRev // restates what the commit that takes it along is about to keep
		}
	case *agui.RunFinished, *agui.RunError:
		f.Ending = a.ending
	}
	return a.rec.add(f)
}

// Commit keeps the run at a turn boundary.
func (a *attempt) Commit(_ context.Context, checkpoint json.RawMessage) error {
	a.keep.Lock()
	defer a.keep.Unlock()
	if a.over {
		return run.ErrRunEnded
	}
	if err := a.commit(state.Commit{State: a.differing(), Messages: a.changed(), Checkpoint: checkpoint}); err != nil {
		return err
	}
	return a.takePatches(checkpoint)
}

// takePatches makes the patches that waited for this boundary part of the state, in a commit of their own: what was
// committed just now says which of them are still meant. Readers are told with it. The caller holds keep.
func (a *attempt) takePatches(checkpoint json.RawMessage) error {
	t := a.thread.Load()
	if len(t.Pending) == 0 || a.doc == nil {
		return nil
	}
	a.rec.hold()
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
	return a.commit(state.Commit{State: a.differing(), Messages: a.changed(), Checkpoint: checkpoint, Patched: results})
}

// Once keeps the result of an effect.
func (a *attempt) Once(ctx context.Context, key string, result json.RawMessage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// Once the effect is there it is kept, whatever became of the run meanwhile.
	err := a.rec.retry(context.WithoutCancel(ctx), func(ctx context.Context) error {
		return a.g.store.Once(ctx, a.lease, key, result)
	})
	if err != nil {
		return err
	}
	a.keep.Lock()
	defer a.keep.Unlock()
	if !a.settled {
		a.effects[key] = result
	}
	return nil
}

// commit writes c with all that was said up to now. It does not ask the run's context: half a commit is none, and a
// run that is stopped while it is kept would be lost. The caller holds keep.
func (a *attempt) commit(c state.Commit) error {
	t, err := a.rec.commit(context.Background(), c)
	if err != nil {
		return err
	}
	a.thread.Store(t)
	if c.State != nil {
		a.committed = a.differed
	}
	a.settled, a.effects = true, nil
	if c.End != nil {
		a.ended = c.End
		a.g.settlePatches(t)
	}
	return nil
}

// changed are the messages said or changed since it was asked last.
func (a *attempt) changed() (changed []agui.Message) {
	a.run.Inspect(func(v *run.View) {
		changed = v.Changed()
		v.Mark()
	})
	return changed
}

// kept are those of them that a run that failed with cause leaves behind: the complete ones, but for the results of calls
// about which people are asked again. All is the conversation with them.
func (a *attempt) kept(cause error, asked []agui.Interrupt) (kept, all []agui.Message) {
	broken := host.OpenMessages(cause)
	gone := func(m agui.Message) bool {
		return slices.Contains(broken, m.ID) || m.Role == agui.RoleTool && slices.ContainsFunc(asked, func(i agui.Interrupt) bool {
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

// differing returns the state if it was changed since it was committed. The caller holds keep.
func (a *attempt) differing() json.RawMessage {
	if a.doc == nil {
		return nil
	}
	a.differed = a.doc.Rev() // if it changes before it is rendered, it differs from then on
	if a.differed == a.committed {
		return nil
	}
	return a.doc.JSON()
}
