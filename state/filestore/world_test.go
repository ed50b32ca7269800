package filestore_test

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
)

// path is where a test has its file.
func path(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "threads.db")
}

// open opens the store of a file; the test closes it, or its end does.
func open(t testing.TB, path string, o filestore.Options) state.Store {
	t.Helper()
	o.Logger = slog.New(slog.DiscardHandler)
	s, err := filestore.Open(path, o)
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func closeStore(t testing.TB, s state.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
}

func key(id string) state.Key { return state.Key{Principal: "local", Agent: "travel", ID: id} }

// begin begins a run on a thread.
func begin(t testing.TB, s state.Store, id, message string) *state.Lease {
	t.Helper()
	b, err := s.Begin(t.Context(), &state.Request{
		Key: key(id), RunID: "run-" + message, Hash: message, Era: agui.Era1,
		Messages: []agui.Message{{ID: message, Role: agui.RoleUser, Content: agui.TextContent("say " + message)}},
	}, state.LeaseOptions{Attempt: "attempt-" + id + message, TTL: time.Hour})
	if err != nil || b.Lease == nil {
		t.Fatalf("Begin() = %+v, %v, want a run", b, err)
	}
	return b.Lease
}

// frames are n frames of a lease's log, from number seq.
func frames(l *state.Lease, seq uint64, n int) []state.Frame {
	list := make([]state.Frame, n)
	for i := range list {
		list[i] = state.Frame{
			ID: state.FrameID{Fence: l.Fence, Seq: seq + uint64(i)}, Type: agui.TypeCustom,
			Data: json.RawMessage(`{"type":"CUSTOM","name":"n","value":` + strconv.Itoa(i) + `}`),
		}
	}
	return list
}

// ask ends a run with a question, something said and a state.
func ask(t testing.TB, s state.Store, l *state.Lease, text string) {
	t.Helper()
	commit(t, s, l, state.Commit{
		State: json.RawMessage(`{"said":` + strconv.Quote(text) + `}`), Checkpoint: json.RawMessage(`{"v":1}`), Frames: frames(l, 101, 3),
		Messages: []agui.Message{{ID: "said " + text, Role: agui.RoleAssistant, Content: agui.TextContent(text)}},
		Tokens:   []state.Token{{Interrupt: agui.Interrupt{ID: "int-" + l.Key.ID, Reason: "input_required"}, Status: state.TokenOpen}},
		End:      &state.End{Status: state.RunInterrupt},
	})
}

func commit(t testing.TB, s state.Store, l *state.Lease, c state.Commit) {
	t.Helper()
	if _, err := s.Commit(t.Context(), l, c); err != nil {
		t.Fatalf("Commit() = %v", err)
	}
}

// contents is all that can be read of the principal's threads, as JSON.
func contents(t testing.TB, s state.Store) (string, error) {
	t.Helper()
	page, err := s.List(t.Context(), state.Query{Principal: "local", Limit: 1000})
	if err != nil {
		return "", err
	}
	var all []any
	for _, summary := range page.Threads {
		thread, err := threadContents(t, s, summary.Key)
		if err != nil {
			return "", err
		}
		all = append(all, summary, thread)
	}
	text, err := json.Marshal(all)
	return string(text), err
}

// threadContents is all that can be read of a thread, but for what ends with the process that has the file.
func threadContents(t testing.TB, s state.Store, key state.Key) ([]any, error) {
	t.Helper()
	snapshot, err := s.Snapshot(t.Context(), key)
	if err != nil {
		return nil, err
	}
	list, err := snapshot.Messages.Messages()
	if err != nil {
		return nil, err
	}
	log, err := logUpTo(t, s, key, snapshot.Thread.Last)
	if err != nil {
		return nil, err
	}
	if live := snapshot.Thread.Live; live != nil {
		live.Attempt, live.Until, live.ReadUntil = "", time.Time{}, time.Time{}
	}
	return []any{snapshot.Thread, snapshot.Interrupts, snapshot.State, list, snapshot.Runs, log}, nil
}

// logUpTo is the log of a thread up to its last frame, nothing if the log does not have that one.
func logUpTo(t testing.TB, s state.Store, key state.Key, last state.FrameID) (log []state.Frame, err error) {
	t.Helper()
	if held, err := s.Holds(t.Context(), key, last); err != nil || !held {
		return nil, err
	}
	for batch, err := range s.Tail(t.Context(), key, state.FrameID{}) {
		if err != nil {
			return nil, err
		}
		if log = append(log, batch...); log[len(log)-1].ID == last {
			break
		}
	}
	return log, nil
}

// filled is a file with some threads: with questions, cut conversations, replaced states and a live run.
func filled(t testing.TB) string {
	t.Helper()
	file := path(t)
	fill(t, file, 12)
	return file
}

// fill makes such a file of some threads.
func fill(t testing.TB, file string, threads int) {
	t.Helper()
	s := open(t, file, filestore.Options{})
	for i := range threads {
		id := "t" + strconv.Itoa(i)
		commit(t, s, begin(t, s, id, "u1"), state.Commit{
			State: json.RawMessage(`{"said":[]}`), Messages: []agui.Message{{ID: "a", Role: agui.RoleAssistant, Content: agui.TextContent("first answer")}},
			End: &state.End{Status: state.RunSuccess},
		})
		l := begin(t, s, id, "u2")
		if err := s.Append(t.Context(), l, state.FrameID{}, frames(l, 1, 40)); err != nil {
			t.Fatalf("Append() = %v", err)
		}
		if i > 0 {
			ask(t, s, l, "another answer")
		}
	}
	closeStore(t, s)
}
