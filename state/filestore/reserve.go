package filestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"syscall"

	bolt "go.etcd.io/bbolt"
)

// A second file, the reserve, keeps room on the disk. When a transaction cannot be written the reserve is removed,
// and the transaction is tried once more. The store is then not ready until the disk has room for the reserve
// again, and the store's file takes a record as large as the failed transaction. A smaller record would prove
// nothing: a few bytes fit into free pages of the file.

// reserveBytes is how large the reserve is, unless what could not be written was larger: enough for what live runs
// have to say.
const reserveBytes = 1 << 20

// How much is written to find out whether the disk takes it: more than fits in a few pages that are free.
const (
	leastProbe = 64 << 10
	maxProbe   = 16 << 20
)

// probeKey is the record that is written to find that out.
var probeKey = []byte("probe")

// A disk is how a backend writes its disk. Tests replace it.
type disk struct {
	commit  func(*bolt.Tx) error
	reserve func(path string, bytes int64) error
}

var realDisk = disk{(*bolt.Tx).Commit, fill}

// fill makes a file of so many random bytes: some file systems keep no room for zeros.
func fill(path string, bytes int64) error {
	if there, err := os.Stat(path); err == nil && there.Mode().IsRegular() && there.Size() >= bytes {
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(file, rand.NewChaCha8([32]byte{}), bytes)
	return errors.Join(err, file.Sync(), file.Close())
}

// errDisk is returned when a transaction could not be written.
var errDisk = errors.New("filestore: the transaction was not written")

// commit writes a transaction. If that fails, the store is not ready before the disk has taken as many bytes.
func (x *txn) commit() error {
	if err := x.b.sameFile(); err != nil {
		return err
	}
	err := x.b.disk.commit(x.tx)
	if err == nil {
		return nil
	}
	size := int64(leastProbe)
	for _, n := range x.books {
		size += max(n.grown, 0)
	}
	x.b.mu.Lock()
	defer x.b.mu.Unlock()
	x.b.need = min(max(x.b.need, size), maxProbe)
	return fmt.Errorf("%w: %w", errDisk, err)
}

// isFull reports whether an error says that a disk has no room, or nothing more for this user.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

func reservePath(path string) string { return path + ".reserve" }

// takeReserve makes the reserve. Where none may be made, as beside a file that is mounted alone, the store does
// without.
func (b *backend) takeReserve(bytes int64) error {
	err := b.disk.reserve(reservePath(b.path), bytes)
	switch {
	case err == nil:
		b.reserved.Store(true)
	case isFull(err):
		_ = os.Remove(reservePath(b.path)) // what there was room for
		return fmt.Errorf("filestore: %s: the disk has no room: %w", b.path, err)
	case !b.unreserved.Swap(true):
		b.o.Logger.Warn("no room is kept for when the store's disk is full",
			slog.String("file", reservePath(b.path)), slog.Any("error", err))
	}
	return nil
}

// releaseReserve gives the disk the room that was kept, and reports whether there was some.
func (b *backend) releaseReserve() bool {
	if !b.reserved.Swap(false) {
		return false
	}
	err := os.Remove(reservePath(b.path))
	b.o.Logger.Error("the store's file cannot be written; the room that was kept for that is used now",
		slog.String("file", b.path), slog.Any("error", err))
	return true
}

// errTrying is returned while another call finds out whether the disk takes writes.
var errTrying = errors.New("filestore: it is being tried whether the disk takes writes")

// retryDisk tests the disk after a failed write: it makes the reserve, and then writes a record of that size to the
// file.
func (b *backend) retryDisk(ctx context.Context, bytes int64) error {
	if !b.trying.CompareAndSwap(false, true) {
		return errTrying
	}
	defer b.trying.Store(false)
	if err := b.takeReserve(max(reserveBytes, bytes)); err != nil {
		return err
	}
	put := func(value []byte) error {
		return b.update(ctx, urgent, func(x *txn) error {
			x.dirty = true
			if value == nil {
				x.root(floorTable).delete(probeKey)
			} else {
				x.root(floorTable).put(probeKey, value)
			}
			return nil
		})
	}
	if err := put(make([]byte, max(bytes, leastProbe))); err != nil {
		return err
	}
	if err := put(nil); err != nil {
		return err
	}
	if !b.reserved.Load() && !b.unreserved.Load() {
		// The record took the reserve.
		return fmt.Errorf("filestore: %s: the disk has too little room: %w", b.path, syscall.ENOSPC)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed, b.need = false, 0
	return nil
}

// sameFile fails if the open file is not at its path any more: its content ends with the process.
func (b *backend) sameFile() error {
	there, err := os.Stat(b.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(there, b.file):
		return fmt.Errorf("filestore: %s was removed or replaced while it was open: %w", b.path, ErrGone)
	case err != nil:
		return fmt.Errorf("filestore: %w", err)
	}
	return nil
}

// ErrGone is returned for writes when the store's file is not at its path any more.
var ErrGone = errors.New("filestore: the file is gone")
