package redisstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/statetest"
	"github.com/agui-gateway/gateway/state/store"
)

// TestStoredIsTheSumOfTheThreads makes random changes by two replicas, and compares the counted size of a principal
// with that of all its threads.
func TestStoredIsTheSumOfTheThreads(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t).URL()
	prefix := 0
	rapid.Check(t, func(r *rapid.T) {
		prefix++
		clock := statetest.NewClock()
		var backends [2]*backend
		var stores [2]state.Store
		for i := range backends {
			o := Patient(Options{
				Prefix: fmt.Sprint("p", prefix), Now: clock.Now, LogTTL: time.Minute, ThreadTTL: time.Hour, Logger: slog.New(slog.DiscardHandler),
			})
			if i == 0 {
				o = Packing(o)
			}
			b, err := openBackend(t.Context(), url, o)
			if err != nil {
				r.Fatal(err)
			}
			backends[i], stores[i] = b, store.New(b, store.Options{ThreadTTL: time.Hour})
			defer stores[i].Close()
			if n, err := b.Stored(t.Context(), "ada"); n != 0 || err != nil { // it counts from now on
				r.Fatalf("Stored() = %d, %v", n, err)
			}
		}
		keys := []state.Key{{Principal: "ada", Agent: "a", ID: "1"}, {Principal: "ada", Agent: "b", ID: "1"}, {Principal: "ada", Agent: "a", ID: "2/}"}}
		for n := range rapid.IntRange(1, 15).Draw(r, "changes") {
			s, key := stores[n%2], rapid.SampledFrom(keys).Draw(r, "thread")
			switch rapid.SampledFrom([]string{"run", "live", "rename", "fork", "delete", "time", "log"}).Draw(r, "change") {
			case "run":
				turn(t, s, key, n, true)
			case "live":
				turn(t, s, key, n, false)
			case "rename":
				_ = s.Rename(t.Context(), key, strings.Repeat("t", n))
			case "fork":
				fork := fmt.Sprint("fork", n)
				if _, err := s.Fork(t.Context(), key, "u0", fork, 0); err == nil {
					keys = append(keys, state.Key{Principal: "ada", Agent: key.Agent, ID: fork})
				}
			case "delete":
				_ = s.Delete(t.Context(), key)
			case "time":
				clock.Move(40 * time.Minute)
			case "log":
				clock.Move(time.Minute + time.Second)
			}
		}
		got, err := backends[0].Stored(t.Context(), "ada")
		if err != nil {
			r.Fatal(err)
		}
		sum := int64(0)
		for _, key := range keys {
			size, _, err := backends[1].size(t.Context(), key)
			if err != nil {
				r.Fatal(err)
			}
			sum += size
		}
		if got != sum {
			r.Fatalf("Stored() = %d, the threads take %d", got, sum)
		}
	})
}

// turn begins a run, which ends or not.
func turn(t *testing.T, s state.Store, key state.Key, n int, ends bool) {
	t.Helper()
	id := fmt.Sprint("u", n)
	r := &state.Request{Key: key, RunID: id, Hash: id, Era: agui.Era1, Messages: []agui.Message{
		{ID: id, Role: agui.RoleUser, Content: agui.TextContent(strings.Repeat("x", 100*n))},
	}}
	b, err := s.Begin(t.Context(), r, state.LeaseOptions{Attempt: id, TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if b.Lease == nil { // a run is live
		return
	}
	frame := state.Frame{ID: state.FrameID{Fence: b.Lease.Fence, Seq: 1}, Type: agui.TypeCustom, Data: json.RawMessage(`{"type":"CUSTOM","name":"n","value":1}`)}
	c := state.Commit{State: fmt.Appendf(nil, `{"n":%d}`, n), Frames: []state.Frame{frame}}
	if ends {
		c.End = &state.End{Status: state.RunSuccess}
	}
	if _, err := s.Commit(t.Context(), b.Lease, c); err != nil && !errors.Is(err, state.ErrLeaseLost) {
		t.Fatal(err)
	}
}

// TestAThreadIsMeasuredAfterItsReplicaDied writes a thread by a replica that notes nothing afterwards.
func TestAThreadIsMeasuredAfterItsReplicaDied(t *testing.T) {
	t.Parallel()
	clock := statetest.NewClock()
	b, err := openBackend(t.Context(), redistest.Start(t).URL(), Patient(Options{Now: clock.Now, Logger: slog.New(slog.DiscardHandler)}))
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(b, store.Options{})
	defer s.Close()
	key := state.Key{Principal: "ada", ID: "1"}
	p := b.main.Pipeline()
	b.counting.Store(true)
	b.expectWrite(t.Context(), p, key)
	if _, err := p.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.counting.Store(false)
	turn(t, s, key, 1, true)
	if n, err := b.Stored(t.Context(), "ada"); n != 0 || err != nil {
		t.Errorf("Stored() at once = %d, %v, want 0", n, err)
	}
	clock.Move(hintGrace + time.Second)
	if n, err := b.Stored(t.Context(), "ada"); n == 0 || err != nil {
		t.Errorf("Stored() later = %d, %v, want what the thread takes", n, err)
	}
}
