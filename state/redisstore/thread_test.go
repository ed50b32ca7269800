package redisstore_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A thread is one conversation as a test has it.
type thread struct {
	*testing.T
	key state.Key
}

func newThread(t *testing.T) *thread {
	return &thread{T: t, key: state.Key{Principal: "p", Agent: "a", ID: rand.Text()}}
}

// begin starts a run for a new message.
func (t *thread) begin(s state.Store, ttl time.Duration) *state.Lease {
	t.Helper()
	b, err := s.Begin(t.Context(), t.request(), state.LeaseOptions{Attempt: rand.Text(), TTL: ttl})
	if err != nil || b.Lease == nil {
		t.Fatalf("Begin() = %+v, %v", b, err)
	}
	return b.Lease
}

func (t *thread) request() *state.Request {
	id := rand.Text()
	return &state.Request{
		Key: t.key, RunID: id, Hash: id, Era: agui.Era1,
		Messages: []agui.Message{{ID: id, Role: agui.RoleUser, Content: agui.TextContent("say " + id)}},
	}
}

// frames are n frames of a lease, from number seq.
func frames(l *state.Lease, seq, n int) []state.Frame {
	list := make([]state.Frame, n)
	for i := range list {
		s := seq + i
		list[i] = state.Frame{
			ID: state.FrameID{Fence: l.Fence, Seq: uint64(s)}, Type: agui.TypeCustom,
			Data: json.RawMessage(`{"type":"CUSTOM","name":"n","value":` + strconv.Itoa(s) + `}`),
		}
	}
	return list
}

func behind(l *state.Lease, seq int) state.FrameID {
	if seq == 0 {
		return state.FrameID{}
	}
	return state.FrameID{Fence: l.Fence, Seq: uint64(seq)}
}

func end(l *state.Lease, seq int, messages ...string) state.Commit {
	c := state.Commit{Frames: frames(l, seq, 1), End: &state.End{Status: state.RunSuccess}}
	for _, id := range messages {
		c.Messages = append(c.Messages, agui.Message{ID: id, Role: agui.RoleAssistant, Content: agui.TextContent("said")})
	}
	return c
}

// succeed ends the run of a lease with frame seq.
func (t *thread) succeed(s state.Store, l *state.Lease, seq int, messages ...string) {
	t.Helper()
	if _, err := s.Commit(t.Context(), l, end(l, seq, messages...)); err != nil {
		t.Fatalf("Commit() = %v", err)
	}
}

// asks has a run end with the message m2 and the question q.
func (t *thread) asks(s state.Store) {
	t.Helper()
	l := t.begin(s, time.Hour)
	c := end(l, 1, "m2")
	c.Checkpoint, c.End.Status = json.RawMessage(`{}`), state.RunInterrupt
	c.Tokens = []state.Token{{Interrupt: agui.Interrupt{ID: "q"}, Status: state.TokenOpen}}
	if _, err := s.Commit(t.Context(), l, c); err != nil {
		t.Fatalf("Commit() = %v", err)
	}
}

// madeAnew deletes a thread in one store, and makes it anew in another.
func (t *thread) madeAnew(s, other state.Store) {
	t.Helper()
	if err := s.Delete(t.Context(), t.key); err != nil {
		t.Errorf("Delete() = %v", err)
	}
	t.succeed(other, t.begin(other, time.Hour), 1, "m1")
	if got := t.messages(s); len(got) != 2 {
		t.Errorf("messages of the next thread = %v, want 2", got)
	}
}

func (t *thread) append(s state.Store, l *state.Lease, seq, n int) {
	t.Helper()
	if err := s.Append(t.Context(), l, behind(l, seq-1), frames(l, seq, n)); err != nil {
		t.Fatalf("Append() = %v", err)
	}
}

// tail reads a log that is not empty in the background, from now on, until it has n frames or the tail ends.
func (t *thread) tail(s state.Store, after state.FrameID, n int) (ids func() []state.FrameID, ended func() error) {
	var got []state.FrameID
	done := make(chan error, 1)
	reads := make(chan struct{})
	begun := sync.OnceFunc(func() { close(reads) })
	go func() {
		defer begun()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for batch, err := range s.Tail(ctx, t.key, after) {
			if err != nil {
				done <- err
				return
			}
			for _, f := range batch {
				got = append(got, f.ID)
			}
			if len(got) >= n {
				break
			}
			begun()
		}
		done <- nil
	}()
	<-reads
	var err error
	wait := func() { err, done = <-done, closedErrors }
	return func() []state.FrameID {
			if done != closedErrors {
				wait()
			}
			return got
		}, func() error {
			if done != closedErrors {
				wait()
			}
			return err
		}
}

// closedErrors is the result of a finished tail.
var closedErrors = func() chan error {
	c := make(chan error)
	close(c)
	return c
}()

// ordered holds a reader to have seen n frames, once each and in order.
func (t *thread) ordered(ids []state.FrameID, n int) {
	t.Helper()
	if len(ids) != n || !slices.IsSortedFunc(ids, state.FrameID.Compare) || len(slices.Compact(slices.Clone(ids))) != n {
		t.Errorf("a reader saw %v, want %d in order", ids, n)
	}
}

func (t *thread) messages(s state.Store) []string {
	t.Helper()
	list, err := s.Messages(t.Context(), t.key, -1)
	if err != nil {
		t.Fatalf("Messages() = %v", err)
	}
	var ids []string
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

// dump is everything that the keys of a prefix hold, but for the one that Ping writes, which is gone within a second.
func dump(t *testing.T, c *redis.Client, prefix string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for i := c.Scan(t.Context(), 0, prefix+":*", 1000).Iterator(); i.Next(t.Context()); {
		if i.Val() == prefix+":ping" {
			continue
		}
		raw, err := c.Dump(t.Context(), i.Val()).Result()
		if err != nil {
			t.Fatalf("Dump(%s) = %v", i.Val(), err)
		}
		all[i.Val()] = raw
	}
	return all
}

// TestAFormerOwnerWritesNothing checks that the store takes no write of an owner that lost its run.
func TestAFormerOwnerWritesNothing(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	prefix := rand.Text()
	a, b := open(t, server.URL(), redisstore.Options{Prefix: prefix}), open(t, server.URL(), redisstore.Options{Prefix: prefix})
	th := newThread(t)
	old := th.begin(a, time.Millisecond)
	th.append(a, old, 1, 3)
	redistest.Until(t, "the lease's end", func() bool {
		keys, err := b.Overdue(t.Context(), 10)
		return err == nil && slices.Contains(keys, th.key)
	})
	taken, err := b.Take(t.Context(), th.key, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
	if err != nil {
		t.Fatalf("Take() = %v", err)
	}
	th.append(b, taken.Lease, 1, 3)
	if signal := nextSignal(t, old); signal != state.SignalLost {
		t.Errorf("signal = %s, want lost", signal)
	}
	before := dump(t, client, prefix)
	ctx := t.Context()
	for range 30 {
		_, commit := a.Commit(ctx, old, state.Commit{State: json.RawMessage(`{"late":1}`), Frames: frames(old, 4, 1)})
		_, last := a.Commit(ctx, old, end(old, 5, "late"))
		for name, err := range map[string]error{
			"Append": a.Append(ctx, old, behind(old, 3), frames(old, 4, 1)), "Commit": commit, "Commit of the end": last,
			"Once": a.Once(ctx, old, "late", json.RawMessage(`1`)), "Renew": a.Renew(ctx, old, time.Hour), "Release": a.Release(ctx, old),
		} {
			if !errors.Is(err, state.ErrLeaseLost) {
				t.Errorf("%s() = %v, want ErrLeaseLost", name, err)
			}
		}
	}
	for key, is := range dump(t, client, prefix) {
		if before[key] != is {
			t.Errorf("%s changed", key)
		}
	}
	th.succeed(b, taken.Lease, 4)
	ids, _ := th.tail(a, state.FrameID{}, 7)
	th.ordered(ids(), 7)
}

// TestKeysExpire checks that every key of a thread that is over has an expiry.
func TestKeysExpire(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	prefix := rand.Text()
	s := open(t, server.URL(), redisstore.Options{Prefix: prefix})
	th := newThread(t)
	l := th.begin(s, time.Hour)
	if err := s.Once(t.Context(), l, "k", json.RawMessage(`1`)); err != nil {
		t.Fatal(err)
	}
	c := end(l, 1, "m1")
	c.Checkpoint = json.RawMessage(`{}`)
	c.Tokens = []state.Token{{Interrupt: agui.Interrupt{ID: "q"}, Status: state.TokenOpen, ExpiresAt: time.Now().Add(1000 * time.Hour)}}
	c.End.Status = state.RunInterrupt
	if _, err := s.Commit(t.Context(), l, c); err != nil {
		t.Fatal(err)
	}
	all := dump(t, client, prefix)
	for key := range all {
		ttl, err := client.PTTL(t.Context(), key).Result()
		if err != nil || ttl <= 0 {
			t.Errorf("PTTL(%s) = %v, %v", key, ttl, err)
		}
		if strings.HasSuffix(key, ":thread") && ttl < 1000*time.Hour {
			t.Errorf("the thread would be gone in %v, before its question", ttl)
		}
		if strings.HasSuffix(key, ":ev") && ttl > 3*time.Hour {
			t.Errorf("the log of an idle thread stays for %v", ttl)
		}
	}
	if ttl, err := client.PTTL(t.Context(), prefix+":ping").Result(); err != nil || ttl == -1 {
		t.Errorf("PTTL() of what Ping writes = %v, %v", ttl, err)
	}
	if len(all) < 7 {
		t.Errorf("%d keys, want those of a thread and its hints", len(all))
	}
}

// nextSignal returns the next signal of an attempt.
func nextSignal(t *testing.T, l *state.Lease) state.Signal {
	t.Helper()
	select {
	case signal := <-l.Signals:
		return signal
	case <-time.After(30 * time.Second):
		t.Fatal("the attempt is told nothing")
		return ""
	}
}

// TestRenewKeepsAThread holds a renewal to making every key of a thread last as long as one that was just written.
func TestRenewKeepsAThread(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	prefix, keep := rand.Text(), 30*24*time.Hour
	s := open(t, server.URL(), redisstore.Options{Prefix: prefix, ThreadTTL: keep})
	th := newThread(t)
	l := th.begin(s, time.Hour)
	var keys []string
	for key := range dump(t, client, prefix) {
		if strings.Contains(key, "{") {
			keys = append(keys, key)
			if err := client.PExpire(t.Context(), key, time.Minute).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Renew(t.Context(), l, time.Hour); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if ttl, err := client.PTTL(t.Context(), key).Result(); err != nil || ttl < keep {
			t.Errorf("PTTL(%s) = %v, %v", key, ttl, err)
		}
	}
	if len(keys) < 10 {
		t.Errorf("keys = %v, want all parts of the thread", keys)
	}
}

// TestLostCommit checks that a thread continues from the last commit in the store: an owner that knows a later one
// fails.
func TestLostCommit(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	for name, write := range map[string]func(state.Store, *state.Lease) error{
		"Append": func(s state.Store, l *state.Lease) error {
			return s.Append(t.Context(), l, behind(l, 0), frames(l, 2, 1))
		},
		"Commit": func(s state.Store, l *state.Lease) error {
			_, err := s.Commit(t.Context(), l, end(l, 2))
			return err
		},
	} {
		prefix := rand.Text()
		s := open(t, server.URL(), redisstore.Options{Prefix: prefix})
		th := newThread(t)
		l := th.begin(s, time.Hour)
		before := dump(t, client, prefix)
		commit := end(l, 1, "m1")
		commit.End, commit.Checkpoint = nil, json.RawMessage(`{"v":1}`)
		if _, err := s.Commit(t.Context(), l, commit); err != nil {
			t.Fatal(err)
		}
		for key, is := range before {
			if err := client.RestoreReplace(t.Context(), key, 0, is).Err(); err != nil {
				t.Fatal(err)
			}
		}
		if err := write(s, l); !errors.Is(err, state.ErrLeaseLost) {
			t.Errorf("%s() = %v, want ErrLeaseLost", name, err)
		}
		if signal := nextSignal(t, l); signal != state.SignalLost {
			t.Errorf("signal = %s, want lost", signal)
		}
	}
}

// TestDeletedThread holds a deletion to leaving next to nothing, and that not for long: a thread that is deleted as
// soon as it is used, as the notice of a webhook is, would fill a Redis.
func TestDeletedThread(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	prefix := rand.Text()
	s := open(t, server.URL(), redisstore.Options{Prefix: prefix})
	th := newThread(t)
	l := th.begin(s, time.Hour)
	th.append(s, l, 1, 3)
	if err := s.Delete(t.Context(), th.key); err != nil {
		t.Fatal(err)
	}
	for key := range dump(t, client, prefix) {
		if key == prefix+":format" {
			continue // it is the store's
		}
		most, log := time.Hour, strings.HasSuffix(key, ":ev")
		if log {
			most = state.DeadLogTTL // it is still read
		}
		ttl, err := client.PTTL(t.Context(), key).Result()
		if err != nil || ttl <= 0 || ttl > most {
			t.Errorf("PTTL(%s) = %v, %v", key, ttl, err)
		}
		if log {
			continue
		}
		if size, err := client.MemoryUsage(t.Context(), key, 0).Result(); err != nil || size > 1<<10 {
			t.Errorf("MemoryUsage(%s) = %d, %v", key, size, err)
		}
	}
}
