package ask_test

import (
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/groupchat/ask"
)

// A decision may be an object, true or false, or a comment.
func ExampleReadVerdict() {
	for _, payload := range []string{`{"approved":true}`, `false`, `"shorter, please"`} {
		v, err := ask.ReadVerdict(ask.Answer{Payload: json.RawMessage(payload)})
		fmt.Printf("%v %q %v\n", v.Approved, v.Changes(), err)
	}
	// Output:
	// true "" <nil>
	// false "" <nil>
	// false "shorter, please" <nil>
}
