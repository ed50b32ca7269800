package modeltest_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/modeltest"
)

func ExampleServe() {
	busy := modeltest.Answer{Status: 503, Header: map[string]string{"Retry-After": "0"}}
	answers := modeltest.Serve(busy, modeltest.Text("Hello."))
	server := httptest.NewServer(answers)
	defer server.Close()
	m, err := model.New(model.Options{BaseURL: server.URL, Name: "mock"})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := m.Stream(context.Background(), model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: "Hi"}}}, model.Deltas{})
	fmt.Println(reply.Text, err, len(answers.Requests()))
	// Output: Hello. <nil> 2
}
