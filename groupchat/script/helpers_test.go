package script

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
)

// newThread returns a conversation with an agent, with the ids of the golden files.
func newThread(t testing.TB, agent groupchat.Agent) *groupchattest.Thread {
	t.Helper()
	o := groupchattest.Options{}
	o.Input = groupchat.Input{ThreadID: "t", RunID: "r"}
	return groupchattest.NewThread(t, agent, o)
}

// given are payloads by question key: "cancel" calls the question off.
func given(payloads map[string]string) map[string]any {
	all := map[string]any{}
	for key, payload := range payloads {
		if all[key] = json.RawMessage(payload); payload == "cancel" {
			all[key] = ask.Answer{Cancelled: true}
		}
	}
	return all
}

// texts are what a list of messages says.
func texts(messages []agui.Message) []string {
	said := make([]string, 0, len(messages))
	for _, m := range messages {
		said = append(said, m.Content.Text())
	}
	return said
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func codeOf(t testing.TB, r *groupchattest.Run, want errcode.Code) {
	t.Helper()
	if r.Code() != want {
		t.Fatalf("run ended with %q (%v), want %q", r.Code(), r.Err, want)
	}
}

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// team is a chat in which one member speaks once.
func team(a groupchat.Agent) *groupchat.Chat {
	return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "p", Agent: a}}}
}
