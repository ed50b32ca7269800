package gateway_test

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A broken store returns unreadable frames to readers, or panics.
type brokenStore struct {
	state.Store
	panics bool
}

func (s *brokenStore) Tail(context.Context, state.Key, state.FrameID) iter.Seq2[[]state.Frame, error] {
	return func(yield func([]state.Frame, error) bool) {
		if s.panics {
			panic("broken")
		}
		yield([]state.Frame{{ID: state.FrameID{Fence: 1, Seq: 1}, Type: agui.TypeRunStarted, Data: []byte(`{"type":`)}}, nil)
	}
}

// Await panics as well: the request waits in a queue then, and its stream is open.
func (s *brokenStore) Await(ctx context.Context, key state.Key, ticket string, ttl time.Duration) error {
	if s.panics {
		panic("broken")
	}
	return s.Store.Await(ctx, key, ticket, ttl)
}

// A reader that was promised the end of a run gets an error in every case: a stream without an end looks like a
// success.
func TestAReaderThatCannotGoOn(t *testing.T) {
	t.Parallel()
	for _, panics := range []bool{false, true} {
		store := &brokenStore{Store: memstore.New(memstore.Options{}), panics: panics}
		closeLast(t, store)
		w := newWorld(t, func(o *gateway.Options) {
			o.Store, o.Now, o.Log = store, nil, slog.New(slog.DiscardHandler)
		})
		poster := w.open("POST", "/agents/slow?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
		attached := w.open("GET", "/threads/t/events?protocolVersion=1.0", "")
		for name, r := range map[string]*reader{"who attached": attached, "who posted": poster} {
			if name == "who posted" && !panics {
				continue // it is sent the bytes as they are
			}
			r.rest()
			if code := r.code(); code != "internal" {
				t.Errorf("panics %v: %s is told %q, want internal", panics, name, code)
			}
		}
		poster.hangUp()
	}
}

// A request that waits for its turn has a stream already, which ends like that of a reader when the wait breaks off.
func TestAWaitThatBreaksOff(t *testing.T) {
	t.Parallel()
	store := &brokenStore{Store: memstore.New(memstore.Options{}), panics: true}
	closeLast(t, store)
	w := newWorld(t, func(o *gateway.Options) {
		o.Store, o.Now, o.Log = store, nil, slog.New(slog.DiscardHandler)
	})
	first := w.open("POST", "/agents/slow-queue?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
	defer first.hangUp()
	second := w.open("POST", "/agents/slow-queue", input("t", "r2", []string{"u1:Hi", "u2:Go on"}))
	second.rest()
	if code := second.code(); code != "internal" {
		t.Errorf("the waiting client is told %q, want internal", code)
	}
}

// An answer that cannot be used joins the live run, if there is one, and fails otherwise.
func TestARefusalThatCannotGoOn(t *testing.T) {
	t.Parallel()
	store := &brokenStore{Store: memstore.New(memstore.Options{})}
	closeLast(t, store)
	w := newWorld(t, func(o *gateway.Options) {
		o.Store, o.Now, o.Log = store, nil, slog.New(slog.DiscardHandler)
	})
	live := w.open("POST", "/agents/slow?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
	defer live.hangUp()
	drained := make(chan error, 1)
	go func() { drained <- w.g.Drain(t.Context()) }()
	eventually(t, "the gateway drains", func() bool {
		status, _ := w.call("GET", "/readyz", "")
		return status == http.StatusServiceUnavailable
	})
	answer := `"resume":[{"interruptId":"x","status":"resolved","payload":1}]`
	refused := w.open("POST", "/agents/slow?refusals=ask", input("t", "r2", []string{"u1:Hi"}, answer))
	refused.rest()
	if code := refused.code(); code != "internal" {
		t.Errorf("it is told %q, want internal", code)
	}
	w.release()
	if err := receive(t, "the gateway has drained", drained); err != nil {
		t.Errorf("Drain() = %v", err)
	}
}
