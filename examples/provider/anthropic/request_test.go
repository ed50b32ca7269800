package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

func TestRequests(t *testing.T) {
	t.Parallel()
	warm := 0.5
	signed := json.RawMessage(`{"provider":"anthropic","thoughts":[{"type":"thinking","thinking":"Hm.","signature":"Eq="}]}`)
	user := func(text string) model.Message { return model.Message{Role: agui.RoleUser, Text: text} }
	for name, tt := range map[string]struct {
		settings func(*Settings)
		request  model.Request
		want     string
	}{
		"the least": {request: hi, want: `"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]`},
		"settings":  {settings: func(s *Settings) { s.Temperature = &warm }, request: hi, want: `"model":"claude","max_tokens":2048,"stream":true,"messages":[…],"temperature":0.5`},
		"thinking":  {settings: func(s *Settings) { s.Thinking = 1024 }, request: hi, want: `"thinking":{"type":"enabled","budget_tokens":1024}`},
		"the system's words are in one place": {
			request: model.Request{Messages: []model.Message{{Role: agui.RoleSystem, Text: "Be kind."}, user("Hi"), {Role: agui.RoleSystem, Text: "Be brief."}}},
			want:    `"system":"Be kind.\n\nBe brief.","messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]`},
		"neighbours are one message": {
			request: model.Request{Messages: []model.Message{user("a"), user("b"), {Role: agui.RoleAssistant, Text: "c "}, user("d")}},
			want:    `"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":[{"type":"text","text":"c"}]},{"role":"user","content":[{"type":"text","text":"d"}]}]`},
		"an assistant does not begin": {
			request: model.Request{Messages: []model.Message{{Role: agui.RoleAssistant, Text: "Hello."}, user("Hi")}},
			want:    `"messages":[{"role":"user","content":[{"type":"text","text":"(The conversation begins.)"}]},{"role":"assistant",`},
		"calls and results, with the thoughts that led to them": {
			request: model.Request{Messages: []model.Message{
				user("Weather?"),
				{Role: agui.RoleAssistant, Text: "", Opaque: signed, Calls: []model.Call{{ID: "call_1", Name: "get.weather", Arguments: `{"city":"Paris"}`}, {ID: "call_2", Name: "f", Arguments: "no JSON"}}},
				{Role: agui.RoleTool, CallID: "call_1", Text: "sunny"}, {Role: agui.RoleTool, CallID: "call_2", Text: ""},
			}},
			want: `{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"Eq="},{"type":"tool_use","id":"call_1","name":"` + model.ToolName("get.weather") + `","input":{"city":"Paris"}},{"type":"tool_use","id":"call_2","name":"f","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":[{"type":"text","text":"sunny"}]},{"type":"tool_result","tool_use_id":"call_2"}]}`},
		"thoughts of another provider": {
			request: model.Request{Messages: []model.Message{user("a"), {Role: agui.RoleAssistant, Text: "b", Opaque: json.RawMessage(`{"provider":"openai","thoughts":[{"type":"thinking"}]}`)}, user("c")}},
			want:    `{"role":"assistant","content":[{"type":"text","text":"b"}]}`},
		"tools": {
			request: model.Request{Messages: hi.Messages, Tools: []model.Tool{{Name: "a", Description: "does a", Parameters: json.RawMessage(`{"type":"object","properties":{"x":{}}}`)}, {Name: "b"}}},
			want:    `"tools":[{"name":"a","description":"does a","input_schema":{"type":"object","properties":{"x":{}}}},{"name":"b","input_schema":{"type":"object","properties":{}}}]`},
		"a schema beside tools": {
			request: model.Request{Messages: hi.Messages, Tools: []model.Tool{{Name: "a"}}, Schema: json.RawMessage(`{"type":"object"}`), SchemaName: "choice"},
			want:    `"system":"Give your answer by calling the tool answer_choice."`},
		"a schema of no object": {
			request: model.Request{Messages: hi.Messages, Schema: json.RawMessage(`{"type":"array"}`)},
			want:    `"system":"Answer with JSON that matches this JSON Schema, and nothing else: {\"type\":\"array\"}"`},
		"pictures and papers": {
			request: model.Request{Messages: []model.Message{{Role: agui.RoleUser, Parts: []agui.Part{
				{Type: agui.PartText, Text: "See:"}, {Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceData, Value: "aGk=", MimeType: "image/png"}},
				{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: "https://host/x.png"}},
				{Type: agui.PartDocument, Source: &agui.Source{Type: agui.SourceData, Value: base64.StdEncoding.EncodeToString([]byte("a,b")), MimeType: "text/csv"}},
				{Type: agui.PartAudio, Source: &agui.Source{Type: agui.SourceData, Value: "aGk=", MimeType: "audio/wav"}},
			}}}},
			want: `{"type":"text","text":"See:"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},{"type":"image","source":{"type":"url","url":"https://host/x.png"}},{"type":"text","text":"a,b"},{"type":"text","text":"[audio, which cannot be shown here]"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, m := serve(t, tt.settings, says("ok"))
			if _, err := m.Stream(t.Context(), tt.request, model.Deltas{}); err != nil {
				t.Fatal(err)
			}
			got := r.requests[0]
			for part := range strings.SplitSeq(tt.want, "[…]") {
				if !strings.Contains(got, part) {
					t.Errorf("request = %s\nwant %s in it", got, part)
				}
			}
			if h := r.headers[0]; r.paths[0] != "POST /v1/messages" || h.Get("X-Api-Key") != "sk-ant-hush" || h.Get("Anthropic-Version") != "2023-06-01" {
				t.Errorf("asked %s with %v", r.paths[0], h)
			}
		})
	}
}
