package run

import "github.com/agui-gateway/gateway/agui"

// A Writer writes a run's events for one agent. It is a small value, safe for concurrent use; the values that its
// methods return belong to one goroutine. The errors of a [Run] are sticky, so an agent may check only the last one.
type Writer struct {
	run    *Run
	tag    string
	filter *filter // nil lets everything pass
}

// As returns a writer for a subagent invocation; "" is the parent agent.
func (r *Run) As(subagentRunID string) Writer { return Writer{run: r, tag: subagentRunID} }

// Emit is [Run.Emit] for an event that is tagged unless it has a tag, or can have none.
func (w Writer) Emit(e agui.Event) error {
	if agui.BaseOf(e) == nil {
		return errNilEvent
	}
	agui.Attribute(e, w.tag)
	if w.filter != nil {
		return w.filter.emit(e)
	}
	return w.run.Emit(e)
}

// SubagentRunID returns the invocation the writer writes for.
func (w Writer) SubagentRunID() string { return w.tag }

// NewID returns a new id, as the run makes them.
func (w Writer) NewID() string { return w.run.o.NewID() }

// A Step is a phase of a run that has begun.
type Step struct {
	w     Writer
	name  string
	err   error
	ended bool
}

// Step sends STEP_STARTED. If the event was refused, [Step.End] returns that error.
func (w Writer) Step(name string) *Step {
	return &Step{w: w, name: name, err: w.Emit(&agui.StepStarted{StepName: name})}
}

// End sends STEP_FINISHED. A second call does nothing.
func (s *Step) End() error {
	if s.err == nil && !s.ended {
		s.ended = true
		s.err = s.w.Emit(&agui.StepFinished{StepName: s.name})
	}
	return s.err
}

// A Subagent is one invocation of a subagent.
type Subagent struct {
	Writer
	err   error
	ended bool
}

// Subagent sends SUBAGENT_STARTED, with a new id if s has none. If it was refused, Finish and Fail return the error.
func (r *Run) Subagent(s agui.SubagentStarted) *Subagent {
	if s.SubagentRunID == "" {
		s.SubagentRunID = r.o.NewID()
	}
	return &Subagent{Writer: r.As(s.SubagentRunID), err: r.Emit(&s)}
}

// Finish sends SUBAGENT_FINISHED; a nil outcome is success. After the end of the invocation it does nothing.
func (s *Subagent) Finish(outcome *agui.SubagentOutcome) error {
	return s.end(&agui.SubagentFinished{SubagentRunID: s.tag, Outcome: outcome})
}

// Fail sends SUBAGENT_ERROR; the message is for people. After the end of the invocation it does nothing.
func (s *Subagent) Fail(code, message string) error {
	return s.end(&agui.SubagentError{SubagentRunID: s.tag, Code: code, Message: message})
}

func (s *Subagent) end(e agui.Event) error {
	if s.err == nil && !s.ended {
		s.ended = true
		s.err = s.run.Emit(e)
	}
	return s.err
}
