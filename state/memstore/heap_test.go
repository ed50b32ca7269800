package memstore

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// inUse is how many bytes are in use.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // what finalizers held on to
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestTheBooksAreAboutTheHeap compares what the store says it takes with what it takes. It cannot run beside other
// tests.
//
//nolint:paralleltest // others would take from the same heap
func TestTheBooksAreAboutTheHeap(t *testing.T) {
	for _, test := range []struct {
		name            string
		threads, runs   int
		message, frames int // bytes of a message, frames of a run
		question        bool
	}{
		{"large messages", 3, 1, 5_900_000, 1, false},
		{"chats", 100, 3, 200, 200, false},
		{"many small threads", 1500, 1, 40, 3, false},
		{"questions", 400, 1, 100, 20, true},
		{"long threads", 4, 100, 3000, 10, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := inUse()
			b := newBackend(Options{})
			s := store.New(b, store.Options{})
			for i := range test.threads {
				key := state.Key{Principal: "local", Agent: "travel", ID: fmt.Sprintf("thread-%d", i)}
				for n := range test.runs {
					converse(t, s, key, n, test.message, test.frames, test.question)
				}
			}
			took, said := inUse()-before, b.books.Total()
			t.Logf("the heap grew by %.1f MiB, the books say %.1f MiB: %.2f", float64(took)/(1<<20), float64(said)/(1<<20), float64(said)/float64(took))
			if said < took*8/10 || said > took*13/10 {
				t.Errorf("the books say %d bytes, the heap grew by %d", said, took)
			}
			runtime.KeepAlive(s)
		})
	}
}

// converse makes one run with a message of the user and one of the agent.
func converse(t *testing.T, s state.Store, key state.Key, n, size, frames int, question bool) {
	t.Helper()
	ctx, id := t.Context(), fmt.Sprintf("%s-u%d", key.ID, n)
	body, err := json.Marshal(map[string]string{"id": id, "role": "user", "content": strings.Repeat("x", size)})
	if err != nil {
		t.Fatal(err)
	}
	var m agui.Message // as a request brings it
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatal(err)
	}
	r := &state.Request{Key: key, RunID: "run", Hash: id, Era: agui.Era1, Messages: []agui.Message{m}}
	begun, err := s.Begin(ctx, r, state.LeaseOptions{Attempt: id, TTL: time.Minute})
	if err != nil || begun.Lease == nil {
		t.Fatalf("Begin() = %+v, %v", begun, err)
	}
	l := begun.Lease
	for i := range frames {
		f := state.Frame{ID: state.FrameID{Fence: l.Fence, Seq: uint64(i + 1)}, Type: agui.TypeTextMessageContent}
		f.Data = fmt.Appendf(nil, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"%s-a%d","delta":"word %d"}`, key.ID, n, i)
		if err := s.Append(ctx, l, state.FrameID{}, []state.Frame{f}); err != nil {
			t.Fatal(err)
		}
	}
	c := state.Commit{
		State:    fmt.Appendf(nil, `{"n":%d,"text":%q}`, n, strings.Repeat("y", 300)),
		Messages: []agui.Message{{ID: fmt.Sprintf("%s-a%d", key.ID, n), Role: agui.RoleAssistant, Content: agui.TextContent(strings.Repeat("z", 400))}},
		End:      &state.End{Status: state.RunSuccess},
	}
	if question {
		c.Checkpoint, c.End.Status = json.RawMessage(`{"turns":[{"agent":"flights"}]}`), state.RunInterrupt
		c.Tokens = []state.Token{{Interrupt: agui.Interrupt{
			ID: "int_" + id, Reason: "input_required", Message: "Which flight?", ResponseSchema: json.RawMessage(`{"type":"object"}`),
		}, Status: state.TokenOpen}}
	}
	if _, err := s.Commit(ctx, l, c); err != nil {
		t.Fatal(err)
	}
}
