package travel_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/travel"
	"github.com/agui-gateway/gateway/travel/internal/catalogue"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

const (
	klm = `{"airline":"KLM","departure":"Amsterdam (AMS)","arrival":"San Francisco (SFO)","price":"$650","duration":"11h 30m"}`
	zoe = `{"name":"Hotel Zoe","location":"Union Square","price_per_night":"$320/night","rating":"4.4 stars"}`
)

func TestTeamIsValid(t *testing.T) {
	t.Parallel()
	if err := travel.Team().Validate(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range travel.Team().Describe().Participants {
		names = append(names, p.Name)
		if p.Description == "" {
			t.Errorf("%s has no description", p.Name)
		}
	}
	if diff := cmp.Diff([]string{"flights_agent", "hotels_agent", "experiences_agent"}, names); diff != "" {
		t.Errorf("participants differ (-want +got):\n%s", diff)
	}
}

// outline is the stream as reference/orchestration.md 3.5 writes it: no subagents, a message as one word, the
// operations of a delta, the conversation of a snapshot by who said it.
func outline(events []agui.Event) []string {
	var lines []string
	for _, e := range events {
		line := string(agui.TypeOf(e))
		switch e := e.(type) {
		case *agui.SubagentStarted, *agui.SubagentFinished, *agui.TextMessageContent, *agui.TextMessageEnd:
			continue
		case *agui.TextMessageStart:
			line = "TEXT " + e.Name
		case *agui.StepStarted:
			line += " " + e.StepName
		case *agui.StepFinished:
			line += " " + e.StepName
		case *agui.MessagesSnapshot:
			for _, m := range e.Messages {
				line += " " + speakerOf(m)
			}
		case *agui.StateDelta:
			for _, op := range e.Delta {
				line += " " + op.Op + " " + op.Path
				if op.Value[0] == '"' {
					line += " " + strings.Trim(string(op.Value), `"`)
				}
			}
		case *agui.RunFinished:
			line += " " + string(e.Outcome.Type)
		}
		lines = append(lines, line)
	}
	return lines
}

func speakerOf(m agui.Message) string {
	if m.Name != "" {
		return m.Name
	}
	return string(m.Role)
}

// The streams of the well-known trip are part of the contract, in this order. The offer is written with the choice; on
// a pause the step ends after the snapshots.
func TestTheStreamsOfTheWellKnownTrip(t *testing.T) {
	t.Parallel()
	for name, initial := range map[string]string{
		"nothing": ``, "empty": `{}`, "seeded by the page": string(team.StateSpec().Initial),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			th := newThread(t)
			th.state = json.RawMessage(initial)
			check := func(run string, events []agui.Event, want ...string) {
				t.Helper()
				if diff := cmp.Diff(want, outline(events)); diff != "" {
					t.Errorf("%s differs (-want +got):\n%s", run, diff)
				}
			}
			check("run 1", th.say("Plan my trip"),
				"RUN_STARTED", "STATE_SNAPSHOT",
				"STEP_STARTED supervisor", "TEXT supervisor",
				"STATE_DELTA replace /planning_step collecting_flights replace /active_agent flights", "STEP_FINISHED supervisor",
				"STEP_STARTED flights_agent", "TEXT flights_agent",
				"STATE_SNAPSHOT", "MESSAGES_SNAPSHOT user supervisor flights_agent",
				"STEP_FINISHED flights_agent", "RUN_FINISHED interrupt")
			check("run 2", th.answer(klm),
				"RUN_STARTED", "STATE_SNAPSHOT",
				"STEP_STARTED flights_agent", "STATE_DELTA replace /flights add /itinerary/flight replace /planning_step booking_flight",
				"TEXT flights_agent", "STEP_FINISHED flights_agent",
				"STEP_STARTED supervisor", "STATE_DELTA replace /active_agent hotels replace /planning_step collecting_hotels", "STEP_FINISHED supervisor",
				"STEP_STARTED hotels_agent", "TEXT hotels_agent",
				"STATE_SNAPSHOT", "MESSAGES_SNAPSHOT user supervisor flights_agent flights_agent hotels_agent",
				"STEP_FINISHED hotels_agent", "RUN_FINISHED interrupt")
			check("run 3", th.answer(zoe),
				"RUN_STARTED", "STATE_SNAPSHOT",
				"STEP_STARTED hotels_agent", "STATE_DELTA replace /hotels add /itinerary/hotel replace /planning_step booking_hotel",
				"TEXT hotels_agent", "STEP_FINISHED hotels_agent",
				"STEP_STARTED supervisor", "STATE_DELTA replace /active_agent experiences replace /planning_step curating_experiences", "STEP_FINISHED supervisor",
				"STEP_STARTED experiences_agent", "STATE_DELTA replace /experiences", "TEXT experiences_agent", "STEP_FINISHED experiences_agent",
				"STEP_STARTED supervisor", "STATE_DELTA replace /active_agent supervisor replace /planning_step complete", "TEXT supervisor", "STEP_FINISHED supervisor",
				"STATE_SNAPSHOT",
				"MESSAGES_SNAPSHOT user supervisor flights_agent flights_agent hotels_agent hotels_agent experiences_agent supervisor",
				"RUN_FINISHED success")
		})
	}
}

// The state at the ends of the three runs, member by member (orchestration.md 3.2).
func TestTheStateOfTheWellKnownTrip(t *testing.T) {
	t.Parallel()
	th := newThread(t)
	from, _ := english.Lookup("Amsterdam")
	to, _ := english.Lookup("San Francisco")
	flights, _ := catalogue.Flights(from, to)
	hotels, _ := to.Hotels()
	want := map[string]any{
		"origin": "Amsterdam", "destination": "San Francisco",
		"flights": []any{}, "hotels": []any{}, "experiences": []any{}, "itinerary": map[string]any{},
		"planning_step": "collecting_flights", "active_agent": "flights",
	}
	check := func(run string) {
		t.Helper()
		raw, err := json.Marshal(want)
		th.must(err)
		var a, b any
		th.must(json.Unmarshal(raw, &a))
		th.must(json.Unmarshal(th.state, &b))
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("the state after %s differs (-want +got):\n%s", run, diff)
		}
	}
	th.say("Plan my trip")
	check("run 1")
	th.answer(`{"airline":"KLM","price":"$1"}`)
	want["flights"], want["itinerary"] = flights, map[string]any{"flight": flights[0]}
	want["planning_step"], want["active_agent"] = "collecting_hotels", "hotels"
	check("run 2")
	th.answer(`{"name":" hotel ZOE ","rating":"5 stars"}`)
	want["hotels"], want["experiences"] = hotels, to.Experiences()
	want["itinerary"] = map[string]any{"flight": flights[0], "hotel": hotels[2]}
	want["planning_step"], want["active_agent"] = "complete", "supervisor"
	check("run 3")
}

// What a card needs is in the interrupt, under the names that pages read.
func TestInterrupts(t *testing.T) {
	t.Parallel()
	th := newThread(t)
	check := func(agent, member, recommended string, options int) {
		t.Helper()
		i := th.open[0]
		var value struct {
			Message        string
			Options        []map[string]string
			Recommendation map[string]string
			Agent          string
		}
		th.must(json.Unmarshal(i.Metadata["value"], &value))
		var schema struct {
			Type                 string
			Required             []string
			AdditionalProperties *bool
		}
		th.must(json.Unmarshal(i.ResponseSchema, &schema))
		if i.Reason != "input_required" || i.Message == "" || value.Message != i.Message || value.Agent != agent ||
			len(value.Options) != options || value.Recommendation[member] != recommended {
			t.Errorf("the interrupt is %+v with %s", i.Interrupt, i.Metadata["value"])
		}
		if schema.Type != "object" || !slices.Equal(schema.Required, []string{member}) || schema.AdditionalProperties != nil {
			t.Errorf("the schema is %s", i.ResponseSchema)
		}
		for _, option := range value.Options {
			if len(option) < 4 || option[member] == "" {
				t.Errorf("an option is %v", option)
			}
		}
	}
	th.say("Plan my trip")
	check("flights", "airline", "KLM", 2)
	first := th.open[0].ID
	th.answer(`{"airline":"Lufthansa"}`)
	check("flights", "airline", "KLM", 2)
	if th.open[0].ID == first {
		t.Error("asking again reuses the answered id")
	}
	th.answer(klm)
	check("hotels", "name", "Hotel Zoe", 3)
}

func TestTextComesInPieces(t *testing.T) {
	t.Parallel()
	th := newThread(t)
	pieces := func(events []agui.Event) map[string]int {
		n := map[string]int{}
		for _, e := range events {
			if c, ok := e.(*agui.TextMessageContent); ok {
				n[c.MessageID]++
			}
		}
		return n
	}
	for id, n := range pieces(th.say("Plan my trip")) {
		if n < 5 {
			t.Errorf("message %s came in %d pieces", id, n)
		}
	}
	for _, city := range catalogue.Cities() {
		name := city.Name
		th := newThread(t)
		for _, n := range pieces(th.say("Tell me everything about " + name)) {
			if n < 60 {
				t.Errorf("%s is described in %d pieces, want 60 or more", name, n)
			}
		}
		if last := th.messages[len(th.messages)-1]; last.Name != "experiences_agent" || last.Content.Text() != city.About {
			t.Errorf("%s said %q about %s", last.Name, last.Content.Text(), name)
		}
		if th.open != nil || at[string](th, "/planning_step") != "start" || at[string](th, "/active_agent") != "supervisor" {
			t.Errorf("a question about %s changed the plan: %s", name, th.state)
		}
	}
}

// A run with a dead owner continues from its last commit, with the messages and bookings of the first owner.
func TestTakeover(t *testing.T) {
	t.Parallel()
	finish := func(crash int) *thread {
		th := newThread(t)
		th.say("Start over with a trip for 3 days")
		th.answer(klm)
		th.crash = crash
		th.answer(zoe)
		if crash > 0 {
			th.run(nil)
		}
		return th
	}
	want := finish(0)
	for crash := 1; crash <= 2; crash++ {
		got := finish(crash)
		if diff := cmp.Diff(string(want.state), string(got.state)); diff != "" {
			t.Errorf("after the crash at commit %d the state differs:\n%s", crash, diff)
		}
		if diff := cmp.Diff(spoken(want.messages), spoken(got.messages)); diff != "" {
			t.Errorf("after the crash at commit %d the conversation differs:\n%s", crash, diff)
		}
	}
}

func spoken(messages []agui.Message) []string {
	var texts []string
	for _, m := range messages {
		texts = append(texts, m.Name+": "+m.Content.Text())
	}
	return texts
}

// A message beside an answer is read and is no separate request (design.md 3, row 1).
func TestAMessageBesideAnAnswer(t *testing.T) {
	t.Parallel()
	th := newThread(t)
	th.say("Start over, from Rome to Tokyo")
	th.messages = append(th.messages, agui.Message{ID: "beside", Role: agui.RoleUser, Content: agui.TextContent("Start over with Paris")})
	th.answer(`{"airline":"ANA"}`)
	if got := at[string](th, "/itinerary/flight/airline"); got != "ANA" || at[string](th, "/destination") != "Tokyo" {
		t.Errorf("the answer led to %s", th.state)
	}
	if len(th.open) != 1 || at[string](th, "/active_agent") != "hotels" {
		t.Errorf("the plan does not go on: %s", th.state)
	}
}
