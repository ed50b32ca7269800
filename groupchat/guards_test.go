package groupchat

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state/document"
)

// TestEditedArgumentsAreNotRemembered has an answer that the schema of the question refuses: a tool judges it again,
// for answers that no schema was held against.
func TestEditedArgumentsAreNotRemembered(t *testing.T) {
	t.Parallel()
	c := &counted{}
	tool := c.tool("f")
	for payload, refused := range map[string]bool{
		`{"approved":true,"editedArgs":{"x":2},"remember":"thread"}`:    true,
		`{"approved":true,"editedArgs":{"x":2},"remember":"principal"}`: true,
		`{"approved":true,"editedArgs":{"x":1},"remember":"thread"}`:    false, // nothing is edited
		`{"approved":true,"editedArgs":{"x":2}}`:                        false,
	} {
		v, err := tool.ruling(Answer{Payload: json.RawMessage(payload)}, json.RawMessage(`{"x":1}`))
		if (err != nil) != refused {
			t.Errorf("%s is ruled %+v, %v, refused: want %t", payload, v, err, refused)
		}
	}
}

// TestRetryable names the failures that another try does not mend.
func TestRetryable(t *testing.T) {
	t.Parallel()
	for _, code := range []errcode.Code{
		errcode.ModelAuth, errcode.ModelRequest, errcode.Forbidden, errcode.Unauthorized, errcode.TooLarge, errcode.Internal, errcode.RemoteLoop,
		errcode.NoRoute, errcode.CheckpointIncompatible, errcode.ModelContextLength, errcode.GuardrailRefused, errcode.BudgetExceeded,
		errcode.HookFailed, errcode.ContractViolation,
	} {
		if Retryable(&errcode.Error{Code: code}) {
			t.Errorf("a turn that failed with %s is tried again", code)
		}
	}
	for _, err := range []error{&PanicError{}, document.ErrForbidden} {
		if Retryable(err) {
			t.Errorf("a turn that failed with %v is tried again", err)
		}
	}
	for _, err := range []error{errors.New("any"), &errcode.Error{Code: errcode.ModelUnavailable}, &errcode.Error{Code: errcode.AgentFailed}} {
		if !Retryable(err) {
			t.Errorf("a turn that failed with %v is not tried again", err)
		}
	}
}

// TestEstimatesLearn corrects the estimate of a request's length by what a server counted.
func TestEstimatesLearn(t *testing.T) {
	t.Parallel()
	r := &model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: "a text of some length, to be counted"}}}
	estimate := int64(requestTokens(r))
	used := func(n int64) agui.TokenUsage { return agui.TokenUsage{InputTokens: &n} }
	for _, test := range []struct {
		name    string
		history History
		was     float64
		used    agui.TokenUsage
		want    float64
	}{
		{"twice as long", History{Tokens: 1000}, 0, used(2 * estimate), 2},
		{"nearly as long", History{Tokens: 1000}, 0, used(estimate), 0},
		{"as long as before", History{Tokens: 1000}, 2, used(2 * estimate), 2},
		{"far too long", History{Tokens: 1000}, 0, used(100 * estimate), mostRatio},
		{"far too short", History{Tokens: 1000}, 0, used(1), leastRatio},
		{"not counted", History{Tokens: 1000}, 2, agui.TokenUsage{}, 2},
		{"no limit to hold", History{}, 0, used(2 * estimate), 0},
		{"counted by the program", History{Tokens: 1000, Count: func(model.Request) int { return 1 }}, 0, used(2 * estimate), 0},
	} {
		s := &shortener{h: test.history}
		s.note.Ratio = test.was
		s.correct(r, test.used)
		if s.note.Ratio != test.want {
			t.Errorf("%s: the ratio is %v, want %v", test.name, s.note.Ratio, test.want)
		}
	}
}
