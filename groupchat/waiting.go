package groupchat

import (
	"errors"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

// A waiting invocation is suspended. The events that end it are sent after the snapshots of the paused run.
type waiting struct {
	path   string
	record *turnRecord
	// run is where it was announced, out what it writes with; clientWriter as in [Turn].
	run               *run.Run
	out, clientWriter run.Writer
	interrupts        []string
	bare              bool // it has no step
}

// closings are the events that end the invocations that wait.
func (x *execution) closings() []agui.Event {
	var events []agui.Event
	for _, w := range x.suspended() {
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

// innermost orders paths: those below a path before it, the others by name, because the order in which several
// invocations at once began to wait is random.
func innermost(a, b string) int {
	one, other := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(one), len(other)) {
		if c := strings.Compare(one[i], other[i]); c != 0 {
			return c
		}
	}
	return len(other) - len(one)
}

// abandon ends the invocations that wait below path, because the turn that they are part of has ended without them.
func (x *execution) abandon(path string, code errcode.Code) error {
	for _, w := range x.removeSuspended(path) {
		err := errors.Join(
			x.settleCalls(w.out, w.clientWriter, w.record, false),
			w.run.Emit(&agui.SubagentError{SubagentRunID: w.out.SubagentRunID(), Code: string(code),
				Message: code.Message()}))
		if err == nil && !w.bare {
			err = w.run.Emit(&agui.StepFinished{StepName: w.path})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settleCalls ends the calls of an invocation, which wrote with out, that will get no answer any more: those it made
// itself, and those its turn waited for, unless keep is set because the turn is tried again. Each gets a result, so
// that no model is sent a call without one, and no client takes it for one that it has to run.
func (x *execution) settleCalls(out, clientWriter run.Writer, f *turnRecord, keep bool) error {
	notAnswered := agui.TextContent(state.NotAnswered)
	waited := x.waitedCalls(f, keep)
	var lost []string
	x.Run.Inspect(func(v *run.View) {
		open := v.OpenCalls()
		if len(open) == 0 {
			return
		}
		var made map[string]bool
		if out == clientWriter {
			made = callsOf(v.Messages(), out.SubagentRunID())
		}
		for _, c := range open {
			if waited[c.ID] && !keep || made[c.ID] && !waited[c.ID] {
				lost = append(lost, c.ID)
			}
		}
	})
	for _, id := range lost {
		err := clientWriter.Unfiltered().Emit(&agui.ToolCallResult{ // also if a filter has failed
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
