package groupchat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

const testKey = "sk-secret-key-0123456789"

// A modelServer is a model's server that answers each request with the next of its scripts, the last one for ever.
type modelServer struct {
	t       testing.TB
	url     string
	mu      sync.Mutex
	scripts []script
	asked   []string // the bodies of the requests
}

// A script is one answer. Lines that are no SSE field become "data: " lines.
type script struct {
	status int
	header map[string]string
	body   string
	raw    bool          // the body as it is
	cut    bool          // the connection is cut after the body
	hold   chan struct{} // the connection is held open after the body until it is closed
	after  func()        // is called when the body has been read; the connection stays open (a mind's only)
}

func newModelServer(t testing.TB, scripts ...script) *modelServer {
	t.Helper()
	s := &modelServer{t: t, scripts: scripts}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if got := r.Header.Get("Authorization"); got != "Bearer "+testKey {
		s.t.Errorf("Authorization = %q", got)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("request: %v", err)
	}
	s.mu.Lock()
	s.asked = append(s.asked, string(body))
	next := s.scripts[0]
	if len(s.scripts) > 1 {
		s.scripts = s.scripts[1:]
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for name, value := range next.header {
		w.Header().Set(name, value)
	}
	if next.status != 0 {
		w.WriteHeader(next.status)
	}
	_, _ = io.WriteString(w, next.wire())
	_ = http.NewResponseController(w).Flush()
	if next.hold != nil {
		select {
		case <-next.hold:
		case <-r.Context().Done():
		}
	}
	if next.cut {
		panic(http.ErrAbortHandler)
	}
}

// wire is the script's body as it is sent.
func (s script) wire() string {
	if s.raw || s.status != 0 {
		return s.body
	}
	var b strings.Builder
	for line := range strings.Lines(s.body) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if !strings.HasPrefix(line, ":") && !strings.HasPrefix(line, "event:") && !strings.HasPrefix(line, "data:") {
			line = "data: " + line
		}
		b.WriteString(line + "\n\n")
	}
	return b.String()
}

// requests are the bodies the server got, and how many.
func (s *modelServer) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

func (s *modelServer) model(change ...func(*ModelOptions)) *Model {
	s.t.Helper()
	o := ModelOptions{Provider: "mock", BaseURL: s.url + "/v1", Key: testKey, Name: "m1", Retries: -1}
	for _, f := range change {
		f(&o)
	}
	m, err := NewModel(o)
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// says is a reply that is only text.
func says(text string) script {
	return script{body: chunk(`"content":`+jsonQuote(text)) + "\n" + finish("stop") + "\n[DONE]"}
}

// calls is a reply that is only calls: name and arguments by turns.
func calls(list ...string) script {
	var lines []string
	for i := 0; i+1 < len(list); i += 2 {
		lines = append(lines, chunk(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":"c%d","type":"function","function":{"name":%q,"arguments":%s}}]`,
			i/2, i/2, list[i], jsonQuote(list[i+1]))))
	}
	return script{body: strings.Join(append(lines, finish("tool_calls"), "[DONE]"), "\n")}
}

func chunk(delta string) string { return `{"choices":[{"index":0,"delta":{` + delta + `}}]}` }

func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":` + jsonQuote(reason) + `}]}`
}

func jsonQuote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// heard is what a call of a model passes on, as one line.
type heard struct{ strings.Builder }

func (h *heard) deltas() ModelDeltas {
	note := func(format string, args ...any) error {
		_, err := fmt.Fprintf(h, format, args...)
		return err
	}
	return ModelDeltas{
		Text:      func(d string) error { return note("t(%s)", d) },
		Reasoning: func(d string) error { return note("r(%s)", d) },
		Call:      func(i int, name, args string) error { return note("c%d(%s %s)", i, name, args) },
	}
}

var hello = ModelRequest{Messages: []ModelMessage{{Role: agui.RoleUser, Text: "hello"}}}

func TestModelReplies(t *testing.T) {
	t.Parallel()
	call := func(members string) string { return chunk(`"tool_calls":[{` + members + `}]`) }
	long := strings.Repeat("x", 300_000)
	tests := []struct {
		name   string
		script script
		heard  string
		calls  string // names and arguments
		finish string
	}{
		{"text in pieces", script{body: chunk(`"role":"assistant","content":""`) + "\n" + chunk(`"content":"Hel"`) + "\n" +
			chunk(`"content":"lo"`) + "\n" + finish("stop") + "\n[DONE]"}, "t(Hel)t(lo)", "", "stop"},
		{"reasoning_content", script{body: chunk(`"reasoning_content":"hm"`) + "\n" + chunk(`"content":"A"`) + "\n" + finish("stop")},
			"r(hm)t(A)", "", "stop"},
		{"reasoning", script{body: chunk(`"reasoning":"hm"`) + "\n" + chunk(`"content":"A"`) + "\n" + finish("stop")}, "r(hm)t(A)", "", "stop"},
		{"both are the same", script{body: chunk(`"reasoning":"hm","reasoning_content":"hm"`) + "\n" + finish("stop")}, "r(hm)", "", "stop"},
		{"null deltas", script{body: chunk(`"content":null,"reasoning":null,"tool_calls":null,"refusal":null`) + "\n" +
			`{"choices":[{"index":0,"delta":null,"finish_reason":null}]}` + "\n" + chunk(`"content":"A"`) + "\n" + finish("stop")},
			"t(A)", "", "stop"},
		{"empty choices and usage last", script{body: `{"choices":[]}` + "\n" + chunk(`"content":"A"`) + "\n" + finish("stop") + "\n" +
			`{"choices":null,"usage":{"prompt_tokens":1}}` + "\n[DONE]"}, "t(A)", "", "stop"},
		{"numeric id", script{body: `{"id":7,"created":"x","choices":[{"index":0,"delta":{"content":"A"},"finish_reason":"stop"}]}`}, "t(A)", "", "stop"},
		{"list of parts", script{body: chunk(`"content":[{"type":"text","text":"A"},{"type":"thinking","thinking":[]}]`) + "\n" + finish("stop")},
			"t(A)", "", "stop"},
		{"refusal", script{body: chunk(`"refusal":"I won't"`) + "\n" + finish("stop")}, "t(I won't)", "", "stop"},
		{"160 comments", script{body: strings.Repeat(": PROCESSING\n", 400) + chunk(`"content":"A"`) + "\n" + finish("stop")}, "t(A)", "", "stop"},
		{"event and id lines", script{raw: true, body: "event: message\nid: 1\ndata: " + chunk(`"content":"A"`) + "\r\n\r\ndata:" + finish("stop") + "\r\n\r\n"},
			"t(A)", "", "stop"},
		{"no empty lines", script{raw: true, body: "data: " + chunk(`"content":"A"`) + "\ndata: " + finish("stop") + "\ndata: [DONE]\n"}, "t(A)", "", "stop"},
		{"data over several lines", script{raw: true, body: "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"A\"}}]}\n\ndata: " + finish("stop") + "\n\n"},
			"t(A)", "", "stop"},
		{"last line without an end", script{raw: true, body: "data: " + chunk(`"content":"A"`) + "\n\ndata: " + finish("stop")}, "t(A)", "", "stop"},
		{"byte order mark", script{raw: true, body: "\ufeffdata: " + finish("stop") + "\n\n"}, "", "", "stop"},
		{"long line", script{body: chunk(`"content":"`+long+`"`) + "\n" + finish("stop")}, "t(" + long + ")", "", "stop"},
		{"a server that does not stream", script{header: map[string]string{"Content-Type": "application/json"}, raw: true,
			body: "{\n\"choices\":[{\"index\":0,\"message\":{\"content\":\"A\",\"tool_calls\":[{\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"stop\"}]}"},
			"t(A)c0(f {})", "f {}", "stop"},
		{"cut after the end", script{body: chunk(`"content":"A"`) + "\n" + finish("stop"), cut: true}, "t(A)", "", "stop"},
		{"only the first choice", script{body: `{"choices":[{"index":1,"delta":{"content":"B"}},{"index":0,"delta":{"content":"A"},"finish_reason":"length"}]}`},
			"t(A)", "", "length"},

		{"parallel calls", calls("f", `{"a":1}`, "g", `{}`), `c0(f {"a":1})c1(g {})`, `f {"a":1};g {}`, "tool_calls"},
		{"calls in pieces", script{body: call(`"index":0,"id":"a","function":{"name":"f","arguments":""}`) + "\n" +
			call(`"index":0,"function":{"arguments":"{\"x\""}`) + "\n" + call(`"index":0,"function":{"arguments":":1}"}`) + "\n" +
			chunk(`"content":"Then"`) + "\n" + finish("tool_calls")}, `c0(f )c0(f {"x")c0(f :1})t(Then)`, `f {"x":1}`, "tool_calls"},
		{"nil indexes, ids", script{body: call(`"id":"a","function":{"name":"f","arguments":"{"}`) + "\n" + call(`"id":"b","function":{"name":"g","arguments":"{}"}`) + "\n" +
			call(`"id":"a","function":{"arguments":"}"}`) + "\n" + finish("tool_calls")}, "c0(f {)c1(g {})c0(f })", "f {};g {}", "tool_calls"},
		{"nil indexes, no ids", script{body: call(`"function":{"name":"f","arguments":"{"}`) + "\n" + call(`"function":{"arguments":"}"}`) + "\n" +
			call(`"function":{"name":"f","arguments":"{}"}`) + "\n" + finish("stop")}, "c0(f {)c0(f })c1(f {})", "f {};f {}", "stop"},
		{"the same index for all", script{body: call(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`) + "\n" +
			call(`"index":0,"id":"b","function":{"name":"f","arguments":"{}"}`) + "\n" + finish("stop")}, "c0(f {})c1(f {})", "f {};f {}", "stop"},
		{"the same id for all", script{body: call(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`) + "\n" +
			call(`"index":1,"id":"a","function":{"name":"g","arguments":"{}"}`) + "\n" + finish("stop")}, "c0(f {})c1(g {})", "f {};g {}", "stop"},
		{"the name with every piece", script{body: call(`"index":0,"id":"a","function":{"name":"f","arguments":"{"}`) + "\n" +
			call(`"index":0,"function":{"name":"f","arguments":"}"}`) + "\n" + finish("stop")}, "c0(f {)c0(f })", "f {}", "stop"},
		{"the name after the arguments", script{body: call(`"index":0,"id":"a","function":{"arguments":"{"}`) + "\n" +
			call(`"index":0,"function":{"name":"f","arguments":"}"}`) + "\n" + finish("stop")}, "c0(f {})", "f {}", "stop"},
		{"arguments that are an object", script{body: call(`"index":0,"id":5,"function":{"name":"f","arguments":{"a":1}}`) + "\n" + finish("stop")},
			`c0(f {"a":1})`, `f {"a":1}`, "stop"},
		{"interleaved", script{body: call(`"index":0,"id":"a","function":{"name":"f"}`) + "\n" + call(`"index":1,"id":"b","function":{"name":"g"}`) + "\n" +
			call(`"index":0,"function":{"arguments":"{}"}`) + "\n" + call(`"index":1,"function":{"arguments":"{}"}`) + "\n" + finish("stop")},
			"c0(f )c1(g )c0(f {})c1(g {})", "f {};g {}", "stop"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var h heard
			reply, err := newModelServer(t, tt.script).model().Stream(t.Context(), hello, h.deltas())
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
	a := chunk(`"content":"A"`) + "\n"
	hold := make(chan struct{})
	defer close(hold)
	tests := []struct {
		name   string
		script script
		want   agui.Code
	}{
		{"no finish reason", script{body: a + "[DONE]"}, agui.CodeModelResponse},
		{"nothing at all", script{body: ""}, agui.CodeModelResponse},
		{"an empty finish reason", script{body: a + finish("")}, agui.CodeModelResponse},
		{"cut off", script{body: a, cut: true}, agui.CodeModelUnavailable},
		{"cut in a line", script{raw: true, body: "data: " + chunk(`"content":"A"`) + "\n\ndata: {\"choices\":[", cut: true}, agui.CodeModelUnavailable},
		{"ends in a line", script{raw: true, body: "data: " + chunk(`"content":"A"`) + "\n\ndata: {\"choices\":["}, agui.CodeModelResponse},
		{"error body", script{raw: true, body: `{"error":{"message":"boom","type":"server_error"}}`}, agui.CodeModelUnavailable},
		{"error text as body", script{raw: true, body: `{"error":"boom"}`}, agui.CodeModelUnavailable},
		{"detail as body", script{raw: true, body: `{"detail":"boom"}`}, agui.CodeModelResponse},
		{"list as body", script{raw: true, body: `["boom"]`}, agui.CodeModelResponse},
		{"web page", script{raw: true, body: "\n<!doctype html><p>boom"}, agui.CodeModelResponse},
		{"error in the middle", script{body: a + `{"error":{"message":"boom","code":502}}` + "\n" + a}, agui.CodeModelUnavailable},
		{"and nothing follows it", script{raw: true, body: "data: " + chunk(`"content":"A"`) + "\n\ndata: {\"error\":{\"message\":\"boom\"}}\n", hold: hold}, agui.CodeModelUnavailable},
		{"with a space", script{body: a + `{ "error" : {"message":"boom"}}`}, agui.CodeModelUnavailable},
		{"as text", script{body: a + `{"error":"boom"}`}, agui.CodeModelUnavailable},
		{"without a message", script{body: a + `{"error":{"type":"invalid_request_error"}}`}, agui.CodeModelRequest},
		{"after a comment", script{body: ": OPENROUTER PROCESSING\n" + a + `{"error":{"message":"boom","code":429}}`}, agui.CodeModelUnavailable},
		{"among other members", script{body: a + `{"id":"x","choices":[],"error":{"code":"content_filter"}}`}, agui.CodeModelContentFilter},
		{"as an event", script{raw: true, body: "event: error\ndata: {\"message\":\"boom\",\"code\":401}\n\n"}, agui.CodeModelAuth},
		{"as an event in words", script{raw: true, body: "event: error\ndata: boom\n\n"}, agui.CodeModelUnavailable},
		{"as an object called error", script{body: a + `{"object":"error","message":"boom","type":"BadRequestError","code":400}`}, agui.CodeModelRequest},
		{"no JSON", script{body: a + `{boom`}, agui.CodeModelResponse},
		{"chunk of another type", script{body: `"boom"`}, agui.CodeModelResponse},
		{"call without a name", script{body: chunk(`"tool_calls":[{"index":0,"id":"x","function":{"arguments":"{}"}}]`) + "\n" + finish("tool_calls")}, agui.CodeModelResponse},
		{"a router's error", script{body: a + finish("error")}, agui.CodeModelUnavailable},
		{"withheld", script{body: a + finish("content_filter")}, agui.CodeModelContentFilter},
		{"line too long", script{body: chunk(`"content":"` + strings.Repeat("x", maxModelLine) + `"`)}, agui.CodeModelResponse},
		{"document too long", script{raw: true, body: `{"x":"` + strings.Repeat("x", maxModelLine) + `"}`}, agui.CodeModelResponse},
		{"too much", script{body: strings.Repeat(a, 200_000)}, agui.CodeModelResponse},
		{"too many words", script{body: strings.Repeat(chunk(`"content":"`+strings.Repeat("x", 1<<20)+`"`)+"\n", 5)}, agui.CodeModelResponse},
		{"too many calls", calls(strings.Split(strings.Repeat("f {} ", 70), " ")...), agui.CodeModelResponse},

		{"401", script{status: 401, body: `{"error":{"message":"Incorrect API key provided: ` + testKey + `","type":"invalid_request_error","code":"invalid_api_key"}}`}, agui.CodeModelAuth},
		{"403 page", script{status: 403, body: "<html>"}, agui.CodeModelAuth},
		{"400", script{status: 400, body: `{"error":{"message":"bad ` + testKey + `","type":"` + testKey + `","param":"temperature"}}`}, agui.CodeModelRequest},
		{"400 filter", script{status: 400, body: `{"error":{"message":"no","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`}, agui.CodeModelContentFilter},
		{"400 in words", script{status: 400, body: `{"error":"` + testKey + `"}`}, agui.CodeModelRequest},
		{"404", script{status: 404, body: `404 page not found`}, agui.CodeModelRequest},
		{"413", script{status: 413}, agui.CodeModelRequest},
		{"422 detail", script{status: 422, body: `{"detail":[{"msg":"x"}]}`}, agui.CodeModelRequest},
		{"a redirect", script{status: 307, header: map[string]string{"Location": "http://127.0.0.1:1/"}}, agui.CodeModelRequest},
		{"429", script{status: 429, body: `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`}, agui.CodeModelUnavailable},
		{"429 quota", script{status: 429, body: `{"error":{"code":"insufficient_quota"}}`}, agui.CodeModelUnavailable},
		{"500 list of messages", script{status: 500, body: `{"error":{"message":["a","b"]}}`}, agui.CodeModelUnavailable},
		{"529", script{status: 529}, agui.CodeModelUnavailable},
		{"broken error body", script{status: 502, body: "x", cut: true}, agui.CodeModelUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newModelServer(t, tt.script)
			m := s.model(func(o *ModelOptions) { o.MaxReply = 8 << 20 })
			_, err := m.Stream(t.Context(), hello, ModelDeltas{})
			if got := agui.CodeOf(err); got != tt.want {
				t.Errorf("Stream() = %v, want code %s", err, tt.want)
			}
			if leak := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(leak, testKey) || strings.Contains(leak, "boom") {
				t.Errorf("the error tells: %s", leak)
			}
		})
	}
}

func TestModelUnreachable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	m, err := NewModel(ModelOptions{BaseURL: "http://user:" + testKey + "@" + gone.Listener.Addr().String(), Key: testKey, Name: "m", Retries: -1})
	must(t, err)
	_, err = m.Stream(t.Context(), hello, ModelDeltas{})
	equal(t, "code", agui.CodeOf(err), agui.CodeModelUnavailable)
	if strings.Contains(err.Error(), testKey) {
		t.Errorf("the error tells: %v", err)
	}
}

func TestModelRequests(t *testing.T) {
	t.Parallel()
	zero := 0.0
	id := "call_0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"
	r := ModelRequest{
		Messages: []ModelMessage{
			{Role: agui.RoleSystem, Text: "Be brief."},
			{Role: agui.RoleUser, Parts: []agui.Part{
				{Type: agui.PartText, Text: "Look"}, {Type: agui.PartText},
				{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: "https://x.test/i.png"}},
				{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceData, Value: "QUJD", MimeType: "image/jpeg"}},
				{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: "file:///etc/passwd"}},
				{Type: agui.PartAudio, Source: &agui.Source{Type: agui.SourceData, Value: "QUJD", MimeType: "audio/mpeg"}},
				{Type: agui.PartAudio, Source: &agui.Source{Type: agui.SourceData, Value: "QUJD", MimeType: "audio/ogg"}},
				{Type: agui.PartDocument, Source: &agui.Source{Type: agui.SourceData, Value: "QUJD", MimeType: "application/pdf"}},
				{Type: agui.PartDocument, Source: &agui.Source{Type: agui.SourceData, Value: "QUJD", MimeType: "text/plain; charset=utf-8"}},
				{Type: agui.PartDocument, Source: &agui.Source{Type: agui.SourceData, Value: "QUJD", MimeType: `x";,/"`}},
				{Type: agui.PartDocument, Source: &agui.Source{Type: agui.SourceFile, Value: "file-1", Provider: "mock"}},
				{Type: agui.PartDocument, Source: &agui.Source{Type: agui.SourceFile, Value: "file-1", Provider: "other"}},
				{Type: agui.PartVideo, Source: &agui.Source{Type: agui.SourceURL, Value: "https://x.test/v"}},
			}},
			{Role: agui.RoleAssistant, Calls: []ModelCall{{ID: id, Name: "get.weather", Arguments: `{"city":"P`}, {ID: "b", Name: "f", Arguments: `{"a":1}`}}},
			{Role: agui.RoleTool, CallID: id, Text: ""},
			{Role: agui.RoleTool, CallID: "b", Text: "1"},
		},
		Tools: []ModelTool{
			{Name: "get.weather", Description: "Weather", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)},
			{Name: "f"}, {Name: "g", Parameters: json.RawMessage(`{"type":"object"}`)},
		},
		Choice: "f",
		Schema: json.RawMessage(`{"type":"object"}`), SchemaName: "answer", Strict: true,
	}
	want := `{"model":"gpt-5-local","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[` +
		`{"type":"text","text":"Look"},` +
		`{"type":"image_url","image_url":{"url":"https://x.test/i.png"}},` +
		`{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,QUJD"}},` +
		`{"type":"text","text":"[image, which cannot be shown here]"},` +
		`{"type":"input_audio","input_audio":{"data":"QUJD","format":"mp3"}},` +
		`{"type":"text","text":"[audio audio/ogg, which cannot be shown here]"},` +
		`{"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,QUJD"}},` +
		`{"type":"text","text":"ABC"},` +
		`{"type":"file","file":{"filename":"document","file_data":"data:application/octet-stream;base64,QUJD"}},` +
		`{"type":"file","file":{"file_id":"file-1"}},` +
		`{"type":"text","text":"[document, which cannot be shown here]"},` +
		`{"type":"text","text":"[video: https://x.test/v]"}]},` +
		`{"role":"assistant","tool_calls":[{"id":"ID","type":"function","function":{"name":"NAME","arguments":"{}"}},` +
		`{"id":"IDB","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},` +
		`{"role":"tool","content":"","tool_call_id":"ID"},{"role":"tool","content":"1","tool_call_id":"IDB"}],` +
		`"stream":true,"stream_options":{"include_usage":true},"temperature":0,"max_tokens":9,"reasoning_effort":"none","tools":[` +
		`{"type":"function","function":{"name":"NAME","description":"Weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}},` +
		`{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}},` +
		`{"type":"function","function":{"name":"g","parameters":{"properties":{},"type":"object"}}}],` +
		`"tool_choice":{"type":"function","function":{"name":"f"}},` +
		`"response_format":{"json_schema":{"name":"answer","schema":{"type":"object"},"strict":true},"type":"json_schema"}}`
	want = strings.NewReplacer(`"IDB"`, jsonQuote(wireID("b")), `"ID"`, jsonQuote(wireID(id)), `"NAME"`, jsonQuote(wireName("get.weather"))).Replace(want)
	s := newModelServer(t, says("ok"))
	m := s.model(func(o *ModelOptions) { o.Name, o.Temperature, o.MaxTokens, o.Effort = "gpt-5-local", &zero, 9, "none" })
	if _, err := m.Stream(t.Context(), r, ModelDeltas{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "request", s.requests()[0], want)
	for _, name := range []string{"o1", "o3-mini", "o4", "gpt-5", "gpt-6-sol", "text-davinci-003"} {
		tool := ModelRequest{Tools: []ModelTool{{Name: "f"}}, Messages: hello.Messages}
		warm := 0.7
		m := s.model(func(o *ModelOptions) { o.Name, o.Temperature, o.MaxTokens = name, &warm, 9 })
		if _, err := m.Stream(t.Context(), tool, ModelDeltas{}); err != nil {
			t.Errorf("a model called %q: %v", name, err)
		}
	}
}

func TestModelAzure(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		equal(t, "path", r.URL.String(), "/openai/deployments/my.dep/chat/completions?api-version=2024-10-21")
		equal(t, "key", r.Header.Get("api-key"), testKey)
		body, _ := io.ReadAll(r.Body)
		if !bytes.Contains(body, []byte(`"max_completion_tokens":3`)) {
			t.Errorf("request = %s", body)
		}
		_, _ = io.WriteString(w, says("ok").wire())
	}))
	t.Cleanup(server.Close)
	m, err := NewModel(ModelOptions{Provider: "azure", BaseURL: server.URL, Key: testKey, Name: "my.dep:", MaxTokens: 3})
	must(t, err)
	reply, err := m.Stream(t.Context(), hello, ModelDeltas{})
	must(t, err)
	equal(t, "text", reply.Text, "ok")
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
			s := newModelServer(t, script{body: finish("stop") + "\n" + `{"choices":[],"usage":` + tt.usage + `}`})
			reply, err := s.model().Stream(t.Context(), hello, ModelDeltas{})
			must(t, err)
			tt.want.Provider, tt.want.Model = "mock", "m1"
			equal(t, "usage", reply.Usage, tt.want)
		})
	}
}

// TestRow101ModelKeepsItsKey prints everything that could hold the key in every way.
func TestRow101ModelKeepsItsKey(t *testing.T) {
	t.Parallel()
	o := ModelOptions{BaseURL: "http://127.0.0.1:1/v1", Key: testKey, Name: "m", Retries: -1}
	m, err := NewModel(o)
	must(t, err)
	_, failed := m.Stream(t.Context(), hello, ModelDeltas{})
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
	for name, o := range map[string]ModelOptions{
		"no name":      {Key: "k"},
		"no place":     {Name: "m"},
		"azure":        {Name: "m", Key: "k", Provider: "azure"},
		"no URL":       {Name: "m", BaseURL: "127.0.0.1:80"},
		"other scheme": {Name: "m", BaseURL: "ftp://" + testKey + "@x"},
		"broken key":   {Name: "m", Key: testKey + "\n"},
		"too hot":      {Name: "m", Key: "k", Temperature: &hot},
		"negative":     {Name: "m", Key: "k", Idle: -1},
	} {
		if _, err := NewModel(o); err == nil || strings.Contains(err.Error(), testKey) {
			t.Errorf("%s: NewModel() = %v, want an error without a secret", name, err)
		}
	}
}

var errSink = errors.New("sink: gone")

func TestModelSinkAndStop(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	defer close(hold)
	s := newModelServer(t, script{body: chunk(`"content":"A"`), hold: hold})
	_, err := s.model().Stream(t.Context(), hello, ModelDeltas{Text: func(string) error { return errSink }})
	if !errors.Is(err, errSink) {
		t.Errorf("Stream() = %v, want the sink's error", err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err = s.model(func(o *ModelOptions) { o.Retries = 5 }).Stream(ctx, hello, ModelDeltas{Text: func(string) error { cancel(stopped); return nil }})
	if !errors.Is(err, stopped) {
		t.Errorf("Stream() = %v, want why it was stopped", err)
	}
}
