package gateway_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// A client that lacks messages and asks for a turn once more is shown them before the turn speaks: a run that adds no message has no
// snapshot of them in its log, and what it says would stand in the wrong place.
func TestAReaderThatLacksMessagesIsShownThemFirst(t *testing.T) {
	t.Parallel()
	var tries atomic.Int64
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents["flaky"] = groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
			u, _ := t.LastUser()
			if u.Content.Text() == "boom" && tries.Add(1) == 1 {
				return errors.New("boom")
			}
			text := t.Text()
			if _, err := text.WriteString("Said."); err != nil {
				return err
			}
			return text.Close()
		})
	})
	w.post("flaky", input("t", "r1", []string{"u1:Hi"})).finished()
	if code := w.post("flaky", input("t", "r2", []string{"u2:boom"})).code(); code != "agent_failed" {
		t.Fatalf("the second run ends with %s", code)
	}
	r := w.post("flaky", input("t", "r3", []string{"u2:boom"}))
	r.finished()
	r.equals(w.thread("t"))
	shown := slices.IndexFunc(r.events, func(e agui.Event) bool {
		s, ok := e.(*agui.MessagesSnapshot)
		return ok && len(s.Messages) == 3 && s.Messages[0].ID == "u1"
	})
	said := slices.IndexFunc(r.events, func(e agui.Event) bool { return agui.TypeOf(e) == agui.TypeTextMessageStart })
	if shown < 0 || said < shown {
		t.Errorf("the earlier messages are event %d, the turn speaks at event %d", shown, said)
	}
}
