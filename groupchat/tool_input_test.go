package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// bookingTool books a room once it knows for how many and, for more than two, whether the price is right.
func bookingTool(repeat tools.Repeat, made *[]string) Tool {
	return Tool{
		Name: "book", Repeat: repeat, Parameters: json.RawMessage(`{"type":"object"}`),
		Call: func(_ context.Context, c ToolCall) (tools.Result, error) {
			*made = append(*made, fmt.Sprintf("%s with %d answers", c.Arguments, len(c.Inputs)))
			if len(c.Inputs) == 0 {
				return tools.Result{}, &tools.InputNeeded{Message: "For how many?", Schema: json.RawMessage(`{"type":"integer"}`), State: json.RawMessage(`"s1"`)}
			}
			if string(c.Inputs[0].State) != `"s1"` {
				return tools.Result{}, errors.New("the state is another")
			}
			if c.Inputs[0].Cancelled {
				return tools.Text("not booked"), nil
			}
			if string(c.Inputs[0].Payload) > "2" && len(c.Inputs) == 1 {
				return tools.Result{}, &tools.InputNeeded{Message: "It is 90 more. Is that right?"}
			}
			return tools.Text("booked for " + string(c.Inputs[0].Payload)), nil
		},
	}
}

// books calls the tool and says its result.
func books(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
	last := r.Messages[len(r.Messages)-1]
	if last.CallID != "" {
		return model.Reply{Text: "Done: " + last.Text}, nil
	}
	return model.Reply{Calls: []model.Call{{Name: "book", Arguments: `{"room":7}`}}}, nil
}

// TestAToolAsks before it does anything: the same call is made again with the answers.
func TestAToolAsks(t *testing.T) {
	for name, tt := range map[string]struct {
		answers []string
		says    string
		calls   int
	}{
		"once":      {[]string{"2"}, "Done: booked for 2", 2},
		"twice":     {[]string{"4", `"yes"`}, "Done: booked for 4", 3},
		"cancelled": {[]string{"cancel"}, "Done: not booked", 2},
	} {
		for _, repeat := range []tools.Repeat{tools.RepeatAgain, tools.RepeatNever} {
			t.Run(name+" "+string(repeat), func(t *testing.T) {
				var made []string
				r := newRig(t, &LLM{Model: model.Func(books), Tools: []Tool{bookingTool(repeat, &made)}})
				must(t, r.say("go").err)
				for _, answer := range tt.answers {
					equal(t, "questions", len(r.open), 1)
					must(t, r.answer(map[string]string{where(r.open[0]).Key: answer}).err)
				}
				equal(t, "says", r.messages[len(r.messages)-1].Content.Text(), tt.says)
				equal(t, "calls", len(made), tt.calls)
			})
		}
	}
}

// TestATimedOutQuestionOfAToolIsAskedAgain, without another call of the tool.
func TestATimedOutQuestionOfAToolIsAskedAgain(t *testing.T) {
	var made []string
	r := newRig(t, &LLM{Model: model.Func(books), Tools: []Tool{bookingTool(tools.RepeatNever, &made)}})
	must(t, r.say("go").err)
	must(t, r.answer(map[string]string{"For how many?": "late"}).err)
	equal(t, "questions", len(r.open), 1)
	must(t, r.answer(map[string]string{"For how many?": "1"}).err)
	equal(t, "calls", strings.Join(made, ", "), `{"room":7} with 0 answers, {"room":7} with 1 answers`)
}

// TestAToolThatAlwaysAsks is stopped after a number of questions, and its result says so.
func TestAToolThatAlwaysAsks(t *testing.T) {
	asks := Tool{Name: "book", Call: func(context.Context, ToolCall) (tools.Result, error) {
		return tools.Result{}, &tools.InputNeeded{Message: "And now?"}
	}}
	r := newRig(t, &LLM{Model: model.Func(books), Tools: []Tool{asks}})
	must(t, r.say("go").err)
	n := 0
	for ; len(r.open) > 0 && n < 100; n++ {
		must(t, r.answer(map[string]string{"And now?": "1"}).err)
	}
	equal(t, "questions", n, maxToolInputs)
	equal(t, "says", r.messages[len(r.messages)-1].Content.Text(), "Done: The tool asked too often.")
}
