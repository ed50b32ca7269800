package approval

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// TestDecide reads answers about a call with the arguments {"x":1}.
func TestDecide(t *testing.T) {
	t.Parallel()
	check := func(written string) (json.RawMessage, error) {
		if written == `{"x":"bad"}` {
			return nil, errors.New("not a number")
		}
		return json.RawMessage(written), nil
	}
	for answer, want := range map[string]string{
		`true`: `approved {"x":1}`, `{"approved":true,"reason":"fine"}`: `approved {"x":1}`,
		`{"approved":true,"editedArgs":{"x":1}}`:                     `approved {"x":1}`,
		`{"approved":true,"editedArgs":{"x":2}}`:                     `edited {"x":2}`,
		`{"approved":true,"editedArgs":{"x":"bad"}}`:                 "error",
		`{"approved":true,"editedArgs":{"x":2},"remember":"thread"}`: "error",
		`{"approved":true,"other":1}`:                                "error",
		`false`:                                                      "declined ", `"cheaper"`: "declined ", `cancel`: "declined ",
	} {
		a := ask.Answer{Payload: json.RawMessage(answer)}
		if answer == "cancel" {
			a, want = ask.Answer{Cancelled: true}, "cancelled "
		}
		v, err := Decide(a, json.RawMessage(`{"x":1}`), check)
		got := v.Mark.Decision + " " + string(v.Arguments)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", answer, got, want)
		}
	}
}

// TestMark is on the result that it was put on, and the zero mark removes one.
func TestMark(t *testing.T) {
	t.Parallel()
	marked := Mark{Decision: Declined, By: "ada"}.On(tools.Text("no"))
	if got := MarkOf(marked.Metadata); got.Decision != Declined || got.By != "ada" {
		t.Errorf("MarkOf() = %+v", got)
	}
	if left := (Mark{}).On(marked); len(left.Metadata) > 0 || len(marked.Metadata) == 0 {
		t.Errorf("metadata %v and %v, want only the first one empty", left.Metadata, marked.Metadata)
	}
}
