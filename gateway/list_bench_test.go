package gateway

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// manyThreads is how many threads the lists have that are measured.
const manyThreads = 50_000

// fillMany makes n threads of one principal, each with a run that has ended; one in ten failed.
func (b *costBed) fillMany(n int) {
	b.Helper()
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range 64 { // who write at once share the transactions of a file
		workers.Go(func() {
			for i := range numbers {
				b.finish(i)
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	workers.Wait()
}

// finish makes the thread of that number.
func (b *costBed) finish(n int) {
	name := "thread-" + strconv.Itoa(n)
	r := b.g.newRequest(&agui.RunAgentInput{
		ThreadID: name, RunID: name, Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("Plan trip " + strconv.Itoa(n))}},
	}, b.g.roster.Load().agents["team"], agui.Era1)
	r.Key.Principal, r.Hash = localPrincipal, name
	begun, err := b.g.store.Begin(b.Context(), r, state.LeaseOptions{Attempt: name, TTL: time.Minute})
	if err != nil {
		b.Error(err)
		return
	}
	end := &state.End{Status: state.RunSuccess}
	if n%10 == 0 {
		end = &state.End{Status: state.RunError, Code: "MODEL_ERROR"}
	}
	if _, err := b.g.store.Commit(b.Context(), begun.Lease, state.Commit{
		Frames: []state.Frame{{ID: state.FrameID{Fence: begun.Lease.Fence, Seq: 1}, Type: agui.TypeRunFinished, Data: json.RawMessage(`{}`)}}, End: end,
	}); err != nil {
		b.Error(err)
	}
}

// page returns how many threads a request for a list is answered with, and where the next page begins.
func (b *costBed) page(query url.Values) (threads int, next string) {
	w := httptest.NewRecorder()
	b.g.ServeHTTP(w, b.get("/threads?"+query.Encode()))
	var list struct {
		Threads    []json.RawMessage
		NextCursor string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &list); w.Code != http.StatusOK || err != nil {
		b.Fatalf("GET /threads?%s = %d %s, %v", query.Encode(), w.Code, w.Body, err)
	}
	return len(list.Threads), list.NextCursor
}

// BenchmarkList requests pages of 20 of a principal's 50,000 threads (1,000 in short): the first, one in the middle,
// and one for each filter.
func BenchmarkList(b *testing.B) {
	threads := manyThreads
	if testing.Short() {
		threads = 1000
	}
	for _, store := range []string{"memory", "file", "redis"} {
		b.Run("store="+store, func(b *testing.B) {
			bed := newCostBed(b, store)
			bed.fillMany(threads)
			middle := url.Values{"limit": {"100"}}
			for range threads / 100 / 2 {
				_, next := bed.page(middle)
				middle.Set("cursor", next)
			}
			middle.Del("limit")
			for _, list := range []struct {
				name  string
				query url.Values
			}{
				{"first", url.Values{}},
				{"middle", middle},
				{"agent", url.Values{"agent": {"team"}}},
				{"status", url.Values{"status": {string(state.StatusFailed)}}},
				{"rare", url.Values{"status": {string(state.StatusInterrupted)}}},
				{"search", url.Values{"q": {"trip 77"}}},
			} {
				b.Run("page="+list.name, func(b *testing.B) {
					bed.waits(b, func() { bed.page(list.query) })
				})
			}
		})
	}
}
