package gateway

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/state"
)

// Whatever a client has, in whatever order, it shows the thread's messages in the thread's order; and it is sent a
// snapshot more only if it would not otherwise.
func TestClientsShowTheThreadsOrder(t *testing.T) {
	t.Parallel()
	ids := strings.Split("abcdefgh", "")
	messages := func(list []string) []agui.Message {
		out := make([]agui.Message, len(list))
		for i, id := range list {
			out[i] = agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(id)}
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		own := messages(rapid.SliceOfDistinct(rapid.SampledFrom(ids), rapid.ID[string]).Draw(t, "own"))
		listed := messages(rapid.SliceOfDistinct(rapid.SampledFrom(ids), rapid.ID[string]).Draw(t, "thread"))
		thread := stored(t, listed)
		shows := func(snapshots ...state.Conversation) bool {
			view := run.NewView(own, nil)
			for _, s := range snapshots {
				messages, err := s.Messages()
				if err != nil {
					t.Fatal(err)
				}
				if err := view.Apply(&agui.MessagesSnapshot{Messages: messages}); err != nil {
					t.Fatal(err)
				}
			}
			return slices.EqualFunc(view.Messages(), listed, func(a, b agui.Message) bool { return a.ID == b.ID })
		}
		before, out := compareOrder(idsOf(own), thread)
		switch {
		case !out && !shows(thread):
			t.Fatalf("out of order")
		case out && shows(thread):
			t.Fatalf("%d messages are sent in vain", len(before))
		case out && !shows(before, thread):
			t.Fatalf("out of order behind %d messages", len(before))
		}
	})
}

func stored(t *rapid.T, messages []agui.Message) state.Conversation {
	list := make(state.Conversation, len(messages))
	for i, m := range messages {
		var err error
		if list[i], err = state.NewStoredMessage(m); err != nil {
			t.Fatal(err)
		}
	}
	return list
}
