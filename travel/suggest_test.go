package travel_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/travel"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

// The team understands its own suggestions, and they fit the trip.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	const flight = `"flight":{"airline":"KLM","departure":"Amsterdam (AMS)","arrival":"San Francisco (SFO)"}`
	for _, test := range []struct {
		name, state string
		most        int
		kinds       []english.Kind
	}{
		{"nothing yet", `{}`, 3, []english.Kind{english.Plan, english.About, english.Greeting}},
		{"room for one", `{}`, 1, []english.Kind{english.Plan}},
		{"no room", `{}`, 0, nil},
		{"other cities", `{"origin":"Paris","destination":"Tokyo"}`, 3, []english.Kind{english.Plan, english.About, english.Greeting}},
		{"a city nobody knows", `{"destination":"Atlantis"}`, 3, []english.Kind{english.Plan, english.Greeting}},
		{"nowhere", `{"origin":"Paris","destination":"Paris"}`, 3, []english.Kind{english.Plan, english.Greeting}},
		{"asked for a flight", `{"planning_step":"collecting_flights"}`, 3, []english.Kind{english.Plan, english.About, english.StartOver}},
		{"with a flight", `{"itinerary":{` + flight + `}}`, 3, []english.Kind{english.Plan, english.About, english.StartOver}},
		{"with a flight to elsewhere", `{"destination":"Tokyo","itinerary":{` + flight + `}}`, 3, []english.Kind{english.Plan, english.About, english.Greeting}},
		{"planned", `{"itinerary":{` + flight + `,"hotel":{"name":"Hotel Zoe"}},"experiences":[{"name":"Pier 39"}]}`, 3,
			[]english.Kind{english.StartOver, english.Change, english.Change}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc, err := document.New(json.RawMessage(test.state), document.Options{})
			if err != nil {
				t.Fatal(err)
			}
			list, err := travel.Team().Suggest(t.Context(), groupchat.Situation{State: doc, Most: test.most})
			if err != nil {
				t.Fatal(err)
			}
			var kinds []english.Kind
			for _, s := range list {
				r := english.Parse(s.Message)
				kinds = append(kinds, r.Kind)
				if s.Title == "" || r.UnknownCity != "" {
					t.Errorf("%+v", s)
				}
			}
			if diff := cmp.Diff(test.kinds, kinds); diff != "" {
				t.Error(diff)
			}
		})
	}
}
