package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// The benchmarks of this file are those of this package's steps of the walk (docs/design.md). Each measures its step
// alone, on threads in memory.

// BenchmarkDecode decodes a request with a new message, and one that echoes a conversation of 2,000.
func BenchmarkDecode(b *testing.B) {
	bed := newCostBed(b, "memory")
	for _, messages := range []int{1, longMessages} {
		list := make([]agui.Message, messages)
		for i := range list {
			list[i] = bed.said(i, agui.RoleUser)
		}
		body, err := json.Marshal(&agui.RunAgentInput{ThreadID: "t", RunID: "r", ProtocolVersion: agui.ProtocolVersion, Messages: list})
		if err != nil {
			b.Fatal(err)
		}
		b.Run("messages="+strconv.Itoa(messages), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/agents/team", strings.NewReader(string(body)))
				r.Header.Set("Content-Type", "application/json")
				if _, err := bed.g.decode(r, bed.g.roster.Load().agents["team"]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// begin makes a run of an agent on a new thread, up to the point where it belongs to the server.
func (b *costBed) begin(agent string) *attempt {
	r := b.request("begun"+strconv.Itoa(b.runs), b.said(b.runs, agui.RoleUser))
	r.Key.Agent = agent
	a := &admission{g: b.g, r: b.get(""), agent: b.g.roster.Load().agents[agent], req: r}
	begun, run, err := a.admit(b.Context())
	if err != nil || run == nil {
		b.Fatalf("admit() = %+v, %v, want a run", begun, err)
	}
	return run
}

// BenchmarkStart admits a request, makes its thread and starts its run.
func BenchmarkStart(b *testing.B) {
	bed := newCostBed(b, "memory")
	b.ReportAllocs()
	for b.Loop() {
		run := bed.begin("held")
		b.StopTimer()
		bed.held <- struct{}{}
		<-run.done
		b.StartTimer()
	}
}

// BenchmarkFinish ends a run after its agent returns: from there to the release of the lease.
func BenchmarkFinish(b *testing.B) {
	bed := newCostBed(b, "memory")
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		run := bed.begin("held")
		b.StartTimer()
		bed.held <- struct{}{}
		<-run.done
	}
}

// BenchmarkTail sends 20,000 events to a reader with a cursor 20,000 events behind.
func BenchmarkTail(b *testing.B) {
	const events = 20_000
	bed := newCostBed(b, "memory")
	lease := bed.live("behind", events)
	b.ReportAllocs()
	for b.Loop() {
		ctx, hangUp := context.WithCancel(b.Context())
		w := &firstWriter{header: http.Header{}, hangUp: hangUp}
		r := bed.get("/threads/behind/events").WithContext(ctx)
		r.Header.Set("Last-Event-ID", state.FrameID{Fence: lease.Fence, Seq: 3}.String())
		bed.g.ServeHTTP(w, r)
		if w.bytes < events*50 {
			b.Fatalf("the reader was sent %d bytes", w.bytes)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
}

// BenchmarkTakeover takes over a run of which the log has so many events, and carries it to its end.
func BenchmarkTakeover(b *testing.B) {
	for _, events := range []int{200, 20_000} {
		b.Run("events="+strconv.Itoa(events), func(b *testing.B) {
			bed := newCostBed(b, "memory")
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				lease := bed.live(fmt.Sprint("orphan", bed.runs), events)
				if err := bed.g.store.Release(b.Context(), lease); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				bed.g.takeOverOverdue(false)
				if run := bed.g.attempt(lease.Key); run != nil {
					<-run.done
				}
				b.StopTimer()
				if t, _, err := bed.g.store.Load(b.Context(), lease.Key); err != nil || t.Live != nil {
					b.Fatalf("the run was not taken over: %+v, %v", t, err)
				}
				b.StartTimer()
			}
		})
	}
}
