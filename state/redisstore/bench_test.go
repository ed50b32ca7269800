package redisstore_test

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// running opens a store with one live run.
func running(b *testing.B) (*redisstore.Store, *state.Lease) {
	b.Helper()
	s, err := redisstore.Open(b.Context(), redistest.Start(b).URL(), redisstore.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	r := &state.Request{
		Key: state.Key{Principal: "p", Agent: "a", ID: "t"}, RunID: "r", Hash: "h", Era: agui.Era1,
		Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("hello")}},
	}
	begun, err := s.Begin(b.Context(), r, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	return s, begun.Lease
}

// BenchmarkAppend measures an append of some frames, the log on this machine.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("frames=%d", n), func(b *testing.B) {
			s, l := running(b)
			seq := 1
			for b.Loop() {
				if err := s.Append(b.Context(), l, behind(l, seq-1), frames(l, seq, n)); err != nil {
					b.Fatal(err)
				}
				seq += n
			}
		})
	}
}

// BenchmarkCommit measures a commit of one message into a thread that has many.
func BenchmarkCommit(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			s, l := running(b)
			commit := func(n int) {
				var c state.Commit
				for range n {
					c.Messages = append(c.Messages, agui.Message{ID: rand.Text(), Role: agui.RoleAssistant, Content: agui.TextContent("said")})
				}
				if _, err := s.Commit(b.Context(), l, c); err != nil {
					b.Fatal(err)
				}
			}
			commit(n)
			for b.Loop() {
				commit(1)
			}
		})
	}
}
