package filestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agui-gateway/gateway/state"
)

// ErrExists is returned for a copy to a file that exists. The target was not changed.
var ErrExists = errors.New("filestore: there is a file already, which is not replaced")

// ErrNoFile is returned for a store of another package.
var ErrNoFile = errors.New("filestore: the store is in no file")

// Copy copies the store's file at from to a new file at to. The copy gets its name only when it is complete, on the
// disk, and checked as [Open] checks a file. An existing file at to stays: [ErrExists]. The file at from is locked
// meanwhile and not changed. The error is [ErrInUse] if a process has it open, or an [*Error] that describes its
// damage.
func Copy(ctx context.Context, from, to string) (*Inspection, error) {
	source, err := os.Open(from)
	if err != nil {
		return nil, fmt.Errorf("filestore: %w", err)
	}
	defer func() { _ = source.Close() }() // it was only read, and closing it gives the lock back
	if info, err := source.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &Error{from, ErrForeign, "is no ordinary file"}
	}
	if err := lock(source, lockPatience); err != nil {
		return nil, &Error{from, errors.Join(ErrInUse, err),
			"is in use by another process, so a copy of it would be worth nothing"}
	}
	var in *Inspection
	err = put(to, false, func(target *os.File) error {
		if _, err := io.Copy(target, boundFile{ctx, source}); err != nil {
			return fmt.Errorf("filestore: %w", err)
		}
		in, err = Inspect(ctx, target.Name())
		if bad, ok := errors.AsType[*Error](err); ok { // the damage of the copy is that of its source
			err = &Error{from, bad.Err, bad.what}
		}
		return err
	})
	return in, err
}

// Backup makes an open store write a copy of its file, as it is at one moment, to [BackupPath]. An earlier copy is
// replaced once the new one is complete and on the disk. Runs continue meanwhile; writes that grow the file wait
// until the copy is written. It fails with [ErrNoFile] for a store of another package.
func Backup(ctx context.Context, store state.Store) (path string, err error) {
	s, ok := store.(*fileStore)
	if !ok {
		return "", ErrNoFile
	}
	path = BackupPath(s.backend.path)
	return path, put(path, true, func(target *os.File) error {
		return s.backend.view(ctx, func(v *view) {
			_, err := v.tx.WriteTo(boundFile{ctx, target})
			v.fail(err)
		})
	})
}

// BackupPath returns the path of the copy that [Backup] writes.
func BackupPath(path string) string { return path + ".backup" }

// A fileStore is a store with access to its file.
type fileStore struct {
	state.Store
	backend *backend
}

// put makes a file with fill and gives it its path once it is on the disk. An existing file at the path is
// replaced, or the error is [ErrExists].
func put(path string, replace bool, fill func(*os.File) error) (err error) {
	dir := filepath.Dir(path)
	if err := makeDir(dir); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil && !replace {
		return fmt.Errorf("%w: %s", ErrExists, path)
	}
	made, err := os.CreateTemp(dir, filepath.Base(path)+".new-*") // for this user alone
	if err != nil {
		return fmt.Errorf("filestore: %w", err)
	}
	name := made.Name()
	defer func() { _ = os.Remove(name) }() // renamed by then, unless there was an error
	if err := errors.Join(fill(made), made.Sync(), made.Close()); err != nil {
		return err
	}
	if err := rename(name, path, replace); err != nil {
		return err
	}
	return syncDir(dir)
}

// rename renames a file. Unless replace, it makes a link, which never replaces another file.
func rename(name, path string, replace bool) error {
	err := errLink
	if !replace {
		if err = os.Link(name, path); errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%w: %s", ErrExists, path)
		}
	}
	if err != nil { // or a file system without links
		err = os.Rename(name, path)
	}
	if err != nil {
		return fmt.Errorf("filestore: %w", err)
	}
	return nil
}

var errLink = errors.New("filestore: no link is wanted")

// A boundFile fails with the cause of its context once that is done.
type boundFile struct {
	ctx  context.Context
	file *os.File
}

// Read reads the next bytes.
func (f boundFile) Read(p []byte) (int, error) {
	if f.ctx.Err() != nil {
		return 0, context.Cause(f.ctx)
	}
	return f.file.Read(p)
}

// ReadAt reads the bytes at an offset.
func (f boundFile) ReadAt(p []byte, off int64) (int, error) {
	if f.ctx.Err() != nil {
		return 0, context.Cause(f.ctx)
	}
	return f.file.ReadAt(p, off)
}

// Write writes the next bytes.
func (f boundFile) Write(p []byte) (int, error) {
	if f.ctx.Err() != nil {
		return 0, context.Cause(f.ctx)
	}
	return f.file.Write(p)
}
