package model_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

func ExampleFirstOf() {
	away := model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		return model.Reply{}, &errcode.Error{Code: errcode.ModelUnavailable, Err: errors.New("nobody answers")}
	})
	echo := model.Func(func(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
		return model.Reply{Text: "You said: " + r.Messages[len(r.Messages)-1].Text}, nil
	})
	request := model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: "hello"}}}
	either := &model.FirstOf{Models: []model.Model{away, echo}}
	reply, err := either.Stream(context.Background(), request, model.Deltas{})
	fmt.Println(reply.Text, err)
	// Output: You said: hello <nil>
}

func ExampleToolName() {
	fmt.Println(model.ToolName("get_weather"))
	fmt.Println(model.ToolName("get.weather"))
	fmt.Println(model.ToolName(model.ToolName("get.weather")))
	// Output:
	// get_weather
	// get_weather_ulv4lvig0
	// get_weather_ulv4lvig0
}
