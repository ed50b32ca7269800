package errcode_test

import (
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/errcode"
)

// A log has the cause of a failure, a client gets the sentence of its code.
func ExampleError() {
	cause := errors.New("dial db-1.internal: connection refused")
	err := fmt.Errorf("search: %w", &errcode.Error{Code: errcode.ToolFailed, Err: cause})
	fmt.Println(err)
	fmt.Println(errcode.Of(err), "-", errcode.Of(err).Message())
	// Output:
	// search: tool_failed: dial db-1.internal: connection refused
	// tool_failed - A tool failed.
}

// An agent's author may write the sentence, under a code of the agent's own.
func ExampleError_Public() {
	err := &errcode.Error{Code: "sold_out", Text: "The last seat was sold a minute ago.", Err: errors.New("stock is 0")}
	fmt.Println(err.Public())
	fmt.Println(err)
	// Output:
	// The last seat was sold a minute ago.
	// sold_out: stock is 0
}
