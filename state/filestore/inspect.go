package filestore

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/agui-gateway/gateway/state"
)

// An Inspection describes a store's file that is not opened as a store.
type Inspection struct {
	// InUse says that a process has the file open. Then only Size is known, because the file changes while it is read.
	InUse bool
	// Size is the number of bytes of the file, and Empty the number of its unused bytes.
	Size, Empty int64
	// Format is the format of the file.
	Format state.Format
	// Threads is the number of threads in the file, with expired ones that were not removed yet.
	Threads int
	// Torn says that one of the file's first two pages is damaged: the process or its machine ended during a write,
	// which was not acknowledged; or the page was damaged later, and the last write is lost.
	Torn bool
}

// Inspect reads the whole file at path and checks it as [Open] does. It changes nothing, opens the file for reading
// only, and does not delay a process that opens the store meanwhile. The error is that of os.Open, an [*Error] for
// a file that cannot be used, or the cause of ctx.
func Inspect(ctx context.Context, path string) (*Inspection, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("filestore: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	before, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("filestore: %w", err)
	}
	if !before.Mode().IsRegular() {
		return nil, &Error{path, ErrForeign, "is no ordinary file"}
	}
	in := &Inspection{Size: before.Size()}
	if in.InUse = taken(path); in.InUse {
		return in, nil
	}
	notes := newFileNotes(map[string]int64{})
	used, all, m, pages := checkFile(boundFile{ctx, file}, in.Size, notes.visit)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || after.Size() != before.Size() ||
		!after.ModTime().Equal(before.ModTime()) || taken(path) {
		return &Inspection{InUse: true, Size: in.Size}, nil
	}
	if err := judge(path, notes.format, pages, notes.broken); err != nil {
		return nil, err
	}
	in.Empty, in.Threads = int64(all-used)*int64(m.pageSize), len(notes.sizes)
	in.Torn = m.torn
	in.Format, err = state.ParseFormat(notes.format)
	return in, err
}

// taken reports whether a process has the file open. It locks the file for a moment, with its own descriptor, so
// that a gateway that starts just then gets the lock while it waits.
func taken(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // which gives the lock back
	return lock(file, 0) != nil
}

// fileNotes collect facts about the records of a file during its check.
type fileNotes struct {
	format string           // the record of the file's format
	sizes  map[string]int64 // the size of each thread's table
	scrub  bool             // deleted data has to be overwritten
	broken error            // the error of the first damaged record
}

func newFileNotes(sizes map[string]int64) *fileNotes { return &fileNotes{sizes: sizes} }

// visit checks a record.
func (n *fileNotes) visit(path []string, key, value []byte) error {
	if len(path) == 1 && path[0] == string(formatTable) {
		if string(key) == string(formatKey) {
			n.format = string(value)
		}
		n.scrub = n.scrub || bytes.Equal(key, scrubKey)
		return nil
	}
	if len(path) > 1 && path[0] == string(threadsTable) {
		n.sizes[path[1]] += sizeOf(key, value)
	}
	if n.broken == nil {
		seed := uint32(0)
		for _, name := range path {
			seed = within(seed, []byte(name))
		}
		_, n.broken = unseal(seed, key, value)
	}
	return nil
}
