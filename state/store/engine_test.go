package store_test

import (
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/statetest"
	"github.com/agui-gateway/gateway/state/statetest/simstore"
	"github.com/agui-gateway/gateway/state/store"
)

// TestEngine runs the suite of all stores on the backend in memory: the engine, admission and the transitions are of
// this package.
func TestEngine(t *testing.T) {
	statetest.Run(t, func(_ *testing.T, clock *statetest.Clock) state.Store {
		return memstore.New(memstore.Options{Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL})
	})
}

// TestAReaderOfALostRunEnds loses a run before its first frame, while a reader waits for that.
func TestAReaderOfALostRunEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster := simstore.New(simstore.Options{})
		s := store.New(cluster.Replica(), store.Options{})
		key := state.Key{Principal: "p", Agent: "a", ID: "t"}
		begin := func(id string) *state.Lease {
			message := agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent("Hi")}
			r := &state.Request{Key: key, RunID: id, Hash: id, Era: agui.Era1, Messages: []agui.Message{message}}
			b, err := s.Begin(t.Context(), r, state.LeaseOptions{Attempt: id, TTL: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			return b.Lease
		}
		first := begin("first")
		last := state.Frame{ID: state.FrameID{Fence: first.Fence, Seq: 1}, Type: agui.TypeCustom, Data: json.RawMessage(`{}`)}
		if _, err := s.Commit(t.Context(), first, state.Commit{Frames: []state.Frame{last}, End: &state.End{Status: state.RunSuccess}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		lease := begin("second")
		ended := make(chan error, 1)
		go func() {
			for batch, err := range s.Tail(t.Context(), key, state.FrameID{Fence: lease.Fence}) {
				if err != nil {
					ended <- err
					return
				}
				t.Errorf("the reader has %v", batch)
			}
		}()
		synctest.Wait()
		cluster.Lose(time.Now())
		if err := <-ended; !errors.Is(err, state.ErrTrimmed) {
			t.Errorf("Tail() = %v, want ErrTrimmed", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestARunWhoseCommitIsLostHasNoLease loses a commit, as a failover does. The owner has seen a newer revision than the
// store has, so each way to write on ends its lease.
func TestARunWhoseCommitIsLostHasNoLease(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(s state.Store, l *state.Lease) error{
		"commit": func(s state.Store, l *state.Lease) error {
			_, err := s.Commit(t.Context(), l, state.Commit{Number: 2, Checkpoint: json.RawMessage(`{"v":2}`)})
			return err
		},
		"end": func(s state.Store, l *state.Lease) error {
			_, err := s.Commit(t.Context(), l, state.Commit{End: &state.End{Status: state.RunSuccess}})
			return err
		},
		"append": func(s state.Store, l *state.Lease) error {
			frame := state.Frame{ID: state.FrameID{Fence: l.Fence, Seq: 1}, Type: agui.TypeCustom, Data: json.RawMessage(`{}`)}
			return s.Append(t.Context(), l, state.FrameID{}, []state.Frame{frame})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := statetest.NewClock()
			cluster := simstore.New(simstore.Options{Now: clock.Now})
			s := store.New(cluster.Replica(), store.Options{})
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Errorf("Close() = %v", err)
				}
			})
			message := agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Hi")}
			r := &state.Request{
				Key: state.Key{Principal: "p", Agent: "a", ID: "t"}, RunID: "r", Hash: "h", Era: agui.Era1, Messages: []agui.Message{message},
			}
			b, err := s.Begin(t.Context(), r, state.LeaseOptions{Attempt: "attempt", TTL: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			clock.Move(time.Second)
			if _, err := s.Commit(t.Context(), b.Lease, state.Commit{Number: 1, Checkpoint: json.RawMessage(`{"v":1}`)}); err != nil {
				t.Fatal(err)
			}
			if n := cluster.Lose(clock.Now()); n != 1 {
				t.Fatalf("Lose() = %d, want the commit", n)
			}
			if err := write(s, b.Lease); !errors.Is(err, state.ErrLeaseLost) {
				t.Errorf("a write after the loss = %v, want ErrLeaseLost", err)
			}
		})
	}
}
