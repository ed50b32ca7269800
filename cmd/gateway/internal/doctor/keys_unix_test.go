//go:build linux || darwin

package doctor

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ownedFile is what the system says of a file of a user.
type ownedFile struct{ uid uint32 }

func (f ownedFile) Name() string       { return "keys" }
func (f ownedFile) Size() int64        { return 1 }
func (f ownedFile) Mode() fs.FileMode  { return 0o644 }
func (f ownedFile) ModTime() time.Time { return time.Time{} }
func (f ownedFile) IsDir() bool        { return false }
func (f ownedFile) Sys() any           { return &syscall.Stat_t{Uid: f.uid} }

// TestAdviceOnKeysKeepsThemReadable advises to close a file to all others only if this user can read it then.
func TestAdviceOnKeysKeepsThemReadable(t *testing.T) {
	t.Parallel()
	us := uint32(os.Geteuid())
	if got := closeTo(ownedFile{us}, "keys"); got != "chmod 600 keys" {
		t.Errorf("the advice on a file of ours is %q", got)
	}
	if got := closeTo(ownedFile{us + 1}, "keys"); !strings.Contains(got, "chgrp GROUP keys && chmod 640 keys") {
		t.Errorf("the advice on another's file is %q", got)
	}
}
