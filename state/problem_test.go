package state

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// TestProblemsSayWhereAnAnswerDoesNotFit and quote nothing of it but names of members.
func TestProblemsSayWhereAnAnswerDoesNotFit(t *testing.T) {
	t.Parallel()
	const form = `{"type":"object","required":["name","age"],"additionalProperties":false,"properties":{
		"name":{"type":"string","minLength":2,"pattern":"^[a-z]+$"},"age":{"type":"integer","maximum":120},"seat":{"enum":["aisle","window"]},
		"meals":{"type":"array","maxItems":1,"items":{"type":"string"}},"any":{"anyOf":[{"type":"string"},{"type":"number"}]}}}`
	const value = `{"type":"object","required":["value"],"properties":{"value":{"enum":["S","M"]}}}`
	for _, tt := range []struct{ schema, payload, want string }{
		{form, ``, "q : is missing"},
		{form, `{"nonsense":"SECRET"}`, "q : has members that are not known: nonsense|q : lacks name, age"},
		{form, `{"name":"S","age":"SECRET"}`, "q /age: is of type string, not integer|q /name: does not match minLength|q /name: does not match pattern"},
		{form, `{"name":"ab","age":121,"seat":"SECRET","meals":["a",7],"any":[]}`,
			"q /age: does not match maximum|q /any: is of type array, not number|q /any: is of type array, not string|q /meals/1: is of type number, not string|q /meals: does not match maxItems|q /seat: is none of the choices"},
		{form, `7`, "q : is of type number, not object"},
		{value, `"SECRET"`, "q /value: is none of the choices"},
		{value, `{"wrong":"SECRET"}`, "q : lacks value"},
		{`{"enum":[1234567890123456789,1234567890123456800]}`, `1234567890123456800`, "q : has a number that may be one of several: see docs/questions.md"},
		{`{"type":"string"}`, `{"SECRET":1}`, "q : is of type object, not string"},
	} {
		token := Token{Interrupt: agui.Interrupt{ID: "q", ResponseSchema: json.RawMessage(tt.schema)}}
		var payload json.RawMessage
		if tt.payload != "" {
			payload = Canonical([]byte(tt.payload))
		}
		if FitQuestion(token.Interrupt, payload) != nil {
			t.Errorf("%s fits", tt.payload)
		}
		var all []string
		for _, p := range problems(token, payload) {
			all = append(all, p.String())
		}
		slices.Sort(all)
		if got := strings.Join(all, "|"); got != tt.want {
			t.Errorf("problems(%s) = %s, want %s", tt.payload, got, tt.want)
		}
	}
	long := `{"` + strings.Repeat("x", 10_000) + `":1}`
	for _, p := range problems(Token{Interrupt: agui.Interrupt{ID: "q", ResponseSchema: json.RawMessage(form)}}, json.RawMessage(long)) {
		if len(p.Problem) > maxProblemText+len("…") {
			t.Errorf("a problem has %d bytes", len(p.Problem))
		}
	}
}
