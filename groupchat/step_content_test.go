package groupchat

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// Content is written as OpenTelemetry's GenAI conventions have it.
func TestContentHasTheConventionsForm(t *testing.T) {
	t.Parallel()
	messages := []model.Message{
		{Role: agui.RoleSystem, Text: "Be brief."}, {Role: agui.RoleUser, Text: "Tea?"},
		{Role: agui.RoleAssistant, Reasoning: "Hm.", Text: "I look.", Calls: []model.Call{{ID: "c1", Name: "price", Arguments: `{"of":"tea"}`}, {ID: "c2", Name: "price", Arguments: `{"of`}}},
		{Role: agui.RoleTool, CallID: "c1", Text: "3 euros"},
	}
	reply := model.Reply{Text: "Three.", Finish: "stop"}
	for want, got := range map[string]any{
		`[{"role":"system","parts":[{"type":"text","content":"Be brief."}]},` +
			`{"role":"user","parts":[{"type":"text","content":"Tea?"}]},` +
			`{"role":"assistant","parts":[{"type":"reasoning","content":"Hm."},{"type":"text","content":"I look."},` +
			`{"type":"tool_call","id":"c1","name":"price","arguments":{"of":"tea"}},{"type":"tool_call","id":"c2","name":"price"}]},` +
			`{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"3 euros"}]}]`: inputContent(messages),
		`[{"role":"assistant","parts":[{"type":"text","content":"Three."}],"finish_reason":"stop"}]`: replyContent(reply),
	} {
		raw, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(raw)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}
