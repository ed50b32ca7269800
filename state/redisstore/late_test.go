package redisstore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// TestLate opens a store before its Redis is there: it fails until it is, and then does everything, signals included.
func TestLate(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	server.Kill()
	o := redisstore.Options{Logger: slog.New(slog.DiscardHandler)}
	if s, err := redisstore.Open(t.Context(), server.URL(), o); err == nil {
		t.Errorf("Open() without a Redis = nil; Close() = %v", s.Close())
	}
	o.AllowUnreachable = true
	s := open(t, server.URL(), o)
	if err := s.Ping(t.Context()); err == nil {
		t.Error("Ping() without a Redis = nil")
	}
	server.Restart()
	redistest.Until(t, "Redis", func() bool { return s.Ping(t.Context()) == nil })
	th := newThread(t)
	redistest.Until(t, "signals", func() bool {
		l := th.begin(s, time.Hour)
		defer th.succeed(s, l, 1)
		if _, err := s.Signal(t.Context(), th.key, l.Fence, state.SignalStop); err != nil {
			t.Fatalf("Signal() = %v", err)
		}
		select {
		case <-l.Signals:
			return true
		case <-time.After(500 * time.Millisecond):
			return false
		}
	})
}

// TestLateRefused holds a late store to failing at once where waiting does not help, and where the Redis is there to
// say so.
func TestLateRefused(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	if err := server.Client().ConfigSet(t.Context(), "requirepass", "secret").Err(); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{
		"redis://" + server.Addr,
		"redis://:wrong@" + server.Addr,
		"redis://:secret@" + server.Addr + "/99",
	} {
		s, err := redisstore.Open(t.Context(), url, redisstore.Options{AllowUnreachable: true, Logger: slog.New(slog.DiscardHandler)})
		if err == nil {
			t.Errorf("Open(%q) = nil; Close() = %v", url, s.Close())
		}
	}
	open(t, "redis://:secret@"+server.Addr, redisstore.Options{AllowUnreachable: true})
}

// TestReplica holds a Redis that takes no writes, as the replica of another, to not counting as ready, and to being
// waited for: it may be made a master.
func TestReplica(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t, "--repl-diskless-sync-delay", "0")
	host, port, err := net.SplitHostPort(master.Addr)
	if err != nil {
		t.Fatal(err)
	}
	replica := redistest.Start(t, "--replicaof", host+" "+port, "--repl-diskless-sync-delay", "0")
	s := open(t, replica.URL(), redisstore.Options{AllowUnreachable: true})
	if err := s.Ping(t.Context()); err == nil {
		t.Error("Ping() of a replica = nil")
	}
	if err := replica.Client().Do(t.Context(), "replicaof", "no", "one").Err(); err != nil {
		t.Fatal(err)
	}
	redistest.Until(t, "a master", func() bool { return s.Ping(t.Context()) == nil })
	th := newThread(t)
	th.succeed(s, th.begin(s, time.Hour), 1)
}

// TestForgottenScripts empties the script cache before every transition, as a restart or a failover does: scripts are
// sent again.
func TestForgottenScripts(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	s := open(t, server.URL(), redisstore.Options{})
	th := newThread(t)
	forget := func() {
		t.Helper()
		if err := client.ScriptFlush(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	forget()
	l := th.begin(s, time.Hour)
	forget()
	th.append(s, l, 1, 3)
	forget()
	if err := s.Renew(t.Context(), l, time.Hour); err != nil {
		t.Errorf("Renew() = %v", err)
	}
	forget()
	ids, _ := th.tail(s, state.FrameID{}, 4)
	forget()
	th.succeed(s, l, 4, "m1")
	th.ordered(ids(), 4)
	forget()
	if got := th.messages(s); len(got) != 2 {
		t.Errorf("messages = %v, want 2", got)
	}
}

// TestFrozen holds calls to a Redis that says nothing to ending, long before the client's own tries would.
func TestFrozen(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	o := redisstore.Options{Prefix: rand.Text()}
	s, waitsForNobody := open(t, server.URL(), o), openAsIs(t, server.URL(), o)
	th := newThread(t)
	l := th.begin(s, time.Hour)
	th.append(s, l, 1, 1)
	ids, _ := th.tail(s, state.FrameID{}, 3)
	server.Freeze()
	err := waitsForNobody.Append(t.Context(), l, behind(l, 1), frames(l, 2, 1))
	if !errors.Is(err, context.DeadlineExceeded) { // the client's own tries would end with a timeout of the network
		t.Errorf("Append() to a Redis that is frozen = %v, want the end of its time", err)
	}
	server.Thaw()
	th.retryAppend(s, l, 2, 1)
	th.retryEnd(s, l, 3)
	th.ordered(ids(), 3)
}
