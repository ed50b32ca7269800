package travel

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state/document"
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
	// Model parses travellers' messages in any language, and phrases the team's texts in theirs; nil means plain
	// English and fixed texts. Offers, prices and bookings do not depend on it.
	Model model.Model
}

// Team returns the team that speaks from its script.
func Team() *groupchat.Chat { return New(Options{}) }

// New returns the team that plans a trip: a supervisor and three specialists. It is safe for any number of concurrent
// runs.
//
// The supervisor decides once per run how to treat the message, from the shared state and the message, which a model
// may parse:
//
//   - Planning continues with the part that the trip lacks: a flight, a hotel, experiences. A message that names other
//
// cities, or a state with cities that the caller has changed, begins a new trip. A destination that is the present
// origin reverses the trip.
//   - "Start over" empties the plan and begins it again from the flights, between the cities it names, else
//
// the previous ones.
//   - A change of mind asks for the flight or the hotel again, or takes the one it names.
//   - Greetings, questions about a city, unknown places and trips with equal ends are answered
//
// and change nothing.
//   - Any other message on a complete plan is answered with the plan.
//   - Limits of prices and ratings, which a model finds, change the recommendation; the reply lists other wishes as
//
// outside the team's abilities.
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
				Agent:       groupchat.AgentFunc(flightDesk.speakWith(voice{o.Model}).turn),
			},
			{
				Name:        speaker(english.Hotels),
				Description: "Finds places to stay and books the one you choose",
				Agent:       groupchat.AgentFunc(hotelDesk.speakWith(voice{o.Model}).turn),
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
			Reducers: document.Reducers{"/itinerary": document.Merge},
			Client:   []string{"/origin", "/destination"},
		},
		Suggester: groupchat.SuggesterFunc(suggest),
	}
}

func speaker(t english.Topic) string { return string(t) + "_agent" }

// step returns planning_step while a participant works on t.
func step(t english.Topic) string {
	if t == english.Experiences {
		return "curating_experiences"
	}
	return "collecting_" + string(t)
}
