package groupchat_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// A specialist is a tool where the model is to decide whether and what to ask, and continues with the answer. Where the
// application decides who speaks, and specialists speak to the user themselves, it is a participant of a chat.
func ExampleAsTool() {
	server := httptest.NewServer(openaitest.Serve(openaitest.Calls("scout", `{"query":"Which way?"}`), openaitest.Text("We go left.")))
	defer server.Close()
	model, err := openai.New(openai.Options{BaseURL: server.URL, Name: "demo"})
	if err != nil {
		fmt.Println(err)
		return
	}

	scout := groupchat.AsTool(says("Left."), groupchat.AsToolOptions{Name: "scout", Description: "Knows the way.", Branch: tools.BranchFresh})
	scout.Approve = tools.ApproveNever // otherwise a person is asked first
	leader := &groupchat.LLM{Model: model, Tools: []groupchat.Tool{scout}}
	team := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "leader", Agent: leader}}}
	_, err = groupchat.Execute(context.Background(), team, session(nil, nil))
	fmt.Println("error:", err)
	// Output:
	// leader: We go left.
	// error: <nil>
}
