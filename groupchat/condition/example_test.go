package condition_test

import (
	"fmt"
	"regexp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/condition"
)

func Example() {
	refund := condition.And(
		condition.UserSaid(regexp.MustCompile(`(?i)\brefund\b`).MatchString),
		condition.Not(condition.Speaker("clerk")))
	ask := groupchat.Message{Role: agui.RoleUser, Content: agui.TextContent("A refund, please.")}
	view := groupchat.View{}.WithHistory([]groupchat.Message{ask})
	fmt.Println(refund(view))
	view.LastSpeaker = "clerk"
	fmt.Println(refund(view))
	// Output:
	// true
	// false
}
