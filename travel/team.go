package travel

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

// The trip that is planned when the traveller names no cities.
const (
	defaultOrigin      = "Amsterdam"
	defaultDestination = "San Francisco"
)

// initialState is the shared state of a new thread. The page reads it under these names.
const initialState = `{
	"origin": "` + defaultOrigin + `",
	"destination": "` + defaultDestination + `",
	"flights": [],
	"hotels": [],
	"experiences": [],
	"itinerary": {},
	"planning_step": "start",
	"active_agent": "supervisor"
}`

// stepComplete is planning_step when the trip has everything. The other values are in step and in the desks.
const stepComplete = "complete"

// supervisorAgent is the supervisor's name, and active_agent while no specialist works.
const supervisorAgent = "supervisor"

// maxRounds limits the specialists' turns in one run; a whole trip needs three.
const maxRounds = 10

// Options are the options of [New]. With the zero value the team speaks from its script.
type Options struct {
	// Model finds out what travellers ask for, in any language, and says what the team says in theirs; nil means plain English and the
	// script's own words. What there is, what it costs and what is booked are decided without it.
	Model model.Model
}

// Team returns the team that speaks from its script.
func Team() *groupchat.Chat { return New(Options{}) }

// New returns the team that plans a trip: a supervisor and three specialists, ready to be run and shared by
// any number of runs at once.
//
// The supervisor decides once a run what the message asks for, by the shared state and its words, which a model may read for it:
//
//   - Planning goes on with the part that the trip lacks: a flight, a hotel, experiences. A message that names other
//     cities, or a state whose cities the caller has changed, begins a new trip. A destination that is the
//     present origin turns the trip around.
//   - "Start over" empties the plan and begins it again from the flights, between the cities it names, else
//     the ones it was between.
//   - A change of mind asks for the flight or the hotel again, or takes the one it names.
//   - Greetings, questions about a city, places nobody knows and trips that end where they begin are answered
//     and change nothing.
//   - Any other message on a complete plan is answered with the plan.
//   - Limits of prices and ratings, which a model finds, decide what is recommended; what else is wished for is
//     named as what the team cannot take care of.
//
// Cancelling a question ends the run without a booking; the next message continues with the missing part.
func New(o Options) *groupchat.Chat {
	return &groupchat.Chat{
		Description: "Plans a trip with you: a flight, a hotel, and what to do there",
		Manager:     func() groupchat.Manager { return &supervisor{voice: voice{o.Model}} },
		Supervisor:  supervisorAgent,
		Participants: []groupchat.Participant{
			{
				Name:        speaker(english.Flights),
				Description: "Finds flights and books the one you choose",
				Agent:       groupchat.AgentFunc(flightDesk.speaking(voice{o.Model}).turn),
			},
			{
				Name:        speaker(english.Hotels),
				Description: "Finds places to stay and books the one you choose",
				Agent:       groupchat.AgentFunc(hotelDesk.speaking(voice{o.Model}).turn),
			},
			{
				Name:        speaker(english.Experiences),
				Description: "Knows the restaurants and sights of a city",
				Agent:       guide(voice{o.Model}),
			},
		},
		MaxRounds: maxRounds,
		Closing:   english.Closing,
		State: groupchat.StateSpec{
			Initial:  json.RawMessage(initialState),
			Reducers: state.Reducers{"/itinerary": state.Merge},
			Client:   []string{"/origin", "/destination"},
		},
		Suggester: groupchat.SuggesterFunc(suggest),
	}
}

// speaker returns the name of the participant who works on t.
func speaker(t english.Topic) string { return string(t) + "_agent" }

// step returns planning_step while a participant works on t.
func step(t english.Topic) string {
	if t == english.Experiences {
		return "curating_experiences"
	}
	return "collecting_" + string(t)
}
