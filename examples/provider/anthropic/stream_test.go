package anthropic

import (
	"errors"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// hear notes all that a model says, in order.
func hear(said *strings.Builder) model.Deltas {
	return model.Deltas{
		Text:      func(s string) error { said.WriteString("t:" + s + "|"); return nil },
		Reasoning: func(s string) error { said.WriteString("r:" + s + "|"); return nil },
		Call: func(i int, name, arguments string) error {
			said.WriteString(strings.Repeat("c", i+1) + ":" + name + arguments + "|")
			return nil
		},
	}
}

var hi = model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: "Hi"}}}

func TestReplies(t *testing.T) {
	t.Parallel()
	call := func(i, id string) string {
		return `{"type":"content_block_start","index":` + i + `,"content_block":{"type":"tool_use","id":"` + id + `","name":"get_weather","input":{}}}`
	}
	input := func(i, piece string) string { return delta(i, `"type":"input_json_delta","partial_json":"`+piece+`"`) }
	for name, tt := range map[string]struct {
		answer answer
		want   model.Reply
		said   string
	}{
		"text": {says("Hello!"), model.Reply{Text: "Hello!", Finish: "stop"}, "t:Hello!|"},
		"text in pieces, and events that nobody knows": {
			stream(began, `{"type":"news","index":9}`, textBegins("0"), delta("0", `"type":"text_delta","text":"Hel"`), delta("0", `"type":"citations_delta","citation":{}`), delta("0", `"type":"text_delta","text":"lo"`), blockEnds("0"), stops("max_tokens"), closed),
			model.Reply{Text: "Hello", Finish: "max_tokens"}, "t:Hel|t:lo|"},
		"calls of tools": {
			stream(began, textBegins("0"), delta("0", `"type":"text_delta","text":"Let me see."`), blockEnds("0"),
				call("1", "toolu_1"), input("1", ""), input("1", `{\"city\": `), input("1", `\"Paris\"}`), blockEnds("1"), call("2", "toolu_2"), blockEnds("2"), stops("tool_use"), closed),
			model.Reply{Text: "Let me see.", Finish: "tool_calls", Calls: []model.Call{{ID: "toolu_1", Name: "get_weather", Arguments: `{"city": "Paris"}`}, {ID: "toolu_2", Name: "get_weather", Arguments: "{}"}}},
			`t:Let me see.|c:get_weather|c:get_weather{"city": |c:get_weather"Paris"}|cc:get_weather|`},
		"thoughts": {
			stream(began, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
				delta("0", `"type":"thinking_delta","thinking":"Hm."`), delta("0", `"type":"signature_delta","signature":"Eq="`), blockEnds("0"),
				`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"Zm9v"}}`, blockEnds("1"),
				textBegins("2"), delta("2", `"type":"text_delta","text":"Yes."`), blockEnds("2"), stops("end_turn"), closed),
			model.Reply{Text: "Yes.", Reasoning: "Hm.", Finish: "stop", Opaque: []byte(`{"provider":"anthropic","thoughts":[{"type":"thinking","thinking":"Hm.","signature":"Eq="},{"type":"redacted_thinking","data":"Zm9v"}]}`)},
			"r:Hm.|t:Yes.|"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, m := serve(t, func(s *Settings) { s.Price = &Price{Input: 1, Output: 2} }, tt.answer)
			var said strings.Builder
			reply, err := m.Stream(t.Context(), hi, hear(&said))
			if err != nil {
				t.Fatal(err)
			}
			if reply.Text != tt.want.Text || reply.Reasoning != tt.want.Reasoning || reply.Finish != tt.want.Finish || string(reply.Opaque) != string(tt.want.Opaque) {
				t.Errorf("Stream() = %+v, want %+v", reply, tt.want)
			}
			if len(reply.Calls) != len(tt.want.Calls) {
				t.Fatalf("Stream() makes the calls %v, want %v", reply.Calls, tt.want.Calls)
			}
			for i, c := range reply.Calls {
				if c != tt.want.Calls[i] {
					t.Errorf("call %d = %+v, want %+v", i, c, tt.want.Calls[i])
				}
			}
			if said.String() != tt.said {
				t.Errorf("said %q, want %q", said.String(), tt.said)
			}
			u := reply.Usage
			if u.Provider != Name || u.Model != "claude" || *u.InputTokens != 32 || *u.OutputTokens != 15 || *u.TotalTokens != 47 || *u.CachedInputTokens != 5 || *u.CacheWriteInputTokens != 2 {
				t.Errorf("usage = %+v", u)
			}
			if *reply.Cost != 0.000062 {
				t.Errorf("cost = %v", *reply.Cost)
			}
		})
	}
}

// TestAnAnswerBySchema is asked for as the call of a tool, with the reply's text as input.
func TestAnAnswerBySchema(t *testing.T) {
	t.Parallel()
	r, m := serve(t, nil, stream(began, textBegins("0"), delta("0", `"type":"text_delta","text":"Here it is."`), blockEnds("0"),
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"answer_reply","input":{}}}`,
		delta("1", `"type":"input_json_delta","partial_json":"{\"dish\":\"soup\"}"`), blockEnds("1"), stops("tool_use"), closed))
	ask := hi
	ask.Schema, ask.SchemaName = []byte(`{"type":"object","properties":{"dish":{"type":"string"}}}`), "reply"
	var said strings.Builder
	reply, err := m.Stream(t.Context(), ask, hear(&said))
	if err != nil || reply.Text != `{"dish":"soup"}` || len(reply.Calls) != 0 || reply.Finish != "stop" || said.String() != `t:{"dish":"soup"}|` {
		t.Errorf("Stream() = %+v, %v, said %q", reply, err, said.String())
	}
	if !strings.Contains(r.requests[0], `"tool_choice":{"type":"tool","name":"answer_reply"}`) {
		t.Errorf("request = %s", r.requests[0])
	}
}

func TestRepliesThatAreNone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer answer
		code   errcode.Code
	}{
		"it breaks off":          {stream(began, textBegins("0"), delta("0", `"type":"text_delta","text":"Hel"`)), errcode.ModelResponse},
		"no JSON":                {answer{status: 200, body: "data: {\n\n"}, errcode.ModelResponse},
		"a delta of no block":    {stream(began, delta("3", `"type":"text_delta","text":"Hel"`)), errcode.ModelResponse},
		"a block out of order":   {stream(began, textBegins("3")), errcode.ModelResponse},
		"a line without end":     {answer{status: 200, body: "data: " + strings.Repeat("x", maxLine+1)}, errcode.ModelResponse},
		"it is withheld":         {stream(began, stops("refusal"), closed), errcode.ModelContentFilter},
		"an error in between":    {stream(began, textBegins("0"), delta("0", `"type":"text_delta","text":"Hel"`), `{"type":"error","error":{"type":"overloaded_error","message":"hush-hush"}}`), errcode.ModelUnavailable},
		"an error before":        {stream(`{"type":"error","error":{"type":"invalid_request_error","message":"hush-hush"}}`), errcode.ModelRequest},
		"the client is gone":     {says("Hello!"), ""},
		"a page and not a reply": {answer{status: 200, body: "<html>hush-hush</html>"}, errcode.ModelResponse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, m := serve(t, func(s *Settings) { s.Retries = 0 }, tt.answer)
			gone := errors.New("gone")
			on := model.Deltas{}
			if tt.code == "" {
				on.Text = func(string) error { return gone }
			}
			_, err := m.Stream(t.Context(), hi, on)
			if tt.code == "" {
				if !errors.Is(err, gone) {
					t.Errorf("Stream() error = %v, want that of the deltas", err)
				}
				return
			}
			if errcode.Of(err) != tt.code || strings.Contains(err.Error(), "hush") {
				t.Errorf("Stream() error = %v, want %s without the server's words", err, tt.code)
			}
		})
	}
}
