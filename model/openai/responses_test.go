package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/shortid"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

func viaResponses(o *Options) { o.API = Responses }

// thinking is a reply that reasons, says something and makes two calls.
const thinking = `{"type":"response.created","response":{"status":"in_progress","error":null}}
{"type":"response.in_progress","response":{}}
{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}
{"type":"response.reasoning_summary_part.added","output_index":0,"item_id":"rs_1","summary_index":0}
{"type":"response.reasoning_summary_text.delta","output_index":0,"item_id":"rs_1","summary_index":0,"delta":"First "}
{"type":"response.reasoning_summary_text.delta","output_index":0,"item_id":"rs_1","summary_index":0,"delta":"this."}
{"type":"response.reasoning_summary_text.delta","output_index":0,"item_id":"rs_1","summary_index":1,"delta":"Then that."}
{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"First this."}],"encrypted_content":"ENC1","status":null}}
{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","content":[]}}
{"type":"response.content_part.added","output_index":1,"item_id":"msg_1","part":{"type":"output_text","text":""}}
{"type":"response.output_text.delta","output_index":1,"item_id":"msg_1","delta":"I look "}
{"type":"response.output_text.delta","output_index":1,"item_id":"msg_1","delta":"it up."}
{"type":"response.output_text.done","output_index":1,"item_id":"msg_1","text":"I look it up."}
{"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","content":[{"type":"output_text","text":"I look it up."}]}}
{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"f","arguments":""}}
{"type":"response.function_call_arguments.delta","output_index":2,"item_id":"fc_1","delta":"{\"a\""}
{"type":"response.function_call_arguments.delta","output_index":2,"item_id":"fc_1","delta":":1}"}
{"type":"response.function_call_arguments.done","output_index":2,"item_id":"fc_1","arguments":"{\"a\":1}"}
{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"f","arguments":"{\"a\":1}"}}
{"type":"response.output_item.done","output_index":3,"item":{"id":"rs_2","type":"reasoning","summary":[],"encrypted_content":"ENC2"}}
{"type":"response.output_item.done","output_index":4,"item":{"id":"fc_2","type":"function_call","call_id":"call_2","name":"g","arguments":"{}"}}
{"type":"response.completed","response":{"status":"completed","error":null,"output":[{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"ENC1"},{"id":"msg_1","type":"message","content":[{"type":"output_text","text":"I look it up."}]},{"id":"fc_1","type":"function_call","call_id":"call_1","name":"f","arguments":"{\"a\":1}"},{"id":"rs_2","type":"reasoning","encrypted_content":"ENC2"},{"id":"fc_2","type":"function_call","call_id":"call_2","name":"g","arguments":"{}"}],"usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":30},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":12},"total_tokens":70}}}`

// TestResponsesAreRead reads a reply of the Responses API, and asks on: the encrypted reasoning goes back where it
// stood.
func TestResponsesAreRead(t *testing.T) {
	t.Parallel()
	s := newServer(t, openaitest.Answer{Body: thinking}, openaitest.Answer{Body: thinking})
	m := s.model(viaResponses, func(o *Options) { o.Effort, o.MaxTokens = "low", 99 })
	var h heard
	reply, err := m.Stream(t.Context(), hello, h.deltas())
	must(t, err)
	equal(t, "deltas", h.String(), "r(First )r(this.)r(\n\nThen that.)t(I look )t(it up.)c0(f )c0(f {\"a\")c0(f :1})c1(g {})")
	equal(t, "text", reply.Text, "I look it up.")
	equal(t, "reasoning", reply.Reasoning, "First this.\n\nThen that.")
	equal(t, "finish", reply.Finish, "tool_calls")
	equal(t, "calls", reply.Calls, []model.Call{{ID: "call_1", Name: "f", Arguments: `{"a":1}`}, {ID: "call_2", Name: "g", Arguments: "{}"}})
	n := func(i int64) *int64 { return &i }
	equal(t, "usage", reply.Usage, agui.TokenUsage{Provider: "mock", Model: "m1", InputTokens: n(50), CachedInputTokens: n(30), OutputTokens: n(20), ReasoningTokens: n(12), TotalTokens: n(70)})
	_, err = m.Stream(t.Context(), next(reply), model.Deltas{})
	must(t, err)
	requests := s.Requests()
	equalJSON(t, "first request", requests[0], `{"model":"m1","input":[{"type":"message","role":"user","content":"hello"}],"reasoning":{"effort":"low","summary":"auto"},`+
		`"include":["reasoning.encrypted_content"],"max_output_tokens":99,"store":false,"stream":true}`)
	want := `{"model":"m1","input":[{"type":"message","role":"user","content":"hello"},` +
		`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"First this."}],"encrypted_content":"ENC1"},` +
		`{"type":"message","role":"assistant","content":"I look it up."},` +
		`{"type":"function_call","call_id":"ID1","name":"f","arguments":"{\"a\":1}"},` +
		`{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"ENC2"},` +
		`{"type":"function_call","call_id":"ID2","name":"g","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"ID1","output":"4"},{"type":"function_call_output","call_id":"ID2","output":"4"}],` +
		`"reasoning":{"effort":"low","summary":"auto"},"include":["reasoning.encrypted_content"],"max_output_tokens":99,"store":false,"stream":true}`
	equalJSON(t, "second request", requests[1], strings.NewReplacer("ID1", shortid.Of("call_1"), "ID2", shortid.Of("call_2")).Replace(want))

	other := s.model(viaResponses, func(o *Options) { o.Name = "m2" })
	_, err = other.Stream(t.Context(), next(reply), model.Deltas{})
	must(t, err)
	if got := s.Requests()[2]; strings.Contains(got, "ENC1") || !strings.Contains(got, `"I look it up."`) || !strings.Contains(got, `"name":"g"`) {
		t.Errorf("another model is asked %s", got)
	}
}

// TestResponsesRequestsAreAsServersTakeThem has everything that can be in a request.
func TestResponsesRequestsAreAsServersTakeThem(t *testing.T) {
	t.Parallel()
	data := func(kind agui.PartType, media string) agui.Part {
		return agui.Part{Type: kind, Source: &agui.Source{Type: agui.SourceData, Value: "QUJD", MimeType: media}}
	}
	zero := 0.0
	r := model.Request{
		Messages: []model.Message{
			{Role: agui.RoleSystem, Text: "Be brief."},
			{Role: agui.RoleUser, Parts: []agui.Part{
				{Type: agui.PartText, Text: "Look"}, {Type: agui.PartText}, data(agui.PartImage, "image/jpeg"), data(agui.PartDocument, "application/pdf"), data(agui.PartAudio, "audio/mpeg"),
				{Type: agui.PartDocument, Source: &agui.Source{Type: agui.SourceURL, Value: "https://x.test/d.pdf"}},
				{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: "https://x.test/i.png"}},
				{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceFile, Value: "file-1"}},
				{Type: agui.PartDocument, Source: &agui.Source{Type: agui.SourceFile, Value: "file-2", Provider: "mock"}},
				{Type: agui.PartVideo, Source: &agui.Source{Type: agui.SourceURL, Value: "https://x.test/v"}},
			}},
			{Role: agui.RoleAssistant, Calls: []model.Call{{ID: "a", Name: "get.weather", Arguments: `{"city":"P`}}},
			{Role: agui.RoleTool, CallID: "a", Text: "[image]", Parts: []agui.Part{{Type: agui.PartText, Text: "It rains"}, data(agui.PartImage, "")}},
			{Role: agui.RoleSystem, Text: "Hurry."},
			{Role: agui.RoleUser, Parts: []agui.Part{{Type: agui.PartText}}},
		},
		Tools:  []model.Tool{{Name: "get.weather", Description: "Weather", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}},
		Schema: json.RawMessage(`{"type":"object"}`), SchemaName: "answer", Strict: true,
	}
	want := `{"model":"m1","instructions":"Be brief.","input":[{"type":"message","role":"user","content":[` +
		`{"type":"input_text","text":"Look"},{"type":"input_image","image_url":"data:image/jpeg;base64,QUJD"},` +
		`{"type":"input_file","filename":"document.pdf","file_data":"data:application/pdf;base64,QUJD"},` +
		`{"type":"input_text","text":"[audio, which cannot be heard here]"},{"type":"input_file","file_url":"https://x.test/d.pdf"},` +
		`{"type":"input_image","image_url":"https://x.test/i.png"},{"type":"input_image","file_id":"file-1"},{"type":"input_file","file_id":"file-2"},` +
		`{"type":"input_text","text":"[video: https://x.test/v]"}]},` +
		`{"type":"function_call","call_id":"ID","name":"NAME","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"ID","output":[{"type":"input_text","text":"It rains"},{"type":"input_image","image_url":"data:image/png;base64,QUJD"}]},` +
		`{"type":"message","role":"system","content":"Hurry."},{"type":"message","role":"user","content":[{"type":"input_text","text":"(empty message)"}]}],` +
		`"tools":[{"type":"function","name":"NAME","description":"Weather","parameters":{"type":"object","properties":{}},"strict":false}],` +
		`"text":{"format":{"name":"answer","schema":{"type":"object"},"strict":true,"type":"json_schema"}},` +
		`"include":["reasoning.encrypted_content"],"temperature":0,"store":false,"stream":true}`
	s := newServer(t, openaitest.Answer{Body: `{"type":"response.completed","response":{"output":[{"type":"message","content":[{"text":"{}"}]}]}}`})
	reply, err := s.model(viaResponses, func(o *Options) { o.Temperature = &zero }).Stream(t.Context(), r, model.Deltas{})
	must(t, err)
	equal(t, "text", reply.Text, "{}")
	equalJSON(t, "request", s.Requests()[0], strings.NewReplacer(`"ID"`, strconv.Quote(shortid.Of("a")), `"NAME"`, strconv.Quote(model.ToolName("get.weather"))).Replace(want))
}

func TestResponsesInManySpellings(t *testing.T) {
	t.Parallel()
	const end = "\n" + `{"type":"response.completed","response":{}}`
	for name, tt := range map[string]struct {
		answer openaitest.Answer
		heard  string
		finish string
	}{
		"only whole items": {openaitest.Answer{Body: `{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":[{"text":"hm"}]}}` + "\n" +
			`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"text":"A"}]}}` + end}, "r(hm)t(A)", "stop"},
		"only the whole response": {openaitest.Answer{Body: `{"type":"response.completed","response":{"output":[{"id":"x","type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}}`}, "c0(f {})", "tool_calls"},
		"a document":              {openaitest.Answer{Raw: true, Body: `{"object":"response","status":"completed","output":[{"type":"message","content":[{"text":"A"}]}]}`}, "t(A)", "stop"},
		"ids and no places": {openaitest.Answer{Body: `{"type":"response.output_item.added","item":{"id":"x","type":"function_call","call_id":"c","name":"f"}}` + "\n" +
			`{"type":"response.function_call_arguments.delta","item_id":"x","delta":"{}"}` + "\n" + `{"type":"response.output_item.done","item":{"id":"x","type":"function_call","call_id":"c","name":"f","arguments":"{}"}}` + end},
			"c0(f )c0(f {})", "tool_calls"},
		"raw reasoning":  {openaitest.Answer{Body: `{"type":"response.reasoning_text.delta","output_index":0,"delta":"hm"}` + "\n" + `{"type":"response.output_text.delta","output_index":1,"delta":"A"}` + end}, "r(hm)t(A)", "stop"},
		"a refusal":      {openaitest.Answer{Body: `{"type":"response.refusal.delta","output_index":0,"delta":"No."}` + end}, "t(No.)", "stop"},
		"a limit":        {openaitest.Answer{Body: `{"type":"response.output_text.delta","output_index":0,"delta":"A"}` + "\n" + `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`}, "t(A)", "length"},
		"kinds of later": {openaitest.Answer{Body: `{"type":"response.web_search_call.searching","output_index":0}` + "\n" + `{"type":"keepalive"}` + "\n: hum\n" + `{"type":"response.output_text.delta","output_index":1,"delta":"A"}` + end + "\n[DONE]"}, "t(A)", "stop"},
		"a late error":   {openaitest.Answer{Body: `{"type":"response.output_text.delta","output_index":0,"delta":"A"}` + end + "\n{boom", Cut: true}, "t(A)", "stop"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h heard
			reply, err := newServer(t, tt.answer).model(viaResponses).Stream(t.Context(), hello, h.deltas())
			must(t, err)
			equal(t, "deltas", h.String(), tt.heard)
			equal(t, "finish", reply.Finish, tt.finish)
		})
	}
}

func TestResponsesErrorsHaveCodes(t *testing.T) {
	t.Parallel()
	text := `{"type":"response.output_text.delta","output_index":0,"delta":"A"}` + "\n"
	var items strings.Builder
	for i := range maxItems + 1 {
		items.WriteString(`{"type":"response.output_text.delta","output_index":` + strconv.Itoa(i) + `,"delta":"A"}` + "\n")
	}
	for name, tt := range map[string]struct {
		answer openaitest.Answer
		want   errcode.Code
	}{
		"no end":            {openaitest.Answer{Body: text}, errcode.ModelResponse},
		"an end of chat":    {openaitest.Answer{Body: text + "[DONE]"}, errcode.ModelResponse},
		"cut off":           {openaitest.Answer{Body: text, Cut: true}, errcode.ModelUnavailable},
		"failed":            {openaitest.Answer{Body: text + `{"type":"response.failed","response":{"error":{"code":"server_error","message":"boom"}}}`}, errcode.ModelUnavailable},
		"failed, no reason": {openaitest.Answer{Body: `{"type":"response.failed"}`}, errcode.ModelUnavailable},
		"too long":          {openaitest.Answer{Body: `{"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"boom"}}}`}, errcode.ModelContextLength},
		"a bad prompt":      {openaitest.Answer{Body: `{"type":"response.failed","response":{"error":{"code":"invalid_prompt"}}}`}, errcode.ModelRequest},
		"withheld":          {openaitest.Answer{Body: text + `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`}, errcode.ModelContentFilter},
		"an error":          {openaitest.Answer{Raw: true, Body: "event: error\ndata: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"slow\"}\n\n"}, errcode.ModelUnavailable},
		"an error, no name": {openaitest.Answer{Body: `{"type":"error","code":"context_length_exceeded","message":"boom"}`}, errcode.ModelContextLength},
		"an error of chat":  {openaitest.Answer{Body: `{"error":{"code":401}}`}, errcode.ModelAuth},
		"no JSON":           {openaitest.Answer{Body: `{boom`}, errcode.ModelResponse},
		"a web page":        {openaitest.Answer{Raw: true, Body: "<html>"}, errcode.ModelResponse},
		"a status":          {openaitest.Answer{Status: 404, Body: `{"error":{"code":"model_not_found"}}`}, errcode.ModelRequest},
		"no name":           {openaitest.Answer{Body: `{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{}"}` + "\n" + `{"type":"response.completed","response":{}}`}, errcode.ModelResponse},
		"too many items":    {openaitest.Answer{Body: items.String()}, errcode.ModelResponse},
		"too large": {openaitest.Answer{Body: `{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","encrypted_content":"` + strings.Repeat("x", 1<<20) + `"}}` + "\n" +
			`{"type":"response.completed","response":{}}`}, errcode.ModelResponse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newServer(t, tt.answer).model(viaResponses).Stream(t.Context(), hello, model.Deltas{})
			equal(t, "code", errcode.Of(err), tt.want)
			if err != nil && strings.Contains(err.Error(), testKey) {
				t.Errorf("the error tells: %v", err)
			}
		})
	}
}

// TestResponsesStepDown has servers and models that do not take everything: organisations that may not see summaries,
// models that do not reason, servers that know no schema.
func TestResponsesStepDown(t *testing.T) {
	t.Parallel()
	fault := func(param string) openaitest.Answer {
		return openaitest.Answer{Status: 400, Body: `{"error":{"type":"invalid_request_error","param":"` + param + `","code":null}}`}
	}
	done := openaitest.Answer{Body: `{"type":"response.completed","response":{"output":[{"type":"message","content":[{"text":"{}"}]}]}}`}
	s := newServer(t, fault("reasoning.summary"), fault("include"), fault("text.format"), fault("text.format.type"), done)
	m := s.model(viaResponses, func(o *Options) { o.Effort = "low" })
	for range 2 {
		_, err := m.Stream(t.Context(), byStrictSchema, model.Deltas{})
		must(t, err)
	}
	requests := s.Requests()
	equal(t, "requests", len(requests), 6)
	for _, last := range requests[4:] {
		if strings.Contains(last, "summary") || strings.Contains(last, "include") || !strings.Contains(last, `"json_object"`) || !strings.Contains(last, `"instructions":"Be brief.\n\nAnswer with JSON`) {
			t.Errorf("request = %s", last)
		}
	}
	silent := newServer(t, openaitest.Answer{Status: 400}, done)
	_, err := silent.model(viaResponses).Stream(t.Context(), hello, model.Deltas{})
	must(t, err)
	if last := silent.Requests()[1]; strings.Contains(last, "include") {
		t.Errorf("request = %s", last)
	}
}

// TestAzureResponses looks at where Azure is asked.
func TestAzureResponses(t *testing.T) {
	t.Parallel()
	for path, change := range map[string]func(*Options){
		"/openai/v1/responses":                     func(*Options) {},
		"/openai/v1/responses?api-version=preview": func(o *Options) { o.BaseURL, o.APIVersion = o.BaseURL+"/openai/v1/", "preview" },
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			equal(t, "path", r.URL.String(), path)
			equal(t, "key", r.Header.Get("api-key")+r.Header.Get("Authorization"), testKey)
			_, _ = io.WriteString(w, "data: "+`{"type":"response.completed","response":{"output":[{"type":"message","content":[{"text":"ok"}]}]}}`+"\n\n")
		}))
		t.Cleanup(server.Close)
		o := Options{Provider: "azure", BaseURL: server.URL, Key: testKey, Name: "dep", API: Responses}
		change(&o)
		m, err := New(o)
		must(t, err)
		reply, err := m.Stream(t.Context(), hello, model.Deltas{})
		must(t, err)
		equal(t, "text", reply.Text, "ok")
	}
}

// TestProbeOfResponses asks a server without a list of models for a word.
func TestProbeOfResponses(t *testing.T) {
	t.Parallel()
	s := newServer(t, openaitest.Answer{Status: 404}, openaitest.Answer{Body: `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`})
	p, err := s.model(viaResponses).Probe(t.Context())
	must(t, err)
	equal(t, "asked", p.Asked, true)
	if last := s.Requests()[1]; !strings.Contains(last, `"max_output_tokens":16`) {
		t.Errorf("request = %s", last)
	}
}

// TestProbeOfAnOddServer asks a server that refuses stream_options, and of which nothing is known yet.
func TestProbeOfAnOddServer(t *testing.T) {
	t.Parallel()
	s := newServer(t, openaitest.Answer{Status: 404}, openaitest.Answer{Status: 400}, openaitest.Text("ok"))
	m := s.model(func(o *Options) { o.Effort, o.MaxTokensField = "high", maxTokens })
	p, err := m.Probe(t.Context())
	must(t, err)
	equal(t, "asked", p.Asked, true)
	last := s.Requests()[2]
	if strings.Contains(last, "stream_options") || !strings.Contains(last, `"max_tokens":16`) {
		t.Errorf("request = %s", last)
	}
	_, err = m.Stream(t.Context(), hello, model.Deltas{})
	must(t, err)
	equal(t, "requests, what the probe found out being known", len(s.Requests()), 4)
}

// TestModelsThatReasonSaySo checks the abilities that clients see before any call.
func TestModelsThatReasonSaySo(t *testing.T) {
	t.Parallel()
	for want, o := range map[bool][]Options{
		true:  {{Effort: "low"}, {Echo: EchoReasoning}, {API: Responses, Effort: "low"}},
		false: {{}, {Echo: EchoOff}, {API: Responses}},
	} {
		for _, o := range o {
			o.Name, o.Key = "m", "k"
			m, err := New(o)
			must(t, err)
			equal(t, "reasons", model.Reasons(m), want)
		}
	}
}

// FuzzResponses feeds a model anything. It answers, or fails with a code; what it passes on adds up to the reply.
func FuzzResponses(f *testing.F) {
	f.Add(openaitest.Answer{Body: thinking}.Wire())
	f.Add(openaitest.Answer{Raw: true, Body: `{"object":"response","output":[{"type":"function_call","name":"f","arguments":{}}]}`}.Wire())
	f.Fuzz(func(t *testing.T, body string) {
		fuzzReply(t, Options{API: Responses, Retries: -1}, body)
	})
}
