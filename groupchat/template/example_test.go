package template_test

import (
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/template"
	"github.com/agui-gateway/gateway/state/document"
)

func ExampleParse() {
	p, err := template.Parse("Answer {{input}} for {{state:/customer/name|a guest}}, and begin with {{last:researcher|nothing}}.")
	if err != nil {
		fmt.Println(err)
		return
	}
	document, err := document.New(json.RawMessage(`{"customer":{"name":"{{input}}"}}`), document.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	view := groupchat.View{State: document}.WithHistory([]groupchat.Message{{Role: agui.RoleUser, Content: agui.TextContent("why?")}})
	fmt.Println(p.Text(view)) // with an agent: groupchat.LLM{Prepare: []groupchat.Provider{p.Prepare}}

	_, err = template.Parse("Answer {{question}}.")
	fmt.Println(err)
	// Output:
	// Answer why? for {{input}}, and begin with nothing.
	// {{question}} is no variable; write one of {{state:/pointer}}, {{input}}, {{last:participant}}, {{date}}, or {{{{ for the characters themselves
}
