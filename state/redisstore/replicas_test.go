package redisstore_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// replicas opens n stores that share their threads.
func replicas(t *testing.T, url string, n int) []state.Store {
	t.Helper()
	prefix := rand.Text()
	list := make([]state.Store, n)
	for i := range list {
		list[i] = open(t, url, redisstore.Options{Prefix: prefix})
	}
	return list
}

// TestRacingAnswers sends the answer to each of 60 questions 32 times at once, over three replicas: each is executed
// once.
func TestRacingAnswers(t *testing.T) {
	t.Parallel()
	const questions, racers, at = 60, 32, 4
	stores := replicas(t, redistest.Start(t).URL(), 3)
	var all sync.WaitGroup
	todo := make(chan *thread)
	for range at {
		all.Go(func() {
			for th := range todo {
				if n := race(th, stores, racers); n != 1 {
					t.Errorf("an answer was executed %d times", n)
				}
			}
		})
	}
	for range questions {
		todo <- newThread(t)
	}
	close(todo)
	all.Wait()
}

// race asks a question and lets many answer it the same; it returns how many of them run.
func race(th *thread, stores []state.Store, racers int) int64 {
	ctx := th.Context()
	attempt := func() state.LeaseOptions { return state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour} }
	b, err := stores[0].Begin(ctx, th.request(), attempt())
	if err != nil {
		th.Errorf("Begin() = %v", err)
		return -1
	}
	ask := end(b.Lease, 1)
	ask.Checkpoint = json.RawMessage(`{}`)
	ask.Tokens = []state.Token{{Interrupt: agui.Interrupt{ID: "q"}, Status: state.TokenOpen}}
	ask.End.Status = state.RunInterrupt
	if _, err := stores[0].Commit(ctx, b.Lease, ask); err != nil {
		th.Errorf("Commit() = %v", err)
		return -1
	}
	r := th.request()
	r.Messages, r.Answers = nil, []state.Answer{{ID: "q", Status: agui.ResumeResolved, Payload: json.RawMessage(`1`)}}
	var executed atomic.Int64
	var all sync.WaitGroup
	for i := range racers {
		s := stores[i%len(stores)]
		all.Go(func() {
			b, err := s.Begin(ctx, r, attempt())
			switch {
			case err != nil:
				th.Errorf("Begin() = %v", err)
			case b.Lease != nil:
				executed.Add(1)
				if _, err := s.Commit(ctx, b.Lease, end(b.Lease, 1)); err != nil {
					th.Errorf("Commit() = %v", err)
				}
			case b.Verdict.Meaning != state.Join && b.Verdict.Meaning != state.Show:
				th.Errorf("Begin() = %s", b.Verdict.Meaning)
			}
		})
	}
	all.Wait()
	return executed.Load()
}

// TestReaders has many readers of one thread, where it runs and elsewhere: the owner's are given its frames from
// memory, the others share one follower.
func TestReaders(t *testing.T) {
	t.Parallel()
	const readers, total = 50, 3000 // more than a feed keeps
	server := redistest.Start(t)
	client := server.Client()
	stores := replicas(t, server.URL(), 2)
	th := newThread(t)
	l := th.begin(stores[0], time.Hour)
	th.append(stores[0], l, 1, 1)
	var seen [2][]func() []state.FrameID
	for i, s := range stores {
		for range readers {
			ids, _ := th.tail(s, state.FrameID{}, total)
			seen[i] = append(seen[i], ids)
		}
	}
	redistest.Until(t, "a follower", func() bool { return followers(t, client) == 1 })
	for seq := 2; seq < total; {
		n := min(20, total-seq)
		th.append(stores[0], l, seq, n)
		seq += n
	}
	if n := followers(t, client); n != 1 {
		t.Errorf("%d stores follow the log, want that which does not write it", n)
	}
	th.succeed(stores[0], l, total)
	for i := range seen {
		for _, ids := range seen[i] {
			th.ordered(ids(), total)
		}
	}
}

// TestMostFollowersOfALog fills the list of the 64 stores that are notified when a log grows. Further stores poll the
// log, and take a free place.
func TestMostFollowersOfALog(t *testing.T) {
	t.Parallel()
	const most = 64
	server := redistest.Start(t)
	client := server.Client()
	stores := replicas(t, server.URL(), 2)
	th := newThread(t)
	l := th.begin(stores[0], time.Hour)
	th.append(stores[0], l, 1, 1)
	keys, err := client.Keys(t.Context(), "*}:thread").Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("threads: %v, %v", keys, err)
	}
	note := func(n int) {
		var noted strings.Builder
		for i := range n {
			fmt.Fprintf(&noted, "store%d@1@%d ", i, time.Now().Unix())
		}
		if err := client.HSet(t.Context(), keys[0], "readers", noted.String()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	note(most)
	ids, _ := th.tail(stores[1], state.FrameID{}, 2)
	th.append(stores[0], l, 2, 1)
	th.ordered(ids(), 2) // it polls
	if n := followers(t, client); n != most {
		t.Errorf("%d stores follow the log, want %d", n, most)
	}
	note(most - 1)
	ids, _ = th.tail(stores[1], state.FrameID{}, 3)
	redistest.Until(t, "a note in the free place", func() bool { return followers(t, client) == most })
	th.succeed(stores[0], l, 3)
	th.ordered(ids(), 3)
}

// followers returns how many stores follow logs of threads of a server.
func followers(t *testing.T, client *redis.Client) int {
	t.Helper()
	keys, err := client.Keys(t.Context(), "*}:thread").Result()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, key := range keys {
		noted, err := client.HGet(t.Context(), key, "readers").Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			t.Fatal(err)
		}
		n += len(strings.Fields(noted))
	}
	return n
}

// TestClose holds a store that closes to ending its readers, without an error, and to taking nothing more.
func TestClose(t *testing.T) {
	t.Parallel()
	s := open(t, redistest.Start(t).URL(), redisstore.Options{})
	th := newThread(t)
	th.succeed(s, th.begin(s, time.Hour), 1)
	_, ended := th.tail(s, state.FrameID{}, 2)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for _, err := range s.Tail(context.Background(), th.key, state.FrameID{}) {
			if err != nil {
				t.Errorf("Tail() = %v", err)
			}
			read <- struct{}{}
		}
	}()
	<-read
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	<-read
	if err := ended(); err != nil {
		t.Errorf("Tail() = %v", err)
	}
	if err := s.Ping(t.Context()); err == nil {
		t.Error("Ping() of a closed store = nil")
	}
}

// TestMissedSignals cuts the subscription for signals: the next renewal returns the missed ones.
func TestMissedSignals(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	stores := replicas(t, server.URL(), 2)
	th := newThread(t)
	r := th.request()
	r.Tied = true
	b, err := stores[0].Begin(t.Context(), r, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Do(t.Context(), "client", "kill", "type", "pubsub").Err(); err != nil {
		t.Fatal(err)
	}
	want := map[state.Signal]bool{state.SignalUntie: true, state.SignalStop: true}
	for signal := range want {
		if live, err := stores[1].Signal(t.Context(), th.key, 0, signal); err != nil || !live {
			t.Fatalf("Signal() = %v, %v", live, err)
		}
	}
	if err := stores[0].Renew(t.Context(), b.Lease, time.Hour); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		signal := nextSignal(t, b.Lease)
		if !want[signal] {
			t.Errorf("signal = %s", signal)
		}
		delete(want, signal)
	}
}

// TestTailAhead ends a reader with an invented cursor; other readers miss nothing.
func TestTailAhead(t *testing.T) {
	t.Parallel()
	s := open(t, redistest.Start(t).URL(), redisstore.Options{})
	th := newThread(t)
	l := th.begin(s, time.Hour)
	th.append(s, l, 1, 1)
	ahead := make(chan struct{})
	go func() {
		defer close(ahead)
		for batch, err := range s.Tail(t.Context(), th.key, state.FrameID{Fence: l.Fence + 1, Seq: 1}) {
			if !errors.Is(err, state.ErrTrimmed) {
				t.Errorf("Tail() ahead of the log = %v, %v", batch, err)
			}
		}
	}()
	ids, _ := th.tail(s, state.FrameID{}, 3)
	th.append(s, l, 2, 1)
	th.succeed(s, l, 3)
	th.ordered(ids(), 3)
	<-ahead
}
