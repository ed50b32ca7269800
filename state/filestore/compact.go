package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"

	"github.com/agui-gateway/gateway/state"
)

// compactFrom is the number of empty bytes from which opening a file copies it to a smaller one. Fewer are used
// again as they are. It is a variable for tests.
var compactFrom int64 = 64 << 20

// compact replaces the file by a copy without empty pages and returns the copy open. It needs disk space for both.
// If it fails, the file is used as it is.
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
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by an interrupted compaction
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

// scrubKey is set beside the record of the format while empty pages of the file contain purged data. The next Open
// copies the threads into a new file and overwrites this one.
var scrubKey = []byte("scrub")

// Purge removes the remains of a deleted thread; see [store.Backend].
func (b *backend) Purge(ctx context.Context, key state.Key) error {
	return b.update(ctx, urgent, func(x *txn) error {
		l := x.find(key)
		if l != nil && !l.over(x.now) {
			return nil
		}
		x.dirty = true
		if l != nil {
			x.remove(l)
		}
		return x.tx.Bucket(formatTable).Put(scrubKey, nil)
	})
}

// everything, as the empty part of a file, makes compact rewrite the file.
const everything = math.MaxInt64

// scrub replaces the file by a copy as compact does, and overwrites the old file. If that fails, the next opening
// tries again.
func scrub(db *bolt.DB, path string, log *slog.Logger) *bolt.DB {
	old, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		log.Warn("what was deleted may still be in the store's file", slog.String("file", path), slog.Any("error", err))
		return db
	}
	now := compact(db, path, log)
	if now == db {
		_ = old.Close() // nothing was written to it
		return db
	}
	if err := errors.Join(overwrite(old), scrubbed(now)); err != nil {
		log.Warn("what was deleted may still be on the disk of the store's file",
			slog.String("file", path), slog.Any("error", err))
	}
	return now
}

// scrubbed records that the empty pages of the file have no data of threads any more.
func scrubbed(db *bolt.DB) error {
	return db.Update(func(tx *bolt.Tx) error { return tx.Bucket(formatTable).Delete(scrubKey) })
}

// overwrite fills an unused file with zeros, so that its blocks contain no data of threads. It does not reach
// copies that a disk or a file system keeps.
func overwrite(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("filestore: %w", err)
	}
	zeros := make([]byte, 1<<20)
	for at := int64(0); at < info.Size(); at += int64(len(zeros)) {
		if _, err := file.WriteAt(zeros[:min(int64(len(zeros)), info.Size()-at)], at); err != nil {
			return errors.Join(fmt.Errorf("filestore: %w", err), file.Close())
		}
	}
	return errors.Join(file.Sync(), file.Close())
}
