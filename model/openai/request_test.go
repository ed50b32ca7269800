package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/shortid"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

func TestRequestsAreAsServersTakeThem(t *testing.T) {
	t.Parallel()
	zero := 0.0
	id := "call_0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"
	r := model.Request{
		Messages: []model.Message{
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
			{Role: agui.RoleAssistant, Reasoning: "hm", Calls: []model.Call{{ID: id, Name: "get.weather", Arguments: `{"city":"P`}, {ID: "b", Name: "f", Arguments: `{"a":1}`}}},
			{Role: agui.RoleTool, CallID: id, Text: ""},
			{Role: agui.RoleTool, CallID: "b", Text: "1", Parts: []agui.Part{{Type: agui.PartText, Text: "one"}}},
		},
		Tools: []model.Tool{
			{Name: "get.weather", Description: "Weather", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)},
			{Name: "f"}, {Name: "g", Parameters: json.RawMessage(`{"type":"object"}`)},
		},
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
		`"stream":true,"stream_options":{"include_usage":true},"temperature":0,"max_completion_tokens":9,"reasoning_effort":"none","tools":[` +
		`{"type":"function","function":{"name":"NAME","description":"Weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}},` +
		`{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}},` +
		`{"type":"function","function":{"name":"g","parameters":{"properties":{},"type":"object"}}}],` +
		`"response_format":{"json_schema":{"name":"answer","schema":{"type":"object"},"strict":true},"type":"json_schema"}}`
	want = strings.NewReplacer(`"IDB"`, strconv.Quote(shortid.Of("b")), `"ID"`, strconv.Quote(shortid.Of(id)), `"NAME"`, strconv.Quote(model.ToolName("get.weather"))).Replace(want)
	s := newServer(t, openaitest.Text("ok"))
	m := s.model(func(o *Options) { o.Name, o.Temperature, o.MaxTokens, o.Effort = "gpt-5-local", &zero, 9, "none" })
	if _, err := m.Stream(t.Context(), r, model.Deltas{}); err != nil {
		t.Fatal(err)
	}
	equalJSON(t, "request", s.Requests()[0], want)
	for _, name := range []string{"o1", "o3-mini", "o4", "gpt-5", "gpt-6-sol", "text-davinci-003"} {
		tool := model.Request{Tools: []model.Tool{{Name: "f"}}, Messages: hello.Messages}
		warm := 0.7
		m := s.model(func(o *Options) { o.Name, o.Temperature, o.MaxTokens = name, &warm, 9 })
		if _, err := m.Stream(t.Context(), tool, model.Deltas{}); err != nil {
			t.Errorf("a model called %q: %v", name, err)
		}
	}
}

func TestAzure(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		equal(t, "path", r.URL.String(), "/openai/deployments/my.dep/chat/completions?api-version=2024-10-21")
		equal(t, "key", r.Header.Get("api-key"), testKey)
		body, _ := io.ReadAll(r.Body)
		if !bytes.Contains(body, []byte(`"max_completion_tokens":3`)) {
			t.Errorf("request = %s", body)
		}
		_, _ = io.WriteString(w, openaitest.Text("ok").Wire())
	}))
	t.Cleanup(server.Close)
	m, err := New(Options{Provider: "azure", BaseURL: server.URL, Key: testKey, Name: "my.dep:", MaxTokens: 3})
	must(t, err)
	reply, err := m.Stream(t.Context(), hello, model.Deltas{})
	must(t, err)
	equal(t, "text", reply.Text, "ok")
}
