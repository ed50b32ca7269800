package groupchat

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// ReviewOptions are the options of [Review]. The zero value works.
type ReviewOptions struct {
	// Message is what the person is asked; empty means "Is this all right? Leave it empty to go on, or say what to change."
	Message string
	// MessageOf, if set, computes it: from the state, and the conversation as it is after the agent's turn. The question keeps its text
	// while it is open.
	MessageOf func(View) string
	// Instruction goes before the person's comments where the agent is told of them; empty means "Revise what you said:".
	Instruction string
	// TTL is how long the question stays open; zero means the server's default.
	TTL time.Duration
}

// Review returns an agent after whose turn a person is asked. An empty answer goes on; comments let the agent work again,
// shown what it had said and the comments, until there are none; a person who cancels the question accepts what was said.
// The answer is a text, or an object whose member "comments", or "value", is one.
//
// Each draft is a turn inside the participant's, "draft" on its path, and speaks under the participant's name. Where the
// agent hands over it does so for the participant.
func Review(agent Agent, o ReviewOptions) Agent { return &review{agent, o} }

type review struct {
	agent Agent
	o     ReviewOptions
}

// draft is the name of what is reviewed, below the participant.
const draft = "draft"

// Run lets the agent work and a person say what they think of it.
func (r *review) Run(_ context.Context, t *Turn) error {
	o := InvokeOptions{Instruction: t.Instruction()}
	for o.N = 1; ; o.N++ {
		one := Invocation{draft, r.agent, o}
		_, err := t.invokeAll([]Invocation{one}, func(c *Turn) { c.as, c.standsIn = cmp.Or(t.name(), draft), true })
		if err != nil {
			return err
		}
		comments, err := r.ask(t, o.N)
		if err != nil || comments == "" {
			return err
		}
		o.Input = append(slices.Clip(o.Input), Message{
			ID: t.ID() + "/comments/" + strconv.Itoa(o.N), Role: agui.RoleUser,
			Content: agui.TextContent(cmp.Or(r.o.Instruction, "Revise what you said:") + "\n\n" + comments),
		})
	}
}

// ask returns the person's comments.
func (r *review) ask(t *Turn, n int) (string, error) {
	key, message := "review-"+strconv.Itoa(n), r.o.Message
	if r.o.MessageOf != nil {
		var err error
		if message, err = recorded(t, key, func() (string, error) { return r.o.MessageOf(t.viewNow()), nil }); err != nil {
			return "", err
		}
	}
	answer, err := t.Ask(Question{
		Key: key, Reason: "confirmation", TTL: r.o.TTL,
		Message: cmp.Or(message, "Is this all right? Leave it empty to go on, or say what to change."),
	})
	if err != nil || answer.Cancelled {
		return "", err
	}
	var text string
	var form struct{ Comments, Value string }
	if json.Unmarshal(answer.Payload, &text) != nil && json.Unmarshal(answer.Payload, &form) == nil {
		text = cmp.Or(form.Comments, form.Value)
	}
	return strings.TrimSpace(text), nil
}

// Validate reports every mistake of the agent.
func (r *review) Validate() error { return validateTeam(r, "review", nil) }

// Describe tells about the agent; it asks.
func (r *review) Describe() Info { return describeTeam(r, nil) }

func (r *review) parts() []Participant { return []Participant{{Name: draft, Agent: r.agent}} }

func (r *review) reserved() []string { return nil }

func (r *review) info(parts []Info) Info {
	return Info{Description: parts[0].Description, Interrupts: true, Participants: parts[0].Participants, Structure: parts[0].Structure}
}

func (r *review) check(func(format string, args ...any)) {}

var _ composite = (*review)(nil)
