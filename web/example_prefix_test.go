package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/web"
)

type accountKey struct{}

// signedIn is a program's middleware: it knows its users, and puts the sender of a request into the request's context.
// This one trusts the request.
func signedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer token-of-"); ok {
			r = r.WithContext(context.WithValue(r.Context(), accountKey{}, gateway.Principal{
				ID: user, Roles: []string{"editor"}, Claims: map[string]any{"tenant": "north"},
			}))
		}
		next.ServeHTTP(w, r)
	})
}

// A program mounts the gateway below a prefix, beside other routes and behind middleware. The page is there too, and a
// page with CopilotKit has /ai/api/copilotkit as its runtimeUrl. The agent knows the user.
func ExampleHandler_prefix() {
	hello := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return groupchat.Sayf(t, "Hello, %s of %v.", t.Principal().ID, t.Principal().Claims["tenant"])
	})
	g, err := gateway.New(gateway.Options{
		Agents: map[string]groupchat.Agent{"hello": hello},
		Agent:  map[string]gateway.AgentOptions{"hello": {Allow: []string{"editor"}}},
		Page:   web.Handler(),
		Log:    slog.New(slog.DiscardHandler),
		Principal: func(r *http.Request) (gateway.Principal, error) {
			p, ok := r.Context().Value(accountKey{}).(gateway.Principal)
			if !ok {
				return p, &errcode.Error{Code: errcode.Unauthorized}
			}
			return p, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("the program's own")) })
	mux.Handle("/ai/", signedIn(http.StripPrefix("/ai", g)))
	server := httptest.NewServer(mux)
	defer server.Close()

	ask := func(user, method, path, body string) {
		r, err := http.NewRequestWithContext(context.Background(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			fmt.Println(err)
			return
		}
		r.Header.Set("Content-Type", "application/json")
		if user != "" {
			r.Header.Set("Authorization", "Bearer token-of-"+user)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer response.Body.Close()
		fmt.Println(method, path, response.StatusCode)
	}
	ask("", "GET", "/", "")
	ask("", "GET", "/ai/", "") // the page, which asks for a key
	ask("", "GET", "/ai/me", "")
	ask("ada", "GET", "/ai/me", "")
	ask("ada", "GET", "/ai/api/copilotkit/info", "")
	ask("ada", "POST", "/ai/agents/hello", `{"threadId": "t1", "runId": "r1", "messages": [{"id": "m1", "role": "user", "content": "Hi"}]}`)
	ask("ada", "GET", "/ai/threads/t1", "")
	ask("eve", "GET", "/ai/threads/t1", "")
	// Output:
	// GET / 200
	// GET /ai/ 200
	// GET /ai/me 401
	// GET /ai/me 200
	// GET /ai/api/copilotkit/info 200
	// POST /ai/agents/hello 200
	// GET /ai/threads/t1 200
	// GET /ai/threads/t1 404
}
