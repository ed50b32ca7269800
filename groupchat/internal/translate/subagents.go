package translate

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// A Subagent is an agent behind a remote one.
type Subagent struct {
	Ours, name string
	Path       string // below the root, to close the innermost first
	Announced  bool
	// Suspended keeps its end, which has to wait until all of the run's questions are known.
	Suspended *agui.SubagentFinished
}

// Tag returns our invocation for events: the turn's own, or that of an agent behind the remote.
func (t *Translator) Tag(theirs string) string {
	own := t.Out.SubagentRunID()
	if theirs == "" {
		return own
	}
	if s := t.Subagents[theirs]; s != nil {
		return s.Ours
	}
	s := &Subagent{Ours: t.Prefix + theirs}
	t.Subagents[theirs] = s
	t.AddInvocation(s.Ours)
	return s.Ours
}

// startSub announces an agent behind the remote, below the one that started it. An invocation that this run of ours has
// seen before, because the turn is repeated, gets another id.
func (t *Translator) startSub(e *agui.SubagentStarted) error {
	parent, path := t.Out.SubagentRunID(), t.Path
	if p := t.Subagents[e.ParentSubagentRunID]; p != nil && e.ParentSubagentRunID != "" {
		parent, path = p.Ours, []string{p.Path}
	}
	s := &Subagent{name: e.Name, Announced: true}
	s.Path = joined(path, "s"+strconv.Itoa(len(t.Order)+1))
	e = new(*e) // the client that has verified it keeps it
	theirs, base := e.SubagentRunID, agui.Base{Metadata: t.Public(e.Metadata)}
	e.ParentSubagentRunID = parent
	e.ParentToolCallID, e.ParentMessageID = t.Calls[e.ParentToolCallID].id(), t.texts[e.ParentMessageID].id()
	err := t.unused(theirs, func(id string, _ bool) (again bool, err error) {
		s.Ours, e.SubagentRunID, e.Base = id, id, base
		err = t.Run.Emit(e)
		return isOrder(err, agui.RuleSubagentReused, agui.RuleAlreadyOpen), err
	})
	if err != nil {
		return err
	}
	t.Subagents[theirs] = s
	t.Order = append(t.Order, theirs)
	t.AddInvocation(s.Ours)
	return nil
}

func (t *Translator) finishSub(e *agui.SubagentFinished) error {
	s := t.Subagents[e.SubagentRunID]
	if e.Outcome != nil && e.Outcome.Type == agui.OutcomeSuspended {
		s.Suspended = e
		return nil
	}
	e.Base, e.SubagentRunID = agui.Base{Metadata: t.Public(e.Metadata)}, s.Ours
	return t.EndSub(s, e)
}

func (t *Translator) failSub(e *agui.SubagentError) error {
	s := t.Subagents[e.SubagentRunID]
	code := errcode.RemoteFailed
	e.Base, e.SubagentRunID = agui.Base{Metadata: t.Public(e.Metadata)}, s.Ours
	e.Code, e.Message = string(code), code.Message()
	return t.EndSub(s, e)
}

// EndSub ends an agent behind the remote one.
func (t *Translator) EndSub(s *Subagent, end agui.Event) error {
	s.Announced = false
	if err := t.Out.As(s.Ours).Flush(); err != nil {
		return errors.Join(err, t.Run.As(s.Ours).CloseOpen(), t.Run.Emit(end))
	}
	return t.Run.Emit(end)
}

func (t *Translator) startStep(e *agui.StepStarted) error {
	e.StepName = joined(t.Path, e.StepName)
	err := t.emit(t.Tag(e.SubagentRunID), e, nil)
	if err == nil {
		t.steps = append(t.steps, *e)
	}
	return err
}

func (t *Translator) finishStep(e *agui.StepFinished) error {
	e.StepName = joined(t.Path, e.StepName)
	tag := t.Tag(e.SubagentRunID)
	t.steps = slices.DeleteFunc(t.steps,
		func(s agui.StepStarted) bool { return s.SubagentRunID == tag && s.StepName == e.StepName })
	return t.emit(tag, e, nil)
}

// CloseSteps ends the open steps of the remote agent itself.
func (t *Translator) CloseSteps() error {
	for _, step := range slices.Backward(t.steps) {
		if step.SubagentRunID != "" {
			continue // ended with its agent
		}
		if err := t.emit("", &agui.StepFinished{StepName: step.StepName}, nil); err != nil {
			return err
		}
	}
	return nil
}

// joined returns the path of name below path.
func joined(path []string, name string) string {
	parts := append(slices.Clone(path), name)
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ".")
}
