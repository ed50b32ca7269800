package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
)

// TestTheHeaderHook gives each call's requests what belongs to who asked for the call.
func TestTheHeaderHook(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]int{}
	handler := overHTTP(t)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Header.Get("x-user")+" "+r.Header.Get("x-shop")]++
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	closeAfter(t, h)
	s := start(t, Options{URL: h.URL, HTTP: client(t), Headers: map[string]string{"X-Shop": "corner"},
		Header: func(_ context.Context, c groupchat.ToolCall) (http.Header, error) {
			return http.Header{"x-user": {"user-" + c.Principal.ID}}, nil
		}})
	tools, err := s.Source(SourceOptions{Only: []string{"args"}}).Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"ann", "bob"} {
		if _, err := tools[0].Call(t.Context(), groupchat.ToolCall{Arguments: []byte(`{}`), Principal: groupchat.Principal{ID: id}}); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if seen["user-ann corner"] != 1 || seen["user-bob corner"] != 1 || seen["user- corner"] == 0 {
		t.Errorf("the server has seen %v", seen)
	}
	if masked := s.redacted("refused user-ann"); strings.Contains(masked, "user-ann") {
		t.Errorf("the log has what the hook returned: %s", masked)
	}
}

// TestAHeaderHookThatFails fails the call and nothing else.
func TestAHeaderHookThatFails(t *testing.T) {
	t.Parallel()
	for name, hook := range map[string]func(){
		"error": nil,
		"panic": func() { panic("no token") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, _ := site(t)
			o.Header = func(_ context.Context, c groupchat.ToolCall) (http.Header, error) {
				if c.Key == "" || c.Key == "good" {
					return nil, nil
				}
				if hook != nil {
					hook()
				}
				return nil, errors.New("no token")
			}
			tools, err := start(t, o).Source(SourceOptions{Only: []string{"args"}}).Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tools[0].Call(t.Context(), groupchat.ToolCall{Key: "bad"}); toldText(err) == "" {
				t.Errorf("Call() = %v, want an error that the model is told of", err)
			}
			if _, err := tools[0].Call(t.Context(), groupchat.ToolCall{Key: "good"}); err != nil {
				t.Errorf("the next call: %v", err)
			}
		})
	}
}
