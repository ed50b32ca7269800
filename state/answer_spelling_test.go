package state

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/internal/jsontest"
)

// askedFor is a question with a card, as agents ask it.
func askedFor(t *testing.T, schema string, card any) agui.Interrupt {
	t.Helper()
	value, err := json.Marshal(card)
	if err != nil {
		t.Fatal(err)
	}
	return agui.Interrupt{ID: "q", ResponseSchema: json.RawMessage(schema), Metadata: agui.Metadata{"value": value}}
}

// TestAnswersOfBrowsers checks that an answer rounded to float64 is the offered value, in its spelling.
func TestAnswersOfBrowsers(t *testing.T) {
	t.Parallel()
	const big, rounded = "1234567890123456789", "1234567890123456800"
	const call = `{"type":"object","required":["approved"],"properties":{"approved":{"type":"boolean"},"editedArgs":{"type":"object"},"remember":{"enum":["thread"]}},` +
		`"dependentSchemas":{"remember":{"properties":{"editedArgs":{"const":{"order":` + big + `,"euros":20.50}}}}}}`
	options := func(list string) map[string]any { return map[string]any{"options": json.RawMessage(list)} }
	arguments := func(object string) map[string]any { return map[string]any{"arguments": json.RawMessage(object)} }
	for _, tt := range []struct {
		name, schema, answer, want string
		card                       any
	}{
		{"an option that was rounded", `{"enum":[` + big + `,5]}`, rounded, big, nil},
		{"an option in an object", `{"enum":[{"id":` + big + `},{"id":5}]}`, `{"id":` + rounded + `}`, `{"id":` + big + `}`, nil},
		{"another spelling", `{"enum":[5,6]}`, `5.0`, `5`, nil},
		{"an option of a card with a schema of its own", `{"type":"number"}`, `5.0`, `5`, options(`[5,6]`)},
		{"an option of a card, and other answers", `{}`, `5.5`, `5.5`, options(`[5,6]`)},
		{"a member's value", `{"type":"object","properties":{"id":{"enum":[` + big + `]}}}`, `{"id":` + rounded + `}`, `{"id":` + big + `}`, nil},
		{"a list of values", `{"type":"array","items":{"enum":[` + big + `,5]}}`, `[` + rounded + `,5.0]`, `[` + big + `,5]`, nil},
		{"an alternative", `{"oneOf":[{"const":` + big + `},{"const":5}]}`, rounded, big, nil},
		{"two options that are one to a browser", `{"enum":[1234567890123456789,1234567890123456790]}`, rounded, "", nil},
		{"of two, written exactly", `{"enum":[1234567890123456789,1234567890123456790]}`, "1234567890123456790", "1234567890123456790", nil},
		{"of two, the rounded one itself", `{"enum":[` + big + `,` + rounded + `]}`, rounded, "", nil},
		{"two spellings of an option", `{"enum":[5,5.0]}`, `5`, `5`, nil},
		{"the only required member", `{"type":"object","required":["id"],"properties":{"id":{"enum":[` + big + `]}}}`, rounded, `{"id":` + big + `}`, nil},
		{"beyond a float64", `{"enum":[{"x":1e400}]}`, `{"x":null}`, `{"x":1e400}`, nil},
		{"a reference", `{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"enum":[` + big + `]}}}`, rounded, big, nil},
		{"a reference of a member", `{"properties":{"id":{"$ref":"#/$defs/id"}},"$defs":{"id":{"const":` + big + `}}}`, `{"id":` + rounded + `}`, `{"id":` + big + `}`, nil},
		{"a reference to the schema itself", `{"anyOf":[{"enum":[` + big + `]},{"type":"array","items":{"$ref":"#"}}]}`, `[[` + rounded + `]]`, `[[` + big + `]]`, nil},
		{"a reference beside options", `{"$ref":"#/$defs/n","$defs":{"n":{"enum":[` + big + `,5]}}}`, rounded, big, options(`[` + big + `,5]`)},
		{"no option", `{"enum":[5,6]}`, `7`, "", nil},

		{"arguments that nobody edited", call, `{"approved":true,"editedArgs":{"euros":20.5,"order":` + rounded + `}}`, `{"approved":true,"editedArgs":{"euros":20.50,"order":` + big + `}}`,
			arguments(`{"order":` + big + `,"euros":20.50}`)},
		{"and for later calls", call, `{"approved":true,"remember":"thread","editedArgs":{"euros":20.5,"order":` + rounded + `}}`,
			`{"approved":true,"editedArgs":{"euros":20.50,"order":` + big + `},"remember":"thread"}`, arguments(`{"order":` + big + `,"euros":20.50}`)},
		{"an edit of another member", call, `{"approved":true,"editedArgs":{"order":` + rounded + `,"euros":10}}`, `{"approved":true,"editedArgs":{"euros":10,"order":` + big + `}}`,
			arguments(`{"order":` + big + `,"euros":20}`)},
		{"an edit of the number", call, `{"approved":true,"editedArgs":{"order":1234567890123457000,"euros":20}}`, `{"approved":true,"editedArgs":{"euros":20,"order":1234567890123457000}}`,
			arguments(`{"order":` + big + `,"euros":20}`)},
		{"an exact edit, as text", call, `"{\"approved\":true,\"editedArgs\":{\"order\":1234567890123456788}}"`, `{"approved":true,"editedArgs":{"order":` + big + `}}`,
			arguments(`{"order":` + big + `}`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(FitQuestion(askedFor(t, tt.schema, tt.card), json.RawMessage(tt.answer))); got != tt.want {
				t.Errorf("%s is the answer %s, want %s", tt.answer, got, tt.want)
			}
		})
	}
}

// TestReferencesHaveABound: references that branch do not make an answer expensive.
func TestReferencesHaveABound(t *testing.T) {
	t.Parallel()
	r := respelling{left: maxRespelled}
	again := map[string]any{"$ref": "#"}
	r.root = map[string]any{"allOf": []any{again, again, again}}
	if v, clear := r.by(r.root, "x", document.MaxDepth); v != "x" || !clear {
		t.Errorf("by() = %v, %t", v, clear)
	}
	if r.left >= 0 {
		t.Errorf("%d parts may still be looked at", r.left)
	}
}

// compileQuestion compiles the schema of a question, which costs more than an answer.
func compileQuestion(t *testing.T, i agui.Interrupt) *Schema {
	t.Helper()
	schema, err := compileAnswers(i.ResponseSchema)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestEchoesOfQuestions sends back options and arguments as a browser has them, and changes one member: nothing else
// changes.
func TestEchoesOfQuestions(t *testing.T) {
	t.Parallel()
	g := jsontest.New(t)
	const call = `{"type":"object","properties":{"approved":{},"editedArgs":{}}}`
	calls := compileQuestion(t, askedFor(t, call, nil))
	for range 2000 {
		arguments := jsonpatch.Render(g.Object(3))
		asked := askedFor(t, call, map[string]any{"arguments": arguments})
		answer := jsonpatch.Render(map[string]any{"approved": true, "editedArgs": jsontest.Echo(t, arguments)})
		same(t, "arguments after an echo", calls.fit(asked, answer), json.RawMessage(`{"approved":true,"editedArgs":`+string(arguments)+`}`))

		edited := jsontest.Echo(t, arguments).(map[string]any) //nolint:forcetypeassert // of an object
		if err := json.Unmarshal(arguments, &map[string]any{}); err == nil {
			edited["new"] = "edit"
			want, err := jsonpatch.ParseObject(arguments)
			if err != nil {
				t.Fatal(err)
			}
			want["new"] = "edit"
			same(t, "arguments after an edit", calls.fit(asked, jsonpatch.Render(map[string]any{"approved": true, "editedArgs": edited})), jsonpatch.Render(map[string]any{"approved": true, "editedArgs": want}))
		}

		var options []any
		for range 4 {
			one := g.Object(2)
			if !slices.ContainsFunc(options, func(other any) bool { return document.SameValue(one, other) }) {
				options = append(options, one)
			}
		}
		question := agui.Interrupt{ResponseSchema: jsonpatch.Render(map[string]any{"enum": options})}
		schema := compileQuestion(t, question)
		for i := range options {
			chosen := jsonpatch.Render(options[i])
			got := schema.fit(question, jsonpatch.Render(jsontest.Echo(t, chosen)))
			same(t, "the option", got, chosen)
			if IndexOption(rawList(options), jsonpatch.Render(jsontest.Echo(t, chosen))) != i {
				t.Errorf("option %d of %s is not found by its echo", i, question.ResponseSchema)
			}
		}
	}
}

func rawList(list []any) (out []json.RawMessage) {
	for _, v := range list {
		out = append(out, jsonpatch.Render(v))
	}
	return out
}

func TestSafeNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`1`: true, `1.0`: true, `0.1`: true, `20.50`: true, `1e2`: true, `-0`: true, `9007199254740992`: true, `{"a":[1,"1234567890123456789"]}`: true, `1e300`: true,
		`9007199254740993`: false, `[1234567890123456789]`: false, `1e400`: false, `1e-400`: false, `0.1000000000000000055511151231257827`: false, `0.30000000000000001`: false,
	} {
		if got := SafeNumbers(json.RawMessage(text)); got != want {
			t.Errorf("SafeNumbers(%s) = %v", text, got)
		}
	}
}

// TestARoundedAnswerIsTheSameAnswer: one that comes again, in the spelling of a browser, is the one that was given.
func TestARoundedAnswerIsTheSameAnswer(t *testing.T) {
	t.Parallel()
	token := Token{Interrupt: agui.Interrupt{ID: "q", ResponseSchema: json.RawMessage(`{"enum":[1234567890123456789]}`)}}
	payload := FitQuestion(token.Interrupt, json.RawMessage(`1234567890123456800`))
	token.Answer = &Answer{ID: "q", Status: agui.ResumeResolved, Payload: payload}
	for _, again := range []string{`1234567890123456800`, `1234567890123456789`, `1.2345678901234568e18`} {
		if !given(token, Answer{ID: "q", Status: agui.ResumeResolved, Payload: json.RawMessage(again)}) {
			t.Errorf("%s is another answer than %s", again, payload)
		}
	}
}

// same compares JSON by content.
func same(t *testing.T, what string, got, want json.RawMessage) {
	t.Helper()
	a, err := jsonpatch.Parse(got)
	b, other := jsonpatch.Parse(want)
	if err != nil || other != nil || !jsonpatch.Identical(a, b) {
		t.Fatalf("%s:\n got %s\nwant %s", what, got, want)
	}
}
