package groupchat

import (
	"context"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state/document"
)

// TestExecuteWantsItsSession tells a host what it left out, instead of a panic in the middle of a turn.
func TestExecuteWantsItsSession(t *testing.T) {
	t.Parallel()
	ran := false
	agent := AgentFunc(func(_ context.Context, t *Turn) error { ran = true; return SayOnce(t, "k", "Hello.") })
	for missing, leave := range map[string]func(*Session){
		"Run":     func(s *Session) { s.Run = nil },
		"State":   func(s *Session) { s.State = nil },
		"Journal": func(s *Session) { s.Journal = nil },
		"NewID":   func(s *Session) { s.NewID = nil },
		"Origin":  func(s *Session) { s.Origin = "" },
	} {
		r := newRig(t, agent)
		run := run.New(run.Options{ThreadID: "t", RunID: "r", NewID: r.newID, Sink: func(agui.Event, []byte) error { return nil }})
		doc, err := document.New(nil, document.Options{})
		must(t, err)
		s := Session{Run: run, State: doc, Journal: &journal{r, run, doc}, NewID: r.newID, Origin: "1"}
		leave(&s)
		_, err = Execute(t.Context(), agent, &s)
		if errcode.Of(err) != errcode.Internal || !strings.Contains(err.Error(), missing) {
			t.Errorf("Execute() without %s = %v, want an error that names it", missing, err)
		}
	}
	if _, err := Execute(t.Context(), nil, &Session{}); err == nil || !strings.Contains(err.Error(), "agent") {
		t.Errorf("Execute() without an agent = %v, want an error that says so", err)
	}
	equal(t, "ran", ran, false)
}
