package gateway_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/statetest"
)

// A mover is a store with pages of one thread. When the first thread is read, it renames the other one, which so moves
// to an earlier page.
type mover struct {
	state.Store

	clock *statetest.Clock
	other state.Key
}

func (s *mover) List(ctx context.Context, q state.Query) (state.Page, error) {
	q.Limit = 1
	return s.Store.List(ctx, q)
}

func (s *mover) Snapshot(ctx context.Context, key state.Key) (*state.Snapshot, error) {
	snapshot, err := s.Store.Snapshot(ctx, key)
	if other := s.other; err == nil && other != (state.Key{}) && key != other {
		s.other = state.Key{}
		s.clock.Move(time.Second)
		err = s.Rename(ctx, other, "moved")
	}
	return snapshot, err
}

// TestAnExportHasThreadsThatMove exports a thread that changes before its page is read.
func TestAnExportHasThreadsThatMove(t *testing.T) {
	t.Parallel()
	clock := statetest.NewClock()
	s := &mover{Store: closeLast(t, memstore.New(memstore.Options{Now: clock.Now})), clock: clock}
	for _, id := range []string{"old", "new"} {
		clock.Move(time.Second)
		r := &state.Request{
			Key: state.Key{Principal: "p", Agent: "a", ID: id}, RunID: id, Hash: id, Era: agui.Era1,
			Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("Hi")}},
		}
		if _, err := s.Begin(t.Context(), r, state.LeaseOptions{Attempt: id, TTL: time.Minute}); err != nil {
			t.Fatal(err)
		}
	}
	s.other = state.Key{Principal: "p", Agent: "a", ID: "old"}
	var out bytes.Buffer
	if _, err := gateway.ExportPrincipal(t.Context(), s, "p", &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":"new"`, `"id":"old"`, `"moved"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the export has no %s: %s", want, &out)
		}
	}
}
