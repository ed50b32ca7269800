package english_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/travel/internal/catalogue"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

// understood is a Request that can be written in a table.
type understood struct {
	Kind     english.Kind
	From, To string
	Unknown  string
	Days     int
	Topic    english.Topic
}

func understand(text string) understood {
	r := english.Parse(text)
	return understood{r.Kind, r.Origin.String(), r.Destination.String(), r.UnknownCity, r.Days, r.Topic}
}

func TestParse(t *testing.T) {
	t.Parallel()
	const (
		plan, greeting, about = english.Plan, english.Greeting, english.About
		over, change          = english.StartOver, english.Change
		flights, hotels       = english.Flights, english.Hotels
		experiences           = english.Experiences
	)
	tests := []struct {
		text string
		want understood
	}{
		// Greetings.
		{"Hello, what can you do?", understood{Kind: greeting}},
		{"hi", understood{Kind: greeting}},
		{"Hey there!", understood{Kind: greeting}},
		{"Good morning", understood{Kind: greeting}},
		{"What can you do", understood{Kind: greeting}},
		{"Who are you?", understood{Kind: greeting}},
		{"Tell me about yourself", understood{Kind: greeting}},
		{"help", understood{Kind: greeting}},
		{"Can you help me?", understood{Kind: greeting}},
		{"Which cities do you know?", understood{Kind: greeting}},
		{"Hello! I'd like to plan a trip", understood{Kind: plan}},
		{"Hi, can you help me plan a trip?", understood{Kind: plan}},
		{"Hello Paris", understood{Kind: plan, To: "Paris"}},

		// Questions about a city.
		{"Tell me everything about San Francisco", understood{Kind: about, To: "San Francisco"}},
		{"tell me everything about san francisco", understood{Kind: about, To: "San Francisco"}},
		{"TELL ME EVERYTHING ABOUT SAN FRANCISCO!!", understood{Kind: about, To: "San Francisco"}},
		{"Tell me everything about “San Francisco”.", understood{Kind: about, To: "San Francisco"}},
		{"Tell me about SF", understood{Kind: about, To: "San Francisco"}},
		{"Tell me more about Reykjavík", understood{Kind: about, To: "Reykjavik"}},
		{"What is Tokyo like in autumn?", understood{Kind: about, To: "Tokyo"}},
		{"What should I eat in Lisbon?", understood{Kind: about, To: "Lisbon", Topic: experiences}},
		{"Best time to visit Rio?", understood{Kind: about, To: "Rio de Janeiro"}},
		{"Tell me about the city of Rome", understood{Kind: about, To: "Rome"}},
		{"Tell me everything about San Francisco before my trip", understood{Kind: about, To: "San Francisco"}},
		{"Tell me about Atlantis", understood{Kind: about, Unknown: "Atlantis"}},
		{"tell me everything about atlantis", understood{Kind: about, Unknown: "Atlantis"}},
		{"Tell me about the Golden Gate Bridge", understood{Kind: about, To: "San Francisco"}},
		{"Tell me about the Louvre in Paris", understood{Kind: about, To: "Paris"}},
		{"Tell me more about the city", understood{Kind: about}},
		{"Is Berlin nice?", understood{Kind: about, To: "Berlin"}},

		// Plans: destinations.
		{"Plan a trip to Paris for 5 days", understood{Kind: plan, To: "Paris", Days: 5}},
		{"plan a trip to paris for 5 days", understood{Kind: plan, To: "Paris", Days: 5}},
		{"PLAN A TRIP TO PARIS", understood{Kind: plan, To: "Paris"}},
		{"Plan A Trip To Paris", understood{Kind: plan, To: "Paris"}},
		{"Plan a trip to \"Paris\"", understood{Kind: plan, To: "Paris"}},
		{"Plan a trip to **Paris**, please.", understood{Kind: plan, To: "Paris"}},
		{"Paris", understood{Kind: plan, To: "Paris"}},
		{"What about Paris?", understood{Kind: plan, To: "Paris"}},
		{"Why not Paris?", understood{Kind: about, To: "Paris"}},
		{"Let's go to nyc!", understood{Kind: plan, To: "New York"}},
		{"I'm interested in Paris", understood{Kind: plan, To: "Paris"}},
		{"Find me flights to Tokyo", understood{Kind: plan, To: "Tokyo", Topic: flights}},
		{"Tell me about flights to Tokyo", understood{Kind: plan, To: "Tokyo", Topic: flights}},
		{"How much is a flight to Tōkyō?", understood{Kind: plan, To: "Tokyo", Topic: flights}},
		{"Is there a hotel in São Paulo?", understood{Kind: plan, Unknown: "São Paulo", Topic: hotels}},
		{"Find a hotel in Cape Town", understood{Kind: plan, To: "Cape Town", Topic: hotels}},
		{"I'm in Paris, find me a hotel", understood{Kind: plan, To: "Paris", Topic: hotels}},
		{"Book flights and a hotel in Rome", understood{Kind: plan, To: "Rome"}},
		{"Find restaurants in Barcelona", understood{Kind: plan, To: "Barcelona", Topic: experiences}},
		{"A trip to Japan", understood{Kind: plan, To: "Tokyo"}},
		{"I want to travel to Paris to see the Louvre", understood{Kind: plan, To: "Paris"}},

		// Plans: both ends.
		{"from Berlin to Lisbon", understood{Kind: plan, From: "Berlin", To: "Lisbon"}},
		{"to Lisbon from Berlin", understood{Kind: plan, From: "Berlin", To: "Lisbon"}},
		{"I want to go from London to New York", understood{Kind: plan, From: "London", To: "New York"}},
		{"London to New York City", understood{Kind: plan, From: "London", To: "New York"}},
		{"flights AMS - SFO", understood{Kind: plan, From: "Amsterdam", To: "San Francisco", Topic: flights}},
		{"Berlin–Lisbon", understood{Kind: plan, From: "Berlin", To: "Lisbon"}},
		{"Berlin → Lisbon", understood{Kind: plan, From: "Berlin", To: "Lisbon"}},
		{"Flights between Rome and Istanbul", understood{Kind: plan, From: "Rome", To: "Istanbul", Topic: flights}},
		{"I live in Berlin and want to travel to Lisbon", understood{Kind: plan, From: "Berlin", To: "Lisbon"}},
		{"Origin: Berlin, destination: Lisbon", understood{Kind: plan, From: "Berlin", To: "Lisbon"}},
		{"How do I get from London to Paris?", understood{Kind: plan, From: "London", To: "Paris"}},
		{"I'm leaving from Sydney", understood{Kind: plan, From: "Sydney"}},
		{"from Paris to Paris", understood{Kind: plan, From: "Paris", To: "Paris"}},
		{"Rome instead of Paris", understood{Kind: plan, To: "Rome"}},
		{"Let's go to Rome instead", understood{Kind: plan, To: "Rome"}},
		{"Change the destination to Rome", understood{Kind: plan, To: "Rome"}},
		{"Change the origin to Berlin", understood{Kind: plan, From: "Berlin"}},
		{"Change the destination from Paris to Rome", understood{Kind: plan, To: "Rome"}},
		{"Not Paris, Rome", understood{Kind: plan, To: "Rome"}},

		// Plans: nothing named.
		{"Plan my trip", understood{Kind: plan}},
		{"I'd like to travel", understood{Kind: plan}},
		{"Book me a flight", understood{Kind: plan, Topic: flights}},
		{"I want a flight", understood{Kind: plan, Topic: flights}},
		{"", understood{Kind: plan}},
		{"?!…", understood{Kind: plan}},
		{"go", understood{Kind: plan}},

		// Lengths.
		{"five days in Rome", understood{Kind: plan, To: "Rome", Days: 5}},
		{"a 10-day trip to Bangkok", understood{Kind: plan, To: "Bangkok", Days: 10}},
		{"a week in Istanbul", understood{Kind: plan, To: "Istanbul", Days: 7}},
		{"two weeks in Sydney", understood{Kind: plan, To: "Sydney", Days: 14}},
		{"3 nights in Singapore", understood{Kind: plan, To: "Singapore", Days: 4}},
		{"A weekend in Amsterdam", understood{Kind: plan, To: "Amsterdam", Days: 2}},
		{"a long weekend in Amsterdam", understood{Kind: plan, To: "Amsterdam", Days: 3}},
		{"a couple of days in Rome", understood{Kind: plan, To: "Rome", Days: 2}},
		{"a trip to Rome in 5 days", understood{Kind: plan, To: "Rome"}},
		{"a trip to Paris next week", understood{Kind: plan, To: "Paris"}},
		{"99999999999999999999 days in Rome", understood{Kind: plan, To: "Rome"}},
		{"0 days in Rome", understood{Kind: plan, To: "Rome"}},

		// Unknown places.
		{"Plan a trip to Atlantis", understood{Kind: plan, Unknown: "Atlantis"}},
		{"plan a trip to atlantis", understood{Kind: plan, Unknown: "Atlantis"}},
		{"PLAN A TRIP TO ATLANTIS", understood{Kind: plan, Unknown: "Atlantis"}},
		{"Plan A Trip To Atlantis For 5 Days", understood{Kind: plan, Unknown: "Atlantis", Days: 5}},
		{"Plan a trip to “Atlantis”!", understood{Kind: plan, Unknown: "Atlantis"}},
		{"Find me flights to Santiago de Compostela in May", understood{Kind: plan, Unknown: "Santiago de Compostela", Topic: flights}},
		{"I want to go to New Orleans", understood{Kind: plan, Unknown: "New Orleans"}},
		{"from Atlantis to Paris", understood{Kind: plan, To: "Paris", Unknown: "Atlantis"}},
		{"from Berlin to Atlantis", understood{Kind: plan, From: "Berlin", Unknown: "Atlantis"}},
		{"Paris to Atlantis", understood{Kind: plan, From: "Paris", Unknown: "Atlantis"}},
		{"I'd love to visit Kyoto", understood{Kind: plan, Unknown: "Kyoto"}},
		{"A trip to The Hague on Monday", understood{Kind: plan, Unknown: "Hague"}},

		// Ordinary words where a place could stand.
		{"I want to go to the beach", understood{Kind: plan}},
		{"I Want To Go To The Beach", understood{Kind: plan}},
		{"I WANT TO GO TO THE BEACH", understood{Kind: plan}},
		{"I'd like to plan a trip", understood{Kind: plan}},
		{"I want to travel to Paris next week", understood{Kind: plan, To: "Paris"}},
		{"I want to travel in December", understood{Kind: plan}},
		{"A trip in spring, from Monday to Friday", understood{Kind: plan}},
		{"I want to fly to somewhere warm", understood{Kind: plan, Topic: flights}},
		{"A trip to remember", understood{Kind: plan}},
		{"I need to travel to see my family", understood{Kind: plan}},
		{"A trip to Paris in Business Class at Christmas", understood{Kind: plan, To: "Paris"}},
		{"we want a gig in a big hall", understood{Kind: plan}},

		// Starting over.
		{"Start over", understood{Kind: over}},
		{"start over.", understood{Kind: over}},
		{"new trip", understood{Kind: over}},
		{"RESET", understood{Kind: over}},
		{"Let's start from scratch", understood{Kind: over}},
		{"Please plan a new trip to Rome", understood{Kind: over, To: "Rome"}},
		{"Start over, this time from Berlin to Lisbon", understood{Kind: over, From: "Berlin", To: "Lisbon"}},
		{"Start over with Atlantis, I want to go to Atlantis", understood{Kind: over, Unknown: "Atlantis"}},
		{"Don't start over", understood{Kind: plan}},

		// Another choice.
		{"I want the other hotel", understood{Kind: change, Topic: hotels}},
		{"a different flight", understood{Kind: change, Topic: flights}},
		{"Change the hotel", understood{Kind: change, Topic: hotels}},
		{"Take the Ritz instead", understood{Kind: change, Topic: hotels}},
		{"I'd rather have The Ritz-Carlton", understood{Kind: change, Topic: hotels}},
		{"i'll take the ritz", understood{Kind: change, Topic: hotels}},
		{"Switch to KLM", understood{Kind: change, Topic: flights}},
		{"Switch to United, please", understood{Kind: change, Topic: flights}},
		{"I changed my mind", understood{Kind: change}},
		{"The other one", understood{Kind: change}},
		{"somewhere else", understood{Kind: change}},
		{"A cheaper hotel in Paris", understood{Kind: change, To: "Paris", Topic: hotels}},
		{"Some other restaurants please", understood{Kind: change, Topic: experiences}},
	}
	for _, tt := range tests {
		if tt.want.Topic == "" {
			tt.want.Topic = english.Everything
		}
		if diff := cmp.Diff(tt.want, understand(tt.text)); diff != "" {
			t.Errorf("Parse(%q) differs (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestSameCity(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"from Paris to paris":         true,
		"from NYC to New York City":   true,
		"from Paris to Rome":          false,
		"to Paris":                    false,
		"hello":                       false,
		"from Atlantis to Atlantis":   false,
		"San Francisco → SFO, please": true,
	} {
		r := english.Parse(text)
		if got := r.Origin != nil && r.Origin == r.Destination; got != want {
			t.Errorf("Parse(%q) names one city as both ends: %t, want %t", text, got, want)
		}
	}
}

// Every city is understood under its own name, in the sentences the demo lives on.
func TestParseEveryCity(t *testing.T) {
	t.Parallel()
	for _, city := range catalogue.Cities() {
		name := city.Name
		for _, spelling := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			want := understood{Kind: english.Plan, To: name, Days: 5, Topic: english.Everything}
			text := "Plan a trip to " + spelling + " for 5 days"
			if got := understand(text); got != want {
				t.Errorf("Parse(%q) = %+v, want %+v", text, got, want)
			}
			want = understood{Kind: english.About, To: name, Topic: english.Everything}
			text = "Tell me everything about " + spelling
			if got := understand(text); got != want {
				t.Errorf("Parse(%q) = %+v, want %+v", text, got, want)
			}
		}
	}
}

func TestParseReadsTheBeginningOnly(t *testing.T) {
	t.Parallel()
	text := "Plan a trip to Rome " + strings.Repeat("and so on ", 100_000) + "start over"
	want := understood{Kind: english.Plan, To: "Rome", Topic: english.Everything}
	if got := understand(text); got != want {
		t.Errorf("Parse = %+v, want %+v", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "Plan a trip to Paris for 5 days", "from Berlin–Lisbon", "take the Ritz instead", "tell me about atlantis",
		"Start over", "\xff\xfe to \xff", "to", "to the", "about de la", "5days 'in' \u0301", "TO ATLANTIS OF", "東京 → İstanbul",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := english.Parse(text)
		if again := english.Parse(text); again != got {
			t.Errorf("Parse(%q) = %+v, then %+v", text, got, again)
		}
		if got.Kind == "" || got.Topic == "" || got.Days < 0 || got.Days > 365 {
			t.Errorf("Parse(%q) = %+v: out of range", text, got)
		}
	})
}
