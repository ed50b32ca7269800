package redisstore

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/store"
)

// TestWhatWaitsForReplicas freezes the replica of a Redis. A question, its answer, the commit that uses it and an
// approval are acknowledged when the replica has them, also to a caller who repeats the call; nothing else waits.
func TestWhatWaitsForReplicas(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t, "--repl-diskless-sync-delay", "0")
	host, port, err := net.SplitHostPort(master.Addr)
	if err != nil {
		t.Fatal(err)
	}
	replica := redistest.Start(t, "--replicaof", host+" "+port, "--repl-diskless-sync-delay", "0")
	redistest.Until(t, "the replica", func() bool {
		n, err := master.Client().Do(t.Context(), "WAIT", 1, 1000).Int()
		return err == nil && n == 1
	})
	s := store.New(replicatedBackend(t, master), store.Options{})
	t.Cleanup(func() { _ = s.Close() })
	key := state.Key{Principal: "p", Agent: "a", ID: "t"}
	request := func(id string, answers ...state.Answer) *state.Request {
		return &state.Request{Key: key, RunID: id, Hash: id, Era: agui.Era1, Answers: answers}
	}
	// fails makes a call twice while the replica hangs, and then until it is acknowledged.
	fails := func(what string, call func() error) {
		t.Helper()
		replica.Freeze()
		for range 2 {
			if err := call(); !errors.Is(err, ErrReplicas) {
				t.Errorf("%s = %v without a replica", what, err)
			}
		}
		replica.Thaw()
		redistest.Until(t, what, func() bool { return call() == nil })
	}
	r := request("r1")
	r.Messages = []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("x")}}
	replica.Freeze()
	b, err := s.Begin(t.Context(), r, state.LeaseOptions{Attempt: "1", TTL: time.Hour})
	if err == nil {
		err = s.Append(t.Context(), b.Lease, state.FrameID{}, lostFrames(b.Lease, 1))
	}
	if err != nil {
		t.Fatalf("a run without a question = %v without a replica", err)
	}
	replica.Thaw()
	ask := state.Commit{
		Number: 1, Frames: lostFrames(b.Lease, 2), Checkpoint: json.RawMessage(`1`), End: &state.End{Status: state.RunInterrupt},
		Tokens: []state.Token{{Interrupt: agui.Interrupt{ID: "q"}, Status: state.TokenOpen}},
	}
	fails("a question", func() error {
		_, err := s.Commit(t.Context(), b.Lease, ask)
		return err
	})
	if n := replica.Client().HExists(t.Context(), (&backend{o: Options{Prefix: "agui"}}).key(hashTagOf(key), partTokens), "q"); !n.Val() {
		t.Error("the replica does not have the question")
	}
	answer := request("r2", state.Answer{ID: "q", Status: agui.ResumeResolved, Payload: json.RawMessage(`1`)})
	fails("an answer", func() error {
		b, err = s.Begin(t.Context(), answer, state.LeaseOptions{Attempt: "2", TTL: time.Hour})
		return err
	})
	fails("an answer, by another request", func() error {
		again, err := s.Begin(t.Context(), answer, state.LeaseOptions{Attempt: "3", TTL: time.Hour})
		if err == nil && again.Lease != nil {
			t.Error("it runs twice")
		}
		return err
	})
	fails("an approval", func() error {
		return s.Remember(t.Context(), key, state.Approval{ID: "x", Scope: state.ApprovalThread})
	})
	fails("the use of an answer", func() error {
		_, err := s.Commit(t.Context(), b.Lease, state.Commit{Number: 1, Frames: lostFrames(b.Lease, 1), End: &state.End{Status: state.RunSuccess}})
		return err
	})
}

func lostFrames(l *state.Lease, seq uint64) []state.Frame {
	return []state.Frame{{ID: state.FrameID{Fence: l.Fence, Seq: seq}, Type: agui.TypeCustom, Data: json.RawMessage(`{"type":"CUSTOM","name":"n","value":1}`)}}
}

// replicatedBackend returns a backend that waits for one replica. It waits for a shorter time than for other answers.
func replicatedBackend(t *testing.T, master *redistest.Server) *backend {
	t.Helper()
	b, err := openBackend(t.Context(), master.URL(), Patient(Options{Wait: 1, Logger: slog.New(slog.DiscardHandler)}))
	if err != nil {
		t.Fatal(err)
	}
	b.o.timeout = time.Second // the clients keep that of Patient
	return b
}

// TestAnOlderTagIsNotWaitedFor asks for the copies of a transition that another has followed, or that the Redis has
// lost.
func TestAnOlderTagIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	b := replicatedBackend(t, redistest.Start(t))
	s := store.New(b, store.Options{})
	t.Cleanup(func() { _ = s.Close() })
	key := state.Key{Principal: "p", Agent: "a", ID: "t"}
	turn(t, s, key, 1, true)
	if err := b.Replicated(t.Context(), key, "another"); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Replicated() = %v, want ErrConflict", err)
	}
}
