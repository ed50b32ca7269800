package gateway_test

import (
	"context"
	"iter"
	"log/slog"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A broken store gives readers what nobody can read, or panics.
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

// Whatever goes wrong with a reader that was promised the end of a run, it is told: a stream that just ends looks like a
// success.
func TestAReaderThatCannotGoOn(t *testing.T) {
	t.Parallel()
	for _, panics := range []bool{false, true} {
		store := &brokenStore{Store: memstore.New(memstore.Options{}), panics: panics}
		t.Cleanup(func() { _ = store.Close() }) // a store in memory
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
