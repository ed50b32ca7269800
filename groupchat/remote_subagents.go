package groupchat

import (
	"errors"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
)

// A remoteSubagent is an agent behind a remote one.
type remoteSubagent struct {
	ours, name string
	path       string // below the root, to close the innermost first
	announced  bool
	// suspended keeps its end, which has to wait until all of the run's questions are known.
	suspended *agui.SubagentFinished
}

// tag returns our invocation for events: the turn's own, or that of an agent behind the remote.
func (x *exchange) tag(theirs string) string {
	own := x.t.out.SubagentRunID()
	if theirs == "" {
		return own
	}
	if s := x.subagents[theirs]; s != nil {
		return s.ours
	}
	s := &remoteSubagent{ours: x.prefix + theirs}
	x.subagents[theirs] = s
	x.t.addInvocation(s.ours)
	return s.ours
}

// startSub announces an agent behind the remote, below the one that started it. An invocation that this run of ours has
// seen before, because the turn is repeated, gets another id.
func (x *exchange) startSub(e *agui.SubagentStarted) error {
	parent, path := x.t.out.SubagentRunID(), x.t.path
	if p := x.subagents[e.ParentSubagentRunID]; p != nil && e.ParentSubagentRunID != "" {
		parent, path = p.ours, []string{p.path}
	}
	s := &remoteSubagent{name: e.Name, announced: true}
	s.path = joinPath(append(slices.Clone(path), "s"+strconv.Itoa(len(x.order)+1))...)
	call := ""
	if c := x.calls[e.ParentToolCallID]; c != nil && e.ParentToolCallID != "" {
		call = c.ours
	}
	message := ""
	if m := x.texts[e.ParentMessageID]; m != nil && e.ParentMessageID != "" && !m.ignored {
		message = m.ours
	}
	const enough = 1000
	for n := 1; n <= enough; n++ {
		s.ours = x.prefix + e.SubagentRunID
		if n > 1 {
			s.ours += "~" + strconv.Itoa(n)
		}
		err := x.t.run.Emit(&agui.SubagentStarted{
			Base: agui.Base{Metadata: withoutReserved(e.Metadata)}, SubagentRunID: s.ours, Name: e.Name,
			Description:         e.Description,
			ParentSubagentRunID: parent, ParentToolCallID: call, ParentMessageID: message,
		})
		if isOrder(err, agui.RuleSubagentReused, agui.RuleAlreadyOpen) {
			continue
		}
		if err != nil {
			return err
		}
		x.subagents[e.SubagentRunID] = s
		x.order = append(x.order, e.SubagentRunID)
		x.t.addInvocation(s.ours)
		return nil
	}
	return errors.New("a subagent's id is used too often")
}

func (x *exchange) finishSub(e *agui.SubagentFinished) error {
	s := x.subagents[e.SubagentRunID]
	if e.Outcome != nil && e.Outcome.Type == agui.OutcomeSuspended {
		s.suspended = e
		return nil
	}
	return x.endSub(s, &agui.SubagentFinished{
		Base: agui.Base{Metadata: withoutReserved(e.Metadata)}, SubagentRunID: s.ours, Result: e.Result,
		Outcome: e.Outcome,
	})
}

func (x *exchange) failSub(e *agui.SubagentError) error {
	s := x.subagents[e.SubagentRunID]
	code := errcode.RemoteFailed
	return x.endSub(s, &agui.SubagentError{
		Base: agui.Base{Metadata: withoutReserved(e.Metadata)}, SubagentRunID: s.ours, Code: string(code),
		Message: code.Message(),
	})
}

func (x *exchange) endSub(s *remoteSubagent, end agui.Event) error {
	s.announced = false
	if err := x.t.out.As(s.ours).Flush(); err != nil {
		return errors.Join(err, x.t.run.As(s.ours).CloseOpen(), x.t.run.Emit(end))
	}
	return x.t.run.Emit(end)
}

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
	for _, id := range x.order {
		s := x.subagents[id]
		if s.suspended == nil {
			continue
		}
		out := x.t.run.As(s.ours)
		w := waiting{path: s.path, record: &turnRecord{}, run: x.t.run, out: out, clientWriter: out, bare: true}
		for _, i := range s.suspended.Outcome.InterruptIDs {
			if ours := x.questionIDs[i]; ours != "" {
				w.interrupts = append(w.interrupts, ours)
			}
		}
		s.announced, s.suspended = false, nil
		x.t.x.suspend(w)
	}
}

// resumeSubs ends those that said they wait in a run that then did not.
func (x *exchange) resumeSubs() error {
	for _, id := range slices.Backward(x.order) {
		if s := x.subagents[id]; s.suspended != nil {
			s.suspended = nil
			if err := x.endSub(s, &agui.SubagentFinished{SubagentRunID: s.ours}); err != nil {
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
	for _, id := range slices.Backward(x.order) {
		s := x.subagents[id]
		if !s.announced {
			continue
		}
		_ = x.t.out.As(s.ours).Flush() // a filter that has failed has failed the turn
		err := errors.Join(
			x.t.run.As(s.ours).CloseOpen(),
			x.settleSub(s),
			x.endSub(s, &agui.SubagentError{SubagentRunID: s.ours, Code: string(code), Message: code.Message()}))
		if err != nil {
			return err
		}
	}
	if x.t.out.SubagentRunID() != "" {
		return nil // they end with the turn
	}
	for _, step := range slices.Backward(x.steps) {
		if step.SubagentRunID != "" {
			continue // ended with its agent
		}
		if err := x.emit(step.SubagentRunID, &agui.StepFinished{StepName: step.StepName}); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) stepName(name string) string {
	return joinPath(append(slices.Clone(x.t.path), name)...)
}

func (x *exchange) startStep(e *agui.StepStarted) error {
	tag, name := x.tag(e.SubagentRunID), x.stepName(e.StepName)
	if err := x.emit(tag, &agui.StepStarted{Tagged: taggedWith(e.Metadata), StepName: name}); err != nil {
		return err
	}
	x.steps = append(x.steps, agui.StepStarted{Tagged: agui.Tagged{SubagentRunID: tag}, StepName: name})
	return nil
}

func (x *exchange) finishStep(e *agui.StepFinished) error {
	tag, name := x.tag(e.SubagentRunID), x.stepName(e.StepName)
	x.steps = slices.DeleteFunc(x.steps,
		func(s agui.StepStarted) bool { return s.SubagentRunID == tag && s.StepName == name })
	return x.emit(tag, &agui.StepFinished{Tagged: taggedWith(e.Metadata), StepName: name})
}
