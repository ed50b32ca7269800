package groupchattest

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/state"
)

// A stream is what one run sends, held to the rules.
type stream struct {
	verifier agui.Verifier
	events   []agui.Event
	state    json.RawMessage // as a client has it
	before   json.RawMessage // before the last snapshot
	saves    int
}

// take holds an event to the protocol, in the form in which clients are sent it.
func (s *stream) take(t modeltest.T, e agui.Event) {
	s.events = append(s.events, e)
	data, err := agui.Encode(e)
	if err == nil {
		e, err = agui.Decode(data, nil)
	}
	if err == nil {
		err = s.verifier.Next(e)
	}
	if err != nil {
		t.Errorf("the stream is not valid at %s: %v", data, err)
	}
	switch e := e.(type) {
	case *agui.StateSnapshot:
		s.before, s.state = s.state, e.Snapshot
	case *agui.StateDelta:
		if s.state, err = e.Delta.Apply(context.Background(), s.state); err != nil {
			t.Errorf("the delta %s does not apply: %v", data, err)
		}
	}
}

// checkState holds what a client has of the state against what the run ended with.
func (s *stream) checkState(t modeltest.T, end json.RawMessage) {
	if !bytes.Equal(state.Canonical(s.before), state.Canonical(end)) {
		t.Errorf("the events about the state add up to %s, and it is %s", s.before, end)
	}
}

// replay enters a paused run again without an answer, from what JSON keeps of it.
func (th *Thread) replay(was *thread.Result) {
	th.t.Helper()
	saved, err := json.Marshal(th.thread)
	must(th.t, err)
	again := th.another()
	must(th.t, json.Unmarshal(saved, again))
	kept, saves, crash := th.stream, th.saves, th.crash
	th.stream, th.crash = &stream{}, 0
	result, err := again.Resume(th.o.Context)
	replayed := th.stream
	th.stream, th.saves, th.crash = kept, saves, crash
	if err != nil {
		th.t.Errorf("entered again without an answer, the run fails: %v", err)
		return
	}
	same := func(what string, first, second any) {
		th.t.Helper()
		one, err := json.Marshal(first)
		must(th.t, err)
		other, err := json.Marshal(second)
		must(th.t, err)
		if !bytes.Equal(one, other) {
			th.t.Errorf("entered again without an answer, the run has other %s:\n%s\ninstead of\n%s", what, other, one)
		}
	}
	same("questions", was.Questions, result.Questions)
	same("calls", was.Calls, result.Calls)
	same("state", was.State, result.State)
	same("JSON", th.thread, again)
	if replayed.saves > 2 {
		th.t.Errorf("entered again without an answer, the run records %d effects or turns", replayed.saves-2)
	}
	for _, e := range (&Run{Events: replayed.events}).Body() {
		switch e.(type) {
		case *agui.StepStarted, *agui.StepFinished, *agui.SubagentStarted, *agui.SubagentFinished:
		default:
			th.t.Errorf("entered again without an answer, the run sends %s", Line(e))
		}
	}
}
