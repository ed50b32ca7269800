package teamfile

import (
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/thread"
)

// TestPredictionsWork lets the agent of the manual write a document with a tool of the page.
func TestPredictionsWork(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.Calls("write_document", `{"document":"Once upon a time."}`))
	agent := read(t, manual(t, "predictive_state_updates:"), "predictive_state_updates", m)
	th := groupchattest.NewThread(t, agent, groupchattest.Options{Options: thread.Options{
		Input: groupchat.Input{Tools: []agui.Tool{{Name: "write_document", Parameters: []byte(`{"type":"object"}`)}}},
	}})
	run := th.Say("Write a story.")
	if string(run.State) != `{"document":"Once upon a time."}` {
		t.Errorf("the state is %s", run.State)
	}
	for _, e := range run.Events {
		if agui.TypeOf(e) == agui.TypeCustom {
			t.Errorf("clients are told %s", groupchattest.Line(e))
		}
	}
}
