package modeltest_test

import (
	"context"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
)

// TestRepliesForLaterTurns gives the replies for a participant to each of its turns.
func TestRepliesForLaterTurns(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.Text("One.").To("writer"), modeltest.Text("Two.").To("writer"))
	root := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		for n := 1; n <= 2; n++ {
			if _, err := t.Invoke("writer", &groupchat.LLM{Model: m}, groupchat.InvokeOptions{N: n}); err != nil {
				return err
			}
		}
		return nil
	})
	reply := groupchattest.NewThread(t, root, groupchattest.Options{}).Say("Write.")
	if err := reply.Code(); err != "" {
		t.Errorf("the run ends with %s", err)
	}
	if left := m.Unused(); len(left) > 0 {
		t.Errorf("%d replies were not used", len(left))
	}
}
