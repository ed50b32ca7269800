package gateway_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A noticesLast store names the notices behind the runs that are overdue.
type noticesLast struct{ late }

func (s noticesLast) Overdue(ctx context.Context, limit int) ([]state.Key, error) {
	runs, err := s.Store.Overdue(ctx, limit)
	notices, noticesErr := s.late.Overdue(ctx, limit)
	if err == nil {
		err = noticesErr
	}
	return append(runs, notices...), err
}

// A replica without room for an orphaned run still delivers due notices.
func TestAFullReplicaTellsOfQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aFullReplicaTellsOfQuestions)
}

func aFullReplicaTellsOfQuestions(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	ctx := t.Context()
	deaf := newBubbleReceiver(t, func(int, *http.Request) int { return http.StatusServiceUnavailable })
	a := newBubbleWorld(t, withReceiver(deaf, func(o *gateway.Options) { o.Store, o.Shared = shared, true }))
	asked := a.post("ask", input("asks", "r", []string{"u1:hi"})).finished().Outcome.Interrupts
	if err := a.g.Drain(ctx); err != nil {
		t.Fatal(err)
	}

	r := newBubbleReceiver(t, nil)
	b := newBubbleWorld(t, withReceiver(r, func(o *gateway.Options) {
		o.Store, o.Shared, o.Limits.Runs = noticesLast{late{shared}}, true, 1
	}))
	live := b.open("POST", "/agents/slow", input("live", "r", []string{"u1:hi"}))
	live.until(agui.TypeCustom)
	orphan := state.Key{Principal: "local", Agent: "echo", ID: "orphan"}
	message := agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("hi")}
	if _, err := shared.Begin(ctx, &state.Request{Key: orphan, RunID: "r", Hash: "h", Messages: []agui.Message{message}}, state.LeaseOptions{Attempt: "a"}); err != nil {
		t.Fatal(err)
	}
	if d := <-r.got; ids(d.interrupts) != ids(asked) {
		t.Errorf("delivery = %+v", d)
	}
	b.release()
	live.rest()
	if d := b.idle("orphan"); d.newest() != "success" {
		t.Errorf("the run that nobody owned is %s", d.newest())
	}
}
