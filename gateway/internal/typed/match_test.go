package typed

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// card is a question with a card.
func card(message, schema string, options ...string) agui.Interrupt {
	value := map[string]any{"message": message}
	if len(options) > 0 {
		value["options"] = json.RawMessage("[" + strings.Join(options, ",") + "]")
		value["recommendation"] = json.RawMessage(options[len(options)-1])
	}
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	i := agui.Interrupt{ID: "q", Reason: "input_required", Message: message, Metadata: agui.Metadata{"value": raw}}
	if schema != "" {
		i.ResponseSchema = json.RawMessage(schema)
	}
	return i
}

var (
	flights = card("Which flight from Rome to Paris would you like to take? I recommend Air France.",
		`{"type":"object","required":["airline"],"properties":{"airline":{"type":"string"}}}`,
		`{"airline":"ITA Airways","price":"$140"}`, `{"airline":"Air France","price":"$155"}`)
	hotels = card("Which hotel would you like to stay at? I recommend Hotel Zoe.",
		`{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}`,
		`{"name":"Hotel Zephyr"}`, `{"name":"The Ritz-Carlton"}`, `{"name":"Hotel Zoe"}`)
	nights   = card("How long?", `{"enum":["2 nights","3 nights","a week"]}`)
	titled   = card("Where?", `{"type":"object","required":["place"],"properties":{"place":{"oneOf":[{"const":"w","title":"By the window"},{"const":"a","title":"On the aisle"}]}}}`)
	people   = card("How many are you?", `{"type":"integer","minimum":1}`)
	anything = card("What shall I change?", "")
	named    = card("Your name?", `{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}`)
	several  = card("Which of them?", `{"type":"array","items":{"enum":["a","b"]}}`)
	truth    = card("Breakfast?", `{"type":"object","required":["breakfast"],"properties":{"breakfast":{"type":"boolean"}}}`)
	approval = agui.Interrupt{ID: "q", Reason: "tool_call", Message: "May I call pay?", ResponseSchema: json.RawMessage(
		`{"type":"object","required":["approved"],"properties":{"approved":{"type":"boolean"},"editedArgs":{"type":"object"}}}`)}
	reviewed = agui.Interrupt{ID: "q", Reason: "confirmation", Message: "Is this all right?", ResponseSchema: json.RawMessage(
		`{"type":"object","properties":{"approved":{"type":"boolean"},"comments":{"type":"string"}}}`)}
	unknownCall = agui.Interrupt{ID: "q", Reason: "tool_call", Message: "May I?"}
	verdicts    = agui.Interrupt{ID: "q", Reason: "tool_call", Message: "May I?", ResponseSchema: json.RawMessage(`{"enum":["approve","reject"]}`)}
)

func TestMatch(t *testing.T) {
	t.Parallel()
	const ita, france = `{"airline":"ITA Airways","price":"$140"}`, `{"airline":"Air France","price":"$155"}`
	const zephyr, ritz, zoe = `{"name":"Hotel Zephyr"}`, `{"name":"The Ritz-Carlton"}`, `{"name":"Hotel Zoe"}`
	for _, test := range []struct {
		name string
		q    agui.Interrupt
		want map[string]string
	}{
		{"options of a card", flights, map[string]string{
			"Air France": france, "air france, please": france, "I'll take the ITA flight": ita, "the second one": france, "2": france, "Nr. 2": "",
			"number two": france, "Take the second one!": france, "1": ita, "one": ita, "option one": ita, "first": ita, "die zweite, bitte": france, "last": france,
			"le deuxième": france, "the recommended one": france, "I would like to go with Air France": france,
			"3": "", "0": "", "third": "", "I want one": "", "the other one": "", "not Air France": "", "anything but ITA": "", "ITA or Air France": "",
			"What does Air France cost?": "", "ITA?": "", "Lufthansa": "", "the cheaper one": "", "yes": "", "ok": "", "": "", "flight": "",
			"ITA is too expensive": "", "Air France for 1$": "", "air": france, strings.Repeat("a", 3000): "",
		}},
		{"names with words in common", hotels, map[string]string{
			"the Ritz": ritz, "The Ritz Hotel": ritz, "zoe": zoe, "hotel": "", "Hotel Zephyr": zephyr, "zephyr zoe": "", "the hotel": "", "the third hotel": zoe,
		}},
		{"names with numbers", nights, map[string]string{
			"2 nights": `"2 nights"`, "2": "", "3": "", "a week": `"a week"`, "the first": `"2 nights"`, "week": `"a week"`,
		}},
		{"titles", titled, map[string]string{"window": `{"place":"w"}`, "on the aisle": `{"place":"a"}`, "a": `{"place":"a"}`, "seat": ""}},
		{"a number", people, map[string]string{"3": "3", "0": "", "three": "", "3 of us": ""}},
		{"any text", anything, map[string]string{"Make it shorter?": `"Make it shorter?"`, "yes": `"yes"`, strings.Repeat("a", 3000): `"` + strings.Repeat("a", 3000) + `"`}},
		{"any text in a form", named, map[string]string{"Ada Lovelace": `{"name":"Ada Lovelace"}`}},
		{"a form", several, map[string]string{"a": "", "a and b": ""}},
		{"a truth value", truth, map[string]string{"yes": `{"breakfast":true}`, "Nein, danke.": `{"breakfast":false}`, "sure": "", "true": ""}},
		{"an approval", approval, map[string]string{
			"yes": `{"approved":true}`, "Yes, please.": `{"approved":true}`, "ja": `{"approved":true}`, "I approve.": `{"approved":true}`,
			"no": `{"approved":false}`, "Don't!": `{"approved":false}`, "nein": `{"approved":false}`,
			"ok": "", "sure": "", "yes, but only 10": "", "yes?": "", "yes yes": "", "not yes": "", "no problem, go ahead": "", "maybe": "", "1": "",
			`{"approved":true}`: "", "true": "", "yes, and all others too": "",
		}},
		{"a decision that takes comments", reviewed, map[string]string{
			"yes": `{"approved":true}`, "nein": `{"approved":false}`, "yes, but shorter": `{"comments":"yes, but shorter"}`, "ok": `{"comments":"ok"}`, "": "",
		}},
		{"an approval in a form of its own", unknownCall, map[string]string{"yes": "", "no": ""}},
		{"an approval by names", verdicts, map[string]string{"approve": `"approve"`, "Reject.": `"reject"`, "yes": "", "the first": "", "1": "", "please approve": ""}},
	} {
		q := Read(test.q)
		for text, want := range test.want {
			if got := string(q.Match(text)); got != want {
				t.Errorf("%s: Match(%.40q) = %s, want %s", test.name, text, got, want)
			}
		}
	}
}

func TestOptionsThatTheSchemaDoesNotTake(t *testing.T) {
	t.Parallel()
	q := Read(card("Which?", `{"enum":["a","b"]}`, `"a"`, `"c"`))
	if got := q.Match("the first"); got != nil {
		t.Errorf("Match() = %s, want nothing: the list has answers that are none", got)
	}
	many := make([]string, maxOptions+1)
	for i := range many {
		many[i] = `"x` + strings.Repeat("y", i) + `"`
	}
	if got := Read(card("Which?", `{"type":"string","maxLength":200}`, many...)).Match("the first"); got != nil {
		t.Errorf("Match() of one of %d = %s, want nothing", len(many), got)
	}
}
