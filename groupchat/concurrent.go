package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

// A Selector chooses the participants of a [Concurrent] for one turn, by name; it may choose none. The view is that of
// the agent's turn, with its participants; it includes the results of the turns of the chat around it.
type Selector func(ctx context.Context, v View) ([]string, error)

// A Concurrent is an [Agent] that lets its participants work at once on the same input, and waits for all of them. Each
// sees what the fan sees, as its own context shows it, and its own words, not those of the others. A participant that
// fails cancels the others and fails the fan, or is left out, as its policy says; any number may pause, and those that
// had ended are not begun again. It is a definition, like a [Chat].
type Concurrent struct {
	// Description is for people, and for models that choose among agents.
	Description  string
	Participants []Participant
	// Select, if set, names those that work this time; the others are left out. It is asked once per turn. See
	// package choose.
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
func (f *Concurrent) Describe() profile.Info { return describeTeam(f, nil) }

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

func (f *Concurrent) info(parts []profile.Info) profile.Info {
	return profile.Info{Description: f.Description, Participants: parts,
		Structure: profile.Structure{Kind: profile.KindConcurrent}}
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
	_ composite         = (*Concurrent)(nil)
	_ profile.Describer = (*Concurrent)(nil)
)

// An answer is what an agent said last. A turn that ended with that of a [Concurrent] has several, one for each
// participant.
type answer struct {
	name, path string
	fans       []fanMark
	agent      Agent // the participant of a fan; nil for the last words of a turn without one
	named      bool  // its name goes before it where it is joined with others
	text       string
}

// A fanMark says in a message's mark that a participant of a fan said it.
type fanMark struct {
	At   string `json:"at"`   // the path of the fan; empty for the root
	Turn string `json:"turn"` // the id of the participant's turn
}

// fansOf adds the fans of the tree a, by their paths, to fans.
func fansOf(a Agent, at string, above []Agent, fans map[string]*Concurrent) {
	a = unwrap(a)
	parts := partsOf(a)
	if parts == nil || slices.Contains(above, a) {
		return
	}
	if f, ok := a.(*Concurrent); ok {
		fans[at] = f
	}
	above = append(slices.Clip(above), a)
	for _, p := range parts {
		fansOf(p.Agent, joinPath(at, p.Name), above, fans)
	}
}

// answers are the last words among messages that match, those of the agent at a path: one answer, or, if a fan at that
// path or below it said them, one for each of its participants in their order.
func (x *execution) answers(messages []Message, at string, match func(Message) bool) []answer {
	i := len(messages) - 1
	for i >= 0 && (messages[i].Role != agui.RoleAssistant || messages[i].Content.IsZero() || !match(messages[i])) {
		i--
	}
	if i < 0 {
		return nil
	}
	last := messages[i]
	marks := markOf(last).Fans
	level := slices.IndexFunc(marks,
		func(m fanMark) bool { return at == "" || m.At == at || strings.HasPrefix(m.At, at+".") })
	fans := x.knownFans()
	if level < 0 || fans[marks[level].At] == nil {
		return []answer{{name: last.Name, path: x.speaker(last), text: last.Content.Text()}}
	}
	var all []answer
	fan := marks[level].At
	turn := marks[level].Turn[:strings.LastIndexByte(marks[level].Turn, '/')+1]
	for _, p := range fans[fan].Participants {
		own := fanMark{At: fan, Turn: turn + p.Name}
		list := x.answers(messages, joinPath(fan, p.Name),
			func(m Message) bool { return match(m) && slices.Contains(markOf(m).Fans, own) })
		if len(list) == 1 && list[0].agent == nil {
			list[0].by(p.Name, fan, p.Agent, append(marks[:level:level], own))
		}
		for j := range list {
			list[j].named = list[j].named || fans[fan].Named
		}
		all = append(all, list...)
	}
	return all
}

// by makes a the answer of a participant of the fan at a path.
func (a *answer) by(name, fan string, agent Agent, fans []fanMark) {
	a.name, a.path, a.agent, a.fans = name, joinPath(fan, name), agent, fans
}

func joined(list []answer) string {
	var texts []string
	for _, a := range list {
		switch {
		case strings.TrimSpace(a.text) == "":
		case a.named:
			texts = append(texts, a.name+": "+a.text)
		default:
			texts = append(texts, a.text)
		}
	}
	return strings.Join(texts, "\n\n")
}

func anyMessage(Message) bool { return true }

// fanMarks name the turns of participants of fans that t is part of, the outermost first.
func (t *Turn) fanMarks() []fanMark {
	var marks []fanMark
	for at := t; at != nil; at = at.up {
		if at.fan != nil {
			marks = append(marks, *at.fan)
		}
	}
	slices.Reverse(marks)
	return marks
}

// sayAnswers adds the answers of agent, which ran in a private conversation, to the conversation r with w: one message,
// or one for each participant of a fan, under its name. Each is added once per turn and key.
func (t *Turn) sayAnswers(r *run.Run, w run.Writer, agent Agent, key string, list []answer) error {
	for _, a := range list {
		o, by, key := run.TextOptions{Name: t.name(), Metadata: t.marked()}, innerHooks(agent), key
		if a.agent != nil {
			o = run.TextOptions{Name: a.name, Metadata: t.markedAs(a.name, a.path, a.fans)}
			by, key = append(slices.Clip(by), innerHooks(a.agent)...), key+"/"+a.path
		}
		if err := t.done(key, func() error { return t.sayLast(r, w, by, o, a.text) }); err != nil {
			return err
		}
	}
	return nil
}
