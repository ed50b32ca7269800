package run

import (
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// TestDroppedMessagesKeepTheirOwner drops a subagent's message, and its call, by a snapshot: readers know both as the
// subagent's until the run ends.
func TestDroppedMessagesKeepTheirOwner(t *testing.T) {
	t.Parallel()
	message := agui.Message{ID: "m", Role: agui.RoleAssistant, SubagentRunID: "sub", ToolCalls: []agui.ToolCall{{ID: "c", Type: "function"}}}
	v := newTestView(message)
	apply(t, v, &agui.RunStarted{ThreadID: "t", RunID: "r"}, &agui.MessagesSnapshot{})
	if len(v.Messages()) > 0 {
		t.Fatalf("Messages() = %v", v.Messages())
	}
	for _, of := range []struct {
		kind agui.Kind
		id   string
	}{{agui.KindText, "m"}, {agui.KindToolCall, "c"}} {
		if owner, known := v.open.Owner(of.kind, of.id); !known || owner != "sub" {
			t.Errorf("the owner of %s is %q, %t, want sub", of.id, owner, known)
		}
	}
}
