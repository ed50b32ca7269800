package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/script"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A costBed is a gateway with a team of three for measuring runs on short and on long threads (R6).
type costBed struct {
	testing.TB
	g     *Gateway
	redis func() time.Duration // CPU time of the Redis server; nil with the store in memory
	held  chan struct{}        // each value lets the agent of that name return
	runs  int
}

// longMessages and largeState are the two ways in which a thread can be long.
const (
	longMessages = 2000
	largeState   = 1 << 20
)

// newCostBed serves the team on the store of that name.
func newCostBed(t testing.TB, store string) *costBed {
	t.Helper()
	bed := &costBed{TB: t, held: make(chan struct{})}
	participants := make([]groupchat.Participant, 3)
	for i := range participants {
		participants[i] = groupchat.Participant{
			Name:  "speaker" + strconv.Itoa(i),
			Agent: &script.Agent{Steps: []script.Step{{Say: "This is what I have to say about it."}}},
		}
	}
	o := Options{
		Agents: map[string]groupchat.Agent{"team": &groupchat.Chat{
			Manager: groupchat.Sequential(), Participants: participants,
			State: groupchat.StateSpec{Initial: json.RawMessage(`{"title":"untitled","items":[]}`)},
		}, "held": groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error { <-bed.held; return nil })},
		Limits: Limits{Messages: -1},
		Log:    slog.New(slog.DiscardHandler),
	}
	switch store {
	case "redis":
		o.Store = bed.openRedis()
	case "file":
		o.Store = bed.openFile()
	}
	var err error
	if bed.g, err = New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bed.g.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return bed
}

// openFile opens a store in a file of the bed's own.
func (b *costBed) openFile() state.Store {
	store, err := filestore.Open(filepath.Join(b.TempDir(), "threads.db"), filestore.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.closes(store)
	return store
}

// closes closes a store when the bed is not used any more.
func (b *costBed) closes(store state.Store) {
	b.Cleanup(func() {
		if err := store.Close(); err != nil {
			b.Errorf("store: Close() = %v", err)
		}
	})
}

// openRedis opens a store in a separate server, with its CPU time counted.
func (b *costBed) openRedis() state.Store {
	server := redistest.Start(b)
	store, err := redisstore.Open(b.Context(), server.URL(), redisstore.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.closes(store)
	client := server.Client()
	b.redis = func() time.Duration {
		info, err := client.Info(context.WithoutCancel(b.Context()), "cpu").Result()
		if err != nil {
			b.Fatal(err)
		}
		var used time.Duration
		for line := range strings.Lines(info) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			if seconds, err := strconv.ParseFloat(value, 64); err == nil && (name == "used_cpu_user" || name == "used_cpu_sys") {
				used += time.Duration(seconds * float64(time.Second))
			}
		}
		return used
	}
	return store
}

// fill makes a thread of so many messages, in runs of 40, with a state of about so many bytes.
func (b *costBed) fill(thread string, messages, stateSize int) {
	b.Helper()
	const perRun = 40
	for n := 0; n == 0 || n < messages; n += perRun {
		begun, err := b.g.store.Begin(b.Context(), b.request(thread, b.said(n, agui.RoleUser)), state.LeaseOptions{Attempt: thread, TTL: time.Minute})
		if err != nil {
			b.Fatal(err)
		}
		c := state.Commit{
			Frames: []state.Frame{{ID: state.FrameID{Fence: begun.Lease.Fence, Seq: 1}, Type: agui.TypeRunFinished, Data: json.RawMessage(`{}`)}},
			End:    &state.End{Status: state.RunSuccess},
		}
		for i := 1; i < min(perRun, messages-n); i++ {
			c.Messages = append(c.Messages, b.said(n+i, agui.RoleAssistant))
		}
		if n+perRun >= messages {
			c.State = stateOf(stateSize)
		}
		if _, err := b.g.store.Commit(b.Context(), begun.Lease, c); err != nil {
			b.Fatal(err)
		}
	}
}

func (b *costBed) said(n int, role agui.Role) agui.Message {
	return agui.Message{ID: "m" + strconv.Itoa(n), Role: role, Content: agui.TextContent(strings.Repeat("Words that were said. ", 20))}
}

// stateOf is a state of about size bytes, nested as agents' states are.
func stateOf(size int) json.RawMessage {
	items := []any{}
	for n := 0; n < size; n += 100 {
		items = append(items, map[string]any{"id": n, "name": strings.Repeat("n", 50), "tags": []string{"a", "b"}})
	}
	raw, err := json.Marshal(map[string]any{"items": items, "title": "Everything"})
	if err != nil {
		panic(err)
	}
	return state.Canonical(raw)
}

// request is one with new messages and nothing else.
func (b *costBed) request(thread string, messages ...agui.Message) *state.Request {
	b.runs++
	run := "run" + strconv.Itoa(b.runs)
	agent := b.g.roster.Load().agents["team"]
	r := b.g.newRequest(&agui.RunAgentInput{ThreadID: thread, RunID: run, Messages: messages}, agent, agui.Era1)
	r.Key.Principal, r.Hash = localPrincipal, run
	return r
}

// A way prepares one run on a thread and returns the function to measure.
type way func(b *costBed, thread string) func()

// unread is a run without readers, from its request to the release of its lease.
func unread(b *costBed, thread string) func() {
	message := agui.Message{ID: "new" + strconv.Itoa(b.runs), Role: agui.RoleUser, Content: agui.TextContent("Go on")}
	a := &admission{
		g: b.g, r: b.get(""), agent: b.g.roster.Load().agents["team"], req: b.request(thread, message),
	}
	return func() {
		begun, run, err := a.admit(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if run == nil {
			b.Fatalf("admit() = %s, want a run", begun.Verdict.Meaning)
		}
		<-run.done
		if run.ended == nil || run.ended.Status != state.RunSuccess {
			b.Fatalf("the run ended with %+v", run.ended)
		}
	}
}

func (b *costBed) get(path string) *http.Request {
	return httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/"+strings.TrimPrefix(path, "/"), nil)
}

// read is a run with a caller that sends its new message alone and reads the stream, with the snapshots in it.
func read(b *costBed, thread string) func() { return b.post(thread, `[]`, ``) }

// echoed is a run with a caller that sends the state and every message, and reads the stream.
func echoed(b *costBed, thread string) func() {
	w := httptest.NewRecorder()
	b.g.ServeHTTP(w, b.get("/threads/"+thread))
	var has struct{ State, Messages json.RawMessage }
	switch {
	case w.Code == http.StatusNotFound:
		return read(b, thread)
	case json.Unmarshal(w.Body.Bytes(), &has) != nil:
		b.Fatalf("GET /threads/%s = %d %s", thread, w.Code, w.Body)
	}
	return b.post(thread, string(has.Messages), `,"state":`+string(has.State))
}

// post is a run over HTTP by a caller who knows these messages; more are further members of its request.
func (b *costBed) post(thread, messages, more string) func() {
	b.runs++
	id := strconv.Itoa(b.runs)
	list := strings.TrimPrefix(strings.TrimSuffix(messages, "]")+`,{"id":"new`+id+`","role":"user","content":"Go on"}]`, "[,")
	r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/agents/team", strings.NewReader(
		`{"protocolVersion":"1.0","threadId":"`+thread+`","runId":"run`+id+`","messages":[`+strings.TrimPrefix(list, "[")+more+`}`))
	r.Header.Set("Content-Type", "application/json")
	w := &endWriter{header: http.Header{}}
	return func() {
		b.g.ServeHTTP(w, r)
		if !strings.Contains(string(w.last), `"RUN_FINISHED"`) {
			b.Fatalf("the stream of %d bytes ends with %s", w.bytes, w.last)
		}
	}
}

// An endWriter is a connection with a client that keeps the end of the stream.
type endWriter struct {
	header http.Header
	bytes  int
	last   []byte
}

func (w *endWriter) Header() http.Header { return w.header }
func (w *endWriter) WriteHeader(int)     {}
func (w *endWriter) FlushError() error   { return nil }
func (w *endWriter) Write(p []byte) (int, error) {
	w.bytes += len(p)
	w.last = append(w.last[:0], p[max(0, len(p)-1000):]...)
	return len(p), nil
}

// A cost is what something took of the machine, the Redis server's part included.
type cost struct {
	cpu   time.Duration
	bytes uint64 // allocated here
}

// cost does something and returns what that took.
func (b *costBed) cost(do func()) cost {
	var usage [2]syscall.Rusage
	var memory [2]runtime.MemStats
	var redis time.Duration
	if b.redis != nil {
		redis = -b.redis()
	}
	runtime.ReadMemStats(&memory[0])
	first := syscall.Getrusage(syscall.RUSAGE_SELF, &usage[0])
	do()
	second := syscall.Getrusage(syscall.RUSAGE_SELF, &usage[1])
	runtime.ReadMemStats(&memory[1])
	if err := errors.Join(first, second); err != nil {
		b.Fatal(err)
	}
	if b.redis != nil {
		redis += b.redis()
	}
	cpu := usage[1].Utime.Nano() + usage[1].Stime.Nano() - usage[0].Utime.Nano() - usage[0].Stime.Nano()
	return cost{time.Duration(cpu) + redis, memory[1].TotalAlloc - memory[0].TotalAlloc}
}

// shapes are the long threads.
var shapes = []struct {
	name            string
	messages, state int
}{{"messages=2000", longMessages, 100}, {"state=1MB", 1, largeState}}

// BenchmarkLongThread compares a run on a long thread with one on an empty thread, by turns, so that both are measured
// under the same weather. R6: the one costs at most twice the other; what a reader sends and is sent in full comes on
// top of that.
func BenchmarkLongThread(b *testing.B) {
	for _, store := range []string{"memory", "redis"} {
		for _, shape := range shapes {
			b.Run("store="+store+"/"+shape.name, func(b *testing.B) {
				bed := newCostBed(b, store)
				bed.fill("long", shape.messages, shape.state)
				b.Run("unread", func(b *testing.B) { compare(b, bed, unread) })
				b.Run("read", func(b *testing.B) { compare(b, bed, read) })
				b.Run("echoed", func(b *testing.B) { compare(b, bed, echoed) })
			})
		}
	}
}

// compare measures one way of running on both threads.
func compare(b *testing.B, bed *costBed, w way) {
	var costs [2]cost
	runs := -1.0 // the first one loads scripts and fills pools
	turn := func() {
		for i, thread := range []string{fmt.Sprint("empty", bed.runs), "long"} {
			c := bed.cost(w(bed, thread))
			costs[i].cpu += c.cpu
			costs[i].bytes += c.bytes
		}
		if runs++; runs == 0 {
			costs = [2]cost{}
		}
	}
	turn()
	b.ReportAllocs()
	for b.Loop() {
		turn()
	}
	b.ReportMetric(0, "ns/op") // of both together, which says nothing
	for i, name := range []string{"empty", "long"} {
		b.ReportMetric(float64(costs[i].cpu.Microseconds())/runs, "µs-cpu-"+name)
		b.ReportMetric(float64(costs[i].bytes)/1024/runs, "KB-"+name)
	}
	b.ReportMetric(float64(costs[1].cpu)/float64(costs[0].cpu), "times-cpu")
	b.ReportMetric(float64(costs[1].bytes)/float64(costs[0].bytes), "times-bytes")
}

// TestLongThread holds runs on long threads to at most twice the allocated bytes of runs on empty ones (R6). It is not
// parallel, for what others allocate meanwhile would count. CPU time is what BenchmarkLongThread prints.
func TestLongThread(t *testing.T) {
	for _, store := range []string{"memory", "redis"} {
		for _, shape := range shapes {
			t.Run("store="+store+"/"+shape.name, func(t *testing.T) {
				bed := newCostBed(t, store)
				bed.fill("long", shape.messages, shape.state)
				least := [2]uint64{math.MaxUint64, math.MaxUint64}
				for range 6 {
					for i, thread := range []string{fmt.Sprint("empty", bed.runs), "long"} {
						least[i] = min(least[i], bed.cost(unread(bed, thread)).bytes)
					}
				}
				if least[1] > 2*least[0] {
					t.Errorf("a run allocates %d bytes, one on an empty thread %d", least[1], least[0])
				}
			})
		}
	}
}
