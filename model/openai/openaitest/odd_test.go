package openaitest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// A server that knows no JSON Schema is asked for any JSON, and remembered as one that has to be.
func ExampleOdd() {
	odd := &openaitest.Odd{Next: openaitest.Serve(openaitest.Text(`{"city":"Oslo"}`)), Refuses: []string{"response_format.type=json_schema"}}
	server := httptest.NewServer(odd)
	defer server.Close()
	m, err := openai.New(openai.Options{BaseURL: server.URL, Name: "mock"})
	if err != nil {
		fmt.Println(err)
		return
	}
	request := model.Request{
		Messages: []model.Message{{Role: agui.RoleUser, Text: "Where to?"}}, Schema: json.RawMessage(`{"type":"object"}`), SchemaName: "place",
	}
	for range 2 {
		reply, err := m.Stream(context.Background(), request, model.Deltas{})
		fmt.Println(reply.Text, err, len(odd.Refused()))
	}
	// Output:
	// {"city":"Oslo"} <nil> 1
	// {"city":"Oslo"} <nil> 1
}
