package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/script"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// words is how many deltas a benchmark's run has, which is a long answer of a model's.
const words = 300

// benched serves an agent that says so many words.
func benched(b *testing.B, store state.Store, pace time.Duration) string {
	b.Helper()
	script := &script.Agent{Steps: []script.Step{{Say: strings.Repeat("and ", words-1) + "out."}}}
	g, err := gateway.New(gateway.Options{
		Agents: map[string]groupchat.Agent{"bench": script},
		Store:  store, Pace: pace, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(g)
	b.Cleanup(func() {
		server.Close()
		if err := g.Close(); err != nil {
			b.Errorf("Close() = %v", err)
		}
		if err := store.Close(); err != nil {
			b.Errorf("Close() = %v", err)
		}
	})
	return server.URL
}

// say runs the agent on a new thread and returns how long its reader read.
func say(b *testing.B, url, thread string) time.Duration {
	b.Helper()
	body := strings.NewReader(`{"protocolVersion":"1.0","threadId":"` + thread + `","runId":"r","messages":[{"id":"` + thread +
		`","role":"user","content":"Go on"}]}`)
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+"/agents/bench", body)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	started := time.Now()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	stream, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	took := time.Since(started)
	if n := strings.Count(string(stream), `"TEXT_MESSAGE_CONTENT"`); n != words || !strings.Contains(string(stream), `"RUN_FINISHED"`) {
		b.Fatalf("%d deltas, want %d and the run's end: %s", n, words, stream)
	}
	return took
}

// BenchmarkRun is what Redis adds to the wall time of a run as its reader sees it: the same run with threads in memory
// and in Redis, by turns, so that both are measured under the same weather.
func BenchmarkRun(b *testing.B) {
	for _, pace := range []time.Duration{0, 5 * time.Millisecond} {
		b.Run(fmt.Sprintf("pace=%v", pace), func(b *testing.B) {
			server := redistest.Start(b, "--appendonly", "yes", "--appendfsync", "everysec")
			shared, err := redisstore.Open(b.Context(), server.URL(), redisstore.Options{})
			if err != nil {
				b.Fatal(err)
			}
			urls := [2]string{benched(b, memstore.New(memstore.Options{}), pace), benched(b, shared, pace)}
			for _, url := range urls {
				say(b, url, "first") // connections are there, scripts are loaded
			}
			var took [2]time.Duration
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				for i, url := range urls {
					took[i] += say(b, url, fmt.Sprint("t", n))
				}
				n++
			}
			b.ReportMetric(0, "ns/op") // of both together, which says nothing
			b.ReportMetric(float64(took[0].Microseconds())/1000/float64(n), "ms-memory")
			b.ReportMetric(float64(took[1].Microseconds())/1000/float64(n), "ms-redis")
			b.ReportMetric(100*(float64(took[1])/float64(took[0])-1), "%-added")
		})
	}
}
