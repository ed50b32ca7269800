package redisstore_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// openBench opens a store in a server of the benchmark's own, which writes its file as one in production does.
func openBench(b *testing.B) state.Store {
	b.Helper()
	s, _ := openBenchServer(b)
	return s
}

// openBenchServer is openBench with the server.
func openBenchServer(b *testing.B) (state.Store, *redistest.Server) {
	b.Helper()
	server := redistest.Start(b, "--appendonly", "yes", "--appendfsync", "everysec")
	store, err := redisstore.Open(b.Context(), server.URL(), redisstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := store.Close(); err != nil {
			b.Errorf("Close() = %v", err)
		}
	})
	return store, server
}

// cpuOf is the CPU time that a server has taken for commands.
func cpuOf(b *testing.B, server *redistest.Server) time.Duration {
	b.Helper()
	info, err := server.Client().Info(b.Context(), "cpu").Result()
	if err != nil {
		b.Fatal(err)
	}
	var all time.Duration
	for _, mode := range []string{"user", "sys"} {
		_, rest, _ := strings.Cut(info, "used_cpu_"+mode+"_main_thread:")
		seconds, _, _ := strings.Cut(rest, "\r")
		took, err := time.ParseDuration(seconds + "s")
		if err != nil {
			b.Fatal(err)
		}
		all += took
	}
	return all
}

func said(n int) agui.Message {
	return agui.Message{ID: "m" + strconv.Itoa(n), Role: agui.RoleAssistant, Content: agui.TextContent("This is what was said.")}
}

// startRun begins a run on a new thread.
func startRun(b *testing.B, s state.Store, thread string) *state.Lease {
	b.Helper()
	begun, err := s.Begin(b.Context(), &state.Request{
		Key: state.Key{Principal: "local", Agent: "bench", ID: thread}, RunID: "run", Hash: thread, Era: agui.Era1,
		Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("Go on")}},
		NewID:    func() string { return thread + "-id" },
	}, state.LeaseOptions{Attempt: "attempt-" + thread, TTL: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	if begun.Lease == nil {
		b.Fatalf("Begin() = %s, want a run", begun.Verdict.Meaning)
	}
	return begun.Lease
}

// BenchmarkCommit commits one message to a thread that has 10, and to one that has 10,000, by turns, so that both are
// measured under the same weather. R6: the one costs as much as the other.
func BenchmarkCommit(b *testing.B) {
	stores := []struct {
		name string
		open func(b *testing.B) state.Store
	}{
		{"memory", func(*testing.B) state.Store { return memstore.New(memstore.Options{}) }},
		{"redis", openBench},
	}
	for _, store := range stores {
		b.Run(store.name, func(b *testing.B) {
			s := store.open(b)
			sizes := [2]int{10, 10_000}
			var leases [2]*state.Lease
			for i, n := range sizes {
				leases[i] = startRun(b, s, strconv.Itoa(n))
				list := make([]agui.Message, n)
				for j := range list {
					list[j] = said(j)
				}
				if _, err := s.Commit(b.Context(), leases[i], state.Commit{Messages: list}); err != nil {
					b.Fatal(err)
				}
			}
			var took [2]time.Duration
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				for i, l := range leases {
					c := state.Commit{Messages: []agui.Message{said(sizes[i] + n)}}
					started := time.Now()
					if _, err := s.Commit(b.Context(), l, c); err != nil {
						b.Fatal(err)
					}
					took[i] += time.Since(started)
				}
				n++
			}
			b.ReportMetric(0, "ns/op") // of both together, which says nothing
			for i, size := range sizes {
				b.ReportMetric(float64(took[i].Microseconds())/float64(n), fmt.Sprintf("µs-at-%d", size))
			}
			b.ReportMetric(float64(took[1])/float64(took[0]), "times-10")
		})
	}
}

// BenchmarkEvents is how many events per second one redis-server takes from concurrent runs: each is a run that
// appends as fast as it can, one event at a time or in batches as they form when the store is busier than the
// agents. It counts a second of the clock, and one of the CPU time of the server's main thread, which does not
// depend on what else the machine does.
func BenchmarkEvents(b *testing.B) {
	for _, batch := range []uint64{1, 16} {
		for _, runs := range []int{1, 16, 128} {
			b.Run(fmt.Sprintf("batch=%d/runs=%d", batch, runs), func(b *testing.B) {
				s, server := openBenchServer(b)
				leases := make([]*state.Lease, runs)
				for i := range leases {
					leases[i] = startRun(b, s, strconv.Itoa(i))
				}
				before := cpuOf(b, server)
				var seq uint64 // every run is as far as the others
				b.ReportAllocs()
				for b.Loop() {
					var all sync.WaitGroup
					for _, l := range leases {
						all.Go(func() { appendFrames(b, s, l, seq, batch) })
					}
					all.Wait()
					seq += batch
				}
				events := float64(seq) * float64(runs)
				b.ReportMetric(events/b.Elapsed().Seconds(), "events/s")
				b.ReportMetric(events/(cpuOf(b, server)-before).Seconds(), "events/server-s")
			})
		}
	}
}

// appendFrames appends n text deltas behind number last.
func appendFrames(b *testing.B, s state.Store, l *state.Lease, last, n uint64) {
	frames := make([]state.Frame, n)
	for i := range frames {
		frames[i] = state.Frame{
			ID: state.FrameID{Fence: l.Fence, Seq: last + uint64(i) + 1}, Type: agui.TypeTextMessageContent,
			Data: json.RawMessage(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-0123456789","delta":"and "}`),
		}
	}
	var after state.FrameID
	if last > 0 {
		after = state.FrameID{Fence: l.Fence, Seq: last}
	}
	if err := s.Append(b.Context(), l, after, frames); err != nil {
		b.Error(err)
	}
}

// BenchmarkRenew renews the leases of so many runs at a time. It tells what a renewal costs the server, and this
// process.
func BenchmarkRenew(b *testing.B) {
	for _, runs := range []int{1, 64} {
		b.Run(fmt.Sprintf("runs=%d", runs), func(b *testing.B) {
			s, server := openBenchServer(b)
			leases := make([]*state.Lease, runs)
			for i := range leases {
				leases[i] = startRun(b, s, strconv.Itoa(i))
			}
			before, own, n := cpuOf(b, server), ownCPU(b), 0
			for b.Loop() {
				var all sync.WaitGroup
				for _, l := range leases {
					all.Go(func() {
						if err := s.Renew(b.Context(), l, time.Hour); err != nil {
							b.Error(err)
						}
					})
				}
				all.Wait()
				n += runs
			}
			b.ReportMetric(float64((cpuOf(b, server)-before).Microseconds())/float64(n), "µs-server")
			b.ReportMetric(float64((ownCPU(b)-own).Microseconds())/float64(n), "µs-own")
		})
	}
}

// ownCPU is the CPU time that this process has taken.
func ownCPU(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
