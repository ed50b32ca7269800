package groupchat

import (
	"encoding/json"
	"fmt"
	"io"
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
