package groupchat

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/internal/approval"
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
		v, err := approval.Decide(ask.Answer{Payload: json.RawMessage(payload)}, json.RawMessage(`{"x":1}`), tool.arguments)
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
		if failure.Retryable(&errcode.Error{Code: code}) {
			t.Errorf("a turn that failed with %s is tried again", code)
		}
	}
	for _, err := range []error{&failure.Panic{}, document.ErrForbidden} {
		if failure.Retryable(err) {
			t.Errorf("a turn that failed with %v is tried again", err)
		}
	}
	for _, err := range []error{errors.New("any"), &errcode.Error{Code: errcode.ModelUnavailable}, &errcode.Error{Code: errcode.AgentFailed}} {
		if !failure.Retryable(err) {
			t.Errorf("a turn that failed with %v is not tried again", err)
		}
	}
}
