package gateway_test

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A heldStore blocks all reads of a log until it is opened, and reports each verdict before the caller gets it.
type heldStore struct {
	state.Store
	open   chan struct{}
	single bool // every frame of a log comes by itself
	begun  func(*state.Begun)
}

// Tail follows the log once the store is open.
func (s *heldStore) Tail(ctx context.Context, key state.Key, after state.FrameID) iter.Seq2[[]state.Frame, error] {
	return func(yield func([]state.Frame, error) bool) {
		select {
		case <-s.open:
		case <-ctx.Done():
			return
		}
		for batch, err := range s.Store.Tail(ctx, key, after) {
			size := max(1, len(batch))
			if s.single {
				size = 1
			}
			for part := range slices.Chunk(batch, size) {
				if !yield(part, nil) {
					return
				}
			}
			if err != nil && !yield(nil, err) {
				return
			}
		}
	}
}

// Begin begins what the request means.
func (s *heldStore) Begin(ctx context.Context, r *state.Request, o state.LeaseOptions) (*state.Begun, error) {
	begun, err := s.Store.Begin(ctx, r, o)
	if err == nil && s.begun != nil {
		s.begun(begun)
	}
	return begun, err
}

// A reader that is so late that the log has the next run as well is shown its own run only.
func TestALateReaderEndsWithItsRun(t *testing.T) {
	t.Parallel()
	store := &heldStore{Store: memstore.New(memstore.Options{}), open: make(chan struct{})}
	closeLast(t, store)
	w := newWorld(t, func(o *gateway.Options) { o.Store, o.Now = store, nil })
	var readers []*reader
	for _, run := range []string{"r1", "r2"} {
		readers = append(readers, w.open("POST", "/agents/echo?disconnect=detach", input("t", run, []string{run + "-u:Hi"})))
		eventually(t, "the run has ended", func() bool {
			d := w.thread("t")
			return d.Status == "idle" && len(d.Runs) > 0 && d.Runs[0].RunID == run
		})
	}
	close(store.open)
	for i, r := range readers {
		r.rest()
		started := 0
		for _, e := range r.events {
			if agui.TypeOf(e) == agui.TypeRunStarted {
				started++
			}
		}
		if want := []string{"r1", "r2"}[i]; started != 1 || r.finished().RunID != want {
			t.Errorf("the reader of %s is shown %d runs, the last of them %s", want, started, r.finished().RunID)
		}
	}
}

// A reader with a cursor is sent everything after it, for any number of runs and sizes of batches.
func TestWhoComesBackIsSentEveryRunSince(t *testing.T) {
	t.Parallel()
	store := &heldStore{Store: memstore.New(memstore.Options{}), open: make(chan struct{}), single: true}
	closeLast(t, store)
	close(store.open)
	w := newWorld(t, func(o *gateway.Options) { o.Store, o.Now = store, nil })
	first := w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	w.post("echo", input("t", "r2", []string{"u2:Hi"}))
	w.post("echo", input("t", "r3", []string{"u3:Hi"}))
	status, body := w.call("GET", "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", first.records[0].ID)
	if status != http.StatusOK || strings.Count(body, `"RUN_FINISHED"`) != 3 || strings.Count(body, `"RUN_STARTED"`) != 2 {
		t.Errorf("behind the first event come %d %s", status, body)
	}
}

// R4: a client closes its connection and sends the next request at once. Its previous run is no reason to refuse
// it, even if the closed connection is noticed late.
func TestWhoHungUpAndAsksAgainIsNotInItsOwnWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, whoHungUpAndAsksAgainIsNotInItsOwnWay)
}

func whoHungUpAndAsksAgainIsNotInItsOwnWay(t *testing.T) {
	store := &heldStore{Store: memstore.New(memstore.Options{}), open: make(chan struct{})}
	closeLast(t, store)
	close(store.open)
	w := newBubbleWorld(t, func(o *gateway.Options) { o.Store, o.Now, o.HangUpGrace = store, nil, time.Hour })
	first := w.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
	first.until(agui.TypeCustom)
	busy := 0
	store.begun = func(begun *state.Begun) {
		if begun.Verdict.Meaning != state.Busy {
			return
		}
		if busy++; busy > 1 {
			return
		}
		first.hangUp()
		synctest.Wait()
		if now, _, err := store.Load(context.Background(), begun.Thread.Key); err != nil || now.Live != nil && !now.Live.HungUp {
			t.Errorf("hanging up is not noticed: %+v, %v", now, err)
		}
	}
	second := w.open("POST", "/agents/slow", input("t", "r2", []string{"u1:Hi", "u2:Rather this"}))
	second.until(agui.TypeCustom)
	w.release()
	second.rest()
	if busy != 1 {
		t.Errorf("the first run was in the way %d times, want once", busy)
	}
	if o := second.finished().Outcome; o.Type != agui.OutcomeSuccess {
		t.Errorf("the second run ended as %+v", o)
	}
	if d := w.thread("t"); len(d.Runs) != 2 || d.Runs[1].Status != "cancelled" {
		t.Errorf("the runs are %+v, want the first cancelled", d.Runs)
	}
}
