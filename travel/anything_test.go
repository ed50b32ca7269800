package travel_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
)

// For any messages and clicks every run ends, in a state that fits its outcome, and confirmed bookings are correct. The
// thread itself checks the order of events and the deltas.
func TestAnyConversation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		th := newThread(r)
		if rapid.Bool().Draw(r, "seeded") {
			th.state = json.RawMessage(rapid.SampledFrom([]string{
				`{}`, `{"origin":"Rome","destination":"Rome"}`, `{"origin":"","destination":"Atlantis"}`, `{"origin":7,"itinerary":null}`,
			}).Draw(r, "state"))
		}
		for range rapid.IntRange(1, 8).Draw(r, "runs") {
			before := len(th.messages)
			var events []agui.Event
			switch move := rapid.IntRange(0, 5).Draw(r, "move"); {
			case th.open == nil || move == 0:
				events = th.say(rapid.SampledFrom([]string{
					"Plan my trip", "Hello", "Start over", "start over, to Rome", "I want the other hotel", "a different flight", "take the Ritz instead",
					"Switch to United", "Plan a trip to Paris for 5 days", "flights to Amsterdam", "Tell me about Tokyo", "Tell me about Atlantis",
					"from Rome to Rome", "I changed my mind", "some other restaurants", "thanks", "", "a cheaper hotel in Lisbon", "from Sydney",
				}).Draw(r, "text"))
			case move == 1:
				events = th.cancel()
			case move == 2:
				events = th.answer(`{"airline":"none","name":"none"}`)
			default:
				events = th.answer(string(option(th, move)))
			}
			judge(r, th, events, th.messages[min(before, len(th.messages)):])
		}
	})
}

// option is one of the open question's.
func option(th *thread, n int) json.RawMessage {
	var value struct{ Options []json.RawMessage }
	th.must(json.Unmarshal(th.open[0].Metadata["value"], &value))
	return value.Options[n%len(value.Options)]
}

func judge(t reporter, th *thread, events []agui.Event, said []agui.Message) {
	t.Helper()
	step, active := at[string](th, "/planning_step"), at[string](th, "/active_agent")
	if th.open != nil {
		var value struct{ Agent string }
		th.must(json.Unmarshal(th.open[0].Metadata["value"], &value))
		if active != value.Agent || step != "collecting_"+active {
			t.Errorf("%s asks in the state %s", value.Agent, th.state)
		}
	} else if active != "supervisor" {
		t.Errorf("nobody asks in the state %s", th.state)
	}
	confirmed, booked := 0, 0
	for _, m := range said {
		switch text := m.Content.Text(); {
		case m.Role == agui.RoleUser:
		case strings.Contains(text, "what you have already"): // named once more; the step is the same
			booked--
		default:
			confirmed += strings.Count(text, "I'll book")
		}
	}
	for _, e := range events {
		if d, ok := e.(*agui.StateDelta); ok && strings.Contains(compact(t, d.Delta), `"booking_`) {
			booked++
		}
	}
	if confirmed != booked {
		t.Errorf("%d bookings were confirmed %d times: %v", booked, confirmed, spoken(said))
	}
}
