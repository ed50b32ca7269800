package groupchattest

import (
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/thread"
)

// A Run is one run of a [Thread]. Of one that failed the result has the state alone.
type Run struct {
	*thread.Result
	// Err is why the run failed; nil if it did not.
	Err    error
	Events []agui.Event
}

// Code is that of the error; empty if the run did not fail.
func (r *Run) Code() errcode.Code {
	if r.Err == nil {
		return ""
	}
	return errcode.Of(r.Err)
}

// Body is the stream between its opening and what follows the agents' work: without the snapshots at the beginning and
// the end.
func (r *Run) Body() []agui.Event {
	end := len(r.Events)
	for i, e := range r.Events {
		switch e.(type) {
		case *agui.MessagesSnapshot:
			end = min(end, i-1)
		case *agui.RunError:
			end = min(end, i)
		}
	}
	return r.Events[min(2, end):end]
}

// Steps are the turns of the run, by the names of their steps.
func (r *Run) Steps() []string {
	var names []string
	for _, e := range r.Events {
		if step, ok := e.(*agui.StepStarted); ok {
			names = append(names, step.StepName)
		}
	}
	return names
}

// Shape returns a short form of the stream: its steps, their messages and calls, and changes of the state.
func (r *Run) Shape() string {
	var words []string
	for _, e := range r.Body() {
		switch e := e.(type) {
		case *agui.StepStarted:
			words = append(words, e.StepName+" {")
		case *agui.StepFinished:
			words = append(words, "} "+e.StepName)
		case *agui.TextMessageContent:
			words = append(words, e.Delta)
		case *agui.StateDelta, *agui.StateSnapshot:
			words = append(words, "state")
		case *agui.SubagentError:
			words = append(words, "error "+e.Code)
		case *agui.ToolCallStart:
			words = append(words, "call "+e.ToolCallName)
		case *agui.ToolCallResult:
			words = append(words, "result "+e.Content.Text())
		}
	}
	return strings.Join(words, " ")
}

// Line is an event as one line: its type, and its members as JSON.
func Line(e agui.Event) string {
	raw, err := agui.Encode(e)
	if err != nil {
		return err.Error()
	}
	rest := strings.TrimPrefix(string(raw), `{"type":"`+string(agui.TypeOf(e))+`"`)
	return string(agui.TypeOf(e)) + " {" + strings.TrimPrefix(rest, ",")
}
