package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// A gateway is an http.Handler that serves agents.
func ExampleNew() {
	hello := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return groupchat.Say(t, "Hello.")
	})
	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"hello": hello}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	server := httptest.NewServer(g)
	defer server.Close()

	body := strings.NewReader(`{"protocolVersion": "1.0", "threadId": "t1", "runId": "r1",
		"messages": [{"id": "m1", "role": "user", "content": "Hi"}]}`)
	response, err := http.Post(server.URL+"/agents/hello", "application/json", body)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if _, event, ok := strings.Cut(lines.Text(), `data: {"type":"`); ok {
			name, _, _ := strings.Cut(event, `"`)
			fmt.Println(name)
		}
	}
	// Output:
	// RUN_STARTED
	// STATE_SNAPSHOT
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT
	// TEXT_MESSAGE_END
	// STATE_SNAPSHOT
	// MESSAGES_SNAPSHOT
	// RUN_FINISHED
}

// A gateway serves from the root of whatever it is given, so a program mounts it beside its own routes under a prefix.
func ExampleNew_prefix() {
	hello := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return groupchat.Say(t, "Hello.")
	})
	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"hello": hello}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	mux := http.NewServeMux()
	mux.Handle("/ai/", http.StripPrefix("/ai", g))
	server := httptest.NewServer(mux)
	defer server.Close()

	for _, path := range []string{"/ai/readyz", "/ai/agents"} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		response.Body.Close()
		fmt.Println(path, response.Status)
	}
	// Output:
	// /ai/readyz 200 OK
	// /ai/agents 200 OK
}

type userKey struct{}

// signedIn is a program's authentication: it puts the user into the request's context. This one trusts the request.
func signedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer token-of-"); ok {
			r = r.WithContext(context.WithValue(r.Context(), userKey{}, user))
		}
		next.ServeHTTP(w, r)
	})
}

// A program that knows its users identifies the sender of a request: each user has separate threads, and others are
// refused.
func ExampleNew_principal() {
	hello := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return groupchat.Sayf(t, "Hello, %s.", t.Principal())
	})
	g, err := gateway.New(gateway.Options{
		Agents: map[string]groupchat.Agent{"hello": hello},
		Log:    slog.New(slog.DiscardHandler),
		Principal: func(r *http.Request) (gateway.Principal, error) {
			user, ok := r.Context().Value(userKey{}).(string)
			if !ok {
				return gateway.Principal{}, &errcode.Error{Code: errcode.Unauthorized}
			}
			return gateway.Principal{ID: user}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	mux := http.NewServeMux()
	mux.Handle("/ai/", signedIn(http.StripPrefix("/ai", g)))

	ask := func(user, method, path, body string) string {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if user != "" {
			r.Header.Set("Authorization", "Bearer token-of-"+user)
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w.Result().Status
	}
	run := `{"threadId": "t1", "runId": "r1", "messages": [{"id": "m1", "role": "user", "content": "Hi"}]}`
	fmt.Println("ada runs an agent: ", ask("ada", "POST", "/ai/agents/hello", run))
	fmt.Println("ada reads it again:", ask("ada", "GET", "/ai/threads/t1", ""))
	fmt.Println("eve reads it:      ", ask("eve", "GET", "/ai/threads/t1", ""))
	fmt.Println("nobody reads it:   ", ask("", "GET", "/ai/threads/t1", ""))
	fmt.Println("a probe asks:      ", ask("", "GET", "/ai/readyz", ""))
	// Output:
	// ada runs an agent:  200 OK
	// ada reads it again: 200 OK
	// eve reads it:       404 Not Found
	// nobody reads it:    401 Unauthorized
	// a probe asks:       200 OK
}
