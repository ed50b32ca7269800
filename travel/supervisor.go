package travel

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/travel/internal/catalogue"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

// A supervisor chooses the next speaker. It reads the progress from the shared state. It stores the task, and whether
// it has read the traveller's message: in a run with an answer, that message is still the newest.
type supervisor struct {
	voice   voice
	task    task
	started bool
	note    string // appended to the supervisor's next text
}

// Next decides by the message in the first round, and by what the trip lacks after that.
func (s *supervisor) Next(ctx context.Context, v groupchat.View) (groupchat.Decision, error) {
	t := readTrip(v.State)
	if s.started {
		return s.afterSpecialist(v.LastSpeaker, t), nil
	}
	s.started = true
	message, _ := v.LastUser()
	text := message.Content.Text()
	r, err := s.understand(ctx, v, text, t)
	if err != nil {
		return groupchat.Decision{}, err
	}
	return s.start(text, r, t), nil
}

// Snapshot keeps the task over a pause.
func (s *supervisor) Snapshot() (json.RawMessage, error) { return json.Marshal(s.task) }

// Restore continues a task.
func (s *supervisor) Restore(saved json.RawMessage) error {
	s.started = true
	return json.Unmarshal(saved, &s.task)
}

// start decides by the traveller's message and its request.
func (s *supervisor) start(text string, r request, t trip) groupchat.Decision {
	s.task.Days, s.task.Limits = r.Days, r.Limits
	if len(r.Others) > 0 {
		s.note = english.NotCatered(r.Others)
	}
	switch {
	case r.UnknownCity != "":
		return s.reply(english.UnknownCity(r.UnknownCity))
	case r.Kind == english.Greeting:
		return s.reply(english.Welcome(t.planned()))
	case r.Kind == english.About:
		return s.describeCity(r, t)
	}
	from, to, problem := t.towards(r.Request)
	switch {
	case problem != "":
		return s.reply(problem)
	case r.Kind == english.StartOver, !t.started, from != t.from, to != t.to:
		return s.plan(from, to, r.Kind == english.StartOver)
	case r.Kind == english.Change:
		return s.change(text, r, t)
	default:
		return s.proceed(t)
	}
}

func (s *supervisor) plan(from, to *catalogue.City, again bool) groupchat.Decision {
	return s.send(english.Flights, english.Intro(from, to, s.task.Days, again),
		assignment{"/origin", from.Name},
		assignment{"/destination", to.Name},
		assignment{"/flights", []catalogue.Flight{}},
		assignment{"/hotels", []catalogue.Hotel{}},
		assignment{"/experiences", []catalogue.Experience{}},
		assignment{"/itinerary", struct{}{}},
		assignment{"/planning_step", step(english.Flights)},
	)
}

func (s *supervisor) proceed(t trip) groupchat.Decision {
	topic, lacking := t.lacks()
	switch {
	case lacking:
		return s.send(topic, english.Proceed(t.from, t.to, topic))
	case t.step != stepComplete:
		return s.finish(t)
	default:
		return s.reply(english.AlreadyPlanned(t.summary(), s.task.Days))
	}
}

// change asks for the flight or the hotel again, or takes the option that the message names.
func (s *supervisor) change(text string, r request, t trip) groupchat.Decision {
	switch topic := r.Topic; topic {
	case english.Flights, english.Hotels:
		names := t.names(topic)
		s.task.Topic, s.task.Choice = topic, english.Pick(text, names, t.to)
		if i, ok := find(names, func(name string) string { return name }, r.Choice); ok {
			s.task.Choice = names[i]
		}
		switch {
		case !t.has(topic):
			return s.proceed(t)
		case s.task.Choice != "":
			return s.send(topic, "")
		}
		return s.send(topic, english.ChooseAgain(topic))
	case english.Experiences:
		if t.has(topic) {
			return s.reply(english.AllExperiences(t.to))
		}
	default:
		if t.has(english.Flights) {
			return s.reply(english.WhatToChange(t.from, t.to))
		}
	}
	return s.proceed(t)
}

func (s *supervisor) describeCity(r request, t trip) groupchat.Decision {
	city := t.to
	if r.Destination != nil {
		city = r.Destination
	}
	if city == nil {
		return s.reply(english.UnknownCity(t.destination))
	}
	s.task.About = city.Name
	d := s.send(english.Experiences, "")
	d.Act = writeAct(assignment{"/active_agent", string(english.Experiences)})
	return d
}

// afterSpecialist decides after a specialist's turn. If its question was cancelled, planning_step is still collecting.
func (s *supervisor) afterSpecialist(last string, t trip) groupchat.Decision {
	topic, lacking := t.lacks()
	cancelled := last == speaker(english.Flights) && t.step == step(english.Flights) ||
		last == speaker(english.Hotels) && t.step == step(english.Hotels)
	switch {
	case s.task.About != "", lacking && (cancelled || speaker(topic) == last):
		return groupchat.Decision{Done: true, Act: writeAct(assignment{"/active_agent", supervisorAgent})}
	case lacking:
		return s.send(topic, "")
	default:
		return s.finish(t)
	}
}

// send makes the specialist of topic the next speaker after the supervisor's sentence and its writes to the state.
func (s *supervisor) send(topic english.Topic, say string, before ...assignment) groupchat.Decision {
	say = s.addNote(say)
	puts := append(before, assignment{"/active_agent", string(topic)})
	if len(before) == 0 {
		puts = append(puts, assignment{"/planning_step", step(topic)})
	}
	return groupchat.Decision{
		Speaker: speaker(topic),
		Act: func(ctx context.Context, turn *groupchat.Turn) error {
			if say != "" {
				if err := s.voice.say(ctx, turn, "say", say); err != nil {
					return err
				}
			}
			return write(turn, puts...)
		},
		Instruction: s.instruction(topic),
		Reason:      string(topic),
	}
}

// instruction is the specialist's part of the task.
func (s *supervisor) instruction(topic english.Topic) string {
	e := s.task
	e.Spoken = s.voice.model != nil
	return e.instruction(topic)
}

func (s *supervisor) finish(t trip) groupchat.Decision {
	say := s.addNote(english.Ready(t.summary(), s.task.Days))
	return groupchat.Decision{Done: true, Reason: stepComplete,
		Act: func(ctx context.Context, turn *groupchat.Turn) error {
			err := write(turn, assignment{"/active_agent", supervisorAgent}, assignment{"/planning_step", stepComplete})
			if err != nil {
				return err
			}
			return s.voice.say(ctx, turn, "ready", say)
		}}
}

// addNote returns text with the note appended, once.
func (s *supervisor) addNote(text string) string {
	text, s.note = strings.TrimSpace(text+" "+s.note), ""
	return text
}

// reply answers the message and ends the run. It resets active_agent: a stopped run may have left it set.
func (s *supervisor) reply(text string) groupchat.Decision {
	text = s.addNote(text)
	return groupchat.Decision{Done: true, Reason: "reply", Act: func(ctx context.Context, turn *groupchat.Turn) error {
		if err := write(turn, assignment{"/active_agent", supervisorAgent}); err != nil {
			return err
		}
		return s.voice.say(ctx, turn, "reply", text)
	}}
}

func writeAct(puts ...assignment) func(context.Context, *groupchat.Turn) error {
	return func(_ context.Context, turn *groupchat.Turn) error { return write(turn, puts...) }
}

var (
	_ groupchat.Manager     = (*supervisor)(nil)
	_ groupchat.Snapshotter = (*supervisor)(nil)
)
