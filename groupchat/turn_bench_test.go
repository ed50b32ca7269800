package groupchat_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
)

// BenchmarkTurn runs a team in which each of so many participants has one turn and says a sentence; without a store, a
// log or readers.
func BenchmarkTurn(b *testing.B) {
	for _, turns := range []int{1, 3} {
		b.Run("turns="+strconv.Itoa(turns), func(b *testing.B) {
			team := &groupchat.Chat{Manager: groupchat.Sequential()}
			speaker := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
				return groupchat.SayOnce(t, "say", "This is what I have to say about it.")
			})
			for n := range turns {
				team.Participants = append(team.Participants, groupchat.Participant{Name: "speaker" + strconv.Itoa(n), Agent: speaker})
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := thread.New(team, thread.Options{}).Say(b.Context(), "Go on"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
