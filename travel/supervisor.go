package travel

import (
	"context"
	"encoding/json"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/travel/internal/catalogue"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

// A supervisor decides who works on the trip next. What is done it reads from the shared state; its own is
// only the errand, and whether it has understood the traveller's message yet: a run that brings an answer
// still has that message as its newest, and "start over" must not happen twice.
type supervisor struct {
	voice   voice
	errand  errand
	started bool
}

// Next decides what the message asks for, and from then on what the trip lacks.
func (s *supervisor) Next(_ context.Context, v groupchat.View) (groupchat.Decision, error) {
	t := readTrip(v.State)
	if s.started {
		return s.goOn(v.LastSpeaker, t), nil
	}
	s.started = true
	message, _ := v.LastUser()
	return s.start(message.Content.Text(), t), nil
}

// Snapshot keeps the errand over a pause.
func (s *supervisor) Snapshot() (json.RawMessage, error) { return json.Marshal(s.errand) }

// Restore goes on with an errand.
func (s *supervisor) Restore(saved json.RawMessage) error {
	s.started = true
	return json.Unmarshal(saved, &s.errand)
}

// start understands the traveller's message.
func (s *supervisor) start(text string, t trip) groupchat.Decision {
	r := english.Parse(text)
	s.errand.Days = r.Days
	switch {
	case r.UnknownCity != "":
		return s.reply(english.UnknownCity(r.UnknownCity))
	case r.Kind == english.Greeting:
		return s.reply(english.Welcome(t.planned()))
	case r.Kind == english.About:
		return s.tell(r, t)
	}
	from, to, problem := t.towards(r)
	switch {
	case problem != "":
		return s.reply(problem)
	case r.Kind == english.StartOver, !t.started, from != t.from, to != t.to:
		return s.plan(from, to, r.Kind == english.StartOver)
	case r.Kind == english.Change:
		return s.change(text, r.Topic, t)
	default:
		return s.proceed(t)
	}
}

// plan starts a trip with nothing chosen.
func (s *supervisor) plan(from, to *catalogue.City, again bool) groupchat.Decision {
	return s.send(english.Flights, english.Intro(from, to, s.errand.Days, again),
		put{"/origin", from.Name},
		put{"/destination", to.Name},
		put{"/flights", []catalogue.Flight{}},
		put{"/hotels", []catalogue.Hotel{}},
		put{"/experiences", []catalogue.Experience{}},
		put{"/itinerary", struct{}{}},
		put{"/planning_step", step(english.Flights)},
	)
}

// proceed goes on with a trip that was left half planned.
func (s *supervisor) proceed(t trip) groupchat.Decision {
	topic, lacking := t.lacks()
	switch {
	case lacking:
		return s.send(topic, english.Proceed(t.from, t.to, topic))
	case t.step != stepComplete:
		return s.finish(t)
	default:
		return s.reply(english.AlreadyPlanned(t.summary()))
	}
}

// change does what a change of mind asks for.
func (s *supervisor) change(text string, topic english.Topic, t trip) groupchat.Decision {
	switch topic {
	case english.Flights, english.Hotels:
		s.errand.Topic, s.errand.Choice = topic, english.Pick(text, t.names(topic), t.to)
		switch {
		case !t.has(topic):
			return s.proceed(t)
		case s.errand.Choice != "":
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

// tell lets the one who knows the city talk about it.
func (s *supervisor) tell(r english.Request, t trip) groupchat.Decision {
	city := t.to
	if r.Destination != nil {
		city = r.Destination
	}
	if city == nil {
		return s.reply(english.UnknownCity(t.destination))
	}
	s.errand.About = city.Name
	d := s.send(english.Experiences, "")
	d.Act = writing(put{"/active_agent", string(english.Experiences)})
	return d
}

// goOn decides after a specialist has worked. Who was called off left planning_step at collecting.
func (s *supervisor) goOn(last string, t trip) groupchat.Decision {
	topic, lacking := t.lacks()
	calledOff := last == speaker(english.Flights) && t.step == step(english.Flights) ||
		last == speaker(english.Hotels) && t.step == step(english.Hotels)
	switch {
	case s.errand.About != "", lacking && (calledOff || speaker(topic) == last):
		return groupchat.Decision{Done: true, Act: writing(put{"/active_agent", supervisorAgent})}
	case lacking:
		return s.send(topic, "")
	default:
		return s.finish(t)
	}
}

// send gives the floor to the specialist of topic, after the supervisor has said its part and written what
// goes with it.
func (s *supervisor) send(topic english.Topic, say string, before ...put) groupchat.Decision {
	puts := append(before, put{"/active_agent", string(topic)})
	if len(before) == 0 {
		puts = append(puts, put{"/planning_step", step(topic)})
	}
	return groupchat.Decision{
		Speaker: speaker(topic),
		Act: func(ctx context.Context, turn *groupchat.Turn) error {
			if say != "" {
				if err := s.voice.say(ctx, turn, "say", say); err != nil {
					return err
				}
			}
			return write(turn.State(), puts...)
		},
		Instruction: s.errand.instruction(topic),
		Reason:      string(topic),
	}
}

// finish ends a trip that has everything.
func (s *supervisor) finish(t trip) groupchat.Decision {
	return groupchat.Decision{Done: true, Reason: stepComplete, Act: func(ctx context.Context, turn *groupchat.Turn) error {
		err := write(turn.State(), put{"/active_agent", supervisorAgent}, put{"/planning_step", stepComplete})
		if err != nil {
			return err
		}
		return s.voice.say(ctx, turn, "ready", english.Ready(t.summary(), s.errand.Days))
	}}
}

// reply answers the message and ends the run. A run that was stopped may have left a specialist active.
func (s *supervisor) reply(text string) groupchat.Decision {
	return groupchat.Decision{Done: true, Reason: "reply", Act: func(ctx context.Context, turn *groupchat.Turn) error {
		if err := write(turn.State(), put{"/active_agent", supervisorAgent}); err != nil {
			return err
		}
		return s.voice.say(ctx, turn, "reply", text)
	}}
}

func writing(puts ...put) func(context.Context, *groupchat.Turn) error {
	return func(_ context.Context, turn *groupchat.Turn) error { return write(turn.State(), puts...) }
}

var (
	_ groupchat.Manager     = (*supervisor)(nil)
	_ groupchat.Snapshotter = (*supervisor)(nil)
)
