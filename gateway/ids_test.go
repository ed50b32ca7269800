package gateway_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// A client may use one id for all of its runs, on one thread and on several: each is a separate run with that id.
func TestARunIDIsTheClientsWord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	live := w.open(http.MethodPost, "/agents/slow", input("busy", "same", []string{"u1:Hi"}))
	live.until(agui.TypeCustom) // it waits, and is no obstacle to the others
	for i, thread := range []string{"t1", "t2", "t1", "t1"} {
		messages := []string{"u1:Hi", "u2:Again", "u3:Still there?"}
		last := messages[max(i-1, 0)]
		r := w.post("echo", input(thread, "same", []string{last}))
		if started := r.events[0].(*agui.RunStarted); started.ThreadID != thread || started.RunID != "same" {
			t.Errorf("run %d begins as %s of %s", i, started.RunID, started.ThreadID)
		}
		if f := r.finished(); f.ThreadID != thread || f.RunID != "same" {
			t.Errorf("run %d ends as %s of %s", i, f.RunID, f.ThreadID)
		}
		if got, want := r.text(), "You said: "+last[3:]; got != want {
			t.Errorf("run %d says %q, want %q", i, got, want)
		}
	}
	if d := w.shows("t1"); len(d.Runs) != 3 || string(d.State) != `{"turns":3}` {
		t.Errorf("the thread has %d runs and the state %s, want 3 runs", len(d.Runs), d.State)
	}
	w.release()
	live.rest()
	if live.finished().RunID != "same" {
		t.Error("the live run ends under another id")
	}
}

// The ids that were streamed are those of every snapshot after it: the one at the end of the run, and a late reader's.
func TestSnapshotsRepeatTheIDsThatWereStreamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.post("echo", input("t", "r", []string{"u1:Hi"}))
	streamed := []string{"u1"}
	for _, e := range r.events {
		if start, ok := e.(*agui.TextMessageStart); ok {
			streamed = append(streamed, start.MessageID)
		}
	}
	if len(streamed) != 2 {
		t.Fatalf("streamed %v, want an answer", streamed)
	}
	late := w.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	late.rest()
	for name, events := range map[string][]agui.Event{"the run's": r.events, "a late reader's": late.events} {
		var snapshot *agui.MessagesSnapshot
		for _, e := range events {
			if s, ok := e.(*agui.MessagesSnapshot); ok {
				snapshot = s
			}
		}
		if snapshot == nil {
			t.Fatalf("%s stream has no snapshot of messages", name)
		}
		ids := make([]string, 0, len(snapshot.Messages))
		for _, m := range snapshot.Messages {
			ids = append(ids, m.ID)
		}
		if !slices.Equal(ids, streamed) {
			t.Errorf("%s snapshot has %v, streamed were %v", name, ids, streamed)
		}
	}
}
