package model

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model/modeltest"
)

func TestModelReplies(t *testing.T) {
	t.Parallel()
	call := func(members string) string { return modeltest.Delta(`"tool_calls":[{` + members + `}]`) }
	long := strings.Repeat("x", 300_000)
	tests := []struct {
		name   string
		script modeltest.Answer
		heard  string
		calls  string // names and arguments
		finish string
	}{
		{"text in pieces", modeltest.Answer{Body: modeltest.Delta(`"role":"assistant","content":""`) + "\n" + modeltest.Delta(`"content":"Hel"`) + "\n" +
			modeltest.Delta(`"content":"lo"`) + "\n" + modeltest.Finish("stop") + "\n[DONE]"}, "t(Hel)t(lo)", "", "stop"},
		{"reasoning_content", modeltest.Answer{Body: modeltest.Delta(`"reasoning_content":"hm"`) + "\n" + modeltest.Delta(`"content":"A"`) + "\n" + modeltest.Finish("stop")},
			"r(hm)t(A)", "", "stop"},
		{"reasoning", modeltest.Answer{Body: modeltest.Delta(`"reasoning":"hm"`) + "\n" + modeltest.Delta(`"content":"A"`) + "\n" + modeltest.Finish("stop")}, "r(hm)t(A)", "", "stop"},
		{"both are the same", modeltest.Answer{Body: modeltest.Delta(`"reasoning":"hm","reasoning_content":"hm"`) + "\n" + modeltest.Finish("stop")}, "r(hm)", "", "stop"},
		{"null deltas", modeltest.Answer{Body: modeltest.Delta(`"content":null,"reasoning":null,"tool_calls":null,"refusal":null`) + "\n" +
			`{"choices":[{"index":0,"delta":null,"finish_reason":null}]}` + "\n" + modeltest.Delta(`"content":"A"`) + "\n" + modeltest.Finish("stop")},
			"t(A)", "", "stop"},
		{"empty choices and usage last", modeltest.Answer{Body: `{"choices":[]}` + "\n" + modeltest.Delta(`"content":"A"`) + "\n" + modeltest.Finish("stop") + "\n" +
			`{"choices":null,"usage":{"prompt_tokens":1}}` + "\n[DONE]"}, "t(A)", "", "stop"},
		{"numeric id", modeltest.Answer{Body: `{"id":7,"created":"x","choices":[{"index":0,"delta":{"content":"A"},"finish_reason":"stop"}]}`}, "t(A)", "", "stop"},
		{"list of parts", modeltest.Answer{Body: modeltest.Delta(`"content":[{"type":"text","text":"A"},{"type":"thinking","thinking":[]}]`) + "\n" + modeltest.Finish("stop")},
			"t(A)", "", "stop"},
		{"refusal", modeltest.Answer{Body: modeltest.Delta(`"refusal":"I won't"`) + "\n" + modeltest.Finish("stop")}, "t(I won't)", "", "stop"},
		{"160 comments", modeltest.Answer{Body: strings.Repeat(": PROCESSING\n", 400) + modeltest.Delta(`"content":"A"`) + "\n" + modeltest.Finish("stop")}, "t(A)", "", "stop"},
		{"event and id lines", modeltest.Answer{Raw: true, Body: "event: message\nid: 1\ndata: " + modeltest.Delta(`"content":"A"`) + "\r\n\r\ndata:" + modeltest.Finish("stop") + "\r\n\r\n"},
			"t(A)", "", "stop"},
		{"no empty lines", modeltest.Answer{Raw: true, Body: "data: " + modeltest.Delta(`"content":"A"`) + "\ndata: " + modeltest.Finish("stop") + "\ndata: [DONE]\n"}, "t(A)", "", "stop"},
		{"data over several lines", modeltest.Answer{Raw: true, Body: "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"A\"}}]}\n\ndata: " + modeltest.Finish("stop") + "\n\n"},
			"t(A)", "", "stop"},
		{"last line without an end", modeltest.Answer{Raw: true, Body: "data: " + modeltest.Delta(`"content":"A"`) + "\n\ndata: " + modeltest.Finish("stop")}, "t(A)", "", "stop"},
		{"byte order mark", modeltest.Answer{Raw: true, Body: "\ufeffdata: " + modeltest.Finish("stop") + "\n\n"}, "", "", "stop"},
		{"long line", modeltest.Answer{Body: modeltest.Delta(`"content":"`+long+`"`) + "\n" + modeltest.Finish("stop")}, "t(" + long + ")", "", "stop"},
		{"a server that does not stream", modeltest.Answer{Header: map[string]string{"Content-Type": "application/json"}, Raw: true,
			Body: "{\n\"choices\":[{\"index\":0,\"message\":{\"content\":\"A\",\"tool_calls\":[{\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"stop\"}]}"},
			"t(A)c0(f {})", "f {}", "stop"},
		{"cut after the end", modeltest.Answer{Body: modeltest.Delta(`"content":"A"`) + "\n" + modeltest.Finish("stop"), Cut: true}, "t(A)", "", "stop"},
		{"only the first choice", modeltest.Answer{Body: `{"choices":[{"index":1,"delta":{"content":"B"}},{"index":0,"delta":{"content":"A"},"finish_reason":"length"}]}`},
			"t(A)", "", "length"},

		{"parallel calls", modeltest.Calls("f", `{"a":1}`, "g", `{}`), `c0(f {"a":1})c1(g {})`, `f {"a":1};g {}`, "tool_calls"},
		{"calls in pieces", modeltest.Answer{Body: call(`"index":0,"id":"a","function":{"name":"f","arguments":""}`) + "\n" +
			call(`"index":0,"function":{"arguments":"{\"x\""}`) + "\n" + call(`"index":0,"function":{"arguments":":1}"}`) + "\n" +
			modeltest.Delta(`"content":"Then"`) + "\n" + modeltest.Finish("tool_calls")}, `c0(f )c0(f {"x")c0(f :1})t(Then)`, `f {"x":1}`, "tool_calls"},
		{"nil indexes, ids", modeltest.Answer{Body: call(`"id":"a","function":{"name":"f","arguments":"{"}`) + "\n" + call(`"id":"b","function":{"name":"g","arguments":"{}"}`) + "\n" +
			call(`"id":"a","function":{"arguments":"}"}`) + "\n" + modeltest.Finish("tool_calls")}, "c0(f {)c1(g {})c0(f })", "f {};g {}", "tool_calls"},
		{"nil indexes, no ids", modeltest.Answer{Body: call(`"function":{"name":"f","arguments":"{"}`) + "\n" + call(`"function":{"arguments":"}"}`) + "\n" +
			call(`"function":{"name":"f","arguments":"{}"}`) + "\n" + modeltest.Finish("stop")}, "c0(f {)c0(f })c1(f {})", "f {};f {}", "stop"},
		{"the same index for all", modeltest.Answer{Body: call(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`) + "\n" +
			call(`"index":0,"id":"b","function":{"name":"f","arguments":"{}"}`) + "\n" + modeltest.Finish("stop")}, "c0(f {})c1(f {})", "f {};f {}", "stop"},
		{"the same id for all", modeltest.Answer{Body: call(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`) + "\n" +
			call(`"index":1,"id":"a","function":{"name":"g","arguments":"{}"}`) + "\n" + modeltest.Finish("stop")}, "c0(f {})c1(g {})", "f {};g {}", "stop"},
		{"the name with every piece", modeltest.Answer{Body: call(`"index":0,"id":"a","function":{"name":"f","arguments":"{"}`) + "\n" +
			call(`"index":0,"function":{"name":"f","arguments":"}"}`) + "\n" + modeltest.Finish("stop")}, "c0(f {)c0(f })", "f {}", "stop"},
		{"the name after the arguments", modeltest.Answer{Body: call(`"index":0,"id":"a","function":{"arguments":"{"}`) + "\n" +
			call(`"index":0,"function":{"name":"f","arguments":"}"}`) + "\n" + modeltest.Finish("stop")}, "c0(f {})", "f {}", "stop"},
		{"arguments that are an object", modeltest.Answer{Body: call(`"index":0,"id":5,"function":{"name":"f","arguments":{"a":1}}`) + "\n" + modeltest.Finish("stop")},
			`c0(f {"a":1})`, `f {"a":1}`, "stop"},
		{"interleaved", modeltest.Answer{Body: call(`"index":0,"id":"a","function":{"name":"f"}`) + "\n" + call(`"index":1,"id":"b","function":{"name":"g"}`) + "\n" +
			call(`"index":0,"function":{"arguments":"{}"}`) + "\n" + call(`"index":1,"function":{"arguments":"{}"}`) + "\n" + modeltest.Finish("stop")},
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

func TestModelErrors(t *testing.T) {
	t.Parallel()
	a := modeltest.Delta(`"content":"A"`) + "\n"
	hold := make(chan struct{})
	defer close(hold)
	tests := []struct {
		name   string
		script modeltest.Answer
		want   agui.Code
	}{
		{"no finish reason", modeltest.Answer{Body: a + "[DONE]"}, agui.CodeModelResponse},
		{"nothing at all", modeltest.Answer{Body: ""}, agui.CodeModelResponse},
		{"an empty finish reason", modeltest.Answer{Body: a + modeltest.Finish("")}, agui.CodeModelResponse},
		{"cut off", modeltest.Answer{Body: a, Cut: true}, agui.CodeModelUnavailable},
		{"cut in a line", modeltest.Answer{Raw: true, Body: "data: " + modeltest.Delta(`"content":"A"`) + "\n\ndata: {\"choices\":[", Cut: true}, agui.CodeModelUnavailable},
		{"ends in a line", modeltest.Answer{Raw: true, Body: "data: " + modeltest.Delta(`"content":"A"`) + "\n\ndata: {\"choices\":["}, agui.CodeModelResponse},
		{"error body", modeltest.Answer{Raw: true, Body: `{"error":{"message":"boom","type":"server_error"}}`}, agui.CodeModelUnavailable},
		{"error text as body", modeltest.Answer{Raw: true, Body: `{"error":"boom"}`}, agui.CodeModelUnavailable},
		{"detail as body", modeltest.Answer{Raw: true, Body: `{"detail":"boom"}`}, agui.CodeModelResponse},
		{"list as body", modeltest.Answer{Raw: true, Body: `["boom"]`}, agui.CodeModelResponse},
		{"web page", modeltest.Answer{Raw: true, Body: "\n<!doctype html><p>boom"}, agui.CodeModelResponse},
		{"error in the middle", modeltest.Answer{Body: a + `{"error":{"message":"boom","code":502}}` + "\n" + a}, agui.CodeModelUnavailable},
		{"and nothing follows it", modeltest.Answer{Raw: true, Body: "data: " + modeltest.Delta(`"content":"A"`) + "\n\ndata: {\"error\":{\"message\":\"boom\"}}\n", Hold: hold}, agui.CodeModelUnavailable},
		{"with a space", modeltest.Answer{Body: a + `{ "error" : {"message":"boom"}}`}, agui.CodeModelUnavailable},
		{"as text", modeltest.Answer{Body: a + `{"error":"boom"}`}, agui.CodeModelUnavailable},
		{"without a message", modeltest.Answer{Body: a + `{"error":{"type":"invalid_request_error"}}`}, agui.CodeModelRequest},
		{"after a comment", modeltest.Answer{Body: ": OPENROUTER PROCESSING\n" + a + `{"error":{"message":"boom","code":429}}`}, agui.CodeModelUnavailable},
		{"among other members", modeltest.Answer{Body: a + `{"id":"x","choices":[],"error":{"code":"content_filter"}}`}, agui.CodeModelContentFilter},
		{"as an event", modeltest.Answer{Raw: true, Body: "event: error\ndata: {\"message\":\"boom\",\"code\":401}\n\n"}, agui.CodeModelAuth},
		{"as an event in words", modeltest.Answer{Raw: true, Body: "event: error\ndata: boom\n\n"}, agui.CodeModelUnavailable},
		{"as an object called error", modeltest.Answer{Body: a + `{"object":"error","message":"boom","type":"BadRequestError","code":400}`}, agui.CodeModelRequest},
		{"no JSON", modeltest.Answer{Body: a + `{boom`}, agui.CodeModelResponse},
		{"chunk of another type", modeltest.Answer{Body: `"boom"`}, agui.CodeModelResponse},
		{"call without a name", modeltest.Answer{Body: modeltest.Delta(`"tool_calls":[{"index":0,"id":"x","function":{"arguments":"{}"}}]`) + "\n" + modeltest.Finish("tool_calls")}, agui.CodeModelResponse},
		{"a router's error", modeltest.Answer{Body: a + modeltest.Finish("error")}, agui.CodeModelUnavailable},
		{"withheld", modeltest.Answer{Body: a + modeltest.Finish("content_filter")}, agui.CodeModelContentFilter},
		{"line too long", modeltest.Answer{Body: modeltest.Delta(`"content":"` + strings.Repeat("x", maxEvent) + `"`)}, agui.CodeModelResponse},
		{"document too long", modeltest.Answer{Raw: true, Body: `{"x":"` + strings.Repeat("x", maxEvent) + `"}`}, agui.CodeModelResponse},
		{"too much", modeltest.Answer{Body: strings.Repeat(a, 200_000)}, agui.CodeModelResponse},
		{"too many words", modeltest.Answer{Body: strings.Repeat(modeltest.Delta(`"content":"`+strings.Repeat("x", 1<<20)+`"`)+"\n", 5)}, agui.CodeModelResponse},
		{"too many calls", modeltest.Calls(strings.Split(strings.Repeat("f {} ", 70), " ")...), agui.CodeModelResponse},

		{"401", modeltest.Answer{Status: 401, Body: `{"error":{"message":"Incorrect API key provided: ` + testKey + `","type":"invalid_request_error","code":"invalid_api_key"}}`}, agui.CodeModelAuth},
		{"403 page", modeltest.Answer{Status: 403, Body: "<html>"}, agui.CodeModelAuth},
		{"400", modeltest.Answer{Status: 400, Body: `{"error":{"message":"bad ` + testKey + `","type":"` + testKey + `","param":"temperature"}}`}, agui.CodeModelRequest},
		{"400 filter", modeltest.Answer{Status: 400, Body: `{"error":{"message":"no","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`}, agui.CodeModelContentFilter},
		{"400 in words", modeltest.Answer{Status: 400, Body: `{"error":"` + testKey + `"}`}, agui.CodeModelRequest},
		{"404", modeltest.Answer{Status: 404, Body: `404 page not found`}, agui.CodeModelRequest},
		{"413", modeltest.Answer{Status: 413}, agui.CodeModelRequest},
		{"422 detail", modeltest.Answer{Status: 422, Body: `{"detail":[{"msg":"x"}]}`}, agui.CodeModelRequest},
		{"a redirect", modeltest.Answer{Status: 307, Header: map[string]string{"Location": "http://127.0.0.1:1/"}}, agui.CodeModelRequest},
		{"429", modeltest.Answer{Status: 429, Body: `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`}, agui.CodeModelUnavailable},
		{"429 quota", modeltest.Answer{Status: 429, Body: `{"error":{"code":"insufficient_quota"}}`}, agui.CodeModelUnavailable},
		{"500 list of messages", modeltest.Answer{Status: 500, Body: `{"error":{"message":["a","b"]}}`}, agui.CodeModelUnavailable},
		{"529", modeltest.Answer{Status: 529}, agui.CodeModelUnavailable},
		{"broken error body", modeltest.Answer{Status: 502, Body: "x", Cut: true}, agui.CodeModelUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, tt.script)
			m := s.model(func(o *Options) { o.MaxReply = 8 << 20 })
			_, err := m.Stream(t.Context(), hello, Deltas{})
			if got := agui.CodeOf(err); got != tt.want {
				t.Errorf("Stream() = %v, want code %s", err, tt.want)
			}
			if leak := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(leak, testKey) {
				t.Errorf("the error tells: %s", leak)
			}
		})
	}
}

func TestModelUnreachable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	m, err := New(Options{BaseURL: "http://user:" + testKey + "@" + gone.Listener.Addr().String(), Key: testKey, Name: "m", Retries: -1})
	must(t, err)
	_, err = m.Stream(t.Context(), hello, Deltas{})
	equal(t, "code", agui.CodeOf(err), agui.CodeModelUnavailable)
	if strings.Contains(err.Error(), testKey) {
		t.Errorf("the error tells: %v", err)
	}
}

func TestModelUsage(t *testing.T) {
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
			s := newServer(t, modeltest.Answer{Body: modeltest.Finish("stop") + "\n" + `{"choices":[],"usage":` + tt.usage + `}`})
			reply, err := s.model().Stream(t.Context(), hello, Deltas{})
			must(t, err)
			tt.want.Provider, tt.want.Model = "mock", "m1"
			equal(t, "usage", reply.Usage, tt.want)
		})
	}
}

// TestRow101ModelKeepsItsKey prints everything that could hold the key in every way.
func TestRow101ModelKeepsItsKey(t *testing.T) {
	t.Parallel()
	o := Options{BaseURL: "http://127.0.0.1:1/v1", Key: testKey, Name: "m", Retries: -1}
	m, err := New(o)
	must(t, err)
	_, failed := m.Stream(t.Context(), hello, Deltas{})
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "options", o, "model", m, "error", failed)
	for _, printed := range []string{fmt.Sprintf("%v %+v %#v %s", o, o, o, o), fmt.Sprintf("%v %+v %#v", m, m, *m), log.String(), fmt.Sprintf("%+v %#v", failed, failed)} {
		if strings.Contains(printed, testKey) {
			t.Errorf("the key is told: %s", printed)
		}
	}
}

func TestNewModelErrors(t *testing.T) {
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
	} {
		if _, err := New(o); err == nil || strings.Contains(err.Error(), testKey) {
			t.Errorf("%s: NewModel() = %v, want an error without a secret", name, err)
		}
	}
}

var errSink = errors.New("sink: gone")

func TestModelSinkAndStop(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	defer close(hold)
	s := newServer(t, modeltest.Answer{Body: modeltest.Delta(`"content":"A"`), Hold: hold})
	_, err := s.model().Stream(t.Context(), hello, Deltas{Text: func(string) error { return errSink }})
	if !errors.Is(err, errSink) {
		t.Errorf("Stream() = %v, want the sink's error", err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err = s.model(func(o *Options) { o.Retries = 5 }).Stream(ctx, hello, Deltas{Text: func(string) error { cancel(stopped); return nil }})
	if !errors.Is(err, stopped) {
		t.Errorf("Stream() = %v, want why it was stopped", err)
	}
}
