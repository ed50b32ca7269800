// Command echo is a program with Echo, and serves an agent and the gateway's page below /ai/.
package main

import (
	"context"
	"log"
	"net/http"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/web"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

var passwords = map[string]string{"ada": "notes"} // the sign-in of your program goes here

func main() {
	e, err := newEcho()
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(e.Start("127.0.0.1:8080")) // http://127.0.0.1:8080/ai/
}

// newEcho returns the routes of the program, with the gateway among them.
func newEcho() (*echo.Echo, error) {
	hello := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return groupchat.Sayf(t, "Hello, %s.", t.Principal().ID)
	})
	agents := map[string]groupchat.Agent{"hello": hello}
	g, err := gateway.New(gateway.Options{Agents: agents, Page: web.Handler(), Principal: principal})
	if err != nil {
		return nil, err
	}
	e := echo.New()
	e.GET("/", func(c echo.Context) error {
		return c.String(http.StatusOK, "The program's page. Agents are at /ai/.\n")
	})
	e.Any("/ai/*", echo.WrapHandler(http.StripPrefix("/ai", g)), middleware.BasicAuth(signIn))
	return e, nil
}

// signIn accepts users with their passwords. A browser asks for both.
func signIn(user, password string, _ echo.Context) (bool, error) {
	return password != "" && passwords[user] == password, nil
}

// principal names the user that signIn has accepted. Each user has separate threads.
func principal(r *http.Request) (gateway.Principal, error) {
	user, _, _ := r.BasicAuth()
	return gateway.Principal{ID: user}, nil
}
