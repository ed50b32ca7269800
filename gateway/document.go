package gateway

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// openDocument creates the run's document from the state of t and the initial members that it lacks. Changes of the
// document are events of the run. A state that is known to have those members is read only when the agent needs it.
func (a *attempt) openDocument(t *state.Thread) error {
	run, opened := a.run, false
	o := document.Options{
		Reducers: a.agent.spec.Reducers, MaxSize: a.g.o.Limits.State, MaxPatchOps: a.g.o.Limits.PatchOps,
		OnChange: func(c document.Change) error {
			if !opened {
				return nil
			}
			return run.Emit(c.Event())
		},
	}
	if len(a.agent.spec.Initial) == 0 || t.Initial == hashOf(a.agent.spec.Initial) {
		opened = true
		a.doc = document.NewLate(func() (json.RawMessage, error) { return a.readState(t.StateRev) }, o)
		return nil
	}
	raw, err := a.stateAt(a.background, t.StateRev)
	if err != nil {
		return err
	}
	if a.doc, err = document.New(raw, o); err != nil {
		return err
	}
	err = a.doc.Fill(a.agent.spec.Initial)
	opened = true
	return err
}

func (a *attempt) showState() error {
	if a.doc.Rev() == 0 {
		return a.run.RestateState()
	}
	return a.run.Emit(&agui.StateSnapshot{Snapshot: a.doc.JSON()})
}

func (a *attempt) stateAt(ctx context.Context, rev int64) (raw json.RawMessage, err error) {
	err = a.rec.Retry(ctx, func(ctx context.Context) (err error) {
		raw, err = a.g.store.State(ctx, a.lease.Key, rev)
		return err
	})
	return raw, err
}

// readState reads the state for the agent, like readEarlier for messages. After the run has ended it fails.
func (a *attempt) readState(rev int64) (json.RawMessage, error) {
	if a.ctx.Err() != nil {
		return nil, context.Cause(a.ctx)
	}
	raw, err := a.stateAt(a.ctx, rev)
	if err != nil && a.ctx.Err() == nil {
		a.storeFailed(err)
	}
	return raw, err
}

// initialName returns the name of the agent's initial members if the run found all of them in the unchanged state.
func (a *attempt) initialName() string {
	if a.doc == nil || len(a.agent.spec.Initial) == 0 || a.state != nil || a.committed != 0 {
		return ""
	}
	return hashOf(a.agent.spec.Initial)
}

func hashOf(raw json.RawMessage) string {
	h := fnv.New64a()
	h.Write(raw)
	return strconv.FormatUint(h.Sum64(), 36)
}
