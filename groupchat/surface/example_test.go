package surface_test

import (
	"fmt"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/surface"
)

// An agent with a model that designs surfaces itself.
func Example() {
	o := surface.Options{Attempts: 2}
	agent := groupchat.WithHooks(&groupchat.LLM{
		Model: modeltest.New(&quiet{}), Surfaces: true,
		Tools: []groupchat.Tool{surface.Render(o)}, Prepare: []groupchat.Provider{surface.Guide(o)},
	}, surface.Hooks(o))
	llm, _ := groupchat.As[*groupchat.LLM](agent)
	fmt.Println(llm.Validate(), llm.Tools[0].Name)
	// Output: <nil> render_a2ui
}
