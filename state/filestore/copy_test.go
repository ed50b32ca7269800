package filestore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A store that is open writes a copy beside its file; one that is closed is copied as a file. Either copy is checked
// before it has its name.
func ExampleCopy() {
	dir, err := os.MkdirTemp("", "threads")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path, kept := filepath.Join(dir, "threads.db"), filepath.Join(dir, "kept.db")
	ctx := context.Background()
	store, err := filestore.Open(path, filestore.Options{})
	if err != nil {
		panic(err)
	}
	beside, err := filestore.Backup(ctx, store)
	fmt.Println(filepath.Base(beside), err)
	_, err = filestore.Copy(ctx, path, kept)
	fmt.Println(errors.Is(err, filestore.ErrInUse))
	in, err := filestore.Copy(ctx, beside, kept)
	fmt.Println(in.Threads, err)
	fmt.Println(store.Close())
	// Output:
	// threads.db.backup <nil>
	// true
	// 0 <nil>
	// <nil>
}

// TestBackupOfAStoreThatIsWritten copies a file again and again while threads are written. Each copy is whole and has
// all that was written before it was asked for.
func TestBackupOfAStoreThatIsWritten(t *testing.T) {
	t.Parallel()
	s := open(t, path(t), filestore.Options{})
	written, end := make(chan int), make(chan struct{})
	go func() {
		defer close(written)
		for i := 0; ; i++ {
			l := begin(t, s, "thread-"+strconv.Itoa(i), "m")
			if err := s.Append(t.Context(), l, state.FrameID{}, frames(l, 1, 50)); err != nil {
				t.Errorf("Append() = %v", err)
			}
			select {
			case written <- i + 1:
			case <-end:
				return
			}
		}
	}()
	for range 5 {
		before := <-written
		copied, err := filestore.Backup(t.Context(), s)
		if err != nil {
			t.Fatalf("Backup() = %v", err)
		}
		in, err := filestore.Inspect(t.Context(), copied)
		if err != nil || in.Threads < before {
			t.Errorf("the copy has %+v, %v, want %d threads or more", in, err, before)
		}
		for range 3 {
			<-written
		}
	}
	close(end)
	for range written { // until it has ended
	}
}

// TestCopyLeavesWhatIsThere neither replaces a file nor leaves part of one.
func TestCopyLeavesWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "threads.db"), filepath.Join(dir, "copy.db")
	closeStore(t, open(t, from, filestore.Options{}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := filestore.Copy(ctx, from, to); !errors.Is(err, context.Canceled) {
		t.Errorf("Copy() = %v, want the cause of its context", err)
	}
	if err := os.WriteFile(to, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := filestore.Copy(t.Context(), from, to); !errors.Is(err, filestore.ErrExists) {
		t.Errorf("Copy() = %v, want %v", err, filestore.ErrExists)
	}
	if data, err := os.ReadFile(to); err != nil || string(data) != "mine" {
		t.Errorf("the file has %q, %v", data, err)
	}
	raw, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{"cut": raw[:len(raw)/3], "empty": nil} {
		source := filepath.Join(dir, name)
		if err := os.WriteFile(source, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := filestore.Copy(t.Context(), source, filepath.Join(dir, "other.db"))
		if e, ok := errors.AsType[*filestore.Error](err); !ok || e.Path != source {
			t.Errorf("Copy() of a file that is %s = %v, want an error that names it", name, err)
		}
		if data, err := os.ReadFile(source); err != nil || !bytes.Equal(data, bad) {
			t.Errorf("the file that is %s was changed: %v", name, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 5 { // one is the reserve
		t.Errorf("the directory has %v, %v, want what it had before", left, err)
	}
	memory := memstore.New(memstore.Options{})
	if _, err := filestore.Backup(t.Context(), memory); !errors.Is(err, filestore.ErrNoFile) {
		t.Errorf("Backup() of another store = %v, want %v", err, filestore.ErrNoFile)
	}
	closeStore(t, memory)
}
