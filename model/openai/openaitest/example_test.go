package openaitest_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

func ExampleServe() {
	busy := openaitest.Answer{Status: 503, Header: map[string]string{"Retry-After": "0"}}
	answers := openaitest.Serve(busy, openaitest.Text("Hello."))
	server := httptest.NewServer(answers)
	defer server.Close()
	m, err := openai.New(openai.Options{BaseURL: server.URL, Name: "mock"})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := m.Stream(context.Background(), model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: "Hi"}}}, model.Deltas{})
	fmt.Println(reply.Text, err, len(answers.Requests()))
	// Output: Hello. <nil> 2
}
