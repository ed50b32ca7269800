package redisstore_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"regexp"
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

// Replicas at rest ask Redis nothing of the runs that they have open, with their readers, nor of runs of other replicas
// and of threads on which nothing runs that are read at them: they ask only what they would without any, over the same
// few connections. Leases are not renewed here: that is the gateway's.
func TestRest(t *testing.T) {
	t.Parallel()
	const threads = 400
	at := rest(t, threads, func(client *redis.Client) int {
		redistest.Until(t, "a time in which nothing is asked of a thread", func() bool { return len(restOf(t, client)) == 0 })
		return 0
	})
	if at.connections > 2*10 {
		t.Errorf("2 replicas have %d connections", at.connections)
	}
	if at.written != threads {
		t.Errorf("%d of %d threads that were followed have shown what came", at.written, threads)
	}
}

// BenchmarkRest measures what TestRest looks at, for so many threads of each kind.
func BenchmarkRest(b *testing.B) {
	const restTime = 5 * time.Second
	for _, n := range []int{2000, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				at := rest(b, n, func(client *redis.Client) int {
					redistest.Until(b, "quiet", func() bool { // nothing but what does not end
						before := commands(b, client)
						time.Sleep(time.Second)
						return commands(b, client)-before < 10
					})
					before := commands(b, client)
					time.Sleep(restTime)
					return commands(b, client) - before
				})
				b.ReportMetric(float64(at.connections)/2, "connections/replica")
				b.ReportMetric(float64(at.commands)/2/restTime.Seconds(), "commands/s/replica")
				b.ReportMetric(float64(at.written), "woken")
			}
		})
	}
}

// resting is what a Redis saw of two replicas.
type resting struct {
	commands, connections int // while nothing happened
	written               int // on how many threads something came afterwards, at the replica that followed them
}

// restOf returns how often each command was called that has to do with threads, in two seconds of the Redis' own.
func restOf(t testing.TB, client *redis.Client) map[string]int {
	t.Helper()
	second := func() int64 { return client.Time(t.Context()).Val().Unix() }
	before, began := calls(t, client), second()
	redistest.Until(t, "two seconds", func() bool { return second() >= began+2 })
	now := calls(t, client)
	for name, n := range now {
		if now[name] = n - before[name]; now[name] == 0 {
			delete(now, name)
		}
	}
	for _, name := range []string{"ping", "info", "time"} { // the last two are ours
		delete(now, name)
	}
	return now
}

var commandStat = regexp.MustCompile(`(?m)^cmdstat_([^:]+):calls=(\d+)`)

// calls returns how often each command was called so far, also by scripts.
func calls(t testing.TB, client *redis.Client) map[string]int {
	t.Helper()
	info, err := client.Info(t.Context(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	for _, found := range commandStat.FindAllStringSubmatch(info, -1) {
		if all[found[1]], err = strconv.Atoi(found[2]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// rest opens n runs at a replica, each with a reader there and one at another replica, which also has a reader of each
// of n threads on which nothing runs. Watch returns how many commands it has counted at rest.
func rest(t testing.TB, n int, watch func(*redis.Client) int) resting {
	server := redistest.Start(t)
	prefix := rand.Text()
	var stores [2]state.Store
	for i := range stores {
		s, err := redisstore.Open(t.Context(), server.URL(), redisstore.Patient(redisstore.Options{Prefix: prefix}))
		if err != nil {
			t.Fatal(err)
		}
		stores[i] = s
	}
	ctx, cancel := context.WithCancel(t.Context())
	var readers, begun sync.WaitGroup
	defer func() {
		cancel()
		readers.Wait()
		for _, s := range stores {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}()
	leases := make([]*state.Lease, n)
	came := make(chan struct{}, n)
	gate := make(chan struct{}, 32)
	for i := range n {
		begun.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			for _, kind := range []string{"live", "idle"} {
				key := state.Key{Principal: "p" + strconv.Itoa(i), Agent: "a", ID: kind}
				b, err := stores[0].Begin(ctx, &state.Request{
					Key: key, RunID: "r", Hash: "r", Era: agui.Era1,
					Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("Go on")}},
				}, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
				if err == nil {
					err = stores[0].Append(ctx, b.Lease, state.FrameID{}, frames(b.Lease, 1, 1))
				}
				if err == nil && kind == "idle" {
					_, err = stores[0].Commit(ctx, b.Lease, end(b.Lease, 2))
				}
				if err != nil {
					t.Errorf("a thread was not made: %v", err)
					return
				}
				follow(ctx, &readers, stores[1], key, came)
				if kind == "live" {
					leases[i] = b.Lease
					follow(ctx, &readers, stores[0], key, nil)
				}
			}
		})
	}
	begun.Wait()
	if t.Failed() {
		return resting{}
	}
	client := server.Client()
	at := resting{commands: watch(client)}
	list, err := client.ClientList(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	at.connections = strings.Count(list, "\n") - 1 // without this client's
	for _, l := range leases {
		if err := stores[0].Append(ctx, l, behind(l, 1), frames(l, 2, 1)); err != nil {
			t.Errorf("Append() = %v", err)
		}
	}
	late := time.After(time.Minute)
	for ; at.written < n; at.written++ {
		select {
		case <-came:
		case <-late:
			return at
		}
	}
	return at
}

// follow reads a log at a store until ctx is done, and says when it has come to a second frame of a run that is live.
func follow(ctx context.Context, readers *sync.WaitGroup, s state.Store, key state.Key, came chan<- struct{}) {
	started := make(chan struct{})
	readers.Go(func() {
		begun := sync.OnceFunc(func() { close(started) })
		defer begun()
		for batch, err := range s.Tail(ctx, key, state.FrameID{}) {
			if err != nil {
				return
			}
			begun()
			if came != nil && key.ID == "live" && batch[len(batch)-1].ID.Seq == 2 {
				came <- struct{}{}
			}
		}
	})
	<-started
}

// commands is how many commands a server was sent, those of its scripts left out.
func commands(t testing.TB, client *redis.Client) int {
	info, err := client.Info(t.Context(), "stats").Result()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(info, "total_commands_processed:")
	var n int
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
