package groupchat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/internal/choice"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

// HandoffOptions are the options of [Handoff]. Only Start is required.
type HandoffOptions struct {
	// Start is who speaks first in a conversation.
	Start string
	// Edges lists the targets of each participant; one without an entry may hand over to none. Nil lets every
	// participant hand over to everybody.
	Edges map[string][]string
	// Autonomous lets a speaker that does not hand over continue, until it names [Done], has a turn in which it does
	// nothing or has used up its turns, instead of giving control back to the user. Models get a tool for Done, called
	// finish.
	Autonomous bool
	// TurnsEach is after how many turns in a row an autonomous speaker that does not hand over gives control back to
	// the user; 0 means 10. Handing over begins the count anew.
	TurnsEach int
	// Turns is after how many the chat ends if its MaxRounds does not say; 0 means 50.
	Turns int
}

// The defaults of [HandoffOptions].
const (
	handoffTurns     = 50
	handoffTurnsEach = 10
)

// autonomousPrompt is the instruction of an autonomous speaker after a turn in which it did not hand over.
const autonomousPrompt = "The user does not answer. Go on by yourself, hand over to somebody else, or finish if " +
	"nothing is left to do."

// Handoff makes managers that let the speakers choose the next one, with [Turn.Goto]. A speaker that names none gives
// control back to the user: the chat has ended, and the user's next message goes to that speaker again. A speaker that
// names somebody it may not hand over to ends the run with unknown_speaker.
//
// When a run starts, the author of the last message of the conversation has control, or the participant with the author
// in its team.
func Handoff(o HandoffOptions) func() Manager {
	return func() Manager { return handoff{o} }
}

type handoff struct{ HandoffOptions }

func (m handoff) Next(_ context.Context, v View) (Decision, error) {
	switch {
	case v.Round == 0:
		return Decision{Speaker: m.inControl(v)}, nil
	case v.Goto == Done:
		return Decision{Done: true}, nil
	case v.Goto == "" && m.Autonomous && v.Failed[v.LastSpeaker] == 0 && v.Idle == "" && v.InARow < m.turnsEach():
		return Decision{Speaker: v.LastSpeaker, Instruction: autonomousPrompt}, nil
	case v.Goto == "":
		return Decision{Done: true}, nil
	case !slices.Contains(choice.Names(m.Handoffs(v.LastSpeaker, v.Participants)), v.Goto):
		return Decision{}, fail(errcode.UnknownSpeaker, "%q may not hand over to %q", v.LastSpeaker, v.Goto)
	}
	return Decision{Speaker: v.Goto}, nil
}

// inControl is the participant that has control when a run starts.
func (m handoff) inControl(v View) string {
	for _, message := range slices.Backward(v.History()) {
		if message.Role != agui.RoleAssistant || message.Name == "" {
			continue
		}
		if name, known := v.member(message); known {
			if name != "" {
				return name
			}
			continue // said by somebody outside of this chat
		}
		var of []string
		for _, p := range v.Participants {
			if p.Name == message.Name {
				return p.Name
			}
			if p.Includes(message.Name) {
				of = append(of, p.Name)
			}
		}
		if len(of) == 1 {
			return of[0]
		}
	}
	return m.Start
}

// member is the participant that said m, or has its author in its team; empty if it is none of this chat. Known says
// whether that is certain.
func (v View) member(m Message) (name string, known bool) {
	if v.turn == nil {
		return "", false
	}
	path := v.turn.x.speaker(m)
	if path == "" {
		return "", false
	}
	if own := v.turn.identity(); own != "" {
		var below bool
		if path, below = strings.CutPrefix(path, own+"."); !below {
			return "", true
		}
	}
	name, _, _ = strings.Cut(path, ".")
	if !slices.ContainsFunc(v.Participants, func(p profile.Info) bool { return p.Name == name }) {
		return "", true
	}
	return name, true
}

// Handoffs is part of [HandoffManager].
func (m handoff) Handoffs(speaker string, participants []profile.Info) []profile.Info {
	return slices.DeleteFunc(slices.Clone(participants), func(p profile.Info) bool {
		return p.Name == speaker || m.Edges != nil && !slices.Contains(m.Edges[speaker], p.Name)
	})
}

// Finishes reports whether speakers have to report the end.
func (m handoff) Finishes() bool { return m.Autonomous }

func (m handoff) turnsEach() int {
	if m.TurnsEach > 0 {
		return m.TurnsEach
	}
	return handoffTurnsEach
}

// MaxRounds is the limit of a chat without one.
func (m handoff) MaxRounds() int {
	if m.Turns > 0 {
		return m.Turns
	}
	return handoffTurns
}

// Check reports edges that name no participant, and participants that cannot be reached from the start.
func (m handoff) Check(participants []string) error {
	var errs []error
	unknown := func(name string) bool { return !slices.Contains(participants, name) }
	if unknown(m.Start) {
		errs = append(errs, fmt.Errorf("starts with %q, who is not a participant", m.Start))
	}
	if m.Turns < 0 {
		errs = append(errs, fmt.Errorf("turns is %d", m.Turns))
	}
	if m.TurnsEach < 0 {
		errs = append(errs, fmt.Errorf("turns each is %d", m.TurnsEach))
	}
	for _, from := range slices.Sorted(maps.Keys(m.Edges)) {
		if unknown(from) {
			errs = append(errs, fmt.Errorf("an edge begins at %q, who is not a participant", from))
		}
		for _, to := range m.Edges[from] {
			switch {
			case unknown(to):
				errs = append(errs, fmt.Errorf("%q hands over to %q, who is not a participant", from, to))
			case from == to:
				errs = append(errs, fmt.Errorf("%q hands over to itself", from))
			}
		}
	}
	if m.Edges == nil {
		return errors.Join(errs...)
	}
	reached := map[string]bool{}
	m.markReachable(m.Start, reached)
	for _, p := range participants {
		if !reached[p] {
			errs = append(errs, fmt.Errorf("nobody hands over to participant %q", p))
		}
	}
	return errors.Join(errs...)
}

// markReachable adds to reached the participants that can be reached from name.
func (m handoff) markReachable(name string, reached map[string]bool) {
	if reached[name] {
		return
	}
	reached[name] = true
	for _, to := range m.Edges[name] {
		m.markReachable(to, reached)
	}
}

// Handoffs are the participants to whom this one may hand over with [Turn.Goto]; none where the manager does not listen
// to it.
func (t *Turn) Handoffs() []profile.Info {
	r := t.speakerTurn().chat
	if r == nil {
		return nil
	}
	m, ok := managerAs[HandoffManager](r.manager)
	if !ok {
		return nil
	}
	return m.Handoffs(t.speakerTurn().participant.Name, r.infos)
}

// finishes reports whether this participant has to report that it is done, because no manager finds out: see
// [HandoffOptions.Autonomous].
func (t *Turn) finishes() bool {
	r := t.speakerTurn().chat
	if r == nil {
		return false
	}
	m, ok := managerAs[finisher](r.manager)
	return ok && m.Finishes()
}

// speakerTurn is the turn of the participant for whom t works: t itself, unless t was invoked to stand in for another
// turn.
func (t *Turn) speakerTurn() *Turn {
	for t.proxy {
		t = t.up
	}
	return t
}
