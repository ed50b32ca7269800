package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/memstore"
)

// greeted makes a store with one thread of everybody's principal.
func greeted() (g *gateway.Gateway, store gateway.Options) {
	o := gateway.Options{
		Agents: map[string]groupchat.Agent{"hello": groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
			return groupchat.Say(t, "Hello.")
		})},
		Store: memstore.New(memstore.Options{}),
		Log:   slog.New(slog.DiscardHandler),
	}
	g, err := gateway.New(o)
	if err != nil {
		panic(err)
	}
	r := httptest.NewRequest("POST", "/agents/hello", strings.NewReader(`{"threadId": "t1", "runId": "r1", "messages": [{"id": "m1", "role": "user", "content": "Hi"}]}`))
	r.Header.Set("Content-Type", "application/json")
	g.ServeHTTP(httptest.NewRecorder(), r)
	return g, o
}

// A program gives people what it has of them, without a request of theirs.
func ExampleExportPrincipal() {
	g, o := greeted()
	defer g.Close()
	var out bytes.Buffer
	n, err := gateway.ExportPrincipal(context.Background(), o.Store, "local", &out)
	fmt.Println(n, err, strings.Count(out.String(), "\n"), "lines")
	// Output: 1 <nil> 3 lines
}

// A program deletes all data of a person who leaves. No other process executes runs here, so there is no run to wait
// for.
func ExampleErasePrincipal() {
	g, o := greeted()
	defer g.Close()
	for range 2 {
		fmt.Println(gateway.ErasePrincipal(context.Background(), o.Store, "local", 0))
	}
	// Output:
	// 1 <nil>
	// 0 <nil>
}
