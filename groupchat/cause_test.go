package groupchat

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/internal/port"
	"github.com/agui-gateway/gateway/model/openai"
)

// What must not be in any log: keys of ours, and what people said.
const (
	plantedKey   = "sk-proj-Zx81kPq77LmN0vTt"
	plantedToken = "t0ken-of-the-operator"
	plantedWords = "My diagnosis is none of your business"
)

// causeOf wants err to contain all of want and no planted text, and clients to read neither.
func causeOf(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("it did not fail")
	}
	text := err.Error()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("the cause lacks %q: %s", w, text)
		}
	}
	for _, secret := range []string{plantedKey, plantedToken, plantedWords, "pass-word", "Zx81kPq77", "is none of your"} {
		if strings.Contains(text, secret) {
			t.Errorf("the cause tells %q: %s", secret, text)
		}
	}
	if strings.Contains(text, ": :") || len(text) > 1200 || strings.ContainsAny(text, "\n\r") {
		t.Errorf("the cause is no line of a log: %s", text)
	}
	if shown := errcode.Public(err); !errcode.Of(err).Known() || shown != errcode.Of(err).Message() {
		t.Errorf("clients are told %q", shown)
	}
}

// TestTheCauseOfAModelsFailure names the URL that was asked and quotes the server, without keys and prompts.
func TestTheCauseOfAModelsFailure(t *testing.T) {
	t.Parallel()
	sentence := func(s string) string {
		raw, err := json.Marshal(map[string]any{"error": map[string]any{"message": s, "type": "invalid_request_error"}})
		must(t, err)
		return string(raw)
	}
	tests := []struct {
		name    string
		status  int
		body    string
		code    errcode.Code
		want    []string
		without string
	}{
		{name: "a request it refuses", status: 400, body: sentence("response_format json_schema is not supported by this model"), code: errcode.ModelRequest,
			want: []string{"status 400", "response_format json_schema is not supported by this model"}},
		{name: "a path that leads nowhere", status: 404, body: sentence("Unknown request URL: POST /v1/chat/completions/chat/completions"), code: errcode.ModelRequest,
			want: []string{"status 404", "Unknown request URL"}},
		{name: "a key it refuses", status: 401, body: sentence("Incorrect API key provided: " + plantedKey), code: errcode.ModelAuth,
			want: []string{"status 401", "Incorrect API key provided: •••"}},
		{name: "part of a key", status: 401, body: sentence("The key Zx81kPq77LmN is unknown"), code: errcode.ModelAuth, want: []string{"The key •••"}},
		{name: "somebody else's key", status: 401, body: sentence("Bearer abc123 and AKIA0123456789ABCDEF0123 are unknown"), code: errcode.ModelAuth,
			want: []string{"are unknown"}, without: "AKIA"},
		{name: "a prompt", status: 400, body: sentence("Invalid message: " + plantedWords + "!"), code: errcode.ModelRequest, want: []string{"Invalid message: •••"}},
		{name: "a page", status: 502, body: "<html><head><title>502 Bad Gateway</title></head>\n<body>nginx</body></html>", code: errcode.ModelUnavailable,
			want: []string{"status 502", "502 Bad Gateway"}},
		{name: "plain words", status: 500, body: "the GPU\r\nis on fire", code: errcode.ModelUnavailable, want: []string{"status 500", "the GPU is on fire"}},
		{name: "endless words", status: 500, body: strings.Repeat("fire! ", 5000), code: errcode.ModelUnavailable, want: []string{"fire!", "…"}},
		{name: "FastAPI's words", status: 422, body: `{"detail":[{"loc":["body","tools"],"msg":"extra fields not permitted"}]}`, code: errcode.ModelRequest,
			want: []string{"extra fields not permitted"}},
		{name: "an error in a stream", status: 200, body: "data: " + sentence("context length exceeded") + "\n\n", code: errcode.ModelRequest,
			want: []string{"context length exceeded"}},
		{name: "a stream that breaks off", status: 200, body: "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"H\"}}]}\n\n", code: errcode.ModelResponse,
			want: []string{"without a finish reason"}},
		{name: "no server", code: errcode.ModelUnavailable, want: []string{"connection refused"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			defer server.Close()
			at := server.URL
			if tt.status == 0 {
				at = "http://" + port.ForTest(t).Addr()
			}
			base := strings.Replace(at, "http://", "http://ann:pass-word@", 1) + "/v1"
			model, err := openai.New(openai.Options{BaseURL: base, Key: plantedKey, Name: "m", Retries: -1, Provider: "mock"})
			must(t, err)
			out := newRig(t, &LLM{Model: model, Instructions: plantedWords}).say(plantedWords)
			codeOf(t, out, tt.code)
			causeOf(t, out.err, append(tt.want, at+"/v1/chat/completions")...)
			if tt.without != "" && strings.Contains(out.err.Error(), tt.without) {
				t.Errorf("the cause tells %q: %v", tt.without, out.err)
			}
		})
	}
}

// TestTheCauseOfASchemasFailure says where the reply is not as it should be, and does not quote it.
func TestTheCauseOfASchemasFailure(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"stops":{"type":"array","items":{"type":"object",` +
		`"properties":{"price":{"type":"number"}}}}}}`)
	for reply, want := range map[string]string{
		`{"name":"` + plantedWords + `","stops":[{"price":1},{"price":"` + plantedWords + `"}]}`: "/stops/1/price: type",
		`{"stops":[]}`: "/: required",
		plantedWords:   "not JSON",
	} {
		m := newMind(t, says(reply))
		out := newRig(t, &LLM{Model: m.model(), Output: &LLMOutput{Schema: schema}}).say("go")
		codeOf(t, out, errcode.ModelResponse)
		causeOf(t, out.err, want)
	}
}

// TestTheCauseOfARemotesFailure names the URL and quotes the server, without headers and messages.
func TestTheCauseOfARemotesFailure(t *testing.T) {
	t.Parallel()
	failed := func(message, code string) string {
		raw, err := json.Marshal(map[string]string{"type": "RUN_ERROR", "message": message, "code": code})
		must(t, err)
		return begins + string(raw)
	}
	tests := []struct {
		name   string
		status int
		body   string
		want   []string
	}{
		{"its run's error", 200, failed("Tool result is missing for tool call abc", ""), []string{`remote said "Tool result is missing for tool call abc"`}},
		{"with a code", 200, failed("No such model", "bad_model"), []string{"bad_model", `remote said "No such model"`}},
		{"that quotes a header", 200, failed("Token "+plantedToken+" has expired", "x"), []string{"has expired"}},
		{"that quotes people", 200, failed("I cannot answer: "+plantedWords, "x"), []string{"I cannot answer: •••"}},
		{"refused over an answer", 200, begins + `{"type":"CUSTOM","name":"gateway.refused","value":{"code":"resume_invalid","message":"The answer does not fit."}}` + "\n" + ends,
			[]string{"resume_invalid", `remote said "The answer does not fit."`}},
		{"refused", 404, `{"detail":"Not Found"}`, []string{"status 404", `remote said "Not Found"`}},
		{"refused in words", 500, "Traceback: KeyError\n 'x'", []string{"status 500", `remote said "Traceback: KeyError 'x'"`}},
		{"no events", 200, "", []string{"no terminal event"}},
		{"nonsense", 200, begins + `{"type":"TEXT_MESSAGE_START"}`, []string{"messageId"}},
		{"no server", 0, "", []string{"connection refused"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if tt.status == 200 {
					w.Header().Set("Content-Type", "text/event-stream")
				}
				w.WriteHeader(tt.status)
				body := tt.body
				if tt.status == 200 {
					body = ""
					for line := range strings.Lines(tt.body) {
						body += "data: " + strings.TrimSpace(line) + "\n\n"
					}
				}
				_, _ = io.WriteString(w, body)
			}))
			defer server.Close()
			at := server.URL
			if tt.status == 0 {
				at = "http://" + port.ForTest(t).Addr()
			}
			url := strings.Replace(at, "http://", "http://ann:pass-word@", 1) + "/run?token=" + plantedToken
			far, err := NewRemote(RemoteOptions{URL: url, Headers: http.Header{"Authorization": {"Bearer " + plantedToken}}, Timeout: time.Minute})
			must(t, err)
			for where, agent := range map[string]Agent{"": far, "legal": legalDesk(far, failure.Policy{})} {
				out := newRig(t, agent).say(plantedWords)
				codeOf(t, out, errcode.RemoteFailed)
				causeOf(t, out.err, append(tt.want, where, at+"/run")...)
			}
		})
	}
}
