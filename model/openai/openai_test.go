package openai

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/port"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

func TestRepliesInManySpellings(t *testing.T) {
	t.Parallel()
	call := func(members string) string { return openaitest.Delta(`"tool_calls":[{` + members + `}]`) }
	long := strings.Repeat("x", 300_000)
	tests := []struct {
		name   string
		script openaitest.Answer
		heard  string
		calls  string // names and arguments
		finish string
	}{
		{"text in pieces", openaitest.Answer{Body: openaitest.Delta(`"role":"assistant","content":""`) + "\n" + openaitest.Delta(`"content":"Hel"`) + "\n" +
			openaitest.Delta(`"content":"lo"`) + "\n" + openaitest.Finish("stop") + "\n[DONE]"}, "t(Hel)t(lo)", "", "stop"},
		{"reasoning_content", openaitest.Answer{Body: openaitest.Delta(`"reasoning_content":"hm"`) + "\n" + openaitest.Delta(`"content":"A"`) + "\n" + openaitest.Finish("stop")},
			"r(hm)t(A)", "", "stop"},
		{"reasoning", openaitest.Answer{Body: openaitest.Delta(`"reasoning":"hm"`) + "\n" + openaitest.Delta(`"content":"A"`) + "\n" + openaitest.Finish("stop")}, "r(hm)t(A)", "", "stop"},
		{"both are the same", openaitest.Answer{Body: openaitest.Delta(`"reasoning":"hm","reasoning_content":"hm"`) + "\n" + openaitest.Finish("stop")}, "r(hm)", "", "stop"},
		{"null deltas", openaitest.Answer{Body: openaitest.Delta(`"content":null,"reasoning":null,"tool_calls":null,"refusal":null`) + "\n" +
			`{"choices":[{"index":0,"delta":null,"finish_reason":null}]}` + "\n" + openaitest.Delta(`"content":"A"`) + "\n" + openaitest.Finish("stop")},
			"t(A)", "", "stop"},
		{"empty choices and usage last", openaitest.Answer{Body: `{"choices":[]}` + "\n" + openaitest.Delta(`"content":"A"`) + "\n" + openaitest.Finish("stop") + "\n" +
			`{"choices":null,"usage":{"prompt_tokens":1}}` + "\n[DONE]"}, "t(A)", "", "stop"},
		{"numeric id", openaitest.Answer{Body: `{"id":7,"created":"x","choices":[{"index":0,"delta":{"content":"A"},"finish_reason":"stop"}]}`}, "t(A)", "", "stop"},
		{"list of parts", openaitest.Answer{Body: openaitest.Delta(`"content":[{"type":"text","text":"A"},{"type":"thinking","thinking":[]}]`) + "\n" + openaitest.Finish("stop")},
			"t(A)", "", "stop"},
		{"thoughts among the parts", openaitest.Answer{Body: openaitest.Delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"A"}]`) + "\n" + openaitest.Finish("stop")},
			"r(hm)t(A)", "", "stop"},
		{"refusal", openaitest.Answer{Body: openaitest.Delta(`"refusal":"I won't"`) + "\n" + openaitest.Finish("stop")}, "t(I won't)", "", "stop"},
		{"160 comments", openaitest.Answer{Body: strings.Repeat(": PROCESSING\n", 400) + openaitest.Delta(`"content":"A"`) + "\n" + openaitest.Finish("stop")}, "t(A)", "", "stop"},
		{"event and id lines", openaitest.Answer{Raw: true, Body: "event: message\nid: 1\ndata: " + openaitest.Delta(`"content":"A"`) + "\r\n\r\ndata:" + openaitest.Finish("stop") + "\r\n\r\n"},
			"t(A)", "", "stop"},
		{"no empty lines", openaitest.Answer{Raw: true, Body: "data: " + openaitest.Delta(`"content":"A"`) + "\ndata: " + openaitest.Finish("stop") + "\ndata: [DONE]\n"}, "t(A)", "", "stop"},
		{"data over several lines", openaitest.Answer{Raw: true, Body: "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"A\"}}]}\n\ndata: " + openaitest.Finish("stop") + "\n\n"},
			"t(A)", "", "stop"},
		{"last line without an end", openaitest.Answer{Raw: true, Body: "data: " + openaitest.Delta(`"content":"A"`) + "\n\ndata: " + openaitest.Finish("stop")}, "t(A)", "", "stop"},
		{"byte order mark", openaitest.Answer{Raw: true, Body: "\ufeffdata: " + openaitest.Finish("stop") + "\n\n"}, "", "", "stop"},
		{"long line", openaitest.Answer{Body: openaitest.Delta(`"content":"`+long+`"`) + "\n" + openaitest.Finish("stop")}, "t(" + long + ")", "", "stop"},
		{"a server that does not stream", openaitest.Answer{Header: map[string]string{"Content-Type": "application/json"}, Raw: true,
			Body: "{\n\"choices\":[{\"index\":0,\"message\":{\"content\":\"A\",\"tool_calls\":[{\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"stop\"}]}"},
			"t(A)c0(f {})", "f {}", "stop"},
		{"cut after the end", openaitest.Answer{Body: openaitest.Delta(`"content":"A"`) + "\n" + openaitest.Finish("stop"), Cut: true}, "t(A)", "", "stop"},
		{"an end without a reason", openaitest.Answer{Body: openaitest.Delta(`"content":"A"`) + "\n[DONE]"}, "t(A)", "", "stop"},
		{"an end of calls without a reason", openaitest.Answer{Body: openaitest.Delta(`"tool_calls":[{"id":"x","function":{"name":"f","arguments":"{}"}}]`) + "\n[DONE]"},
			"c0(f {})", "f {}", "tool_calls"},
		{"usage of its own as the end", openaitest.Answer{Body: openaitest.Delta(`"content":"A"`) + "\n" + `{"choices":[],"usage":{"prompt_tokens":1}}`}, "t(A)", "", "stop"},
		{"only the first choice", openaitest.Answer{Body: `{"choices":[{"index":1,"delta":{"content":"B"}},{"index":0,"delta":{"content":"A"},"finish_reason":"length"}]}`},
			"t(A)", "", "length"},

		{"parallel calls", openaitest.Calls("f", `{"a":1}`, "g", `{}`), `c0(f {"a":1})c1(g {})`, `f {"a":1};g {}`, "tool_calls"},
		{"calls in pieces", openaitest.Answer{Body: call(`"index":0,"id":"a","function":{"name":"f","arguments":""}`) + "\n" +
			call(`"index":0,"function":{"arguments":"{\"x\""}`) + "\n" + call(`"index":0,"function":{"arguments":":1}"}`) + "\n" +
			openaitest.Delta(`"content":"Then"`) + "\n" + openaitest.Finish("tool_calls")}, `c0(f )c0(f {"x")c0(f :1})t(Then)`, `f {"x":1}`, "tool_calls"},
		{"nil indexes, ids", openaitest.Answer{Body: call(`"id":"a","function":{"name":"f","arguments":"{"}`) + "\n" + call(`"id":"b","function":{"name":"g","arguments":"{}"}`) + "\n" +
			call(`"id":"a","function":{"arguments":"}"}`) + "\n" + openaitest.Finish("tool_calls")}, "c0(f {)c1(g {})c0(f })", "f {};g {}", "tool_calls"},
		{"nil indexes, no ids", openaitest.Answer{Body: call(`"function":{"name":"f","arguments":"{"}`) + "\n" + call(`"function":{"arguments":"}"}`) + "\n" +
			call(`"function":{"name":"f","arguments":"{}"}`) + "\n" + openaitest.Finish("stop")}, "c0(f {)c0(f })c1(f {})", "f {};f {}", "stop"},
		{"nil indexes, no ids, pieces of two", openaitest.Answer{Body: call(`"function":{"name":"f","arguments":""}`) + "\n" + call(`"function":{"arguments":"{\"a\""}`) + "\n" +
			call(`"function":{"arguments":":1}"}`) + "\n" + call(`"function":{"name":"f","arguments":""}`) + "\n" + call(`"function":{"arguments":"{\"a\":"}`) + "\n" +
			call(`"function":{"arguments":"2}"}`) + "\n" + openaitest.Finish("stop")}, `c0(f )c0(f {"a")c0(f :1})c1(f {"a":)c1(f 2})`, `f {"a":1};f {"a":2}`, "stop"},
		{"the same index for all", openaitest.Answer{Body: call(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`) + "\n" +
			call(`"index":0,"id":"b","function":{"name":"f","arguments":"{}"}`) + "\n" + openaitest.Finish("stop")}, "c0(f {})c1(f {})", "f {};f {}", "stop"},
		{"the same id for all", openaitest.Answer{Body: call(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`) + "\n" +
			call(`"index":1,"id":"a","function":{"name":"g","arguments":"{}"}`) + "\n" + openaitest.Finish("stop")}, "c0(f {})c1(g {})", "f {};g {}", "stop"},
		{"the name with every piece", openaitest.Answer{Body: call(`"index":0,"id":"a","function":{"name":"f","arguments":"{"}`) + "\n" +
			call(`"index":0,"function":{"name":"f","arguments":"}"}`) + "\n" + openaitest.Finish("stop")}, "c0(f {)c0(f })", "f {}", "stop"},
		{"the name after the arguments", openaitest.Answer{Body: call(`"index":0,"id":"a","function":{"arguments":"{"}`) + "\n" +
			call(`"index":0,"function":{"name":"f","arguments":"}"}`) + "\n" + openaitest.Finish("stop")}, "c0(f {})", "f {}", "stop"},
		{"arguments that are an object", openaitest.Answer{Body: call(`"index":0,"id":5,"function":{"name":"f","arguments":{"a":1}}`) + "\n" + openaitest.Finish("stop")},
			`c0(f {"a":1})`, `f {"a":1}`, "stop"},
		{"interleaved", openaitest.Answer{Body: call(`"index":0,"id":"a","function":{"name":"f"}`) + "\n" + call(`"index":1,"id":"b","function":{"name":"g"}`) + "\n" +
			call(`"index":0,"function":{"arguments":"{}"}`) + "\n" + call(`"index":1,"function":{"arguments":"{}"}`) + "\n" + openaitest.Finish("stop")},
			"c0(f )c1(g )c0(f {})c1(g {})", "f {};g {}", "stop"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var h heard
			reply, err := newServer(t, tt.script).model().Stream(t.Context(), hello, h.deltas())
			if err != nil {
				t.Fatalf("Stream() = %v", err)
			}
			equal(t, "deltas", h.String(), tt.heard)
			var made []string
			for _, c := range reply.Calls {
				made = append(made, c.Name+" "+c.Arguments)
			}
			equal(t, "calls", strings.Join(made, ";"), tt.calls)
			equal(t, "finish", reply.Finish, tt.finish)
		})
	}
}

func TestErrorsHaveCodesAndNoKeys(t *testing.T) {
	t.Parallel()
	a := openaitest.Delta(`"content":"A"`) + "\n"
	hold := make(chan struct{})
	defer close(hold)
	tests := []struct {
		name   string
		script openaitest.Answer
		want   errcode.Code
	}{
		{"no finish reason", openaitest.Answer{Body: a}, errcode.ModelResponse},
		{"nothing was said before the end", openaitest.Answer{Body: "[DONE]"}, errcode.ModelResponse},
		{"an end within a call", openaitest.Answer{Body: openaitest.Delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{\"a"}}]`) + "\n[DONE]"}, errcode.ModelResponse},
		{"nothing at all", openaitest.Answer{Body: ""}, errcode.ModelResponse},
		{"an empty finish reason", openaitest.Answer{Body: a + openaitest.Finish("")}, errcode.ModelResponse},
		{"cut off", openaitest.Answer{Body: a, Cut: true}, errcode.ModelUnavailable},
		{"cut in a line", openaitest.Answer{Raw: true, Body: "data: " + openaitest.Delta(`"content":"A"`) + "\n\ndata: {\"choices\":[", Cut: true}, errcode.ModelUnavailable},
		{"ends in a line", openaitest.Answer{Raw: true, Body: "data: " + openaitest.Delta(`"content":"A"`) + "\n\ndata: {\"choices\":["}, errcode.ModelResponse},
		{"error body", openaitest.Answer{Raw: true, Body: `{"error":{"message":"boom","type":"server_error"}}`}, errcode.ModelUnavailable},
		{"error text as body", openaitest.Answer{Raw: true, Body: `{"error":"boom"}`}, errcode.ModelUnavailable},
		{"detail as body", openaitest.Answer{Raw: true, Body: `{"detail":"boom"}`}, errcode.ModelResponse},
		{"list as body", openaitest.Answer{Raw: true, Body: `["boom"]`}, errcode.ModelResponse},
		{"web page", openaitest.Answer{Raw: true, Body: "\n<!doctype html><p>boom"}, errcode.ModelResponse},
		{"error in the middle", openaitest.Answer{Body: a + `{"error":{"message":"boom","code":502}}` + "\n" + a}, errcode.ModelUnavailable},
		{"and nothing follows it", openaitest.Answer{Raw: true, Body: "data: " + openaitest.Delta(`"content":"A"`) + "\n\ndata: {\"error\":{\"message\":\"boom\"}}\n", Hold: hold}, errcode.ModelUnavailable},
		{"with a space", openaitest.Answer{Body: a + `{ "error" : {"message":"boom"}}`}, errcode.ModelUnavailable},
		{"as text", openaitest.Answer{Body: a + `{"error":"boom"}`}, errcode.ModelUnavailable},
		{"without a message", openaitest.Answer{Body: a + `{"error":{"type":"invalid_request_error"}}`}, errcode.ModelRequest},
		{"after a comment", openaitest.Answer{Body: ": OPENROUTER PROCESSING\n" + a + `{"error":{"message":"boom","code":429}}`}, errcode.ModelUnavailable},
		{"among other members", openaitest.Answer{Body: a + `{"id":"x","choices":[],"error":{"code":"content_filter"}}`}, errcode.ModelContentFilter},
		{"as an event", openaitest.Answer{Raw: true, Body: "event: error\ndata: {\"message\":\"boom\",\"code\":401}\n\n"}, errcode.ModelAuth},
		{"as an event in words", openaitest.Answer{Raw: true, Body: "event: error\ndata: boom\n\n"}, errcode.ModelUnavailable},
		{"as an object called error", openaitest.Answer{Body: a + `{"object":"error","message":"boom","type":"BadRequestError","code":400}`}, errcode.ModelRequest},
		{"no JSON", openaitest.Answer{Body: a + `{boom`}, errcode.ModelResponse},
		{"chunk of another type", openaitest.Answer{Body: `"boom"`}, errcode.ModelResponse},
		{"call without a name", openaitest.Answer{Body: openaitest.Delta(`"tool_calls":[{"index":0,"id":"x","function":{"arguments":"{}"}}]`) + "\n" + openaitest.Finish("tool_calls")}, errcode.ModelResponse},
		{"a router's error", openaitest.Answer{Body: a + openaitest.Finish("error")}, errcode.ModelUnavailable},
		{"withheld", openaitest.Answer{Body: a + openaitest.Finish("content_filter")}, errcode.ModelContentFilter},
		{"line too long", openaitest.Answer{Body: openaitest.Delta(`"content":"` + strings.Repeat("x", maxEvent) + `"`)}, errcode.ModelResponse},
		{"document too long", openaitest.Answer{Raw: true, Body: `{"x":"` + strings.Repeat("x", maxEvent) + `"}`}, errcode.ModelResponse},
		{"too much", openaitest.Answer{Body: strings.Repeat(a, 200_000)}, errcode.ModelResponse},
		{"too many words", openaitest.Answer{Body: strings.Repeat(openaitest.Delta(`"content":"`+strings.Repeat("x", 1<<20)+`"`)+"\n", 5)}, errcode.ModelResponse},
		{"too many calls", openaitest.Calls(strings.Split(strings.Repeat("f {} ", 70), " ")...), errcode.ModelResponse},

		{"401", openaitest.Answer{Status: 401, Body: `{"error":{"message":"Incorrect API key provided: ` + testKey + `","type":"invalid_request_error","code":"invalid_api_key"}}`}, errcode.ModelAuth},
		{"402", openaitest.Answer{Status: 402, Body: `{"error":{"code":402,"message":"no credit"}}`}, errcode.ModelAuth},
		{"403 page", openaitest.Answer{Status: 403, Body: "<html>"}, errcode.ModelAuth},
		{"400", openaitest.Answer{Status: 400, Body: `{"error":{"message":"bad ` + testKey + `","type":"` + testKey + `","param":"temperature"}}`}, errcode.ModelRequest},
		{"400 filter", openaitest.Answer{Status: 400, Body: `{"error":{"message":"no","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`}, errcode.ModelContentFilter},
		{"400 in words", openaitest.Answer{Status: 400, Body: `{"error":"` + testKey + `"}`}, errcode.ModelRequest},
		{"404", openaitest.Answer{Status: 404, Body: `404 page not found`}, errcode.ModelRequest},
		{"context length", openaitest.Answer{Status: 400, Body: `{"error":{"message":"no","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`}, errcode.ModelContextLength},
		{"context length, as a 500", openaitest.Answer{Status: 500, Body: `{"error":{"code":500,"type":"exceed_context_size_error","n_ctx":256}}`}, errcode.ModelContextLength},
		{"context length, by parameter", openaitest.Answer{Status: 400, Body: `{"error":{"message":"no","type":"BadRequestError","param":"input_tokens, max_tokens","code":400}}`}, errcode.ModelContextLength},
		{"context length, in a stream", openaitest.Answer{Body: `{"error":{"code":"context_length_exceeded"}}`}, errcode.ModelContextLength},
		{"context length, only in words", openaitest.Answer{Status: 400, Body: `{"error":{"message":"maximum context length"}}`}, errcode.ModelRequest},
		{"JSON that a model spoilt", openaitest.Answer{Status: 400, Body: `{"error":{"type":"invalid_request_error","code":"json_validate_failed"}}`}, errcode.ModelResponse},
		{"501", openaitest.Answer{Status: 501}, errcode.ModelRequest},
		{"an error in a list", openaitest.Answer{Status: 400, Body: `[{"error":{"code":400,"status":"INVALID_ARGUMENT"}}]`}, errcode.ModelRequest},
		{"413", openaitest.Answer{Status: 413}, errcode.ModelRequest},
		{"422 detail", openaitest.Answer{Status: 422, Body: `{"detail":[{"msg":"x"}]}`}, errcode.ModelRequest},
		{"a redirect", openaitest.Answer{Status: 307, Header: map[string]string{"Location": "http://127.0.0.1:1/"}}, errcode.ModelRequest},
		{"429", openaitest.Answer{Status: 429, Body: `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`}, errcode.ModelUnavailable},
		{"429 quota", openaitest.Answer{Status: 429, Body: `{"error":{"code":"insufficient_quota"}}`}, errcode.ModelUnavailable},
		{"500 list of messages", openaitest.Answer{Status: 500, Body: `{"error":{"message":["a","b"]}}`}, errcode.ModelUnavailable},
		{"529", openaitest.Answer{Status: 529}, errcode.ModelUnavailable},
		{"broken error body", openaitest.Answer{Status: 502, Body: "x", Cut: true}, errcode.ModelUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, tt.script)
			m := s.model(func(o *Options) { o.MaxReply = 8 << 20 })
			_, err := m.Stream(t.Context(), hello, model.Deltas{})
			if got := errcode.Of(err); got != tt.want {
				t.Errorf("Stream() = %v, want code %s", err, tt.want)
			}
			if leak := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(leak, testKey) {
				t.Errorf("the error tells: %s", leak)
			}
		})
	}
}

func TestAnUnreachableServerIsUnavailable(t *testing.T) {
	t.Parallel()
	m, err := New(Options{BaseURL: "http://user:" + testKey + "@" + port.ForTest(t).Addr(), Key: testKey, Name: "m", Retries: -1})
	must(t, err)
	_, err = m.Stream(t.Context(), hello, model.Deltas{})
	equal(t, "code", errcode.Of(err), errcode.ModelUnavailable)
	if strings.Contains(err.Error(), testKey) {
		t.Errorf("the error tells: %v", err)
	}
}

func TestUsageIsWhatServersSayOfIt(t *testing.T) {
	t.Parallel()
	n := func(i int64) *int64 { return &i }
	tests := []struct {
		name, usage string
		want        agui.TokenUsage
	}{
		{"unknown", `null`, agui.TokenUsage{}},
		{"sums", `{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}`, agui.TokenUsage{InputTokens: n(5), OutputTokens: n(2), TotalTokens: n(7)}},
		{"details", `{"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens":null,"completion_tokens_details":{"reasoning_tokens":1}}`,
			agui.TokenUsage{InputTokens: n(5), CachedInputTokens: n(4), ReasoningTokens: n(1)}},
		{"null details", `{"prompt_tokens":0,"prompt_tokens_details":null}`, agui.TokenUsage{InputTokens: n(0)}},
		{"nonsense", `{"prompt_tokens":-1,"completion_tokens":"2","total_tokens":{}}`, agui.TokenUsage{OutputTokens: n(2)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, openaitest.Answer{Body: openaitest.Finish("stop") + "\n" + `{"choices":[],"usage":` + tt.usage + `}`})
			reply, err := s.model().Stream(t.Context(), hello, model.Deltas{})
			must(t, err)
			tt.want.Provider, tt.want.Model = "mock", "m1"
			equal(t, "usage", reply.Usage, tt.want)
		})
	}
}

// TestRow101AModelKeepsItsKey prints everything that could hold the key in every way.
func TestRow101AModelKeepsItsKey(t *testing.T) {
	t.Parallel()
	o := Options{BaseURL: "http://127.0.0.1:1/v1", Key: testKey, Name: "m", Retries: -1}
	m, err := New(o)
	must(t, err)
	_, failed := m.Stream(t.Context(), hello, model.Deltas{})
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "options", o, "model", m, "error", failed)
	for _, printed := range []string{fmt.Sprintf("%v %+v %#v %s", o, o, o, o), fmt.Sprintf("%v %+v %#v", m, m, *m), log.String(), fmt.Sprintf("%+v %#v", failed, failed)} {
		if strings.Contains(printed, testKey) {
			t.Errorf("the key is told: %s", printed)
		}
	}
}

func TestNewRefusesOptionsThatCannotBeRight(t *testing.T) {
	t.Parallel()
	hot := 3.0
	for name, o := range map[string]Options{
		"no name":      {Key: "k"},
		"no place":     {Name: "m"},
		"azure":        {Name: "m", Key: "k", Provider: "azure"},
		"no URL":       {Name: "m", BaseURL: "127.0.0.1:80"},
		"other scheme": {Name: "m", BaseURL: "ftp://" + testKey + "@x"},
		"broken key":   {Name: "m", Key: testKey + "\n"},
		"too hot":      {Name: "m", Key: "k", Temperature: &hot},
		"negative":     {Name: "m", Key: "k", Idle: -1},
		"other API":    {Name: "m", Key: "k", API: "x"},
		"other way":    {Name: "m", Key: "k", Structured: "x"},
		"other echo":   {Name: "m", Key: "k", Echo: "x"},
		"other field":  {Name: "m", Key: "k", MaxTokensField: "x"},
		"two dialects": {Name: "m", Key: "k", API: Responses, Echo: EchoReasoning},
	} {
		if _, err := New(o); err == nil || strings.Contains(err.Error(), testKey) {
			t.Errorf("%s: New() = %v, want an error without a secret", name, err)
		}
	}
}

var errSink = errors.New("sink: gone")

func TestWhatIsHeardAndWhoAsksEndACall(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	defer close(hold)
	s := newServer(t, openaitest.Answer{Body: openaitest.Delta(`"content":"A"`), Hold: hold})
	_, err := s.model().Stream(t.Context(), hello, model.Deltas{Text: func(string) error { return errSink }})
	if !errors.Is(err, errSink) {
		t.Errorf("Stream() = %v, want the sink's error", err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err = s.model(func(o *Options) { o.Retries = 5 }).Stream(ctx, hello, model.Deltas{Text: func(string) error { cancel(stopped); return nil }})
	if !errors.Is(err, stopped) {
		t.Errorf("Stream() = %v, want why it was stopped", err)
	}
}
