package groupchat

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// TestWhatAServerWantsBackGoesBack has a reply with something opaque, and a call that needs approval: the resumed turn
// still sends it back, from the record, a later turn does not, and clients see nothing of it.
func TestWhatAServerWantsBackGoesBack(t *testing.T) {
	t.Parallel()
	m := &recital{handOn: func(model.Reply, model.Deltas) error { return nil }, replies: []model.Reply{
		{Reasoning: "hm", Opaque: json.RawMessage(`{"seal":"XYZZY"}`), Calls: []model.Call{{Name: "f", Arguments: "{}"}}}, {Text: "Done."}, {Text: "Again."},
	}}
	c := &counted{}
	r := newRig(t, &LLM{Model: m, Tools: []Tool{c.tool("f")}, Approve: tools.Approvals{All: true}})
	asked := r.say("go")
	answered := r.answer(map[string]string{"approve/llm/0/0": `{"approved":true}`})
	later := r.say("more")
	equal(t, "opaque in the turn", string(m.requests[1].Messages[1].Opaque), `{"seal":"XYZZY"}`)
	for _, message := range m.requests[2].Messages {
		equal(t, "opaque in a later turn", string(message.Opaque), "")
	}
	for _, s := range []*stream{asked, answered, later} {
		equal(t, "run", s.err, nil)
		for _, e := range s.events {
			if raw, err := json.Marshal(e); err != nil || strings.Contains(string(raw)+fmt.Sprint(e), "XYZZY") {
				t.Errorf("clients see %s (%v)", raw, err)
			}
		}
	}
}
