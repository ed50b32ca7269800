package redisstore_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/statetest"
)

var readCalls = regexp.MustCompile(`cmdstat_(hmget|evalsha|eval):calls=(\d+)`)

// TestAPageReadsWhatItShows holds a page to reading as many threads as it shows, and one more, each by one command that
// is no script.
func TestAPageReadsWhatItShows(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := open(t, server.URL(), redisstore.Options{})
	for range 60 {
		th := newThread(t)
		th.succeed(s, th.begin(s, time.Hour), 1)
	}
	client := server.Client()
	if err := client.ConfigResetStat(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	if page, err := s.List(t.Context(), state.Query{Principal: "p"}); err != nil || len(page.Threads) != 20 {
		t.Fatalf("List() = %v, %v", page, err)
	}
	stats, err := client.Info(t.Context(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]string{}
	for _, found := range readCalls.FindAllStringSubmatch(stats, -1) {
		calls[found[1]] = found[2]
	}
	if calls["hmget"] != "21" || calls["eval"] != "1" {
		t.Errorf("a page of 20 makes calls %v, want 21 hmget and 1 eval", calls)
	}
}

// TestPagesHaveEveryThread reads a list page by page while a thread has been committed since the index has it: it is at
// its old place, and on one of the pages.
func TestPagesHaveEveryThread(t *testing.T) {
	t.Parallel()
	clock := statetest.NewClock()
	s := open(t, redistest.Start(t).URL(), redisstore.Options{Now: clock.Now})
	var leases []*state.Lease
	for range 3 {
		clock.Move(time.Second)
		leases = append(leases, newThread(t).begin(s, time.Hour))
	}
	clock.Move(time.Second)
	if _, err := s.Commit(t.Context(), leases[0], state.Commit{Number: 1}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for q := (state.Query{Principal: "p", Limit: 2}); ; {
		page, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, thread := range page.Threads {
			seen[thread.Key.ID] = true
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	if len(seen) != 3 {
		t.Errorf("the pages have %d threads, want 3", len(seen))
	}
}

// TestAListGoesOnBehindHints holds a search to finding a thread behind more hints without a thread, and more threads
// that it does not look for, than it is going to look at.
func TestAListGoesOnBehindHints(t *testing.T) {
	t.Parallel()
	for _, redis := range []struct {
		name  string
		start func(*testing.T) (url string, each func(func(context.Context, *redis.Client) error) error)
	}{
		{"single", func(t *testing.T) (string, func(func(context.Context, *redis.Client) error) error) {
			server := redistest.Start(t)
			return server.URL(), func(f func(context.Context, *redis.Client) error) error { return f(t.Context(), server.Client()) }
		}},
		{"cluster", func(t *testing.T) (string, func(func(context.Context, *redis.Client) error) error) {
			cluster := redistest.StartCluster(t)
			return cluster.URL(), func(f func(context.Context, *redis.Client) error) error {
				for _, node := range cluster.Nodes {
					if err := f(t.Context(), node.Client()); err != nil {
						return err
					}
				}
				return nil
			}
		}},
	} {
		t.Run(redis.name, func(t *testing.T) {
			t.Parallel()
			url, each := redis.start(t)
			listGoesOn(t, url, each)
		})
	}
}

func listGoesOn(t *testing.T, url string, each func(func(context.Context, *redis.Client) error) error) {
	prefix := rand.Text()
	s := open(t, url, redisstore.Options{Prefix: prefix})
	var running, idle *thread
	for i := range 12 {
		th := newThread(t)
		l := th.begin(s, time.Hour)
		if i == 0 {
			running = th
			continue
		}
		th.succeed(s, l, 1)
		idle = th
	}
	// Each index there is has hints to threads that are being written.
	if err := each(func(ctx context.Context, client *redis.Client) error {
		keys, err := client.Keys(ctx, prefix+":idx:*").Result()
		for _, key := range keys {
			for n := range 30 {
				err = client.ZAdd(ctx, key, redis.Z{Score: float64(time.Now().UnixMicro()), Member: fmt.Sprintf("a/nobody%d", n)}).Err()
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, look := range []int{0, 1, 5, 12, 1000} {
		found, cursor, pages := []string{}, "", 0
		for pages = 1; pages < 20; pages++ {
			page, err := s.List(t.Context(), state.Query{Principal: "p", Status: state.StatusRunning, Look: look, Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			for _, th := range page.Threads {
				found = append(found, th.Key.ID)
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		if strings.Join(found, " ") != running.key.ID {
			t.Errorf("look %d: %d pages of running threads have %q, want %q", look, pages, found, running.key.ID)
		}
	}
	page, err := s.List(t.Context(), state.Query{Principal: "p", Limit: 1, Look: 5})
	if err != nil || len(page.Threads) != 1 || page.Threads[0].Key != idle.key {
		t.Errorf("List() = %+v, %v, want %s", page, err, idle.key.ID)
	}
}
