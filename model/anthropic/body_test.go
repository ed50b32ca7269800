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
	signed := json.RawMessage(`{"origin":"model anthropic/claude","thoughts":[{"thinking":"Hm.","signature":"Eq="},{"text":5,"signature":"Fr="},{"text":9,"calls":1,"data":"Zm9v"}]}`)
	asked := func(messages ...model.Message) model.Request { return model.Request{Messages: messages} }
	object := json.RawMessage(`{"type":"object"}`)
	data := func(kind agui.PartType, media, value string) agui.Part {
		return agui.Part{Type: kind, Source: &agui.Source{Type: agui.SourceData, Value: value, MimeType: media}}
	}
	for name, tt := range map[string]struct {
		options func(*Options)
		request model.Request
		want    string
	}{
		"the least":      {request: hi, want: `{"max_tokens":2048,"messages":[{"role":"user","content":[{"text":"Hi","type":"text"}]}],"model":"claude","stream":true}`},
		"a temperature":  {options: func(o *Options) { o.Temperature = new(0.0) }, request: hi, want: `"temperature":0`},
		"no limit":       {options: func(o *Options) { o.MaxTokens = 0 }, request: hi, want: `"max_tokens":8192`},
		"a budget":       {options: func(o *Options) { o.Thinking = 1024 }, request: hi, want: `"thinking":{"budget_tokens":1024,"type":"enabled"}`},
		"a large budget": {options: func(o *Options) { o.Thinking, o.MaxTokens = 20000, 0 }, request: hi, want: `"max_tokens":24096`},
		"an effort":      {options: func(o *Options) { o.Effort = "low" }, request: hi, want: `"output_config":{"effort":"low"},"stream":true,"thinking":{"display":"summarized","type":"adaptive"}`},
		"the system's words are in one place": {
			request: asked(model.Message{Role: agui.RoleSystem, Text: "Be kind."}, user("Hi"), model.Message{Role: agui.RoleSystem, Text: "Be brief."}),
			want:    `"messages":[{"role":"user","content":[{"text":"Hi","type":"text"}]}],"model":"claude","stream":true,"system":"Be kind.\n\nBe brief."`},
		"neighbours are one message": {
			request: asked(user("a"), user("b"), model.Message{Role: agui.RoleAssistant, Text: "c "}, user("d"), user(" ")),
			want:    `"messages":[{"role":"user","content":[{"text":"a","type":"text"},{"text":"b","type":"text"}]},{"role":"assistant","content":[{"text":"c","type":"text"}]},{"role":"user","content":[{"text":"d","type":"text"},{"text":"(empty message)","type":"text"}]}]`},
		"an assistant does not begin": {
			request: asked(model.Message{Role: agui.RoleAssistant, Text: "Hello."}, user("Hi")),
			want:    `"messages":[{"role":"user","content":[{"text":"(The conversation begins.)","type":"text"}]},{"role":"assistant",`},
		"an empty message of an assistant": {request: asked(user("a"), model.Message{Role: agui.RoleAssistant}), want: `"messages":[{"role":"user","content":[{"text":"a","type":"text"}]}]`},
		"calls and results": {
			request: asked(user("Weather?"),
				model.Message{Role: agui.RoleAssistant, Calls: []model.Call{{ID: "call_1", Name: "get.weather", Arguments: `{"city":"Paris"}`}, {ID: "call_2", Name: "f", Arguments: "no JSON"}}},
				model.Message{Role: agui.RoleTool, CallID: "call_1", Text: "sunny"}, model.Message{Role: agui.RoleTool, CallID: "call_2"}),
			want: `{"role":"assistant","content":[{"id":"call_1","input":{"city":"Paris"},"name":"` + model.ToolName("get.weather") + `","type":"tool_use"},{"id":"call_2","input":{},"name":"f","type":"tool_use"}]},` +
				`{"role":"user","content":[{"content":[{"text":"sunny","type":"text"}],"tool_use_id":"call_1","type":"tool_result"},{"content":[{"text":"(empty message)","type":"text"}],"tool_use_id":"call_2","type":"tool_result"}]}`},
		"thoughts stand where they stood": {
			request: asked(user("a"), model.Message{Role: agui.RoleAssistant, Text: "Let  me see", Opaque: signed, Calls: []model.Call{{ID: "1", Name: "f"}, {ID: "2", Name: "g"}}}),
			want: `[{"signature":"Eq=","thinking":"Hm.","type":"thinking"},{"text":"Let","type":"text"},{"signature":"Fr=","thinking":"","type":"thinking"},{"text":"me s","type":"text"},` +
				`{"id":"1","input":{},"name":"f","type":"tool_use"},{"data":"Zm9v","type":"redacted_thinking"},{"text":"ee","type":"text"},{"id":"2","input":{},"name":"g","type":"tool_use"}]`},
		"thoughts of another model": {
			request: asked(user("a"), model.Message{Role: agui.RoleAssistant, Text: "b", Opaque: json.RawMessage(`{"origin":"model anthropic/other","thoughts":[{"thinking":"c"}]}`)}),
			want:    `{"role":"assistant","content":[{"text":"b","type":"text"}]}`},
		"tools": {
			request: model.Request{Messages: hi.Messages, Tools: []model.Tool{{Name: "a", Description: "does a", Parameters: json.RawMessage(`{"type":"object","properties":{"x":{}}}`)}, {Name: "b"}}},
			want:    `"tools":[{"description":"does a","input_schema":{"type":"object","properties":{"x":{}}},"name":"a"},{"description":"","input_schema":{"type":"object","properties":{}},"name":"b"}]`},
		"a strict schema": {
			options: func(o *Options) { o.Effort = "high" }, request: model.Request{Messages: hi.Messages, Schema: object, Strict: true},
			want: `"output_config":{"effort":"high","format":{"schema":{"type":"object"},"type":"json_schema"}}`},
		"another schema": {
			request: model.Request{Messages: hi.Messages, Schema: object},
			want:    `"system":"Answer with JSON that matches this JSON Schema, and with nothing else, no fence around it: {\"type\":\"object\"}"`},
		"pictures and papers": {
			request: asked(model.Message{Role: agui.RoleUser, Parts: []agui.Part{
				{Type: agui.PartText, Text: "See:"}, data(agui.PartImage, "image/png", "aGk="), data(agui.PartDocument, "application/pdf", "aGk="),
				{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: "https://host/x.png"}},
				data(agui.PartDocument, "text/csv", base64.StdEncoding.EncodeToString([]byte("a,b"))), data(agui.PartAudio, "audio/wav", "aGk="), data(agui.PartImage, "image/tiff", "aGk="),
				{Type: agui.PartVideo, Source: &agui.Source{Type: agui.SourceURL, Value: "https://host/x.mp4"}},
			}}),
			want: `{"text":"See:","type":"text"},{"source":{"data":"aGk=","media_type":"image/png","type":"base64"},"type":"image"},{"source":{"data":"aGk=","media_type":"application/pdf","type":"base64"},"type":"document"},` +
				`{"source":{"type":"url","url":"https://host/x.png"},"type":"image"},{"text":"a,b","type":"text"},{"text":"[audio, which cannot be shown here]","type":"text"},{"text":"[image, which cannot be shown here]","type":"text"},` +
				`{"text":"[video: https://host/x.mp4]","type":"text"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, m := serve(t, tt.options, says("ok"))
			if _, err := m.Stream(t.Context(), tt.request, model.Deltas{}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(r.requests[0], tt.want) {
				t.Errorf("request = %s\nwant %s in it", r.requests[0], tt.want)
			}
			if h := r.headers[0]; r.paths[0] != "POST /v1/messages" || h.Get("X-Api-Key") != testKey || h.Get("Anthropic-Version") != "2023-06-01" {
				t.Errorf("asked %s with %v", r.paths[0], h)
			}
		})
	}
}

// TestRefusedForms are requests that are made again at once without the part that a model may refuse.
func TestRefusedForms(t *testing.T) {
	t.Parallel()
	no := refusal(400, "invalid_request_error")
	strict := model.Request{Messages: hi.Messages, Schema: json.RawMessage(`{"type":"object"}`), Strict: true}
	thoughts := model.Request{Messages: []model.Message{user("a"), {Role: agui.RoleAssistant, Text: "b",
		Opaque: json.RawMessage(`{"origin":"model anthropic/claude","thoughts":[{"thinking":"c","signature":"d"}]}`)}, user("e")}}
	for name, tt := range map[string]struct {
		request model.Request
		answers []answer
		lacks   string // of the last request
		asked   int
		fails   bool
	}{
		"a schema":                {strict, []answer{no, says("{}")}, "output_config", 2, false},
		"thoughts":                {thoughts, []answer{no, says("f")}, "signature", 2, false},
		"something else":          {strict, []answer{no, no}, "output_config", 2, true},
		"nothing can be left out": {hi, []answer{no}, "schema", 1, true},
		"another status":          {strict, []answer{refusal(404, "not_found_error")}, "Answer with JSON", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, m := serve(t, nil, tt.answers...)
			_, err := m.Stream(t.Context(), tt.request, model.Deltas{})
			if last := r.requests[len(r.requests)-1]; (err != nil) != tt.fails || len(r.requests) != tt.asked || strings.Contains(last, tt.lacks) {
				t.Errorf("Stream() error = %v after %d requests, the last of which is %s", err, len(r.requests), last)
			}
		})
	}
	r, m := serve(t, nil, no, says("{}"), says("{}"))
	for range 2 {
		if _, err := m.Stream(t.Context(), strict, model.Deltas{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.requests) != 3 || strings.Contains(r.requests[2], "output_config") {
		t.Errorf("after a refused schema the model is asked %q", r.requests)
	}
}
