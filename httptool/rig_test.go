package httptool

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// A seen is a request as a server has read it.
type seen struct {
	method, path, query, body string
	header                    http.Header
}

// A recorder is a server that keeps what it is asked, and answers with next.
type recorder struct {
	next http.HandlerFunc
	mu   sync.Mutex
	all  []seen
}

func (s *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.all = append(s.all, seen{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header})
	s.mu.Unlock()
	if s.next != nil {
		s.next(w, r)
	}
}

func (s *recorder) requests() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]seen(nil), s.all...)
}

// serve starts a server that answers with next, and ends with the test.
func serve(t *testing.T, next http.HandlerFunc) (*recorder, string) {
	t.Helper()
	s := &recorder{next: next}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

// answers answers with a body of a type.
func answers(status int, media, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// parameters is a schema that requires the named texts, and has a few more.
func parameters(required ...string) json.RawMessage {
	properties := map[string]any{"q": map[string]any{}, "list": map[string]any{}, "n": map[string]any{}}
	for _, name := range required {
		properties[name] = map[string]any{"type": "string"}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(err)
	}
	return raw
}

// made is the tool of options, which have to be valid.
func made(t *testing.T, o Options) groupchat.Tool {
	t.Helper()
	if o.Name == "" {
		o.Name = "ask"
	}
	if o.Parameters == nil {
		o.Parameters = parameters()
	}
	if o.HTTP == nil {
		client := clientOf(nil)
		t.Cleanup(client.CloseIdleConnections)
		o.HTTP = client
	}
	tool, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// call makes a call, and returns the result for the model, or the error's text for it.
func call(ctx context.Context, tool groupchat.Tool, arguments string) (told string, err error) {
	result, err := tool.Call(ctx, groupchat.ToolCall{Name: tool.Name, Arguments: json.RawMessage(arguments), Key: "key-1"})
	if failed, ok := errors.AsType[*tools.Error](err); ok {
		return failed.Text, err
	}
	return result.Content.Text(), err
}

// says fails the test unless a call failed with a text for the model that has each of words.
func says(t *testing.T, told string, err error, words ...string) {
	t.Helper()
	if _, ok := errors.AsType[*tools.Error](err); !ok {
		t.Fatalf("Call() = %q, %v, want a *tools.Error", told, err)
	}
	for _, w := range words {
		if !strings.Contains(told, w) {
			t.Errorf("the model is told %q, want %q in it", told, w)
		}
	}
}
