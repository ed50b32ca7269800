package filestore

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// compactFrom is how many bytes of a file have to be empty before opening it copies what is left to a smaller one. Less is
// used again as it is. It is a variable for tests.
var compactFrom int64 = 64 << 20

// compact puts a copy without empty pages in the place of the file, and returns it open. It needs room for both; if
// it fails, the file is used as it is.
func compact(db *bolt.DB, path string, log *slog.Logger) *bolt.DB {
	smaller, err := compacted(db, path)
	if err != nil {
		log.Warn("the store's file was not compacted", slog.String("file", path), slog.Any("error", err))
		return db
	}
	if err := db.Close(); err != nil {
		log.Warn("the store's file before its compaction", slog.String("file", path), slog.Any("error", err))
	}
	return smaller
}

// compacted makes the copy. It is locked before it has the file's name, and stays so.
func compacted(db *bolt.DB, path string) (smaller *bolt.DB, err error) {
	name := path + ".compact"
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // of one that was interrupted
		return nil, err
	}
	o := boltOptions()
	o.NoSync = true // until it is complete
	if smaller, err = bolt.Open(name, 0o600, o); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, smaller.Close(), os.Remove(name))
		}
	}()
	if err := guarded(func() error { return bolt.Compact(smaller, db, 1<<20) }); err != nil {
		return nil, err
	}
	if err := smaller.Sync(); err != nil {
		return nil, err
	}
	smaller.NoSync = false
	if err := os.Rename(name, path); err != nil {
		return nil, err
	}
	return smaller, syncDir(filepath.Dir(path))
}
