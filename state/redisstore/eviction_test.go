package redisstore_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
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

// evict removes one key of a thread, as a Redis does that is full and evicts.
func evict(t *testing.T, client *redis.Client, part string) {
	t.Helper()
	keys, err := client.Keys(t.Context(), "*}:"+part).Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("Keys() = %v, %v", keys, err)
	}
	if err := client.Del(t.Context(), keys[0]).Err(); err != nil {
		t.Fatal(err)
	}
}

// parts are the keys of a thread but for its hash, without which it is unknown, and its log, which may expire.
var parts = []string{"msgs", "known", "ints", "ends", "memo", "past", "runs"}

// TestPartialEviction removes one key of an idle thread with a question: no call shows the rest as if it were all.
// The thread can be deleted, and made anew.
func TestPartialEviction(t *testing.T) {
	t.Parallel()
	for _, part := range parts {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			stores := replicas(t, server.URL(), 2)
			th := newThread(t)
			ctx := t.Context()
			th.succeed(stores[0], th.begin(stores[0], time.Hour), 1, "m1")
			th.asks(stores[0])
			evict(t, server.Client(), part)
			answer := th.request()
			answer.Messages, answer.Answers = nil, []state.Answer{{ID: "q", Status: agui.ResumeResolved, Payload: json.RawMessage(`1`)}}
			for _, s := range stores {
				_, _, load := s.Load(ctx, th.key)
				_, messages := s.Messages(ctx, th.key, -1)
				_, answered := s.Begin(ctx, answer, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
				_, started := s.Begin(ctx, th.request(), state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
				_, fork := s.Fork(ctx, th.key, "m1", "fork", 0)
				for name, err := range map[string]error{
					"Load": load, "Messages": messages, "Begin of an answer": answered, "Begin": started, "Fork": fork,
					"Rename": s.Rename(ctx, th.key, "title"),
				} {
					if err == nil {
						t.Errorf("%s() of a thread without %s = nil", name, part)
					}
				}
			}
			th.madeAnew(stores[1], stores[0])
		})
	}
}

// TestPartialEvictionOfARun removes one key of a thread with a live run: its owner writes nothing more and gets an
// error, and so do its readers; no attempt continues it.
func TestPartialEvictionOfARun(t *testing.T) {
	t.Parallel()
	for _, part := range parts {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			stores := replicas(t, server.URL(), 2)
			th := newThread(t)
			ctx := t.Context()
			l := th.begin(stores[0], time.Millisecond)
			th.append(stores[0], l, 1, 1)
			if err := stores[0].Once(ctx, l, "k", json.RawMessage(`"booked"`)); err != nil {
				t.Fatal(err)
			}
			_, ended := th.tail(stores[1], state.FrameID{}, 1000)
			evict(t, server.Client(), part)
			c := end(l, 2, "m1")
			c.End = nil
			if _, err := stores[0].Commit(ctx, l, c); err == nil {
				t.Errorf("Commit() to a thread without %s = nil", part)
				return
			}
			if signal := nextSignal(t, l); signal != state.SignalLost {
				t.Errorf("signal = %s, want lost", signal)
			}
			if err := ended(); err == nil {
				t.Error("Tail() = nil, want an error")
			}
			if err := stores[0].Append(ctx, l, behind(l, 1), frames(l, 2, 1)); err == nil {
				t.Error("Append() = nil, want an error")
			}
			redistest.Until(t, "the run's end", func() bool {
				keys, err := stores[1].Overdue(ctx, 10)
				return err == nil && len(keys) == 0
			})
			if _, err := stores[1].Take(ctx, th.key, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour}); err == nil {
				t.Error("Take() = nil, want an error")
			}
			page, err := stores[1].List(ctx, state.Query{Principal: th.key.Principal, Status: state.StatusFailed})
			if err != nil || len(page.Threads) != 1 {
				t.Errorf("List() of failed threads = %+v, %v", page, err)
			}
		})
	}
}

// TestEvictedLog removes the log of a live run: its owner cannot continue as if the log were still there. Another
// attempt repeats the run from its last commit.
func TestEvictedLog(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	stores := replicas(t, server.URL(), 2)
	th := newThread(t)
	ctx := t.Context()
	l := th.begin(stores[0], time.Millisecond)
	th.append(stores[0], l, 1, 3)
	evict(t, server.Client(), "ev")
	if err := stores[0].Append(ctx, l, behind(l, 3), frames(l, 4, 1)); !errors.Is(err, state.ErrLeaseLost) {
		t.Errorf("Append() = %v, want ErrLeaseLost", err)
	}
	if _, err := stores[0].Commit(ctx, l, end(l, 4)); !errors.Is(err, state.ErrLeaseLost) {
		t.Errorf("Commit() = %v, want ErrLeaseLost", err)
	}
	redistest.Until(t, "the lease's end", func() bool {
		keys, err := stores[1].Overdue(ctx, 10)
		return err == nil && slices.Contains(keys, th.key)
	})
	taken, err := stores[1].Take(ctx, th.key, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
	if err != nil {
		t.Fatalf("Take() = %v", err)
	}
	if last := taken.Thread.Last; !last.IsZero() {
		t.Errorf("the log ends with %s, want nothing", last)
	}
	th.append(stores[1], taken.Lease, 1, 2)
	th.succeed(stores[1], taken.Lease, 3)
	ids, _ := th.tail(stores[0], state.FrameID{}, 3)
	th.ordered(ids(), 3)
}

// TestFullRedis fills a Redis that does not evict: nothing more can be written, but a run can still be stopped, its
// lease renewed, and a thread deleted, which is how there is room again.
func TestFullRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	stores := replicas(t, server.URL(), 2)
	th := newThread(t)
	ctx := t.Context()
	l := th.begin(stores[0], time.Hour)
	other := newThread(t)
	other.succeed(stores[0], other.begin(stores[0], time.Hour), 1)
	if err := client.ConfigSet(ctx, "maxmemory", "1mb").Err(); err != nil {
		t.Fatal(err)
	}
	err := stores[0].Append(ctx, l, behind(l, 0), frames(l, 1, 1))
	if err == nil || !strings.Contains(err.Error(), "OOM") {
		t.Fatalf("Append() to a full Redis = %v", err)
	}
	if live, err := stores[1].Signal(ctx, th.key, 0, state.SignalStop); !live || err != nil {
		t.Errorf("Signal() = %v, %v", live, err)
	}
	if signal := nextSignal(t, l); signal != state.SignalStop {
		t.Errorf("signal = %s, want stop", signal)
	}
	if err := stores[0].Renew(ctx, l, time.Hour); err != nil {
		t.Errorf("Renew() = %v", err)
	}
	if err := stores[1].Delete(ctx, other.key); err != nil {
		t.Errorf("Delete() = %v", err)
	}
	if err := client.ConfigSet(ctx, "maxmemory", "0").Err(); err != nil {
		t.Fatal(err)
	}
	th.succeed(stores[0], l, 1)
}

// TestEvictionPolicy holds a store to warning about a Redis that may evict threads, also one that is there later,
// and to saying nothing of one that does not.
func TestEvictionPolicy(t *testing.T) {
	t.Parallel()
	for policy, warned := range map[string]bool{"noeviction": false, "allkeys-lru": true, "volatile-ttl": true} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s late %v", policy, late), func(t *testing.T) {
				t.Parallel()
				server := redistest.Start(t, "--maxmemory-policy", policy)
				if late {
					server.Kill()
				}
				var lines lockedBuffer
				s, err := redisstore.Open(t.Context(), server.URL(), redisstore.Options{AllowUnreachable: late, Logger: slog.New(slog.NewTextHandler(&lines, nil))})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if late {
					server.Restart()
				}
				redistest.Until(t, "Redis", func() bool { return s.Ping(t.Context()) == nil })
				if err := s.Ping(t.Context()); err != nil {
					t.Fatal(err)
				}
				got := strings.Count(lines.String(), "maxmemory-policy="+policy)
				if got > 1 || got > 0 != warned {
					t.Errorf("%d warnings, want them: %v\n%s", got, warned, lines.String())
				}
			})
		}
	}
}

// A lockedBuffer is written to by several goroutines.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
