package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A readStore counts how often conversations and states are read.
type readStore struct {
	state.Store
	messages, states atomic.Int64
}

func (s *readStore) Messages(ctx context.Context, key state.Key, rev int64) (state.Conversation, error) {
	s.messages.Add(1)
	return s.Store.Messages(ctx, key, rev)
}

func (s *readStore) State(ctx context.Context, key state.Key, rev int64) (json.RawMessage, error) {
	s.states.Add(1)
	return s.Store.State(ctx, key, rev)
}

// However many read a run, a snapshot of it is put together once.
func TestReadersShareSnapshots(t *testing.T) {
	t.Parallel()
	const readers = 20
	store := &readStore{Store: memstore.New(memstore.Options{})}
	w := newWorld(t, func(o *gateway.Options) { o.Store, o.Now = store, nil })
	first := w.open(http.MethodPost, "/agents/slow", input("t", "r", []string{"u1:Hi"}))
	first.until(agui.TypeCustom)
	others := make([]*reader, readers)
	for i := range others {
		others[i] = w.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
		others[i].until(agui.TypeTextMessageContent)
	}
	messages, states := store.messages.Load(), store.states.Load()
	w.release()
	first.rest()
	for _, r := range others {
		r.rest()
	}
	if n := store.messages.Load() - messages; n > 2 {
		t.Errorf("messages were read %d times by %d readers, want once for each snapshot", n, readers)
	}
	if n := store.states.Load() - states; n > 2 {
		t.Errorf("the state was read %d times by %d readers, want once for each snapshot", n, readers)
	}
	d := w.thread("t")
	first.equals(d)
	for _, r := range others {
		r.equals(d)
	}
}

// A thread that is created again under the name of a deleted one has separate snapshots.
func TestSnapshotsOfADeletedThreadAreNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	if status, body := w.call(http.MethodDelete, "/threads/t", ""); status != http.StatusNoContent {
		t.Fatalf("DELETE = %d %s", status, body)
	}
	r := w.post("echo", input("t", "r1", []string{"u2:Hello"}))
	r.equals(w.thread("t"))
	late := w.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", "0-0")
	late.rest()
	late.equals(w.thread("t"))
}
