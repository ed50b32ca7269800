package ollama

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// ask has a model ask a server with one answer, and returns its request, its reply and the passed-on pieces.
func ask(t *testing.T, status int, answer string, r model.Request) (request, said string, reply model.Reply, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		request = r.URL.Path + " " + string(body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	m, err := Open(model.Config{HTTP: server.Client(), Settings: map[string]any{"model": "qwen3", "base_url": server.URL, "think": true}})
	if err != nil {
		t.Fatal(err)
	}
	reply, err = m.Stream(t.Context(), r, model.Deltas{
		Text:      func(s string) error { said += "t:" + s + "|"; return nil },
		Reasoning: func(s string) error { said += "r:" + s + "|"; return nil },
	})
	return request, said, reply, err
}

func TestAReply(t *testing.T) {
	t.Parallel()
	request, said, reply, err := ask(t, 200, `{"message":{"role":"assistant","content":"","thinking":"Hm."},"done":false}
{"message":{"role":"assistant","content":"Let me see."},"done":false}
{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"weather","arguments":{"city":"Oslo"}}}]},"done":false}
{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":20,"eval_count":9}
`, model.Request{Tools: []model.Tool{{Name: "weather"}}, Schema: []byte(`{"type":"object"}`), Messages: []model.Message{
		{Role: agui.RoleUser, Text: "Rain?"}, {Role: agui.RoleAssistant, Calls: []model.Call{{ID: "1", Name: "weather", Arguments: `{"city":"Rome"}`}}}, {Role: agui.RoleTool, CallID: "1", Text: "no"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if said != "r:Hm.|t:Let me see.|" || reply.Text != "Let me see." || reply.Reasoning != "Hm." || reply.Finish != "tool_calls" || *reply.Usage.InputTokens != 20 || *reply.Usage.OutputTokens != 9 {
		t.Errorf("Stream() = %+v, said %q", reply, said)
	}
	if len(reply.Calls) != 1 || reply.Calls[0] != (model.Call{Name: "weather", Arguments: `{"city":"Oslo"}`}) {
		t.Errorf("calls = %+v", reply.Calls)
	}
	for _, want := range []string{"/api/chat ", `"format":{"type":"object"}`, `"think":true`, `{"content":"no","role":"tool","tool_name":"weather"}`,
		`"tool_calls":[{"function":{"arguments":{"city":"Rome"},"name":"weather"}}]`, `"parameters":{"type":"object","properties":{}}`} {
		if !strings.Contains(request, want) {
			t.Errorf("request = %s\nwant %s in it", request, want)
		}
	}
}

func TestFailuresHaveCodes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		answer string
		code   errcode.Code
	}{
		"an unknown model":    {404, `{"error":"hush"}`, errcode.ModelRequest},
		"a busy server":       {503, "", errcode.ModelUnavailable},
		"an error in between": {200, `{"error":"hush"}` + "\n", errcode.ModelUnavailable},
		"no JSON":             {200, "hush\n", errcode.ModelResponse},
		"it breaks off":       {200, `{"message":{"content":"Hel"}}` + "\n", errcode.ModelResponse},
		"too long a line":     {200, strings.Repeat("x", maxLine+1), errcode.ModelResponse},
	} {
		if _, _, _, err := ask(t, tt.status, tt.answer, model.Request{}); errcode.Of(err) != tt.code || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: Stream() error = %v, want %s without the server's words", name, err, tt.code)
		}
	}
}

func TestMistakesHavePlaces(t *testing.T) {
	t.Parallel()
	_, err := Open(model.Config{Settings: map[string]any{"base_url": "ftp://x"}})
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 2 {
		t.Fatalf("Open() error = %v, want both mistakes", err)
	}
	if e, ok := errors.AsType[*model.SettingError](joined.Unwrap()[1]); !ok || e.Path[0] != "base_url" {
		t.Errorf("the second mistake is %v", joined.Unwrap()[1])
	}
	if _, err := Open(model.Config{Settings: map[string]any{"top_k": 5}}); err == nil || !strings.Contains(err.Error(), "top_k: unknown key") {
		t.Errorf("Open() error = %v", err)
	}
}
