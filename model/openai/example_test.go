package openai_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

func ExampleModel_Stream() {
	// A server that calls a tool first, and answers after the result. A real one has another URL and wants a Key.
	server := httptest.NewServer(openaitest.Serve(openaitest.Calls("forecast", `{"city":"Paris"}`), openaitest.Text("Take a coat.")))
	defer server.Close()
	m, err := openai.New(openai.Options{BaseURL: server.URL, Name: "mock"})
	if err != nil {
		fmt.Println(err)
		return
	}
	request := model.Request{
		Messages: []model.Message{{Role: agui.RoleUser, Text: "What shall I wear in Paris?"}},
		Tools:    []model.Tool{{Name: "forecast", Description: "Tells the weather of tomorrow"}},
	}
	for {
		reply, err := m.Stream(context.Background(), request, model.Deltas{})
		if err != nil {
			fmt.Println(errcode.Of(err), err)
			return
		}
		if len(reply.Calls) == 0 {
			fmt.Println(reply.Text)
			return
		}
		request.Messages = append(request.Messages, model.Message{Role: agui.RoleAssistant, Text: reply.Text, Calls: reply.Calls})
		for _, c := range reply.Calls {
			fmt.Println(c.Name, c.Arguments)
			request.Messages = append(request.Messages, model.Message{Role: agui.RoleTool, CallID: c.ID, Text: "18 degrees"})
		}
	}
	// Output:
	// forecast {"city":"Paris"}
	// Take a coat.
}
