package anthropic

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

func TestReplies(t *testing.T) {
	t.Parallel()
	call := func(i, id string) string {
		return begins(i, `"type":"tool_use","id":"`+id+`","name":"get_weather","input":{}`)
	}
	input := func(i, piece string) string { return delta(i, `"type":"input_json_delta","partial_json":"`+piece+`"`) }
	thinks := func(i string) string { return begins(i, `"type":"thinking","thinking":"","signature":""`) }
	for name, tt := range map[string]struct {
		answer answer
		want   model.Reply
		said   string
	}{
		"text": {says("Hello!"), model.Reply{Text: "Hello!", Finish: "stop"}, "t:Hello!|"},
		"text in pieces, between events of unknown types": {
			replies(began, `{"type":"news","index":9}`, textBegins("0"), words("0", "Hel"), delta("0", `"type":"citations_delta","citation":{}`), words("0", "lo"), blockEnds("0"), stops("max_tokens"), closed),
			model.Reply{Text: "Hello", Finish: "max_tokens"}, "t:Hel|t:lo|"},
		"a character in two pieces": {
			replies(began, textBegins("0"), words("0", `Oslo \ud83d`), words("0", `\ude00`), blockEnds("0"), stops("end_turn"), closed),
			model.Reply{Text: "Oslo 😀", Finish: "stop"}, "t:Oslo |t:😀|"},
		"calls of tools": {
			replies(began, textBegins("0"), words("0", "Let me see."), blockEnds("0"),
				call("1", "toolu_1"), input("1", ""), input("1", `{\"city\": `), input("1", `\"Paris\"}`), blockEnds("1"), call("2", "toolu_2"), blockEnds("2"), stops("tool_use"), closed),
			model.Reply{Text: "Let me see.", Finish: "tool_calls", Calls: []model.Call{{ID: "toolu_1", Name: "get_weather", Arguments: `{"city": "Paris"}`}, {ID: "toolu_2", Name: "get_weather", Arguments: "{}"}}},
			`t:Let me see.|c:get_weather|c:get_weather{"city": |c:get_weather"Paris"}|cc:get_weather|cc:get_weather{}|`},
		"thoughts, before and after a text": {
			replies(began, thinks("0"), delta("0", `"type":"thinking_delta","thinking":"Hm."`), delta("0", `"type":"signature_delta","signature":"Eq="`), blockEnds("0"),
				begins("1", `"type":"redacted_thinking","data":"Zm9v"`), blockEnds("1"), textBegins("2"), words("2", "Yes."), blockEnds("2"),
				thinks("3"), delta("3", `"type":"signature_delta","signature":"Fr="`), blockEnds("3"), call("4", "toolu_1"), blockEnds("4"), stops("tool_use"), closed),
			model.Reply{Text: "Yes.", Reasoning: "Hm.", Finish: "tool_calls", Calls: []model.Call{{ID: "toolu_1", Name: "get_weather", Arguments: "{}"}},
				Opaque: []byte(`{"origin":"model anthropic/claude","thoughts":[{"thinking":"Hm.","signature":"Eq="},{"data":"Zm9v"},{"text":4,"signature":"Fr="}]}`)},
			"r:Hm.|t:Yes.|c:get_weather|c:get_weather{}|"},
		"a connection that closes after the reason": {
			replies(began, textBegins("0"), words("0", "Hello!"), blockEnds("0"), stops("end_turn")),
			model.Reply{Text: "Hello!", Finish: "stop"}, "t:Hello!|"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, m := serve(t, func(o *Options) { o.Price = &model.Price{Input: 1, Output: 2} }, tt.answer)
			var said strings.Builder
			reply, err := m.Stream(t.Context(), hi, hear(&said))
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Usage = agui.TokenUsage{Provider: Name, Model: "claude", InputTokens: new(int64(32)), OutputTokens: new(int64(15)),
				TotalTokens: new(int64(47)), CachedInputTokens: new(int64(5)), CacheWriteInputTokens: new(int64(2))}
			tt.want.Cost = new(0.000062)
			if diff := cmp.Diff(tt.want, reply); diff != "" {
				t.Errorf("Stream() (-want +got):\n%s", diff)
			}
			if said.String() != tt.said {
				t.Errorf("said %q, want %q", said.String(), tt.said)
			}
		})
	}
}

func TestRepliesThatAreNone(t *testing.T) {
	t.Parallel()
	many := make([]string, 0, maxThoughts+2)
	for many = append(many, began); len(many) < maxThoughts+2; {
		many = append(many, strings.Replace(begins("#", `"type":"thinking"`), "#", itoa(len(many)-1), 1))
	}
	for name, tt := range map[string]struct {
		answer answer
		code   errcode.Code
	}{
		"it breaks off":          {replies(began, textBegins("0"), words("0", "Hel")), errcode.ModelResponse},
		"it ends without reason": {replies(began, textBegins("0"), words("0", "Hel"), blockEnds("0"), closed), errcode.ModelResponse},
		"no JSON":                {answer{status: 200, body: "data: {\n\n"}, errcode.ModelResponse},
		"a delta of no block":    {replies(began, delta("3", `"type":"text_delta","text":"Hel"`)), errcode.ModelResponse},
		"a block out of order":   {replies(began, textBegins("3")), errcode.ModelResponse},
		"a call without a name":  {replies(began, begins("0", `"type":"tool_use","id":"t"`), blockEnds("0"), stops("tool_use"), closed), errcode.ModelResponse},
		"too many thoughts":      {replies(many...), errcode.ModelResponse},
		"too large an event":     {answer{status: 200, body: "data: " + strings.Repeat("x", maxEvent+1)}, errcode.ModelResponse},
		"it is withheld":         {replies(began, stops("refusal"), closed), errcode.ModelContentFilter},
		"an error in between":    {replies(began, textBegins("0"), words("0", "Hel"), `{"type":"error","error":{"type":"overloaded_error","message":"hush-hush"}}`), errcode.ModelUnavailable},
		"an error before":        {replies(`{"type":"error","error":{"type":"invalid_request_error","message":"` + testKey + `"}}`), errcode.ModelRequest},
		"the client is gone":     {says("Hello!"), ""},
		"a page and not a reply": {answer{status: 200, body: "<html>hush-hush</html>"}, errcode.ModelResponse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, m := serve(t, func(o *Options) { o.Retries = -1 }, tt.answer)
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
			if errcode.Of(err) != tt.code || strings.Contains(err.Error(), testKey) {
				t.Errorf("Stream() error = %v, want %s without the key", err, tt.code)
			}
		})
	}
}

// TestLargeThoughtsAreNotKept wants the reply without them: the model continues without.
func TestLargeThoughtsAreNotKept(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxKept)
	_, m := serve(t, nil, replies(began, begins("0", `"type":"thinking"`), delta("0", `"type":"signature_delta","signature":"`+long+`x"`), blockEnds("0"),
		textBegins("1"), words("1", "Yes."), blockEnds("1"), stops("end_turn"), closed))
	reply, err := m.Stream(t.Context(), hi, model.Deltas{})
	if err != nil || reply.Text != "Yes." || reply.Opaque != nil {
		t.Errorf("Stream() = %q with %d bytes of thoughts, %v", reply.Text, len(reply.Opaque), err)
	}
}

// FuzzEvents wants no panic, whatever a server sends, and a code for each failure.
func FuzzEvents(f *testing.F) {
	f.Add(says("Hello!").body)
	f.Add(replies(began, begins("0", `"type":"tool_use","id":"t","name":"n"`), blockEnds("0"), stops("tool_use"), closed).body)
	f.Add(replies(began, begins("0", `"type":"thinking"`), delta("0", `"type":"signature_delta","signature":"E"`), stops("end_turn")).body)
	f.Add(`data: {"type":"message_start","message":{"usage":{"input_tokens":-1}}}` + "\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		m, err := New(Options{Key: testKey, Name: "claude", Retries: -1, HTTP: answering(body)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Stream(t.Context(), hi, model.Deltas{}); err != nil && errcode.Of(err) == errcode.Internal {
			t.Errorf("Stream() error = %v, without a code", err)
		}
	})
}
