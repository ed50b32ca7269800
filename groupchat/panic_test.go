package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/state/document"
)

// A brokenError panics when somebody looks for its cause. A nil pointer of it is what a function returns that declares
// its error before it knows of one.
type brokenError struct{ cause error }

func (e *brokenError) Error() string { return "broken" }

func (e *brokenError) Unwrap() error { return e.cause }

// The team's own code also runs behind an agent's back, in goroutines of this package: reducers when a scope gives its
// outputs back, and errors when somebody looks what they are. A panic there is the failure of the turn as well.
func TestAPanicBehindAnAgentsBackIsTheFailureOfItsTurn(t *testing.T) {
	t.Parallel()
	var none *brokenError
	outputs := Scoping{Kind: ScopeMapped, Mapping: document.Mapping{Out: map[string]string{"/found": "/found"}}}
	finds := AgentFunc(func(_ context.Context, t *Turn) error { return t.State().Set("/found", "it") })
	breaks := AgentFunc(func(context.Context, *Turn) error { return none })
	tests := []struct {
		name string
		p    Participant
	}{
		{"a reducer of what a scope gives back", Participant{Agent: finds, Scope: outputs}},
		{"the same of one who works beside others", Participant{Agent: &Concurrent{Participants: []Participant{
			{Name: "a", Agent: finds, Scope: outputs}, {Name: "b", Agent: sayer("b")},
		}}}},
		{"an error that cannot be unwrapped", Participant{Agent: breaks}},
		{"such an error of a goroutine", Participant{Agent: AgentFunc(func(_ context.Context, t *Turn) error {
			t.Go(func() error { return none })
			return nil
		})}},
		{"such an error of one who works beside others", Participant{Agent: AgentFunc(func(_ context.Context, t *Turn) error {
			_, err := t.InvokeAll(Invocation{Name: "a", Agent: breaks}, Invocation{Name: "b", Agent: sayer("b")})
			return err
		})}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := func(p Participant, others ...Participant) (*rig, *stream) {
				p.Name = "broken"
				r := newRig(t, team(Sequential(), append([]Participant{p}, others...)...))
				r.reducers = document.Reducers{"/found": func(_, _ json.RawMessage) (json.RawMessage, error) { panic("boom") }}
				return r, r.say("x")
			}
			_, s := run(tt.p)
			codeOf(t, s, errcode.AgentFailed)
			if p, ok := errors.AsType[*failure.Panic](s.err); !ok || len(p.Stack) == 0 {
				t.Errorf("error = %v, want the panic", s.err)
			}
			tt.p.OnError.Skip = true
			r, s := run(tt.p, Participant{Name: "next", Agent: sayer("next")})
			must(t, s.err)
			equal(t, "last words", r.messages[len(r.messages)-1].Content.Text(), "next")
		})
	}
}
