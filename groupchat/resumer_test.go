package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
)

// A versioned agent asks, and continues with answers to its own version only.
type versioned string

func (versioned) Kind() string { return "versioned" }

func (v versioned) CanResume(recall func(string) (json.RawMessage, bool)) error {
	if was, ok := recall("versioned"); ok && string(was) != string(v) {
		return fail(errcode.CheckpointIncompatible, "version %s was asked by %s", v, was)
	}
	return nil
}

func (v versioned) Run(_ context.Context, t *Turn) error {
	return t.Exclusive(v, func() error {
		_, before := t.Recall("versioned")
		t.Remember("versioned", json.RawMessage(v))
		if _, err := t.Ask(Question{Key: "k", Message: "k?"}); err != nil {
			return err
		}
		return SayOnce(t, "said", fmt.Sprintf("%s remembers: %t", v, before))
	})
}

func TestAKindOfAgentGoesOnOnlyWithWhatIsItsOwn(t *testing.T) {
	t.Parallel()
	seat := func(a Agent) Agent { return team(Sequential(), Participant{Name: "p", Agent: a}) }
	hidden := func(a Agent) Agent {
		return AgentFunc(func(ctx context.Context, t *Turn) error { return a.Run(ctx, t) })
	}
	must(t, change(t, seat(versioned("1")), seat(versioned("1"))).err)
	equal(t, "the same", change(t, versioned("1"), versioned("1")).shape(), "1  remembers:  true")
	refused(t, change(t, seat(versioned("1")), seat(versioned("2"))))
	refused(t, change(t, seat(versioned("1")), seat(asker("k"))))
	refused(t, change(t, seat(asker("k")), seat(versioned("1"))))
	codeOf(t, change(t, seat(hidden(versioned("1"))), seat(hidden(versioned("2")))), errcode.CheckpointIncompatible)
}

// TestAnExclusiveTurnIsOneAgents lets two agents of a kind take one turn.
func TestAnExclusiveTurnIsOneAgents(t *testing.T) {
	t.Parallel()
	type empty struct{ versioned }
	one, two := &empty{"1"}, &empty{"1"}
	out := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
		if err := t.Exclusive(one, func() error { return nil }); err != nil {
			return err
		}
		return t.Exclusive(two, func() error { return nil })
	})).say("x")
	codeOf(t, out, errcode.AgentFailed)
}
