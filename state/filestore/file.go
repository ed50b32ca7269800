package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/agui-gateway/gateway/state"
)

// The record of the file's format, [state.Format]. A file of another format is refused. The record has no checksum:
// every version has to be able to read it.
var (
	formatTable = []byte("format")
	formatKey   = []byte("version")
)

// An Error describes why a file cannot be used. The file was not changed.
type Error struct {
	Path string // as given to [Open]
	Err  error  // why
	what string
}

func (e *Error) Error() string { return "filestore: " + e.Path + " " + e.what }
func (e *Error) Unwrap() error { return e.Err }

// Errors that an [*Error] wraps.
var (
	// ErrInUse: another process has the file open.
	ErrInUse = errors.New("filestore: in use")
	// ErrForeign: the file is not one of this package.
	ErrForeign = errors.New("filestore: foreign file")
	// ErrLater: a later version of the gateway has written the file. It is [state.ErrLater].
	ErrLater = state.ErrLater
	// ErrOlder: an earlier version of the gateway has written the file. It is [state.ErrOlder].
	ErrOlder = state.ErrOlder
	// ErrDamaged: the file is damaged.
	ErrDamaged = errors.New("filestore: damaged file")
)

// lockPatience is how long [Open] waits for a file that another process has. A killed process releases it in a
// moment, and one that ends in order needs no longer for its last write.
const lockPatience = 2 * time.Second

// openBolt opens the file, locked and checked, and makes it if there is none. Bbolt maps a file and trusts it, so
// it never opens an unchecked one. Sizes gets the size of each thread's table.
func openBolt(path string, opened Options, sizes map[string]int64) (*bolt.DB, error) {
	log := opened.Logger
	if err := create(path); err != nil {
		return nil, err
	}
	for {
		var waste int64
		var torn bool
		o := boltOptions()
		o.OpenFile = func(name string, flag int, _ os.FileMode) (*os.File, error) {
			file, err := os.OpenFile(name, flag&^os.O_CREATE, 0)
			if err != nil {
				return nil, fmt.Errorf("filestore: %w", err)
			}
			if waste, torn, err = admitFile(path, file, sizes); err != nil {
				return nil, errors.Join(err, file.Close())
			}
			return file, nil
		}
		db, err := bolt.Open(path, 0, o)
		switch {
		case errors.Is(err, errReplaced):
			continue
		case err != nil:
			return nil, err
		}
		if torn {
			log.Warn("the store's file was written in part when its process or machine ended: "+
				"the last write may be gone", slog.String("file", path))
		}
		switch {
		case waste == everything:
			db = scrub(db, path, log)
		case waste >= compactFrom, opened.Limit > 0 && waste > opened.Limit/4:
			db = compact(db, path, log)
		}
		return db, nil
	}
}

// boltOptions returns the options of every file. The list of free pages is written with each transaction, so that
// opening the file does not search for them.
func boltOptions() *bolt.Options {
	return &bolt.Options{FreelistType: bolt.FreelistMapType, Timeout: lockPatience, NoStatistics: true}
}

// create makes an empty store at path if there is no file. The file is complete before it gets its name, and replaces
// no other: two processes may make the store at once.
func create(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil // opening it returns its error
	}
	err := put(path, false, func(made *os.File) error {
		db, err := bolt.Open(made.Name(), 0o600, boltOptions())
		if err != nil {
			return fmt.Errorf("filestore: %w", err)
		}
		err = db.Update(func(tx *bolt.Tx) error {
			for _, name := range topTables {
				if _, err := tx.CreateBucket(name); err != nil {
					return err
				}
			}
			return tx.Bucket(formatTable).Put(formatKey, []byte(state.CurrentFormat.Record()))
		})
		if err := errors.Join(err, db.Close()); err != nil {
			return fmt.Errorf("filestore: %w", err)
		}
		return nil
	})
	if errors.Is(err, ErrExists) {
		return nil
	}
	return err
}

// errReplaced: the file is not the one at its path any more, because another process has compacted it.
var errReplaced = errors.New("filestore: the file was replaced")

// admitFile locks the file and checks all of it. It returns the number of its empty bytes, or everything, and
// whether its last write may be lost.
func admitFile(path string, file *os.File, sizes map[string]int64) (waste int64, torn bool, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, false, fmt.Errorf("filestore: %w", err)
	}
	if !info.Mode().IsRegular() {
		return 0, false, &Error{path, ErrForeign, "is no ordinary file"}
	}
	if err := lock(file, lockPatience); err != nil {
		return 0, false, &Error{path, errors.Join(ErrInUse, err), "is in use by another process; " +
			"one gateway at a time can have a file, several share a Redis (-store redis://...)"}
	}
	if there, err := os.Stat(path); err != nil || !os.SameFile(there, info) {
		return 0, false, errReplaced
	}
	if info, err = file.Stat(); err != nil { // it may have grown before it was locked
		return 0, false, fmt.Errorf("filestore: %w", err)
	}
	notes := newFileNotes(sizes)
	used, all, m, err := checkFile(file, info.Size(), notes.visit)
	if err := judge(path, notes.format, err, notes.broken); err != nil {
		return 0, false, err
	}
	if notes.scrub {
		return everything, m.torn, nil
	}
	return int64(all-used) * int64(m.pageSize), m.torn, nil
}

// leftAlone ends the message of every refused file.
const leftAlone = "; nothing was changed in it"

func damaged(path string, err error) error {
	return &Error{path, errors.Join(ErrDamaged, err), fmt.Sprintf(
		"is damaged (%v)%s: put a copy that is whole in its place, or move it away to begin with an empty store",
		err, leftAlone)}
}

// judge returns the error of a file: for the record of its format as found, the error of its pages, and that of its
// records, which other formats may have changed.
func judge(path, found string, pages, records error) error {
	format, err := state.ParseFormat(found)
	switch {
	case errors.Is(pages, errForeign), pages == nil && errors.Is(err, state.ErrFormat):
		return &Error{path, ErrForeign, "is not a store of this gateway" + leftAlone}
	case pages != nil:
		return damaged(path, pages)
	case err != nil:
		which, age := ErrLater, "a later"
		if errors.Is(err, ErrOlder) {
			which, age = ErrOlder, "an earlier"
		}
		return &Error{path, which, fmt.Sprintf(
			"was written by %s version of the gateway (format %s, this one knows %s)%s",
			age, format, state.CurrentFormat, leftAlone)}
	case records != nil:
		return damaged(path, records)
	}
	return nil
}

// makeDir makes a directory and its parents, and syncs their names: without that, a power cut removes the files in it.
func makeDir(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return nil // its error is that of its use
	}
	above := filepath.Dir(dir)
	if err := makeDir(above); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("filestore: %w", err)
	}
	return syncDir(above)
}

// syncDir writes the names in a directory to the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("filestore: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("filestore: %w", err)
	}
	return nil
}

// errFault: the call found damage that the file did not have when it was opened.
var errFault = errors.New("filestore: the file cannot be read")

// guarded turns a panic of bbolt, which trusts its file, and a fault of the mapped memory into an error: a failing
// disk must not end the process.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %v", errFault, v)
		}
	}()
	return f()
}
