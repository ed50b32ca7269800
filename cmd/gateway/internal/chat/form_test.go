package chat

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A person answers prompts with lines; "=" confirms the default.
type person struct {
	lines   []string
	offered []string // the default at each prompt
}

func (p *person) read(_, text string) (string, error) {
	p.offered = append(p.offered, text)
	if len(p.lines) == 0 {
		return "", ErrLeft
	}
	said := p.lines[0]
	p.lines = p.lines[1:]
	if said == "=" {
		return text, nil
	}
	return said, nil
}

// asked asks a question, and returns the output.
func asked(q question, lines ...string) (answer, string, *person, error) {
	var out strings.Builder
	p := &person{lines: lines}
	a := &asker{screen: &screen{w: &out}, read: p.read}
	got, err := a.ask(q, "")
	return got, out.String(), p, err
}

func TestForm(t *testing.T) {
	t.Parallel()
	const trip = `{"type":"object","required":["to","nights","home"],"properties":{
		"to":{"type":"string","title":"Where to"},
		"nights":{"type":"integer","minimum":1,"default":2},
		"class":{"enum":["economy","first"]},
		"home":{"type":"object","required":["city"],"properties":{"city":{"type":"string"},"zip":{"type":["string","null"]}}},
		"tags":{"type":"array","items":{"type":"string"}},
		"pets":{"type":"object","properties":{"dog":{"type":"boolean"}}}}}`
	tests := []struct {
		name, schema string
		lines        []string
		want, shown  string
	}{
		{"defaults, choices and what is left out", trip, []string{"Rome", "=", "first", "Bonn", "", "", "n"}, `{"class":"first","home":{"city":"Bonn"},"nights":2,"to":"Rome"}`, "to (string): Where to"},
		{"nested, lists and null", trip, []string{"Rome", "3", "", "Bonn", "null", `["a","b"]`, "y", "n"}, `{"home":{"city":"Bonn","zip":null},"nights":3,"pets":{"dog":false},"tags":["a","b"],"to":"Rome"}`, "home.zip (any, optional)"},
		{"asked again", trip, []string{"", `""`, "0", "4", "third", "2", "Bonn", "7", `"7"`, "[1]", `["a"]`, "n"}, `{"class":"first","home":{"city":"Bonn","zip":"7"},"nights":4,"tags":["a"],"to":""}`, "to is needed"},
		{"what no field says", `{"type":"object","minProperties":1,"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, []string{"", "", "x", ""}, `{"a":"x"}`, "no answer to the question"},
		{"one text without a form", `{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}`, []string{"42"}, `{"name":"42"}`, "write the answer"},
		{"one number in a form", `{"type":"object","required":["age"],"properties":{"age":{"type":"integer"}}}`, []string{"42"}, `{"age":42}`, "age (integer)"},
		{"any text in a form", `{"type":"object","properties":{"a":{},"b":{}}}`, []string{"plain", `{"half`, "[1]"}, `{"a":"plain","b":[1]}`, "no JSON"},
		{"cancelled", trip, []string{"Rome", "/cancel"}, ``, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, shown, _, err := asked(ask("input_required", tt.schema, ""), tt.lines...)
			if err != nil || string(got.payload) != tt.want || !strings.Contains(shown, tt.shown) {
				t.Errorf("the answer is %s, %v, want %s; shown was\n%s", got.payload, err, tt.want, shown)
			}
		})
	}
	if _, _, _, err := asked(ask("input_required", trip, ""), "Rome"); !errors.Is(err, ErrLeft) {
		t.Errorf("a form that is left: %v, want ErrLeft", err)
	}
}

// TestApproval decides on a call with arguments that would harm a terminal or mislead a person.
func TestApproval(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","required":["approved"],"properties":{"approved":{"type":"boolean"},"editedArgs":{"type":"object"},"reason":{"type":"string","maxLength":10},"remember":{"enum":["thread"]}}}`
	card := func(members string) string {
		return `{"tool":"pay","arguments":{"to":"a\u001b[2Jb","n":1,"more":{"x":[1]}},"remember":["thread"]` + members + `}`
	}
	const tool = `,"schema":{"properties":{"to":{"type":"string"},"n":{"type":"integer"}}}`
	tests := []struct {
		name, card  string
		lines       []string
		want, shown string
	}{
		{"allowed", card(""), []string{"a"}, `{"approved":true}`, "    to = \"a\\u001b[2Jb\"\n    n = 1\n"},
		{"with a reason", card(""), []string{"allow: once"}, `{"approved":true,"reason":"once"}`, ""},
		{"with a reason that is too long", card(""), []string{"a: because I can", "a"}, `{"approved":true}`, "maxLength"},
		{"a sentence that begins like a decision is none", card(""), []string{"a refund is wrong", "allow it not", "d: wrong"}, `{"approved":false,"reason":"wrong"}`, "none of the decisions"},
		{"declined", card(""), []string{"d", "no"}, `{"approved":false,"reason":"no"}`, ""},
		{"for this conversation", card(""), []string{"w", "c"}, `{"approved":true,"remember":"thread"}`, "none of the decisions"},
		{"edited in a form keeps what it does not show", card(tool), []string{"e", "=", "2", "a"}, `{"approved":true,"editedArgs":{"to":"a\u001b[2Jb","n":2,"more":{"x":[1]}}}`, "n = 2   (changed)"},
		{"edited and declined", card(tool), []string{"e", "b", "=", "c", "d", ""}, `{"approved":false}`, "none of the decisions"},
		{"edited to what it was", card(tool), []string{"e", "=", "=", "c"}, `{"approved":true,"remember":"thread"}`, ""},
		{"edited as JSON", card(""), []string{"e", "{", `{"n":3}`, "a"}, `{"approved":true,"editedArgs":{"n":3}}`, "no JSON"},
		{"cut arguments", card(`,"truncated":true`), []string{"e", "a"}, `{"approved":true}`, "not all of the arguments"},
		{"masked arguments", card(`,"masked":true`), []string{"e", "a"}, `{"approved":true}`, "called with something else"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, shown, p, err := asked(ask("tool_call", schema, tt.card), tt.lines...)
			if err != nil || string(got.payload) != tt.want || !strings.Contains(shown, tt.shown) {
				t.Errorf("the answer is %s, %v, want %s; shown was\n%s", got.payload, err, tt.want, shown)
			}
			if strings.ContainsAny(shown+strings.Join(p.offered, ""), "\x1b") {
				t.Errorf("the terminal was sent an escape sequence: %q %q", shown, p.offered)
			}
		})
	}
}

// TestFieldsKeepWhatIsConfirmed: a value of any kind, displayed and confirmed, stays the same, and is harmless in the
// display.
func TestFieldsKeepWhatIsConfirmed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{`{"type":"string"}`, `{}`, `{"type":["string","null"]}`}).Draw(t, "schema")
		value, err := json.Marshal(rapid.String().Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		f := field{name: "f", schema: parseSchema(json.RawMessage(kind)), required: true, now: value}
		if strings.ContainsFunc(f.text(), harmful) || strings.Contains(f.text(), "\n") {
			t.Errorf("%s is shown as %q", value, f.text())
		}
		got, err := f.value(strings.TrimSpace(f.text()))
		var was, is string
		if err != nil || json.Unmarshal(value, &was) != nil || json.Unmarshal(got, &is) != nil || was != is {
			t.Errorf("%s was confirmed as %q and became %s, %v", value, f.text(), got, err)
		}
	})
}
