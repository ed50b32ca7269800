package gateway

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
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
		thread := messages(rapid.SliceOfDistinct(rapid.SampledFrom(ids), rapid.ID[string]).Draw(t, "thread"))
		shows := func(snapshots ...[]agui.Message) bool {
			view := agui.NewView(own, nil)
			for _, s := range snapshots {
				if err := view.Apply(&agui.MessagesSnapshot{Messages: s}); err != nil {
					t.Fatal(err)
				}
			}
			return slices.EqualFunc(view.Messages(), thread, func(a, b agui.Message) bool { return a.ID == b.ID })
		}
		before, out := unordered(own, thread)
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
