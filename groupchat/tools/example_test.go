package tools_test

import (
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/groupchat/tools"
)

// The model reads the text of an error, and the log has the cause.
func ExampleError() {
	err := &tools.Error{Text: "There is no such city.", Err: errors.New("404 Not Found")}
	fmt.Println(err.Text)
	fmt.Println(err)
	// Output:
	// There is no such city.
	// groupchat: tool: 404 Not Found
}
