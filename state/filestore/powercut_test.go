//go:build linux

package filestore_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/filestore"
)

// A power cut may take from a disk any part of the data that no fsync has made lasting. So a process works on a
// file under strace, which writes down its system calls. From these the test puts disks together as a power cut may
// leave them, before the end of each fsync and before each acknowledgment. On each of them the store has to open,
// with each thread as it was last acknowledged or as the step after that made it, and nothing in between.
func TestAPowerCutTakesNothingThatSomebodyWasTold(t *testing.T) {
	t.Parallel()
	if folder := os.Getenv("FILESTORE_TEST_POWER"); folder != "" {
		workAndTell(t, folder)
		return
	}
	folder, trace := t.TempDir(), filepath.Join(t.TempDir(), "trace")
	told := filepath.Join(folder, "told")
	work := exec.CommandContext(t.Context(), "strace", "-f", "--seccomp-bpf", "-qq", "-y", "-xx", "-s", "16000000", "-o", trace,
		"-e", "trace=openat,mkdirat,linkat,renameat,renameat2,unlinkat,ftruncate,pwrite64,write,fsync,fdatasync",
		os.Args[0], "-test.run=^"+t.Name()+"$")
	work.Env = append(os.Environ(), "FILESTORE_TEST_POWER="+folder)
	if out, err := work.CombinedOutput(); err != nil {
		t.Fatalf("strace (a Debian package) and the test under it: %v\n%s", err, out)
	}
	list := readTold(t, told)
	images, lost := cutPower(t, newDisk(folder, told), trace, list)
	t.Logf("%d disks after a power cut, of %d steps", images, len(list))
	if lost != nil {
		t.Error(lost)
	}
	forgetful := newDisk(folder, told)
	forgetful.forgets = true
	if images, lost := cutPower(t, forgetful, trace, list); lost == nil {
		t.Errorf("nothing was missed on %d disks that do not do what fsync asks for", images)
	}
}

// A promise is the acknowledged content of a thread.
type promise struct{ Thread, Contents string }

func readTold(t *testing.T, file string) []promise {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []promise
	for line := range bytes.Lines(data) {
		var p promise
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// cutPower puts the disks together that a power cut may leave during a trace, and stops at the first that lacks
// something.
func cutPower(t *testing.T, d *disk, trace string, list []promise) (images int, lost error) {
	t.Helper()
	file, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	random := rand.New(rand.NewPCG(1, 2))
	err = d.replay(file, func() error {
		if !d.open() {
			return nil
		}
		first := random.IntN(20)
		part := func() bool { first--; return first >= 0 } // the first writes
		if images%4 > 0 {
			part = func() bool { return random.IntN(2+images%7) > 0 } // from half of the writes to most of them
		}
		nothing := func() bool { return false }
		for _, keep := range []func() bool{nothing, part} {
			folder := t.TempDir()
			if err := d.writeTo(folder, keep); err != nil {
				return err
			}
			images++
			if lost = kept(t, filepath.Join(folder, "data", "threads.db"), list, d.lines); lost != nil {
				return lost
			}
			if err := os.RemoveAll(folder); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && lost == nil {
		t.Fatal(err)
	}
	return images, lost
}

// kept checks that a store has each thread as the last of the first n promises says, or the one that follows it.
func kept(t *testing.T, file string, list []promise, n int) error {
	t.Helper()
	s, err := filestore.Open(file, filestore.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("after %d promises: %w", n, err)
	}
	defer s.Close()
	was, next := map[string]string{}, map[string]string{}
	for _, p := range list[n:] {
		if _, ok := next[p.Thread]; !ok {
			next[p.Thread] = p.Contents
		}
	}
	for _, p := range list[:n] {
		was[p.Thread] = p.Contents
	}
	for _, id := range []string{"t0", "t1", "t2", "later"} {
		got, err := threadText(t, s, id)
		if err != nil {
			return fmt.Errorf("after %d promises: %s: %w", n, id, err)
		}
		if following, ok := next[id]; got != was[id] && (!ok || got != following) {
			return fmt.Errorf("after %d promises: %s is %s, want\n%s or\n%s", n, id, got, was[id], following)
		}
	}
	return nil
}

// threadText is all that can be read of a thread, but for what ends with the process that has the file; empty if
// there is none.
func threadText(t *testing.T, s state.Store, id string) (string, error) {
	t.Helper()
	all, err := threadContents(t, s, key(id))
	if errors.Is(err, state.ErrUnknownThread) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	text, err := json.Marshal(all)
	return string(text), err
}

// workAndTell does what a gateway does, several threads at a time, and tells of each step.
func workAndTell(t *testing.T, folder string) {
	told, err := os.Create(filepath.Join(folder, "told"))
	if err != nil {
		t.Fatal(err)
	}
	defer told.Close()
	var mu sync.Mutex
	tell := func(t *testing.T, s state.Store, id string) {
		t.Helper()
		text, err := threadText(t, s, id)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		line, err := json.Marshal(promise{id, text})
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if _, err := told.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
	}
	file, o := filepath.Join(folder, "data", "threads.db"), filestore.Options{LogTTL: 1000 * time.Hour, ThreadTTL: 1000 * time.Hour}
	s := open(t, file, o)
	t.Run("at once", func(t *testing.T) {
		for i := range 3 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				live(t, s, fmt.Sprint("t", i), func(id string) { tell(t, s, id) })
			})
		}
	})
	l := begin(t, s, "deleted", "u1")
	long := frames(l, 1, 1)
	long[0].Data = json.RawMessage(`"` + strings.Repeat("long ", 300_000) + `"`)
	commit(t, s, l, state.Commit{Frames: long, End: &state.End{Status: state.RunSuccess}})
	if err := s.Delete(t.Context(), key("deleted")); err != nil {
		t.Fatalf("Delete() = %v", err)
	}
	closeStore(t, s)
	// The log of the deleted thread is over, and opening the file copies it to a smaller one.
	o.Now = func() time.Time { return time.Now().Add(2 * state.DeadLogTTL) }
	s = open(t, file, o)
	if _, err := s.Overdue(t.Context(), 0); err != nil {
		t.Fatalf("Overdue() = %v", err)
	}
	closeStore(t, s)
	before := sizeOf(t, file)
	s = open(t, file, o)
	if after := sizeOf(t, file); after > before/2 {
		t.Fatalf("the file has %d bytes, and had %d: it was not compacted", after, before)
	}
	live(t, s, "later", func(id string) { tell(t, s, id) })
	closeStore(t, s)
}

// live is a thread of two runs, acknowledged after each step.
func live(t *testing.T, s state.Store, id string, tell func(id string)) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		tell(id)
	}
	l := begin(t, s, id, "u1")
	tell(id)
	ok(s.Append(t.Context(), l, state.FrameID{}, frames(l, 1, 5)))
	long := frames(l, 6, 1)
	long[0].Data = json.RawMessage(`"` + strings.Repeat("long ", 4000) + `"`)
	ok(s.Append(t.Context(), l, state.FrameID{}, long))
	ok(s.Once(t.Context(), l, "book", json.RawMessage(`"booked"`)))
	commit(t, s, l, state.Commit{
		State: json.RawMessage(`{"n":1}`), Checkpoint: json.RawMessage(`{"v":0}`),
		Messages: []agui.Message{{ID: "a1", Role: agui.RoleAssistant, Content: agui.TextContent(strings.Repeat("said ", 2000))}},
	})
	tell(id)
	ask(t, s, l, "which one?")
	tell(id)
	_, err := s.PatchState(t.Context(), &state.PatchRequest{Key: key(id), ID: "p", Patch: document.OutsidePatch{Merge: true, Body: json.RawMessage(`{"paid":true}`)}})
	ok(err)
	b, err := s.Begin(t.Context(), &state.Request{
		Key: key(id), RunID: "r2", Hash: "r2", Era: agui.Era1,
		Answers: []state.Answer{{ID: "int-" + id, Status: agui.ResumeResolved, Payload: json.RawMessage(`1`)}},
	}, state.LeaseOptions{Attempt: "attempt-2", TTL: time.Hour})
	if ok(err); b.Lease == nil {
		t.Fatalf("Begin() = %+v", b)
	}
	for i := range 3 {
		ok(s.Append(t.Context(), b.Lease, state.FrameID{}, frames(b.Lease, uint64(1+i), 1)))
	}
	_, err = s.Signal(t.Context(), key(id), 0, state.SignalStop)
	ok(err)
	if id == "t2" {
		return // it is live to the end
	}
	commit(t, s, b.Lease, state.Commit{State: json.RawMessage(`{"n":2}`), End: &state.End{Status: state.RunSuccess}})
	tell(id)
	if id == "t1" {
		ok(s.Delete(t.Context(), key(id)))
	}
}
