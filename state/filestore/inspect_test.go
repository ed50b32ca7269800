package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
)

// A file can be looked at without opening the store, while a gateway runs too.
func ExampleInspect() {
	dir, err := os.MkdirTemp("", "threads")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "threads.db")
	store, err := filestore.Open(path, filestore.Options{})
	if err != nil {
		panic(err)
	}
	in, err := filestore.Inspect(context.Background(), path)
	fmt.Println(in.InUse, err)
	if err := store.Close(); err != nil {
		panic(err)
	}
	in, err = filestore.Inspect(context.Background(), path)
	fmt.Println(in.InUse, in.Threads, in.Format == state.CurrentFormat, err)
	// Output:
	// true <nil>
	// false 0 true <nil>
}

// TestInspectRefuses checks that Inspect returns the error of Open for unusable files.
func TestInspectRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		filepath.Join(dir, "none"): fs.ErrNotExist, dir: filestore.ErrForeign, foreign: filestore.ErrForeign,
	} {
		if _, err := filestore.Inspect(t.Context(), path); !errors.Is(err, want) {
			t.Errorf("Inspect(%s) = %v, want %v", path, err, want)
		}
	}
	path := filepath.Join(dir, "threads.db")
	store, err := filestore.Open(path, filestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := filestore.Inspect(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("Inspect() = %v, want the cause of its context", err)
	}
}
