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

// The members of the shared state, and what they hold before anything happened. The names are those that the
// travel page reads.
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

// The values of planning_step that somebody has to know apart. The others are a stage's own.
const stepComplete = "complete"

// supervisorAgent is active_agent while no specialist works, and the supervisor's name.
const supervisorAgent = "supervisor"

// maxRounds is how many turns the specialists take at most in one run; a whole trip needs three.
const maxRounds = 10

// Options are those of [New]. The zero value is the team that speaks from its script.
type Options struct {
	// Model, if there is one, is what the supervisor and the experiences agent speak through. What is offered, chosen and
	// kept in the state is the team's all the same: a model finds words, for what the script would say.
	Model model.Model
}

// Team returns the team that speaks from its script.
func Team() *groupchat.Chat { return New(Options{}) }

// New returns the team that plans a trip: a supervisor and three specialists, ready to be run and shared by
// any number of runs at once.
//
// What a message asks for is decided once a run, by its words and the shared state alone:
//
//   - A plan goes on with what the trip lacks: a flight, a hotel, experiences. A message that names other
//     cities, or a state whose cities the caller has changed, begins a new trip. A destination that is the
//     present origin turns the trip around.
//   - "Start over" empties the plan and begins it again from the flights, between the cities it names, else
//     the ones it was between.
//   - A change of mind asks for the flight or the hotel again, or takes the one it names.
//   - Greetings, questions about a city, places nobody knows and trips that end where they begin are answered
//     and change nothing.
//   - On a finished plan anything else is told so.
//
// Calling a question off ends the run without a booking; the next message comes back to what is missing.
func New(o Options) *groupchat.Chat {
	return &groupchat.Chat{
		Description: "Plans a trip with you: a flight, a hotel, and what to do there",
		Manager:     func() groupchat.Manager { return &supervisor{voice: voice{o.Model}} },
		Supervisor:  supervisorAgent,
		Participants: []groupchat.Participant{
			{
				Name:        speaker(english.Flights),
				Description: "Finds flights and books the one you choose",
				Agent:       groupchat.AgentFunc(flightDesk.serve),
			},
			{
				Name:        speaker(english.Hotels),
				Description: "Finds places to stay and books the one you choose",
				Agent:       groupchat.AgentFunc(hotelDesk.serve),
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

// speaker is the participant who works on t.
func speaker(t english.Topic) string { return string(t) + "_agent" }

// step is planning_step while t is worked on.
func step(t english.Topic) string {
	if t == english.Experiences {
		return "curating_experiences"
	}
	return "collecting_" + string(t)
}
