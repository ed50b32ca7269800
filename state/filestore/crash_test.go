package filestore_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
)

// A process killed in the middle of a run leaves every acknowledged write, and the run is overdue at once, for any
// length of its lease.
func TestARunOfAProcessThatWasKilledGoesOnAtOnce(t *testing.T) {
	t.Parallel()
	if file := os.Getenv("FILESTORE_TEST_RUN"); file != "" {
		runAndWait(t, file)
	}
	file := path(t)
	killed := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	killed.Env = append(os.Environ(), "FILESTORE_TEST_RUN="+file)
	out, err := killed.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.Contains(lines.Text(), "written"); {
		continue
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed

	s := open(t, file, filestore.Options{})
	overdue, err := s.Overdue(t.Context(), 0)
	if diff := cmp.Diff([]state.Key{key("t1")}, overdue); err != nil || diff != "" {
		t.Fatalf("Overdue() = %v, %v, want the run\n%s", overdue, err, diff)
	}
	b, err := s.Take(t.Context(), key("t1"), state.LeaseOptions{Attempt: "another", TTL: time.Hour})
	if err != nil {
		t.Fatalf("Take() = %v", err)
	}
	live := b.Thread.Live
	if got := fmt.Sprint(live.Intent.Claims[0].ID, string(live.Memo["book"]), live.Stopped, string(b.Thread.Checkpoint)); got != `int-t1"booked"true{"v":1}` {
		t.Errorf("the run goes on with %s, want its answer, its effect, its stop and its checkpoint", got)
	}
	select {
	case word := <-b.Lease.Signals:
		if word != state.SignalStop {
			t.Errorf("the new attempt is told %q, want %q", word, state.SignalStop)
		}
	case <-time.After(30 * time.Second):
		t.Error("the new attempt is not told that somebody asked for its end")
	}
	last := state.FrameID{Fence: b.Thread.Last.Fence, Seq: 5}
	if held, err := s.Holds(t.Context(), key("t1"), last); err != nil || !held || b.Thread.Last != last {
		t.Errorf("the log ends with %v and has %v: %v, %v", b.Thread.Last, last, held, err)
	}
	commit(t, s, b.Lease, state.Commit{End: &state.End{Status: state.RunSuccess}})
	if overdue, err := s.Overdue(t.Context(), 0); err != nil || len(overdue) > 0 {
		t.Errorf("Overdue() = %v, %v, want nothing", overdue, err)
	}
}

// runAndWait answers a question, begins the turn that follows, and waits to be killed.
func runAndWait(t *testing.T, file string) {
	s := open(t, file, filestore.Options{})
	ask(t, s, begin(t, s, "t1", "u1"), "which one?")
	b, err := s.Begin(t.Context(), &state.Request{
		Key: key("t1"), RunID: "r2", Hash: "r2", Era: agui.Era1,
		Answers: []state.Answer{{ID: "int-t1", Status: agui.ResumeResolved, Payload: json.RawMessage(`1`)}},
	}, state.LeaseOptions{Attempt: "attempt-2", TTL: time.Hour})
	if err != nil || b.Lease == nil {
		t.Fatalf("Begin() = %+v, %v", b, err)
	}
	if err := s.Append(t.Context(), b.Lease, state.FrameID{}, frames(b.Lease, 1, 5)); err != nil {
		t.Fatalf("Append() = %v", err)
	}
	if err := s.Once(t.Context(), b.Lease, "book", json.RawMessage(`"booked"`)); err != nil {
		t.Fatalf("Once() = %v", err)
	}
	if live, err := s.Signal(t.Context(), key("t1"), 0, state.SignalStop); err != nil || !live {
		t.Fatalf("Signal() = %v, %v", live, err)
	}
	fmt.Println("written")
	time.Sleep(time.Hour)
}
