package chat

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// TestKept keeps conversations apart by URL and thread, and only so many of them.
func TestKept(t *testing.T) {
	t.Parallel()
	k := &Kept{Dir: filepath.Join(t.TempDir(), "chat"), URL: "http://one"}
	if _, err := k.read("t"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was kept: %v", err)
	}
	if err := k.write(record{Thread: "t", Messages: []agui.Message{message("m", "Hello")}, Questions: []question{ask("input_required", "", "")}}); err != nil {
		t.Fatal(err)
	}
	got, err := k.read("t")
	if err != nil || got.Messages[0].Content.Text() != "Hello" || got.Questions[0].ID != "int_1" {
		t.Errorf("read() = %+v, %v", got, err)
	}
	if _, err := (&Kept{Dir: k.Dir, URL: "http://two"}).read("t"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another server's conversation: %v", err)
	}
	large := record{Thread: "t", Messages: []agui.Message{message("m", strings.Repeat("x", mostKeptBytes))}}
	if err := k.write(large); !errors.Is(err, ErrKeptTooLarge) {
		t.Errorf("a conversation that is too large: %v", err)
	}
	if got, err := k.read("t"); err != nil || got.Messages[0].Content.Text() != "Hello" {
		t.Errorf("what was kept before is gone: %+v, %v", got, err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(k.path("t"), long, long); err != nil {
		t.Fatal(err)
	}
	for i := range mostKept {
		if err := k.write(record{Thread: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(k.Dir)
	if err != nil || len(entries) != mostKept {
		t.Errorf("%d files are kept, %v, want %d", len(entries), err, mostKept)
	}
	if _, err := k.read("t"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the oldest conversation is kept: %v", err)
	}
	if err := os.WriteFile(k.path("0"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := k.read("0"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is none of ours: %v", err)
	}
}
