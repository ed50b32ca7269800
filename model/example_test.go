package model_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// either asks the second model where the first is away and has said nothing yet.
func either(first, second model.Model) model.Model {
	return model.Func(func(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
		said := false
		heard := on
		heard.Text = func(delta string) error {
			said = true
			if on.Text == nil {
				return nil
			}
			return on.Text(delta)
		}
		reply, err := first.Stream(ctx, r, heard)
		if errcode.Of(err) == errcode.ModelUnavailable && !said {
			return second.Stream(ctx, r, on)
		}
		return reply, err
	})
}

func ExampleFunc() {
	away := model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		return model.Reply{}, &errcode.Error{Code: errcode.ModelUnavailable, Err: errors.New("nobody answers")}
	})
	echo := model.Func(func(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
		return model.Reply{Text: "You said: " + r.Messages[len(r.Messages)-1].Text}, nil
	})
	request := model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: "hello"}}}
	reply, err := either(away, echo).Stream(context.Background(), request, model.Deltas{})
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
