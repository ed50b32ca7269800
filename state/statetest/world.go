package statetest

import (
	"context"
	"encoding/json"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// leaseTTL is how long leases last in the suite.
const leaseTTL = 10 * time.Second

// day is what a thread outlives its last open question by.
const day = 24 * time.Hour

var key = state.Key{Principal: "local", Agent: "travel", ID: "t1"}

// A world is one store with what a test needs to talk to it.
type world struct {
	*testing.T
	store *Faulty
	clock *Clock
	ids   atomic.Int64
}

func (w *world) id() string { return "id" + strconv.FormatInt(w.ids.Add(1), 10) }

func user(id string) agui.Message {
	return agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent("say " + id)}
}

func assistant(id string) agui.Message {
	return agui.Message{ID: id, Role: agui.RoleAssistant, Content: agui.TextContent("said " + id)}
}

func result(id, call, text string) agui.Message {
	return agui.Message{ID: id, Role: agui.RoleTool, ToolCallID: call, Content: agui.TextContent(text)}
}

// request is one that ends with the given messages.
func (w *world) request(messages ...agui.Message) *state.Request {
	n := w.id()
	return &state.Request{Key: key, RunID: "run-" + n, Hash: n, Era: agui.Era1, Messages: messages, NewID: w.id}
}

func (w *world) resume(answers ...state.Answer) *state.Request {
	r := w.request()
	r.Answers = answers
	return r
}

// types is a request with a new message behind the newest one, which may be tried as an answer.
func (w *world) types(text string) *state.Request {
	r := w.request(user(w.load().LastMessage), user("typed-"+w.id()))
	r.Messages[1].Content = agui.TextContent(text)
	r.TypedAnswers = true
	return r
}

func resolved(id, payload string) state.Answer {
	return state.Answer{ID: id, Status: agui.ResumeResolved, Payload: json.RawMessage(payload)}
}

func (w *world) lease() state.LeaseOptions {
	return state.LeaseOptions{Attempt: "attempt-" + w.id(), TTL: leaseTTL}
}

// begin asks the store what r means.
func (w *world) begin(r *state.Request) *state.Begun {
	w.Helper()
	b, err := w.store.Begin(w.Context(), r, w.lease())
	if err != nil {
		w.Fatalf("Begin() = %v", err)
	}
	return b
}

// means begins r and holds the store to a meaning.
func (w *world) means(r *state.Request, want state.Meaning, row int) *state.Begun {
	w.Helper()
	b := w.begin(r)
	if b.Verdict.Meaning != want || b.Verdict.Row != row {
		w.Fatalf("Begin() = %s by row %d (%s), want %s by row %d", b.Verdict.Meaning, b.Verdict.Row, b.Verdict.Code,
			want, row)
	}
	if (b.Lease != nil) != want.Runs() {
		w.Fatalf("Begin() of a %s has lease %v", want, b.Lease)
	}
	return b
}

// start runs a new turn for a user message.
func (w *world) start(id string) *state.Lease {
	w.Helper()
	b := w.begin(w.request(user(id)))
	if !b.Verdict.Meaning.Runs() {
		w.Fatalf("Begin() = %s, want a run", b.Verdict.Meaning)
	}
	return b.Lease
}

// frames are n frames of a lease's log, from number seq.
func frames(l *state.Lease, seq, n uint64) []state.Frame {
	list := make([]state.Frame, n)
	for i := range list {
		s := seq + uint64(i)
		list[i] = state.Frame{
			ID: state.FrameID{Fence: l.Fence, Seq: s}, Type: agui.TypeCustom,
			Data: json.RawMessage(`{"type":"CUSTOM","name":"n","value":` + strconv.FormatUint(s, 10) + `}`),
		}
	}
	return list
}

func (w *world) append(l *state.Lease, seq, n uint64) {
	w.Helper()
	var after state.FrameID
	if seq > 1 {
		after = state.FrameID{Fence: l.Fence, Seq: seq - 1}
	}
	if err := w.store.Append(w.Context(), l, after, frames(l, seq, n)); err != nil {
		w.Fatalf("Append() = %v", err)
	}
}

func (w *world) commit(l *state.Lease, c state.Commit) *state.Thread {
	w.Helper()
	t, err := w.store.Commit(w.Context(), l, c)
	if err != nil {
		w.Fatalf("Commit() = %v", err)
	}
	return t
}

// succeed ends the run of l with a last frame, and messages said.
func (w *world) succeed(l *state.Lease, seq uint64, messages ...agui.Message) *state.Thread {
	w.Helper()
	return w.commit(l,
		state.Commit{Messages: messages, Frames: frames(l, seq, 1), End: &state.End{Status: state.RunSuccess}})
}

// ask ends the run of l with open questions.
func (w *world) ask(l *state.Lease, ids ...string) *state.Thread {
	w.Helper()
	c := state.Commit{Checkpoint: json.RawMessage(`{"v":1}`), Frames: frames(l, 1, 1),
		End: &state.End{Status: state.RunInterrupt}}
	for _, id := range ids {
		c.Tokens = append(c.Tokens, w.token(id, 24*time.Hour))
	}
	return w.commit(l, c)
}

func (w *world) token(id string, ttl time.Duration) state.Token {
	return state.Token{Interrupt: agui.Interrupt{ID: id, Reason: "input_required"}, ExpiresAt: w.clock.Now().Add(ttl),
		Status: state.TokenOpen}
}

func (w *world) load() *state.Thread {
	w.Helper()
	t, _, err := w.store.Load(w.Context(), key)
	if err != nil {
		w.Fatalf("Load() = %v", err)
	}
	return t
}

func (w *world) snapshot(key state.Key) *state.Snapshot {
	w.Helper()
	s, err := w.store.Snapshot(w.Context(), key)
	if err != nil {
		w.Fatalf("Snapshot() = %v", err)
	}
	return s
}

// state is the state at a revision.
func (w *world) state(rev int64) json.RawMessage {
	w.Helper()
	s, err := w.store.State(w.Context(), key, rev)
	if err != nil {
		w.Fatalf("State() = %v", err)
	}
	return s
}

// messages are the ids of the conversation at a revision.
func (w *world) messages(rev int64) []string {
	w.Helper()
	list, err := w.store.Messages(w.Context(), key, rev)
	if err != nil {
		w.Fatalf("Messages() = %v", err)
	}
	ids := []string{}
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

// take lets the lease of the live run run out and gives the run to another attempt.
func (w *world) take() *state.Lease {
	w.Helper()
	w.clock.Move(2 * leaseTTL)
	b, err := w.store.Take(w.Context(), key, w.lease())
	if err != nil {
		w.Fatalf("Take() = %v", err)
	}
	return b.Lease
}

// nextSignal returns the next signal of an attempt.
func (w *world) nextSignal(l *state.Lease) state.Signal {
	w.Helper()
	select {
	case s := <-l.Signals:
		return s
	case <-time.After(patience):
		w.Fatal("the attempt is told nothing")
		return ""
	}
}

// tail reads n frames behind after.
func (w *world) tail(after state.FrameID, n int) []state.FrameID {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	var ids []state.FrameID
	for batch, err := range w.store.Tail(ctx, key, after) {
		if err != nil {
			w.Fatalf("Tail() = %v", err)
		}
		for _, f := range batch {
			ids = append(ids, f.ID)
		}
		if len(ids) >= n {
			break
		}
	}
	return ids
}

func (w *world) equal(what string, got, want any) {
	w.Helper()
	g, err := json.Marshal(got)
	if err != nil {
		w.Fatal(err)
	}
	e, err := json.Marshal(want)
	if err != nil {
		w.Fatal(err)
	}
	if string(g) != string(e) {
		w.Fatalf("%s = %s, want %s", what, g, e)
	}
}
