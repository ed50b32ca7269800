package failure_test

import (
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
)

// A busy model may answer the next time, and a wrong key stays wrong.
func ExampleRetryable() {
	for _, code := range []errcode.Code{errcode.ModelUnavailable, errcode.ModelAuth} {
		fmt.Println(code, failure.Retryable(&errcode.Error{Code: code, Err: errors.New("refused")}))
	}
	// Output:
	// model_unavailable true
	// model_auth false
}
