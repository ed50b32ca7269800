package groupchat

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

// ReviewOptions are the options of [Review]. The zero value works.
type ReviewOptions struct {
	// Message is what the person is asked; empty means "Is this all right? Approve of it, or say what to change."
	Message string
	// MessageOf, if set, computes it: from the state, and the conversation as it is after the agent's turn. The
	// question keeps its text while it is open.
	MessageOf func(View) string
	// Instruction precedes the person's comments in the agent's input; empty means "Revise what you said:".
	Instruction string
	// TTL is how long the question stays open; zero means the server's default.
	TTL time.Duration
}

// Review returns an agent after each turn of which a person is asked for a [ask.Verdict], as [ask.ReadVerdict] reads
// it. Comments let the agent work again, shown what it had said and the comments, until there are none. A person who
// says no without a comment, or cancels the question, accepts nothing: a result that [Sub] has kept is what it was
// before the turn, outputs of the agent's own state are not copied, and the chat that the agent takes part in ends.
//
// Each draft is a turn inside the participant's, "draft" on its path, and speaks under the participant's name. Where
// the agent hands over it does so for the participant.
func Review(agent Agent, o ReviewOptions) Agent { return &review{agent, o} }

type review struct {
	agent Agent
	o     ReviewOptions
}

// draft is the name of the reviewed turn, below the participant.
const draft = "draft"

// Run lets the agent work and a person say what they think of it.
func (r *review) Run(_ context.Context, t *Turn) error {
	r.begin(t)
	o := InvokeOptions{Instruction: t.Instruction()}
	for o.N = 1; ; o.N++ {
		one := Invocation{draft, r.agent, o}
		_, err := t.invokeAll([]Invocation{one}, func(c *Turn) { c.as, c.proxy = cmp.Or(t.name(), draft), true })
		if err != nil {
			return err
		}
		verdict, err := r.ask(t, o.N)
		comments := verdict.Changes()
		switch {
		case err != nil || verdict.Approved && comments == "":
			return err
		case comments == "":
			return r.deny(t)
		}
		o.Input = append(slices.Clip(o.Input), Message{
			ID: t.ID() + "/comments/" + strconv.Itoa(o.N), Role: agui.RoleUser,
			Content: agui.TextContent(cmp.Or(r.o.Instruction, "Revise what you said:") + "\n\n" + comments),
		})
	}
}

// ask returns what the person decides about the nth draft.
func (r *review) ask(t *Turn, n int) (ask.Verdict, error) {
	key, message := "review-"+strconv.Itoa(n), r.o.Message
	if r.o.MessageOf != nil {
		var err error
		if message, err = recorded(t, key,
			func() (string, error) { return r.o.MessageOf(t.viewNow()), nil }); err != nil {
			return ask.Verdict{}, err
		}
	}
	answer, err := t.Ask(Question{
		Key: key, Reason: "confirmation", TTL: r.o.TTL, Schema: ask.VerdictSchema(nil),
		Message: cmp.Or(message, "Is this all right? Approve of it, or say what to change."),
		Check: func(a ask.Answer) error {
			_, err := ask.ReadVerdict(a)
			return err
		},
		Again: "Please approve of it, or say what to change.",
	})
	if err != nil {
		return ask.Verdict{}, err
	}
	return ask.ReadVerdict(answer)
}

// result is where the state has the result of the agent; empty if it has none.
func (r *review) result() string {
	if s, ok := r.agent.(*sub); ok {
		return s.o.Result
	}
	return ""
}

// begin remembers the result that there is before the first draft.
func (r *review) begin(t *Turn) {
	if _, begun := t.memo("review/before"); begun || r.result() == "" {
		return
	}
	before, ok := t.State().Raw(r.result())
	if !ok {
		before = json.RawMessage("null")
	}
	t.remember("review/before", before)
}

// deny ends the turn, and the chat that it is part of, without a result.
func (r *review) deny(t *Turn) error {
	t.decline()
	before, ok := t.memo("review/before")
	if _, there := t.State().Raw(r.result()); !ok || !there {
		return nil
	}
	if string(before) == "null" {
		return t.State().Remove(r.result())
	}
	return t.State().Set(r.result(), before)
}

// Validate reports every mistake of the agent.
func (r *review) Validate() error { return validateTeam(r, "review", nil) }

// Describe tells about the agent; it asks.
func (r *review) Describe() profile.Info { return describeTeam(r, nil) }

func (r *review) parts() []Participant { return []Participant{{Name: draft, Agent: r.agent}} }

func (r *review) reserved() []string { return nil }

func (r *review) info(parts []profile.Info) profile.Info {
	return profile.Info{Description: parts[0].Description, Interrupts: true, Participants: parts[0].Participants,
		Structure: parts[0].Structure}
}

func (r *review) check(func(format string, args ...any)) {}

var _ composite = (*review)(nil)
