package chat

import (
	"encoding/json"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

func ask(reason, schema, card string) question {
	q := question{}
	q.ID, q.Reason, q.ResponseSchema = "int_1", reason, json.RawMessage(schema)
	if card != "" {
		q.Metadata = agui.Metadata{"value": json.RawMessage(card)}
	}
	return q
}

// TestTyped reads answers as people and scripts write them. An empty want is no answer.
func TestTyped(t *testing.T) {
	t.Parallel()
	const airlines = `{"options":[{"name":"KLM","price":3},{"name":"United","price":4}],"recommendation":{"name":"KLM","price":3}}`
	tests := []struct {
		name    string
		q       question
		answers map[string]string
	}{
		{"choices of a gateway", ask("input_required", `{"type":"object","required":["value"],"properties":{"value":{"enum":[{"name":"KLM","price":3},{"name":"United","price":4}]}}}`, airlines),
			map[string]string{"1": `{"value":{"name":"KLM","price":3}}`, "united": `{"value":{"name":"United","price":4}}`, "0": "", "3": "", "Lufthansa": "", `{"name":"KLM","price":3}`: `{"value":{"name":"KLM","price":3}}`}},
		{"choices of a schema", ask("input_required", `{"enum":["S","M"]}`, ""), map[string]string{"2": `"M"`, "s": `"S"`, "L": ""}},
		{"named constants", ask("input_required", `{"oneOf":[{"const":1,"title":"Small"},{"const":2,"title":"Large"}]}`, ""), map[string]string{"large": "2", "1": "1", "Huge": ""}},
		{"two of one name", ask("input_required", `{"enum":[{"n":"a","p":1},{"n":"a","p":2}]}`, ""), map[string]string{"a": "", "2": `{"n":"a","p":2}`}},
		{"a text", ask("input_required", ``, ""), map[string]string{"Anything.": `"Anything."`, "3": `3`}},
		{"a text by a schema", ask("input_required", `{"type":"string"}`, ""), map[string]string{"3": `"3"`, "no": `"no"`}},
		{"anything of a gateway", ask("input_required", `{"type":"object","required":["value"],"properties":{"value":{}}}`, ""), map[string]string{"fine, thanks": `{"value":"fine, thanks"}`, "[1]": `{"value":[1]}`}},
		{"a number", ask("input_required", `{"type":"number"}`, ""), map[string]string{"3.5": `3.5`, "three": ""}},
		{"yes or no", ask("confirmation", `{"type":"boolean"}`, ""), map[string]string{"y": "true", "No": "false", "perhaps": ""}},
		{"an approval", ask("tool_call", `{"type":"object","required":["approved"],"properties":{"approved":{"type":"boolean"}}}`, ""),
			map[string]string{"allow": `{"approved":true}`, "deny": `{"approved":false}`, `{"approved":true}`: `{"approved":true}`, "perhaps": ""}},
		{"a schema that cannot be checked here", ask("input_required", `{"$ref":"https://example.com/x"}`, ""), map[string]string{`{"a":1}`: `{"a":1}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for text, want := range tt.answers {
				got, err := tt.q.parseTyped(text)
				if string(got) != want || (err == nil) != (want != "") {
					t.Errorf("typed(%q) = %s, %v, want %s", text, got, err, want)
				}
			}
		})
	}
}

// TestLooseAnswers are for the agent to read, if it reads any.
func TestLooseAnswers(t *testing.T) {
	t.Parallel()
	const airlines = `{"options":[{"name":"KLM"},{"name":"United"}]}`
	choice := `{"type":"object","required":["value"],"properties":{"value":{"enum":[{"name":"KLM"},{"name":"United"}]}}}`
	approval := `{"type":"object","required":["approved"],"properties":{"approved":{"type":"boolean"}}}`
	for _, tt := range []struct {
		q    question
		text string
		want bool
	}{
		{ask("input_required", choice, airlines), "the second one", true},
		{ask("input_required", ``, airlines), "KLM, please", true},
		{ask("input_required", choice, airlines), "2", false},
		{ask("input_required", choice, airlines), "3", false},
		{ask("input_required", choice, airlines), "united", false},
		{ask("input_required", `{"type":"number"}`, ""), "three", true},
		{ask("input_required", ``, ""), "three", false},
		{ask("tool_call", approval, ""), "yes, please", false},
	} {
		if got := tt.q.isFreeText(tt.text); got != tt.want {
			t.Errorf("loosely(%q) of %s = %v", tt.text, tt.q.ResponseSchema, got)
		}
	}
}

// TestLegacyQuestions answers in the dialect of before 1.0.
func TestLegacyQuestions(t *testing.T) {
	t.Parallel()
	object := json.RawMessage(`"{\"id\":\"q\",\"message\":\"Which?\",\"options\":[\"a\",\"b\"]}"`)
	questions := legacyQuestions([]json.RawMessage{object, json.RawMessage(`"Just say."`)})
	if len(questions) != 2 || questions[0].ID != "q" || questions[0].card().Message != "Which?" || len(questions[0].choices()) != 2 || questions[1].ID != "2" || questions[1].card().Message != "Just say." {
		t.Fatalf("legacyQuestions() = %+v", questions)
	}
	one := agui.RunAgentInput{}
	if err := resume(&one, []answer{{questions[0], json.RawMessage(`"b"`)}}); err != nil || string(one.ForwardedProps) != `{"command":{"interruptEvent":`+string(object)+`,"resume":"b"}}` || one.Resume != nil {
		t.Errorf("one answer is %s, %v", one.ForwardedProps, err)
	}
	two := agui.RunAgentInput{}
	want := `{"command":{"resume":[{"interruptId":"q","status":"resolved","payload":"b"},{"interruptId":"2","status":"cancelled"}]}}`
	if err := resume(&two, []answer{{questions[0], json.RawMessage(`"b"`)}, {question: questions[1]}}); err != nil || string(two.ForwardedProps) != want {
		t.Errorf("two answers are %s, %v, want %s", two.ForwardedProps, err, want)
	}
}

// FuzzTyped: whatever is written, and whatever is asked, an answer is JSON that fits.
func FuzzTyped(f *testing.F) {
	f.Add(`{"type":"object","required":["v"],"properties":{"v":{"enum":[1,"a"]}}}`, `{"options":[1,"a"]}`, "2")
	f.Add(`{"oneOf":[{"const":1,"title":"x"}]}`, `{"options":{"a":[]},"remember":7}`, `{"v":1}`)
	f.Fuzz(func(t *testing.T, schema, card, text string) {
		if !json.Valid([]byte(schema)) || !json.Valid([]byte(card)) {
			return
		}
		q := ask("tool_call", schema, card)
		payload, err := q.parseTyped(text)
		if err != nil {
			return
		}
		if !json.Valid(payload) {
			t.Errorf("typed(%q) = %s, which is no JSON", text, payload)
		}
		if again, err := q.fit(payload); err != nil {
			t.Errorf("typed(%q) = %s, which does not fit: %s, %v", text, payload, again, err)
		}
	})
}
