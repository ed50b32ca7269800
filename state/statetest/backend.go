package statetest

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// RunBackend holds the backends that open returns to the promises of [store.Backend], each in a subtest that is named
// as what it promises. [Run] sees what a store does with a backend; where that fails, this says which promise is
// broken. Every test gets a new backend, with LogTTL as above and without a call of Listen, that reads its time from
// the clock, and that is closed by the suite.
func RunBackend(t *testing.T, open func(t *testing.T, clock *Clock) store.Backend) {
	t.Helper()
	for _, p := range slices.Concat(reads, writes, backendLogs, attempts, places, storedBytes) {
		t.Run(p.says, func(t *testing.T) {
			t.Parallel()
			p.test(newBackendWorld(t, open))
		})
	}
}

// A promise is one of a backend's, with what holds a backend to it.
type promise struct {
	says string
	test func(w *backendWorld)
}

// A backendWorld is one backend with what a test needs to talk to it.
type backendWorld struct {
	*testing.T
	b     store.Backend
	clock *Clock
	ids   int

	mu     sync.Mutex
	events []store.Event
}

func newBackendWorld(t *testing.T, open func(t *testing.T, clock *Clock) store.Backend) *backendWorld {
	t.Helper()
	clock := NewClock()
	w := &backendWorld{T: t, b: open(t, clock), clock: clock}
	t.Cleanup(func() {
		if err := w.b.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	w.b.Listen(func(e store.Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.events = append(w.events, e)
	})
	return w
}

// patience is how long a store may take to do what it is waited for.
const patience = 30 * time.Second

// until waits until ok.
func (w *backendWorld) until(what string, ok func() bool) {
	w.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("waited %v until %s", patience, what)
		}
	}
}

func (w *backendWorld) id() string {
	w.ids++
	return "id" + strconv.Itoa(w.ids)
}

// fails holds a call to failing with an error.
func (w *backendWorld) fails(call string, err, want error) {
	w.Helper()
	if !errors.Is(err, want) {
		w.Fatalf("%s = %v, want %v", call, err, want)
	}
}

func (w *backendWorld) works(call string, err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("%s = %v", call, err)
	}
}

// equal fails the test if got and want differ as JSON.
func (w *backendWorld) equal(what string, got, want any) {
	w.Helper()
	(&world{T: w.T}).equal(what, got, want)
}

func (w *backendWorld) read(key state.Key, o store.ReadOptions) *store.Record {
	w.Helper()
	r, err := w.b.Read(w.Context(), key, o)
	w.works("Read()", err)
	return r
}

// beginning returns the write of a run that begins on base, with a user's message.
func (w *backendWorld) beginning(base *store.Record, message string) *store.Write {
	w.Helper()
	r := &state.Request{
		Key: base.Thread.Key, RunID: "run-" + message, Hash: message, Era: agui.Era1,
		Messages: []agui.Message{user(message)}, NewID: w.id,
	}
	fence := max(state.NextFence(base.Thread, base.Now), base.Floor+1)
	v, transition, err := state.Plan(base.Thread, base.Facts, r,
		state.Claim{Attempt: "attempt-" + w.id(), Fence: fence, TTL: leaseTTL}, base.Now)
	if err = errors.Join(err, base.Facts.Err()); err != nil || !v.Meaning.Runs() {
		w.Fatalf("Plan() = %+v, %v, want a run", v, err)
	}
	return w.of(base, &store.Write{Transition: transition, Begins: true})
}

// of completes a write on base.
func (w *backendWorld) of(base *store.Record, write *store.Write) *store.Write {
	write.Base, write.Tag, write.Born = base, "tag-"+w.id(), base.Born
	if !base.Exists() {
		write.Born = strconv.FormatUint(write.Transition.Thread.Fence, 10) + "." + w.id()
	}
	if write.Transition.Thread.Live == nil {
		write.Deadline = write.Transition.Thread.UpdatedAt.Add(ThreadTTL)
	}
	return write
}

func (w *backendWorld) write(write *store.Write) store.Written {
	w.Helper()
	written, err := w.b.Write(w.Context(), write)
	w.works("Write()", err)
	return written
}

// begin begins a run and returns its lease.
func (w *backendWorld) begin(key state.Key, message string) *state.Lease {
	w.Helper()
	write := w.beginning(w.read(key, store.ReadOptions{Messages: []string{message}}), message)
	w.write(write)
	return leaseOf(write)
}

// leaseOf is the lease that the attempt of a write has.
func leaseOf(write *store.Write) *state.Lease {
	t := write.Transition.Thread
	return &state.Lease{Key: t.Key, Attempt: t.Live.Attempt, Fence: t.Live.Fence}
}

// commit is the write of a commit.
func (w *backendWorld) commit(l *state.Lease, c state.Commit) *store.Write {
	w.Helper()
	o := store.ReadOptions{}
	for _, m := range c.Messages {
		o.Messages = append(o.Messages, m.ID)
	}
	base := w.read(l.Key, o)
	transition, err := state.PlanCommit(base.Thread, base.Facts, c, base.Now)
	w.works("PlanCommit()", errors.Join(err, base.Facts.Err()))
	return w.of(base, &store.Write{Transition: transition, Lease: l, After: c.After, Ends: c.End != nil})
}

// end is the commit with which a run ends, with its only frame.
func end(l *state.Lease, messages ...agui.Message) state.Commit {
	return state.Commit{Messages: messages, Frames: frames(l, 1, 1), End: &state.End{Status: state.RunSuccess}}
}

// idle makes a thread on which a run has ended.
func (w *backendWorld) idle(key state.Key, message string) *state.Lease {
	w.Helper()
	l := w.begin(key, message)
	w.write(w.commit(l, end(l)))
	return l
}

// renaming is a write that needs no lease.
func (w *backendWorld) renaming(base *store.Record, title string) *store.Write {
	return w.of(base, &store.Write{Transition: state.PlanRename(base.Thread, title, base.Now)})
}

func (w *backendWorld) append(l *state.Lease, seq, n uint64) {
	w.Helper()
	var after state.FrameID
	if seq > 1 {
		after = state.FrameID{Fence: l.Fence, Seq: seq - 1}
	}
	_, _, err := w.b.Append(w.Context(), l, 0, after, frames(l, seq, n))
	w.works("Append()", err)
}

func (w *backendWorld) update(key state.Key, u store.AttemptUpdate) store.Attempt {
	w.Helper()
	a, err := w.b.UpdateAttempt(w.Context(), key, u)
	w.works("UpdateAttempt()", err)
	return a
}

func (w *backendWorld) queue(key state.Key, u store.QueueUpdate) []string {
	w.Helper()
	t, _, err := w.b.UpdateQueue(w.Context(), key, u)
	w.works("UpdateQueue()", err)
	return ticketsOf(t)
}

func ticketsOf(t *state.Thread) []string {
	ids := []string{}
	for _, ticket := range t.Queue {
		ids = append(ids, ticket.ID)
	}
	return ids
}

// log reads the log behind a frame, page by page, and returns the last page and what all of them have.
func (w *backendWorld) log(key state.Key, after state.FrameID) (page *store.LogPage, ids []state.FrameID) {
	w.Helper()
	for {
		var err error
		page, err = w.b.ReadLog(w.Context(), key, after)
		w.works("ReadLog()", err)
		for _, f := range page.Frames {
			ids = append(ids, f.ID)
		}
		if !page.More {
			return page, ids
		}
		if !after.Less(page.End) {
			w.Fatalf("ReadLog(%s) says that there is more and gets to %s", after, page.End)
		}
		after = page.End
	}
}

// idsFrom are the ids of n frames of a lease, from number seq.
func idsFrom(l *state.Lease, seq, n uint64) []state.FrameID {
	var ids []state.FrameID
	for _, f := range frames(l, seq, n) {
		ids = append(ids, f.ID)
	}
	return ids
}

func (w *backendWorld) messages(key state.Key, rev int64) ([]string, error) {
	list, err := w.b.Messages(w.Context(), key, rev)
	ids := []string{}
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids, err
}

// holds reports whether the log has a frame.
func (w *backendWorld) holds(key state.Key, id state.FrameID) bool {
	w.Helper()
	ok, err := w.b.Holds(w.Context(), key, id)
	w.works("Holds()", err)
	return ok
}

// nothing fails the test if the backend has a thread of key.
func (w *backendWorld) nothing(key state.Key) {
	w.Helper()
	if r := w.read(key, store.ReadOptions{}); r.Exists() || r.Thread.Rev != 0 || r.Thread.Key != key {
		w.Fatalf("Read() of no thread = %+v with tag %q", r.Thread, r.Tag)
	}
	ctx := w.Context()
	for call, do := range map[string]func() error{
		"Holds()":    func() error { _, err := w.b.Holds(ctx, key, state.FrameID{Fence: 1, Seq: 1}); return err },
		"State()":    func() error { _, err := w.b.State(ctx, key, -1); return err },
		"Messages()": func() error { _, err := w.b.Messages(ctx, key, -1); return err },
		"Delete()":   func() error { _, err := w.b.Delete(ctx, key); return err },
		"UpdateQueue()": func() error {
			_, _, err := w.b.UpdateQueue(ctx, key, store.QueueUpdate{Op: store.QueueRenew, Ticket: "t", TTL: leaseTTL})
			return err
		},
		"UpdateAttempt()": func() error {
			_, err := w.b.UpdateAttempt(ctx, key,
				store.AttemptUpdate{Op: store.AttemptSignal, Signal: state.SignalStop})
			return err
		},
	} {
		w.fails(call+" of no thread", do(), state.ErrUnknownThread)
	}
	l := &state.Lease{Key: key, Attempt: "nobody", Fence: 1}
	_, _, err := w.b.Append(ctx, l, 0, state.FrameID{}, frames(l, 1, 1))
	w.fails("Append() to no thread", err, state.ErrLeaseLost)
	_, err = w.b.UpdateAttempt(ctx, key, store.AttemptUpdate{Op: store.AttemptRenew, Lease: l, TTL: leaseTTL})
	w.fails("UpdateAttempt() of no thread with a lease", err, state.ErrLeaseLost)
	if keys := w.found(key); len(keys) > 0 {
		w.Fatalf("Find() = %v, want none", keys)
	}
	if page := w.listed(store.IndexQuery{Principal: key.Principal, Agent: key.Agent, Count: 9}); len(page) > 0 {
		w.Fatalf("Index() = %v, want none", page)
	}
}

func (w *backendWorld) found(key state.Key) []state.Key {
	w.Helper()
	keys, err := w.b.Find(w.Context(), key.Principal, key.ID)
	w.works("Find()", err)
	return keys
}

func (w *backendWorld) listed(q store.IndexQuery) []store.IndexEntry {
	w.Helper()
	list := []store.IndexEntry{}
	for e, err := range w.b.Index(w.Context(), q) {
		w.works("Index()", err)
		list = append(list, e)
	}
	return list
}

func (w *backendWorld) overdue(limit int) []state.Key {
	w.Helper()
	keys, err := w.b.Overdue(w.Context(), limit)
	w.works("Overdue()", err)
	return keys
}

// object is a state.
func object(n int) json.RawMessage { return json.RawMessage(`{"n":` + strconv.Itoa(n) + `}`) }
