package openai_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// A program can find out before it serves anybody whether its model is there. A server that lists the model is asked
// for nothing else.
func ExampleModel_Probe() {
	server := httptest.NewServer(openaitest.Serve(
		openaitest.Answer{Status: http.StatusOK, Body: `{"data":[{"id":"small"},{"id":"large"}]}`}, openaitest.Text("ok"),
	))
	defer server.Close()
	for _, name := range []string{"small", "tuned"} {
		m, err := openai.New(openai.Options{BaseURL: server.URL, Name: name})
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := m.Probe(context.Background())
		fmt.Println(p.Listed, p.Asked, p.Models, err)
	}
	// Output:
	// true false [large small] <nil>
	// false true [] <nil>
}
