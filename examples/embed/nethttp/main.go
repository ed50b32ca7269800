// Command nethttp is a program with net/http, and serves an agent and the gateway's page below /ai/.
package main

import (
	"context"
	"io"
	"log"
	"net/http"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/web"
)

var passwords = map[string]string{"ada": "notes"} // the sign-in of your program goes here

func main() {
	routes, err := newRoutes()
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", routes)) // http://127.0.0.1:8080/ai/
}

// newRoutes returns the routes of the program, with the gateway among them.
func newRoutes() (http.Handler, error) {
	hello := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return groupchat.Sayf(t, "Hello, %s.", t.Principal().ID)
	})
	agents := map[string]groupchat.Agent{"hello": hello}
	g, err := gateway.New(gateway.Options{Agents: agents, Page: web.Handler(), Principal: principal})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "The program's page. Agents are at /ai/.\n") // fails if the client has left
	})
	mux.Handle("/ai/", signedIn(http.StripPrefix("/ai", g)))
	return mux, nil
}

// signedIn lets in users with their passwords. A browser asks for both.
func signedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); password == "" || passwords[user] != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="agents"`)
			http.Error(w, "sign in", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// principal names the user that signedIn has let in. Each user has separate threads.
func principal(r *http.Request) (gateway.Principal, error) {
	user, _, _ := r.BasicAuth()
	return gateway.Principal{ID: user}, nil
}
