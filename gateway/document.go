package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/fnv"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// open gives the agent the state as t has it, with the members it starts from. Its changes are on the wire from then on.
// A state that is known to have those members is read when the agent looks at it.
func (a *attempt) open(t *state.Thread) error {
	run, opened := a.run, false
	o := state.DocumentOptions{
		Reducers: a.agent.spec.Reducers, MaxSize: a.g.o.Limits.State, MaxPatchOps: a.g.o.Limits.PatchOps,
		OnChange: func(c state.Change) error {
			if !opened {
				return nil
			}
			return run.Emit(c.Event())
		},
	}
	if len(a.agent.spec.Initial) == 0 || t.Initial == nameOf(a.agent.spec.Initial) {
		opened = true
		a.doc = state.NewLateDocument(func() (json.RawMessage, error) { return a.readState(t.StateRev) }, o)
		return nil
	}
	raw, err := a.stateAt(context.Background(), t.StateRev)
	if err != nil {
		return err
	}
	if a.doc, err = state.NewDocument(raw, o); err != nil {
		return err
	}
	err = fillState(a.doc, a.agent.spec.Initial)
	opened = true
	return err
}

// showState shows readers the state that the run begins with.
func (a *attempt) showState() error {
	if a.doc.Rev() == 0 {
		return a.run.RestateState()
	}
	return a.run.Emit(&agui.StateSnapshot{Snapshot: a.doc.JSON()})
}

func (a *attempt) stateAt(ctx context.Context, rev int64) (raw json.RawMessage, err error) {
	err = a.rec.retry(ctx, func(ctx context.Context) (err error) {
		raw, err = a.g.store.State(ctx, a.lease.Key, rev)
		return err
	})
	return raw, err
}

// readState reads the state for the agent, see readEarlier. One that was left behind gets none.
func (a *attempt) readState(rev int64) (json.RawMessage, error) {
	if a.ctx.Err() != nil {
		return nil, context.Cause(a.ctx)
	}
	raw, err := a.stateAt(a.ctx, rev)
	if err != nil && a.ctx.Err() == nil {
		a.fatal(err)
	}
	return raw, err
}

// filled names the members that the agent starts from, if the run found the state to have them and left it alone.
func (a *attempt) filled() string {
	if a.doc == nil || len(a.agent.spec.Initial) == 0 || a.state != nil || a.committed != 0 {
		return ""
	}
	return nameOf(a.agent.spec.Initial)
}

// nameOf names a value.
func nameOf(raw json.RawMessage) string {
	h := fnv.New64a()
	h.Write(raw)
	return strconv.FormatUint(h.Sum64(), 36)
}

// fillState gives the state the members of initial that it lacks, in their order.
func fillState(doc *state.Document, initial json.RawMessage) error {
	if len(initial) == 0 {
		return nil
	}
	in := json.NewDecoder(bytes.NewReader(initial))
	if _, err := in.Token(); err != nil {
		return err
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return err
		}
		text, ok := name.(string)
		if !ok {
			return state.ErrValue
		}
		pointer := state.Pointer(text)
		if !doc.Blank(pointer) {
			continue
		}
		if err := doc.Set(pointer, value); err != nil {
			return err
		}
	}
	return nil
}
