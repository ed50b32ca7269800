package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/internal/hosting"
	"github.com/agui-gateway/gateway/state"
)

// An execution is one run under way.
type execution struct {
	hosting.Session
	Input     Input
	ctx       context.Context // the run's own: what ends it is nobody's failure
	signature signature
	names     map[string]string // see namesOf
	flat      bool              // the checkpoint is of version 1

	keep sync.Mutex // held while the run is committed; taken before mu

	mu       sync.Mutex // guards what follows, and every record
	root     *turnRecord
	turns    int
	waiting  []waiting // innermost first
	hooks    []*checkpointHook
	fatalErr error
}

// A waiting invocation is suspended; the events that end it come after the snapshots.
type waiting struct {
	path   string
	record *turnRecord
	// run is where it was announced, out what it writes with; clientWriter as in [Turn].
	run               *agui.Run
	out, clientWriter agui.Writer
	interrupts        []string
	bare              bool // it has no step
}

// enter finds the record the run starts from.
func (x *execution) enter(root Agent) error {
	if x.Checkpoint == nil {
		x.root = &turnRecord{ID: x.Origin, Form: (&Participant{Agent: root}).form()}
		return nil
	}
	var c checkpoint
	if err := json.Unmarshal(x.Checkpoint, &c); err != nil {
		return fail(agui.CodeCheckpointIncompatible, "checkpoint: %w", err)
	}
	if c.V != checkpointVersion && c.V != checkpointFlat || c.Root == nil {
		return fail(agui.CodeCheckpointIncompatible, "checkpoint of version %d", c.V)
	}
	x.flat = c.V == checkpointFlat
	if missing := x.signature.lacks(c.Signature); missing != "" {
		return fail(agui.CodeCheckpointIncompatible, "participant %q is gone", missing)
	}
	x.root = c.Root
	return x.resume(&Participant{Agent: root}, c.Root)
}

// checkpoint renders the records as they are now, with the scopes of the turns under way.
func (x *execution) checkpoint() (json.RawMessage, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, k := range x.hooks {
		k.keep()
	}
	raw, err := json.Marshal(checkpoint{V: checkpointVersion, Signature: x.signature, Root: x.root})
	if err != nil {
		return nil, fmt.Errorf("groupchat: checkpoint: %w", err)
	}
	return raw, nil
}

// commit keeps where the run is at a turn boundary.
func (x *execution) commit(ctx context.Context) error {
	raw, err := x.checkpoint()
	if err == nil {
		err = x.Journal.Commit(ctx, raw)
	}
	return x.fatal(err)
}

// fatal notes an error that is no participant's failure and no policy may pass over: the run cannot go on.
func (x *execution) fatal(err error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.fatalLocked(err)
}

func (x *execution) fatalLocked(err error) error {
	if x.fatalErr == nil {
		x.fatalErr = err
	}
	return err
}

// endCause returns why the run cannot go on whatever its agents do: a stop, a deadline, a writer or a journal that takes
// nothing more. Nil if it can.
func (x *execution) endCause() error {
	if x.ctx.Err() != nil {
		return context.Cause(x.ctx)
	}
	x.mu.Lock()
	broken := x.fatalErr
	x.mu.Unlock()
	if broken != nil {
		return broken
	}
	if err := x.Run.Err(); err != nil {
		return err
	}
	if x.Run.Ended() {
		return agui.ErrRunEnded
	}
	return nil
}

// lastMessage is the id of the newest message of t's conversation, empty if there is none.
func (t *Turn) lastMessage() string {
	last := ""
	t.run.Inspect(func(v *agui.View) { last = v.Last() })
	return last
}

// countTurn takes one turn from the run's budget. The lock is held.
func (x *execution) countTurn() error {
	x.turns++
	if x.turns <= x.MaxTurns {
		return nil
	}
	return x.fatalLocked(fail(agui.CodeNotConverged, "more than %d turns", x.MaxTurns))
}

// used counts what calls of models used.
func (x *execution) used(list ...agui.TokenUsage) error {
	list = slices.DeleteFunc(slices.Clone(list), func(u agui.TokenUsage) bool {
		return u == agui.TokenUsage{Provider: u.Provider, Model: u.Model} // nothing is known
	})
	if len(list) == 0 {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.Usage == nil {
		x.Usage = &hosting.Usage{}
	}
	x.Usage.Add(list...)
	raw, err := json.Marshal(hosting.RunUsage{Origin: x.Origin, Usage: x.Usage.Total()})
	x.root.Memo = with(x.root.Memo, hosting.UsageKey, raw)
	return err
}

// suspend keeps what ends a paused turn until the snapshots are out.
func (x *execution) suspend(w waiting) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.waiting = append(x.waiting, w)
}

// closings are the events that end all that waits.
func (x *execution) closings() []agui.Event {
	x.mu.Lock()
	defer x.mu.Unlock()
	slices.SortStableFunc(x.waiting, func(a, b waiting) int { return innermost(a.path, b.path) })
	var events []agui.Event
	for _, w := range x.waiting {
		if w.run != x.Run {
			continue // in a conversation that no client is shown
		}
		outcome := &agui.SubagentOutcome{Type: agui.OutcomeSuspended, InterruptIDs: w.interrupts}
		events = append(events,
			&agui.SubagentFinished{SubagentRunID: w.out.SubagentRunID(), Outcome: outcome})
		if !w.bare {
			events = append(events, &agui.StepFinished{StepName: w.path})
		}
	}
	return events
}

// innermost orders paths: what is below a path before it, the rest by name. Which of several at once came to wait first
// is chance.
func innermost(a, b string) int {
	one, other := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(one), len(other)) {
		if c := strings.Compare(one[i], other[i]); c != 0 {
			return c
		}
	}
	return len(other) - len(one)
}

// abandon ends what waits below path: the turn it is part of has ended without it.
func (x *execution) abandon(path string, code agui.Code) error {
	x.mu.Lock()
	var below []waiting
	x.waiting = slices.DeleteFunc(x.waiting, func(w waiting) bool {
		if !strings.HasPrefix(w.path, path+".") {
			return false
		}
		below = append(below, w)
		w.record.endInvocation() // an invocation that has ended is not announced again
		return true
	})
	x.mu.Unlock()
	for _, w := range below {
		err := errors.Join(
			x.settleCalls(w.out, w.clientWriter, w.record, false),
			w.run.Emit(&agui.SubagentError{SubagentRunID: w.out.SubagentRunID(), Code: string(code), Message: code.Message()}))
		if err == nil && !w.bare {
			err = w.run.Emit(&agui.StepFinished{StepName: w.path})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settleCalls ends the calls of an invocation, which wrote with out, that nobody will answer any more: those it made itself, and
// those its turn waited for, unless the turn goes on waiting. Each gets a result, so that no model is sent a call without one, and
// no client takes it for one that it has to run.
func (x *execution) settleCalls(out, clientWriter agui.Writer, f *turnRecord, goesOn bool) error {
	notAnswered := agui.TextContent(state.NotAnswered)
	waited := map[string]bool{}
	x.mu.Lock()
	f.each(func(k *keySpace) {
		for key, c := range k.Calls {
			waited[c.ID] = true
			if !goesOn && !c.Done {
				k.Calls[key] = frontendCall{ID: c.ID, Result: notAnswered, Done: true}
			}
		}
	})
	x.mu.Unlock()
	var lost []string
	x.Run.Inspect(func(v *agui.View) {
		open := v.OpenCalls()
		if len(open) == 0 {
			return
		}
		var made map[string]bool
		if out == clientWriter {
			made = callsOf(v.Messages(), out.SubagentRunID())
		}
		for _, c := range open {
			if waited[c.ID] && !goesOn || made[c.ID] && !waited[c.ID] {
				lost = append(lost, c.ID)
			}
		}
	})
	for _, id := range lost {
		err := clientWriter.Emit(&agui.ToolCallResult{
			MessageID: clientWriter.NewID(), ToolCallID: id, Role: agui.RoleTool, Content: notAnswered,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// callsOf is the set of the calls that an invocation made.
func callsOf(messages []Message, invocation string) map[string]bool {
	made := map[string]bool{}
	for _, m := range messages {
		if m.SubagentRunID != invocation {
			continue
		}
		for _, c := range m.ToolCalls {
			made[c.ID] = true
		}
	}
	return made
}
