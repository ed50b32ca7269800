package groupchat

import (
	"context"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
)

// A card has members of its author's, which never replace its own.
func TestACardHasMembersOfItsOwn(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	huge := strings.Repeat("x", ask.MaxCard)
	for name, test := range map[string]struct {
		question Question
		want     string // of the card; empty if the turn fails
	}{
		"free":             {Question{Value: object{"steps": []object{{"description": "Mix"}}}}, `{"agent":"flights","message":"Which?","steps":[{"description":"Mix"}]}`},
		"a name of ours":   {Question{Value: object{"message": "No?"}}, ""},
		"like an approval": {Question{Value: object{"tool": "order"}}, ""},
		"with options":     {Question{Value: object{"a": 1}, Options: []string{"S"}}, `{"a":1,"agent":"flights","message":"Which?","options":["S"]}`},
		"empty":            {Question{Value: object{}}, `{"message":"Which?","agent":"flights"}`},
		"no object":        {Question{Value: []int{1}}, ""},
		"no JSON":          {Question{Value: func() {}}, ""},
		"huge":             {Question{Value: object{"a": huge}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := test.question
			q.Key, q.Message, q.By = "k", "Which?", "flights"
			r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error { _, err := t.Ask(q); return err }))
			end := r.say("x")
			if test.want == "" {
				codeOf(t, end, errcode.AgentFailed)
				return
			}
			must(t, end.err)
			equal(t, "card", string(r.open[0].Metadata["value"]), test.want)
		})
	}
}

// A question of a remote agent without a card gets one with its message.
func TestARemoteQuestionHasACard(t *testing.T) {
	t.Parallel()
	x := &exchange{t: &Turn{path: []string{"desk", "clerk"}, as: "clerk"}}
	for _, test := range []struct {
		ask  agui.Interrupt
		want string
	}{
		{agui.Interrupt{Message: "Which room?"}, `{"agent":"clerk","message":"Which room?"}`},
		{agui.Interrupt{Reason: "confirmation", Metadata: agui.Metadata{"value": []byte("null")}}, `{"agent":"clerk","message":"confirmation"}`},
		{agui.Interrupt{Message: "Which room?", Metadata: agui.Metadata{"value": []byte(`{"rooms":[1]}`)}}, `{"rooms":[1]}`},
		{agui.Interrupt{Message: "Which room?", Metadata: agui.Metadata{"value": []byte(`7`)}}, `7`},
		{agui.Interrupt{Message: "Which?", Metadata: agui.Metadata{"groupchat": []byte(`{"path":"hotel.porter"}`)}}, `{"agent":"porter","message":"Which?"}`},
	} {
		equal(t, "card", string(x.card("k", test.ask)["value"]), test.want)
	}
}
