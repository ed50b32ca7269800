package statetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/store"
)

// A Candidate is a store that [RunHistories] compares with others.
type Candidate struct {
	Name string
	// Open opens an empty store that reads its time from the clock. RunHistories closes it.
	Open func(clock *Clock) (state.Store, error)
}

// RunHistories plays random histories of calls on all candidates at once. After each call it compares the result, and
// all that callers can read of the threads. On a difference it reports the seed and the shortest history that shows it.
// The flags of rapid select the seed, the number of histories and their length.
func RunHistories(t *testing.T, candidates ...Candidate) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		h := newHistory(t.Context(), rt, candidates)
		defer h.close()
		rt.Repeat(h.calls())
	})
}

// A history is a sequence of calls that several stores get.
type history struct {
	*rapid.T
	ctx     context.Context
	clock   *Clock
	names   []string
	stores  []state.Store
	number  int // of the call; ids are made of it
	calling bool
	threads []*subject
	patches []string // ids of patches
}

// A subject is a thread of a history, with the values that later calls name.
type subject struct {
	key      state.Key
	ids      []string // of messages
	tokens   []string
	frames   []state.FrameID
	leases   []*holding
	requests []*state.Request
	tickets  []string
}

// A holding is a lease of each store, for the same attempt.
type holding struct {
	attempt  string
	leases   []*state.Lease
	last     state.FrameID // the newest frame that was appended
	rev      int64         // the revision that markers name
	commits  int
	released bool
}

func newHistory(ctx context.Context, rt *rapid.T, candidates []Candidate) *history {
	h := &history{T: rt, ctx: ctx, clock: NewClock()}
	for _, c := range candidates {
		s, err := c.Open(h.clock)
		if err != nil {
			rt.Fatalf("%s: Open() = %v", c.Name, err)
		}
		h.names, h.stores = append(h.names, c.Name), append(h.stores, s)
	}
	for _, id := range []string{"t1", "t2"} {
		h.threads = append(h.threads, &subject{key: state.Key{Principal: "local", Agent: "travel", ID: id}})
	}
	h.threads = append(h.threads, &subject{key: state.Key{Principal: "local", Agent: "hotel", ID: "t1"}})
	return h
}

func (h *history) close() {
	for i, s := range h.stores {
		if err := s.Close(); err != nil {
			h.Errorf("%s: Close() = %v", h.names[i], err)
		}
	}
}

// step begins a call. Its moment is unique, so fences are the same in all stores.
func (h *history) step() {
	h.number++
	h.clock.Move(time.Second)
}

// id returns an id that is unique in the history and the same in all stores.
func (h *history) id(prefix string) string { return fmt.Sprintf("%s%d", prefix, h.number) }

// same makes a call of each store, and fails where the results differ. It returns the result of the first.
func same[T any](h *history, call string, do func(s state.Store, i int) (T, error)) (T, error) {
	h.Helper()
	var first T
	var failed error
	var want string
	for i, s := range h.stores {
		v, err := do(s, i)
		got := encoded(v) + " " + failureOf(err)
		if i == 0 {
			first, failed, want = v, err, got
			if h.calling {
				h.Logf("call %d: %s = %.160s", h.number, call, strings.TrimPrefix(got, "null "))
			}
			continue
		}
		if got != want {
			at := differsAt(want, got)
			h.Fatalf("call %d, %s differs at byte %d:\n%s: …%s\n%s: …%s", h.number, call, at, h.names[0],
				excerpt(want, at), h.names[i], excerpt(got, at))
		}
	}
	return first, failed
}

// does is same for a call that returns only an error.
func (h *history) does(call string, do func(s state.Store, i int) error) error {
	h.Helper()
	_, err := same(h, call, func(s state.Store, i int) (any, error) { return nil, do(s, i) })
	return err
}

func encoded(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func differsAt(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func excerpt(text string, at int) string {
	const before, behind = 120, 400
	return text[max(0, at-before):min(len(text), at+behind)]
}

// failures are the errors that callers tell apart.
var failures = []error{
	state.ErrUnknownThread, state.ErrLeaseLost, state.ErrDamaged, state.ErrRevision, state.ErrGap, state.ErrTrimmed,
	state.ErrUnknownMessage,
	state.ErrThreadExists, state.ErrStored, state.ErrFull, state.ErrCursor, state.ErrUnknownApproval, store.ErrConflict,
	document.ErrTooLarge,
	context.DeadlineExceeded,
}

// failureOf returns the text by which an error is compared.
func failureOf(err error) string {
	for _, known := range failures {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if err != nil && !strings.HasPrefix(err.Error(), "state: ") {
		return "unexpected: " + err.Error()
	}
	return fmt.Sprint(err)
}

// A view is what callers can read of a thread.
type view struct {
	Thread     *state.Thread
	Interrupts []agui.Interrupt
	State      json.RawMessage
	Messages   []agui.Message
	Answered   []state.AnsweredToken
	Runs       []state.Run
	Approvals  []state.Approval
	Log        []state.Frame
	Trimmed    bool
	Past       map[int64]string // by revision that a frame of the log names
	Holds      map[string]bool
}

// check compares all that can be read.
func (h *history) check(*rapid.T) {
	h.calling = false
	defer func() { h.calling = true }()
	for _, t := range h.threads {
		v, err := same(h, "reading "+t.String(), func(s state.Store, _ int) (*view, error) { return h.read(s, t) })
		if err != nil || v == nil {
			continue
		}
		for _, f := range v.Log {
			if n := len(t.frames); n == 0 || t.frames[n-1].Less(f.ID) {
				t.frames = append(t.frames, f.ID)
			}
		}
		for _, m := range v.Messages {
			t.learn(m.ID)
		}
	}
	for _, q := range []state.Query{
		{Principal: "local", Limit: 2}, {Principal: "local", Status: state.StatusInterrupted},
		{Principal: "local", Agent: "hotel"}, {Principal: "local", Text: "SAY"},
	} {
		_, _ = same(h, "List()", func(s state.Store, _ int) ([]state.Summary, error) { return h.list(s, q) })
	}
	_, _ = same(h, "Find()", func(s state.Store, _ int) ([]state.Key, error) { return s.Find(h.ctx, "local", "t1") })
	_, _ = same(h, "Approvals() of the principal", func(s state.Store, _ int) ([]state.Approval, error) {
		list, err := s.Approvals(h.ctx, state.ApprovalsKey("local"))
		return append([]state.Approval{}, list...), err
	})
}

func (t *subject) String() string { return t.key.Agent + "/" + t.key.ID }

// learn notes the id of a message.
func (t *subject) learn(id string) {
	for _, known := range t.ids {
		if known == id {
			return
		}
	}
	t.ids = append(t.ids, id)
}

// read reads all of a thread.
func (h *history) read(s state.Store, t *subject) (*view, error) {
	snapshot, err := s.Snapshot(h.ctx, t.key)
	if err != nil {
		return nil, err
	}
	v := &view{
		Thread: snapshot.Thread, Interrupts: snapshot.Interrupts, State: snapshot.State, Answered: snapshot.Answered,
		Runs: snapshot.Runs,
		Past: map[int64]string{}, Holds: map[string]bool{},
	}
	if v.Messages, err = snapshot.Messages.Messages(); err != nil {
		return nil, err
	}
	approvals, err := s.Approvals(h.ctx, t.key)
	if err != nil {
		return nil, err
	}
	v.Approvals = append([]state.Approval{}, approvals...)
	for _, id := range t.frames {
		if v.Holds[id.String()], err = s.Holds(h.ctx, t.key, id); err != nil {
			return nil, err
		}
	}
	if v.Log, err = h.log(s, t.key, v.Thread.Last); err != nil {
		return nil, err
	}
	for _, f := range v.Log {
		if f.Rev != 0 {
			v.Past[f.Rev] = h.past(s, t.key, f.Rev)
		}
	}
	return v, nil
}

// past returns the state and the messages at a revision as text.
func (h *history) past(s state.Store, key state.Key, rev int64) string {
	state, err := s.State(h.ctx, key, rev)
	list, err2 := s.Messages(h.ctx, key, rev)
	return fmt.Sprintf("%s %s %s %s", state, failureOf(err), list.JSON(), failureOf(err2))
}

// log reads the log up to its newest frame, if that is kept.
func (h *history) log(s state.Store, key state.Key, last state.FrameID) ([]state.Frame, error) {
	if last.IsZero() {
		return nil, nil
	}
	if kept, err := s.Holds(h.ctx, key, last); err != nil || !kept {
		return nil, err
	}
	return h.tail(s, key, state.FrameID{}, last)
}

// tail reads a log behind a frame, up to the frame last or to an error.
func (h *history) tail(s state.Store, key state.Key, after, last state.FrameID) (list []state.Frame, err error) {
	ctx, cancel := context.WithTimeout(h.ctx, patience)
	defer cancel()
	for batch, err := range s.Tail(ctx, key, after) {
		list = append(list, batch...)
		if n := len(list); err != nil || n > 0 && !list[n-1].ID.Less(last) {
			return list, err
		}
	}
	return list, ctx.Err()
}

// list reads all pages of a listing, and sorts them: a store may list a thread once more at its place before the last
// commit.
func (h *history) list(s state.Store, q state.Query) ([]state.Summary, error) {
	var all []state.Summary
	for {
		page, err := s.List(h.ctx, q)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Threads...)
		if q.Cursor = page.Next; q.Cursor == "" {
			slices.SortFunc(all,
				func(a, b state.Summary) int { return strings.Compare(a.Key.Digest(), b.Key.Digest()) })
			return all, nil
		}
	}
}
