package filestore

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/statetest"
	"github.com/agui-gateway/gateway/state/store"
)

// TestLimited runs the suite of backends with a limit.
func TestLimited(t *testing.T) {
	t.Parallel()
	statetest.RunLimited(t, func(t *testing.T, clock *statetest.Clock, limit int64) store.Backend {
		t.Helper()
		b, err := openBackend(filepath.Join(t.TempDir(), "threads.db"), Options{
			Now: clock.Now, LogTTL: statetest.LogTTL, Limit: limit, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatalf("openBackend() = %v", err)
		}
		return b
	})
}

// run makes a run on a thread, with a message of so many bytes, that ends as asked.
func run(t *testing.T, s state.Store, key state.Key, n, size int, end *state.End) *state.Lease {
	t.Helper()
	id := fmt.Sprintf("%s-%d", key.ID, n)
	m := agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(strings.Repeat("x", size))}
	begun, err := s.Begin(t.Context(), &state.Request{Key: key, RunID: id, Hash: id, Era: agui.Era1, Messages: []agui.Message{m}},
		state.LeaseOptions{Attempt: id, TTL: time.Minute})
	if err != nil || begun.Lease == nil {
		t.Fatalf("Begin() = %+v, %v", begun, err)
	}
	l := begun.Lease
	frame := state.Frame{ID: state.FrameID{Fence: l.Fence, Seq: 1}, Type: agui.TypeCustom, Data: json.RawMessage(`{"type":"CUSTOM","name":"n","value":1}`)}
	if err := s.Append(t.Context(), l, state.FrameID{}, []state.Frame{frame}); err != nil {
		t.Fatal(err)
	}
	if err := s.Once(t.Context(), l, "effect", json.RawMessage(`{"done":true}`)); err != nil {
		t.Fatal(err)
	}
	if end == nil {
		return l
	}
	c := state.Commit{State: fmt.Appendf(nil, `{"n":%d}`, n), End: end, After: frame.ID}
	if end.Status == state.RunInterrupt {
		c.Checkpoint = json.RawMessage(`{"v":1}`)
		c.Tokens = []state.Token{{Interrupt: agui.Interrupt{ID: "q" + id, Reason: "input_required"}, Status: state.TokenOpen}}
	}
	if _, err := s.Commit(t.Context(), l, c); err != nil {
		t.Fatal(err)
	}
	return l
}

// TestTheFileStaysWithinItsLimit writes many times what the file may take: pages of what went are used again.
func TestTheFileStaysWithinItsLimit(t *testing.T) {
	t.Parallel()
	const limit, threads, size = 1 << 20, 250, 20 << 10
	path := filepath.Join(t.TempDir(), "threads.db")
	s, err := Open(path, Options{Limit: limit, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	live := state.Key{Principal: "local", ID: "live"}
	run(t, s, live, 0, size, nil)
	for i := range threads {
		run(t, s, state.Key{Principal: "local", ID: fmt.Sprint(i)}, 0, size, &state.End{Status: state.RunSuccess})
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MiB were written, the file has %.1f MiB", threads*size>>20, float64(info.Size())/(1<<20))
	if info.Size() > 5*limit/2 {
		t.Errorf("the file has %d bytes, with a limit of %d", info.Size(), limit)
	}
	if _, _, err := s.Load(t.Context(), live); err != nil {
		t.Errorf("the live thread: %v", err)
	}
}

// TestTheBooksAreWhatTheFileHas makes random changes, and compares the counted sizes with those found when the file
// is opened again.
func TestTheBooksAreWhatTheFileHas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		clock, path := statetest.NewClock(), filepath.Join(t.TempDir(), "threads.db")
		open := func() (*backend, state.Store) {
			b, err := openBackend(path, Options{Now: clock.Now, LogTTL: time.Minute, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				r.Fatalf("openBackend() = %v", err)
			}
			return b, store.New(b, store.Options{ThreadTTL: time.Hour})
		}
		b, s := open()
		threads := []state.Key{{Principal: "ada", ID: "1"}, {Principal: "ada", ID: "2"}, {Principal: "eve", ID: "1"}}
		for n := range rapid.IntRange(1, 12).Draw(r, "changes") {
			key := rapid.SampledFrom(threads).Draw(r, "thread")
			loaded, _, err := s.Load(t.Context(), key)
			live := err == nil && loaded.Live != nil
			switch change := rapid.SampledFrom([]string{"run", "ask", "live", "rename", "fork", "delete", "time", "log", "room"}).Draw(r, "change"); {
			case change == "delete":
				_ = s.Delete(t.Context(), key)
			case change == "rename":
				_ = s.Rename(t.Context(), key, strings.Repeat("t", n))
			case change == "time":
				clock.Move(30 * time.Minute)
			case change == "log":
				clock.Move(time.Minute)
				if _, err := s.Overdue(t.Context(), 1); err != nil {
					r.Fatal(err)
				}
			case change == "room":
				_, _ = b.books.MakeRoom(b.books.Total()-1, b.limits(), state.Key{}, b.evict(t.Context()))
			case change == "fork":
				_, _ = s.Fork(t.Context(), key, fmt.Sprint(key.ID, "-0"), fmt.Sprint("fork", n), 0)
			case live || err == nil && len(loaded.Open) > 0:
			case change == "run":
				run(t, s, key, n, 100*n, &state.End{Status: state.RunSuccess})
			case change == "ask":
				run(t, s, key, n, 100*n, &state.End{Status: state.RunInterrupt})
			case change == "live":
				run(t, s, key, n, 100*n, nil)
			}
		}
		if _, err := s.Overdue(t.Context(), 1); err != nil { // expired data is removed
			r.Fatal(err)
		}
		counted := map[string]int64{"ada": b.books.Principal("ada"), "eve": b.books.Principal("eve"), "": b.books.Total()}
		if err := s.Close(); err != nil {
			r.Fatal(err)
		}
		b, s = open()
		found := map[string]int64{"ada": b.books.Principal("ada"), "eve": b.books.Principal("eve"), "": b.books.Total()}
		if err := s.Close(); err != nil {
			r.Fatal(err)
		}
		if !maps.Equal(counted, found) {
			r.Fatalf("counted are %v, the file has %v", counted, found)
		}
	})
}

func TestShared(t *testing.T) {
	t.Parallel()
	statetest.RunShared(t, func(t *testing.T, clock *statetest.Clock, share int64) store.Backend {
		t.Helper()
		b, err := openBackend(filepath.Join(t.TempDir(), "threads.db"), Options{
			Now: clock.Now, LogTTL: statetest.LogTTL, Share: share, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatalf("openBackend() = %v", err)
		}
		return b
	})
}
