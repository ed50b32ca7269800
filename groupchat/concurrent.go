package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/errcode"
)

// A Concurrent is an [Agent] that lets its participants work at once on the same input, and waits for all of them. Each
// sees what the fan sees, as its own context shows it, and its own words, not those of the others. A participant that
// fails cancels the others and fails the fan, or is left out, as its policy says; any number may pause, and those that
// had ended are not begun again. It is a definition, like a [Chat].
type Concurrent struct {
	// Description is for people, and for models that choose among agents.
	Description  string
	Participants []Participant
	// Select, if set, names those that work this time; the others are left out. It is asked once per turn. See
	// [SelectWhen] and [SelectBy].
	Select Selector
	// Output says who sees the messages of the participants. The zero value shows them as they come, in no particular
	// order. With [OutputHistory] only the last words of each are shown, when all have ended, in the order of the
	// participants.
	Output OutputMode
	// Named puts the name of each participant before its answer where the answers become one text: see [Reply.Text].
	Named bool
	// Join, if set, is called with the replies of all participants in their order, to summarise them or change the
	// state; those that were skipped are marked. It must not ask.
	Join func(ctx context.Context, t *Turn, replies []Reply) error
}

// Validate reports every mistake of the fan, nested ones included, joined.
func (f *Concurrent) Validate() error { return validateTeam(f, "fan", nil) }

// Describe lists the participants.
func (f *Concurrent) Describe() Info { return describeTeam(f, nil) }

// Run lets the participants work, and joins their replies.
func (f *Concurrent) Run(ctx context.Context, t *Turn) error {
	names, err := f.selected(ctx, t)
	if err != nil {
		return err
	}
	var chosen []Invocation
	for _, p := range f.Participants {
		if slices.Contains(names, p.Name) {
			chosen = append(chosen, f.invocation(t, p))
		}
	}
	at := plainPath(t.path)
	t.x.addFan(at, f)
	replies, err := t.invokeAll(chosen, func(c *Turn) { c.fan = &fanMark{at, c.record.ID} })
	if err != nil {
		return err
	}
	if f.Output == OutputHistory {
		own := t.fanMarks()
		for i, r := range replies {
			list := r.answers
			if len(list) == 1 && list[0].agent == nil {
				list[0].by(r.Name, at, chosen[i].Agent, append(own, fanMark{at, t.ID() + "/" + r.Name}))
			}
			if err := t.sayAnswers(t.run, t.out, nil, "fan/say", list); err != nil {
				return err
			}
		}
	}
	if f.Join == nil {
		return nil
	}
	return f.Join(ctx, t, replies)
}

// selected are the names of those that work in t, the same after a pause.
func (f *Concurrent) selected(ctx context.Context, t *Turn) ([]string, error) {
	const key = "fan/selected"
	var names []string
	if raw, ok := t.memo(key); ok {
		if err := json.Unmarshal(raw, &names); err != nil {
			return nil, t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: %w", t.Path(), err))
		}
		return names, nil
	}
	for _, p := range f.Participants {
		names = append(names, p.Name)
	}
	if f.Select == nil {
		return names, nil
	}
	v := t.View()
	v.Participants = f.Describe().Participants
	chosen, err := f.Select(ctx, v)
	if err != nil {
		return nil, err
	}
	for _, name := range chosen {
		if !slices.Contains(names, name) {
			return nil, fail(errcode.UnknownSpeaker, "%s: fan chose %q", t.Path(), name)
		}
	}
	raw, err := json.Marshal(chosen)
	if err != nil {
		return nil, fmt.Errorf("groupchat: %s: %w", t.Path(), err)
	}
	t.remember(key, raw)
	return chosen, nil
}

func (f *Concurrent) invocation(t *Turn, p Participant) Invocation {
	o := InvokeOptions{
		Description: p.Description, Instruction: t.Instruction(), Context: p.Context, Scope: p.Scope,
		Writes: p.Writes, OnError: p.OnError, Output: f.Output,
	}
	if f.Output == OutputHistory {
		o.Output = OutputNone // until all have ended
	}
	return Invocation{p.Name, p.Agent, o}
}

func (f *Concurrent) parts() []Participant { return f.Participants }

func (f *Concurrent) reserved() []string { return nil }

func (f *Concurrent) info(parts []Info) Info {
	return Info{Description: f.Description, Participants: parts, Structure: Structure{Kind: KindConcurrent}}
}

func (f *Concurrent) check(bad func(format string, args ...any)) {
	if len(f.Participants) == 0 {
		bad("has no participants")
	}
	if !f.Output.known() {
		bad("unknown output %q", f.Output)
	}
}

var (
	_ composite = (*Concurrent)(nil)
	_ Describer = (*Concurrent)(nil)
)
