package filestore_test

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// benchStores are the three stores that are compared, in the order of their names.
func benchStores(b *testing.B) (names []string, stores []state.Store) {
	b.Helper()
	server := redistest.Start(b, "--appendonly", "yes", "--appendfsync", "everysec")
	redis, err := redisstore.Open(b.Context(), server.URL(), redisstore.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = redis.Close() })
	file := open(b, filepath.Join(b.TempDir(), "threads.db"), filestore.Options{})
	return []string{"memory", "file", "redis"}, []state.Store{memstore.New(memstore.Options{}), file, redis}
}

// syncOnce writes a page and waits for the disk, which a transaction of the file does twice.
func syncOnce(b *testing.B, file *os.File) {
	b.Helper()
	if _, err := file.WriteAt(make([]byte, 4096), 0); err != nil {
		b.Fatal(err)
	}
	if err := file.Sync(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkStores measures what the caller of a store waits for, on each store by turns, and an fsync beside them.
func BenchmarkStores(b *testing.B) {
	message := func(n int) []agui.Message {
		return []agui.Message{{ID: "m" + strconv.Itoa(n), Role: agui.RoleAssistant, Content: agui.TextContent("This is what was said.")}}
	}
	for _, op := range []struct {
		name string
		do   func(s state.Store, l *state.Lease, n int) error
	}{
		{"admission", func(s state.Store, _ *state.Lease, n int) error {
			begin(b, s, "new-"+strconv.Itoa(n), "u1")
			return nil
		}},
		{"commit", func(s state.Store, l *state.Lease, n int) error {
			_, err := s.Commit(b.Context(), l, state.Commit{Messages: message(n)})
			return err
		}},
		{"append", func(s state.Store, l *state.Lease, n int) error {
			return s.Append(b.Context(), l, state.FrameID{}, frames(l, uint64(n), 1))
		}},
	} {
		b.Run(op.name, func(b *testing.B) {
			names, stores := benchStores(b)
			leases := make([]*state.Lease, len(stores))
			for i, s := range stores {
				leases[i] = begin(b, s, "t", "u1")
			}
			disk, err := os.Create(filepath.Join(b.TempDir(), "page"))
			if err != nil {
				b.Fatal(err)
			}
			defer disk.Close()
			took := make([]time.Duration, len(stores))
			var synced time.Duration
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				n++
				for i, s := range stores {
					started := time.Now()
					if err := op.do(s, leases[i], n); err != nil {
						b.Fatal(err)
					}
					took[i] += time.Since(started)
				}
				started := time.Now()
				syncOnce(b, disk)
				synced += time.Since(started)
			}
			b.ReportMetric(0, "ns/op") // of all together, which says nothing
			for i, name := range names {
				b.ReportMetric(float64(took[i].Microseconds())/float64(n), "µs-"+name)
			}
			b.ReportMetric(float64(synced.Microseconds())/float64(n), "µs-fsync")
			b.ReportMetric(float64(took[1])/float64(took[2]), "times-redis")
			b.ReportMetric(float64(took[1])/float64(synced), "times-fsync")
		})
	}
}

// BenchmarkAppends is how many events per second a file takes from concurrent runs, each of which appends as fast as it
// can.
func BenchmarkAppends(b *testing.B) {
	for _, batch := range []int{1, 16} {
		for _, runs := range []int{1, 16, 128} {
			b.Run(fmt.Sprintf("batch=%d/runs=%d", batch, runs), func(b *testing.B) {
				s := open(b, filepath.Join(b.TempDir(), "threads.db"), filestore.Options{})
				leases := make([]*state.Lease, runs)
				for i := range leases {
					leases[i] = begin(b, s, strconv.Itoa(i), "u1")
				}
				n := 0
				b.ReportAllocs()
				for b.Loop() {
					var all sync.WaitGroup
					for _, l := range leases {
						all.Go(func() {
							if err := s.Append(b.Context(), l, state.FrameID{}, frames(l, uint64(n+1), batch)); err != nil {
								b.Error(err)
							}
						})
					}
					all.Wait()
					n += batch
				}
				b.ReportMetric(0, "ns/op") // of all runs together
				b.ReportMetric(float64(n*runs)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}

// BenchmarkOpen opens a file of about 64 MiB, beside reading it. All of it is read, because a bbolt file that was not
// checked can end the process.
func BenchmarkOpen(b *testing.B) {
	file := filepath.Join(b.TempDir(), "threads.db")
	s := open(b, file, filestore.Options{})
	for i := range 64 {
		l := begin(b, s, strconv.Itoa(i), "u1")
		list := make([]agui.Message, 256)
		for j := range list {
			list[j] = agui.Message{ID: "m" + strconv.Itoa(j), Role: agui.RoleAssistant, Content: agui.TextContent(strings.Repeat("said ", 600))}
		}
		commit(b, s, l, state.Commit{Messages: list, End: &state.End{Status: state.RunSuccess}})
	}
	closeStore(b, s)
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	var opened, read time.Duration
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		started := time.Now()
		s := open(b, file, filestore.Options{})
		opened += time.Since(started)
		closeStore(b, s)
		started = time.Now()
		in, err := os.Open(file)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, struct{ io.Reader }{in}); err != nil {
			b.Fatal(err)
		}
		_ = in.Close()
		read += time.Since(started)
	}
	b.ReportMetric(0, "ns/op") // of both together
	b.ReportMetric(float64(info.Size())/(1<<20), "MiB")
	b.ReportMetric(float64(opened.Milliseconds())/float64(n), "ms-open")
	b.ReportMetric(float64(info.Size())/(1<<20)*float64(n)/opened.Seconds(), "MiB/s")
	b.ReportMetric(float64(opened)/float64(read), "times-read")
}
