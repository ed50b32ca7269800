package typed

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// TestAModelIsAskedWhatItMayDecide and never about approvals.
func TestAModelIsAskedWhatItMayDecide(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		q    agui.Interrupt
		want bool
	}{
		"options": {flights, true}, "a form": {several, true}, "a number": {people, true},
		"any text": {anything, false}, "a truth value": {truth, false}, "an approval": {approval, false},
		"an approval in a form of its own": {unknownCall, false}, "an approval by names": {verdicts, false},
		"an approval that is hidden in a form":            {card("?", `{"type":"object","required":["a"],"properties":{"a":{"properties":{"approved":{"type":"boolean"}}}}}`), false},
		"an approval behind a schema that cannot be read": {card("?", `{"type":"object","properties":{"approved":true}}`), false},
	} {
		r, asked := Read(test.q).Request("the cheaper one")
		if asked != test.want {
			t.Errorf("%s: a model is asked: %v, want %v", name, asked, test.want)
		}
		if asked && (state.CheckSchema(r.Schema) != nil || !strings.Contains(r.Messages[1].Text, "the cheaper one")) {
			t.Errorf("%s: a model is asked %+v", name, r)
		}
		if _, long := Read(test.q).Request(strings.Repeat("x", maxText+1)); long {
			t.Errorf("%s: a model is asked about a long text", name)
		}
	}
	if _, asked := Read(card("?", "", `"a"`, `"`+strings.Repeat("b", maxAsked)+`"`)).Request("a or b"); asked {
		t.Error("a model is asked a question that is too large")
	}
}

func TestRepliesOfAModel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		q                 agui.Interrupt
		reply, want, says string
	}{
		{flights, `{"answer":1,"reply":null}`, `{"airline":"ITA Airways","price":"$140"}`, ""},
		{flights, "Of course: {\"answer\": 2, \"reply\": \"I booked it for $1\"}.", `{"airline":"Air France","price":"$155"}`, ""},
		{flights, `{"answer":3}`, "", ""},
		{flights, `{"answer":0}`, "", ""},
		{flights, `{"answer":-1}`, "", ""},
		{flights, `{"answer":1.5}`, "", ""},
		{flights, `{"answer":{"airline":"ITA Airways","price":"$1"}}`, "", ""},
		{flights, `{"answer":"ITA Airways"}`, "", ""},
		{flights, `{"answer":null,"reply":"Meinen Sie ITA Airways oder Air France?"}`, "", "Meinen Sie ITA Airways oder Air France?"},
		{flights, `{"answer":null,"reply":"I booked Lufthansa."}`, "", ""},
		{flights, `{"answer":null,"reply":"ITA Airways, Air France` + strings.Repeat(".", 1000) + `"}`, "", ""},
		{flights, `yes`, "", ""},
		{flights, `}{`, "", ""},
		{flights, ``, "", ""},
		{several, `{"answer":["a","b"]}`, `["a","b"]`, ""},
		{several, `{"answer":["c"]}`, "", ""},
		{people, `{"answer":"4"}`, `4`, ""},
		{people, `{"answer":0}`, "", ""},
	} {
		answer, says := Read(test.q).Reply(test.reply)
		if string(answer) != test.want || says != test.says {
			t.Errorf("Reply(%s) = %s, %q, want %s, %q", test.reply, answer, says, test.want, test.says)
		}
	}
}

func TestWhatIsUnclear(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		q    agui.Interrupt
		want string
	}{
		{flights, "There are: 1. ITA Airways; 2. Air France."}, {flights, "The question is still open: Which flight"}, {approval, "neither a clear yes nor a clear no"},
		{unknownCall, "fill in its form"}, {several, "fill in its form"}, {verdicts, "1. approve; 2. reject"},
	} {
		if got := Read(test.q).Unclear(); !strings.Contains(got, test.want) {
			t.Errorf("Unclear() = %q, want %q in it", got, test.want)
		}
	}
}

// FuzzMatch holds that whatever is taken for an answer fits the question, and that an approval never has more in it.
func FuzzMatch(f *testing.F) {
	f.Add("the second one", `{"answer":2}`)
	f.Add("yes", `{"answer":null,"reply":"x"}`)
	f.Fuzz(func(t *testing.T, text, reply string) {
		for _, i := range []agui.Interrupt{flights, hotels, nights, titled, people, anything, named, several, truth, approval, unknownCall, verdicts} {
			q := Read(i)
			answers := []json.RawMessage{q.Match(text)}
			if _, asked := q.Request(text); asked {
				answer, _ := q.Reply(reply)
				answers = append(answers, answer)
			}
			for _, answer := range answers {
				if answer != nil && state.ValidateAnswer(i.ResponseSchema, answer) != nil {
					t.Errorf("%q, %q: the answer %s does not fit %s", text, reply, answer, i.ResponseSchema)
				}
				if answer != nil && i.Reason == "tool_call" && strings.Contains(string(answer), "editedArgs") {
					t.Errorf("%q: an approval says %s", text, answer)
				}
			}
		}
	})
}
