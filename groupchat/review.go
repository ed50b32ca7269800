package groupchat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/exact"
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

// Review returns an agent after each turn of which a person is asked for a [Verdict], as [ReadVerdict] reads it.
// Comments let the agent work again, shown what it had said and the comments, until there are none. A person who says
// no without a comment, or cancels the question, accepts nothing: a result that [Sub] has kept is what it was before
// the turn, outputs of the agent's own state are not copied, and the chat that the agent takes part in ends.
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
func (r *review) ask(t *Turn, n int) (Verdict, error) {
	key, message := "review-"+strconv.Itoa(n), r.o.Message
	if r.o.MessageOf != nil {
		var err error
		if message, err = recorded(t, key,
			func() (string, error) { return r.o.MessageOf(t.viewNow()), nil }); err != nil {
			return Verdict{}, err
		}
	}
	answer, err := t.Ask(Question{
		Key: key, Reason: "confirmation", TTL: r.o.TTL, Schema: VerdictSchema(nil),
		Message: cmp.Or(message, "Is this all right? Approve of it, or say what to change."),
		Check: func(a Answer) error {
			_, err := ReadVerdict(a)
			return err
		},
		Again: "Please approve of it, or say what to change.",
	})
	if err != nil {
		return Verdict{}, err
	}
	return ReadVerdict(answer)
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
func (r *review) Describe() Info { return describeTeam(r, nil) }

func (r *review) parts() []Participant { return []Participant{{Name: draft, Agent: r.agent}} }

func (r *review) reserved() []string { return nil }

func (r *review) info(parts []Info) Info {
	return Info{Description: parts[0].Description, Interrupts: true, Participants: parts[0].Participants,
		Structure: parts[0].Structure}
}

func (r *review) check(func(format string, args ...any)) {}

var _ composite = (*review)(nil)

// A Verdict is a person's decision about something that a question shows: a draft, a plan, a call of a tool. The zero
// value is a no.
type Verdict struct {
	// Approved says that the person accepts it as it is.
	Approved bool
	// Comments say what to change: nothing is approved then. Reason is what else the person says about the decision.
	Comments, Reason string
}

// Changes is what the person says about something that can be revised: the comments and the reason.
func (v Verdict) Changes() string { return strings.TrimSpace(v.Comments + "\n" + v.Reason) }

// verdictMembers are those of a verdict. Value is what clients send that have one field for every question.
var verdictMembers = []string{"approved", "comments", "reason", "value"}

// errNoVerdict is for answers that decide nothing, or that have a member without a meaning.
var errNoVerdict = errors.New("groupchat: the answer neither approves nor says what to change")

// ReadVerdict reads an answer as a verdict. The payload is true or false, a text, or an object with the members
// "approved", "comments", "reason" and "value", which is one of the former. An empty text approves, any other is a
// comment. A cancelled question is a no, and so is an answer of which one part says no. Own are further members that
// the question knows. An answer with any other member, with a member of another type, or without a decision is an
// error: the question is asked again.
func ReadVerdict(a Answer, own ...string) (v Verdict, err error) {
	if a.Cancelled {
		return v, nil
	}
	var members map[string]json.RawMessage // and no struct, for which "Approved" would be "approved"
	if exact.Unmarshal(a.Payload, &members) != nil || members == nil {
		members = map[string]json.RawMessage{"value": a.Payload}
	}
	var said []bool
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var yes bool
		var text string
		isText, isBool := exact.Unmarshal(members[name], &text) == nil, exact.Unmarshal(members[name], &yes) == nil
		null := string(members[name]) == "null"
		switch {
		case slices.Contains(own, name):
		case null:
			return Verdict{}, fmt.Errorf("%w: %s is null", errNoVerdict, name)
		case isBool && (name == "approved" || name == "value"):
			said = append(said, yes)
		case isText && name == "reason":
			v.Reason = strings.TrimSpace(text)
		case isText && (name == "comments" || name == "value"):
			v.Comments = strings.TrimSpace(v.Comments + "\n" + text)
			if strings.TrimSpace(text) == "" {
				said = append(said, true)
			}
		default:
			return Verdict{}, fmt.Errorf("%w: it has the member %q", errNoVerdict, clip.To(name, 100))
		}
	}
	v.Approved = len(said) > 0 && !slices.Contains(said, false) && v.Comments == ""
	if len(said) == 0 && v.Changes() == "" {
		return v, errNoVerdict
	}
	return v, nil
}

// VerdictSchema returns the JSON Schema of answers that [ReadVerdict] reads, with the schemas of further members. It
// also allows the members that every verdict may have.
func VerdictSchema(members map[string]any) json.RawMessage {
	properties := map[string]any{
		"approved": map[string]any{"type": "boolean", "title": "Go ahead"},
		"comments": map[string]any{"type": "string", "title": "What to change"},
	}
	maps.Copy(properties, members)
	raw, _ := agui.Marshal(verdictSchema(properties)) // of schemas, which are JSON
	return raw
}

// verdictSchema is the schema of verdicts with these members. Names are compared letter by letter.
func verdictSchema(properties map[string]any) map[string]any {
	names := slices.Sorted(maps.Keys(properties))
	for _, name := range verdictMembers {
		if properties[name] == nil {
			names = append(names, name)
		}
	}
	return map[string]any{"type": "object", "propertyNames": map[string]any{"enum": names}, "properties": properties}
}
