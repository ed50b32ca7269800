package filestore_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/statetest"
)

func sizeOf(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// say leaves a thread with a long message and a long log.
func say(t *testing.T, s state.Store, id string) {
	t.Helper()
	l := begin(t, s, id, "u1")
	long := frames(l, 1, 20)
	for i := range long {
		long[i].Data = bytes.ReplaceAll(long[i].Data, []byte("CUSTOM"), []byte("CUSTOM"+strings.Repeat("x", 4000)))
	}
	commit(t, s, l, state.Commit{Frames: long, End: &state.End{Status: state.RunSuccess}})
}

// Expired data makes room for new data: the file of a long-running gateway does not grow.
func TestWhatExpiredMakesRoom(t *testing.T) {
	t.Parallel()
	file, clock := path(t), statetest.NewClock()
	s := open(t, file, filestore.Options{Now: clock.Now, LogTTL: time.Hour, ThreadTTL: 2 * time.Hour})
	var sizes []int64
	for round := range 6 {
		for i := range 20 {
			say(t, s, fmt.Sprint(round, "-", i))
		}
		sizes = append(sizes, sizeOf(t, file))
		for range 4 { // its log, the thread, and what readers of it were left
			clock.Move(time.Hour)
			if _, err := s.Overdue(t.Context(), 0); err != nil {
				t.Fatalf("Overdue() = %v", err)
			}
		}
	}
	if last := sizes[len(sizes)-1]; last > 2*sizes[1] {
		t.Errorf("the file has %d bytes, want no more than twice what it had for two rounds: %v", last, sizes)
	}
	page, err := s.List(t.Context(), state.Query{Principal: "local"})
	if err != nil || len(page.Threads) > 0 {
		t.Errorf("List() = %v, %v, want nothing", page, err)
	}
}

// A file that is mostly empty is made small when it is opened, with all that is in it.
func TestAnEmptyFileIsCompacted(t *testing.T) {
	t.Parallel()
	file := path(t)
	s := open(t, file, filestore.Options{})
	say(t, s, "kept")
	for i := range 40 {
		say(t, s, fmt.Sprint("deleted-", i))
	}
	for i := range 40 {
		if err := s.Delete(t.Context(), key(fmt.Sprint("deleted-", i))); err != nil {
			t.Fatalf("Delete() = %v", err)
		}
	}
	want, err := contents(t, s)
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	// Logs of deleted threads are kept for their readers for a while.
	later := func() time.Time { return time.Now().Add(2 * state.DeadLogTTL) }
	s = open(t, file, filestore.Options{Now: later})
	if _, err := s.Overdue(t.Context(), 0); err != nil {
		t.Fatalf("Overdue() = %v", err)
	}
	closeStore(t, s)
	before := sizeOf(t, file)
	if err := os.WriteFile(file+".compact", []byte("of one that was interrupted"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, file, filestore.Options{})
	got, err := contents(t, s)
	if err != nil || got != want {
		t.Errorf("the threads are %.300s, %v; want %.300s", got, err, want)
	}
	if after := sizeOf(t, file); after > before/4 {
		t.Errorf("the file has %d bytes, and had %d", after, before)
	}
	if _, err := filestore.Open(file, filestore.Options{}); err == nil {
		t.Error("the new file can be opened twice")
	}
	say(t, s, "later")
	closeStore(t, s)
	s = open(t, file, filestore.Options{})
	if found, err := s.Find(t.Context(), "local", "later"); err != nil || len(found) != 1 {
		t.Errorf("Find() = %v, %v, want what was written to the new file", found, err)
	}
}
