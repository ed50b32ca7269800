package filestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// A smallDisk has room for some bytes beyond what the file and its reserve take, and may fail.
type smallDisk struct {
	path string

	mu       sync.Mutex
	room     int64 // free
	high     int64 // how large the file was at most: it has the room of that
	reserved int64
	broken   error // of every transaction that makes the file larger
}

// slack is how many bytes fit in pages of a file that are free.
const slack = 4 << 10

func (d *smallDisk) disk() *disk { return &disk{commit: d.commit, reserve: d.reserve} }

func (d *smallDisk) commit(tx *bolt.Tx) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.collect()
	var size int64
	var add func(b *bolt.Bucket) error
	add = func(b *bolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return add(b.Bucket(k))
			}
			size += int64(len(k) + len(v))
			return nil
		})
	}
	if err := tx.ForEach(func(_ []byte, b *bolt.Bucket) error { return add(b) }); err != nil {
		return err
	}
	if more := size - d.high; more > slack {
		if d.broken != nil {
			return d.broken
		}
		if more > d.room {
			return &os.PathError{Op: "write", Path: d.path, Err: syscall.ENOSPC}
		}
		d.room, d.high = d.room-more, size
	}
	return tx.Commit()
}

func (d *smallDisk) reserve(path string, bytes int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.collect()
	if bytes > d.room+d.reserved {
		return &os.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}
	}
	d.room, d.reserved = d.room+d.reserved-bytes, bytes
	return os.WriteFile(path, nil, 0o600)
}

// collect gives back what a reserve took that was removed. The caller holds mu.
func (d *smallDisk) collect() {
	if _, err := os.Stat(reservePath(d.path)); err != nil {
		d.room, d.reserved = d.room+d.reserved, 0
	}
}

func (d *smallDisk) change(room int64, broken error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room, d.broken = d.room+room, broken
}

func openOn(t *testing.T, path string, d *disk, log io.Writer) (*backend, state.Store) {
	t.Helper()
	b, err := openBackend(path, Options{disk: d, Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	s := &fileStore{store.New(b, store.Options{}), b}
	t.Cleanup(func() { _ = s.Close() })
	return b, s
}

var storeKey = state.Key{Principal: "p", Agent: "a", ID: "t"}

func beginOn(ctx context.Context, s state.Store, id string, bytes int) (*state.Lease, error) {
	r := &state.Request{Key: storeKey, RunID: id, Hash: id, Era: agui.Era1, Messages: []agui.Message{{ID: id, Role: agui.RoleUser, Content: agui.TextContent(strings.Repeat("x", bytes))}}}
	r.Key.ID = id
	b, err := s.Begin(ctx, r, state.LeaseOptions{Attempt: id, TTL: time.Hour})
	if err != nil {
		return nil, err
	}
	return b.Lease, nil
}

func commitOn(ctx context.Context, s state.Store, l *state.Lease, n, bytes int, end *state.End) error {
	f := state.Frame{ID: state.FrameID{Fence: l.Fence, Seq: uint64(n)}, Type: agui.TypeCustom, Data: fmt.Appendf(nil, `{"type":"CUSTOM","name":"n","value":%q}`, strings.Repeat("y", bytes))}
	_, err := s.Commit(ctx, l, state.Commit{Number: n, Frames: []state.Frame{f}, Checkpoint: json.RawMessage(`1`), End: end})
	return err
}

// TestAFullDisk fills the disk of a store: the room that was kept takes what a live run has to write, and the store is
// not ready until there is room again for what it could not write.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	d := &smallDisk{room: reserveBytes + 300<<10, path: filepath.Join(t.TempDir(), "threads.db")}
	_, s := openOn(t, d.path, d.disk(), io.Discard)
	l, err := beginOn(t.Context(), s, "t", 10)
	if err != nil {
		t.Fatal(err)
	}
	for n, bytes := range []int{200 << 10, 200 << 10, 10} {
		if err := s.Ping(t.Context()); n < 2 != (err == nil) {
			t.Errorf("Ping() before commit %d = %v", n+1, err)
		}
		var end *state.End
		if n == 2 {
			end = &state.End{Status: state.RunSuccess}
		}
		if err := commitOn(t.Context(), s, l, n+1, bytes, end); err != nil {
			t.Errorf("commit %d = %v", n+1, err)
		}
	}
	if _, err := beginOn(t.Context(), s, "small", 10); err != nil { // it fits in pages that are free, which says nothing of the disk
		t.Errorf("Begin() = %v", err)
	}
	for _, more := range []int64{0, 0, 300 << 10} { // the last is too little for the reserve
		d.change(more, nil)
		if err := s.Ping(t.Context()); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Ping() of a full disk = %v", err)
		}
	}
	d.change(2<<20, nil)
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping() = %v with room", err)
	}
	if _, err := beginOn(t.Context(), s, "large", 100<<10); err != nil {
		t.Errorf("Begin() = %v with room", err)
	}
}

// TestTheReserveIsTooSmall has a transaction fail that is larger than the reserve, again and again. The store is ready
// when there is room for it.
func TestTheReserveIsTooSmall(t *testing.T) {
	t.Parallel()
	const large = 3 << 20
	d := &smallDisk{room: reserveBytes + 100<<10, path: filepath.Join(t.TempDir(), "threads.db")}
	_, s := openOn(t, d.path, d.disk(), io.Discard)
	l, err := beginOn(t.Context(), s, "t", 10)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := commitOn(t.Context(), s, l, 1, large, nil); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Commit() = %v", err)
		}
		if err := s.Renew(t.Context(), l, time.Hour); err != nil {
			t.Errorf("Renew() = %v", err)
		}
		if err := s.Ping(t.Context()); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Ping() = %v", err)
		}
		d.change(large/6, nil)
	}
	d.change(2*large, nil)
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping() = %v with room", err)
	}
	if err := commitOn(t.Context(), s, l, 1, large, nil); err != nil {
		t.Errorf("Commit() = %v with room", err)
	}
}

// TestADiskThatFails has writes fail that make the file larger: the store is not ready, however many others succeed.
func TestADiskThatFails(t *testing.T) {
	t.Parallel()
	d := &smallDisk{room: 100 << 20, path: filepath.Join(t.TempDir(), "threads.db")}
	_, s := openOn(t, d.path, d.disk(), io.Discard)
	l, err := beginOn(t.Context(), s, "t", 10)
	if err != nil {
		t.Fatal(err)
	}
	d.change(0, syscall.EIO)
	for range 3 {
		if err := commitOn(t.Context(), s, l, 1, 200<<10, nil); !errors.Is(err, syscall.EIO) {
			t.Errorf("Commit() = %v", err)
		}
		if err := s.Renew(t.Context(), l, time.Hour); err != nil {
			t.Errorf("Renew() = %v", err)
		}
		if err := s.Ping(t.Context()); !errors.Is(err, syscall.EIO) {
			t.Errorf("Ping() of a bad disk = %v", err)
		}
	}
	d.change(0, nil)
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping() = %v of a disk that works again", err)
	}
	if err := commitOn(t.Context(), s, l, 1, 200<<10, nil); err != nil {
		t.Errorf("Commit() = %v", err)
	}
}

// TestADiskWithoutRoomForTheReserve opens a store there: it is not ready until there is room.
func TestADiskWithoutRoomForTheReserve(t *testing.T) {
	t.Parallel()
	d := &smallDisk{path: filepath.Join(t.TempDir(), "threads.db")}
	_, s := openOn(t, d.path, d.disk(), io.Discard)
	if err := s.Ping(t.Context()); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Ping() = %v", err)
	}
	d.change(4<<20, nil)
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping() = %v with room", err)
	}
}

// TestNoReserveMayBeMade opens a store where no file may be made beside it.
func TestNoReserveMayBeMade(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	d := &disk{commit: realDisk.commit, reserve: func(string, int64) error { return os.ErrPermission }}
	_, s := openOn(t, filepath.Join(t.TempDir(), "threads.db"), d, &log)
	if _, err := beginOn(t.Context(), s, "t", 10); err != nil || s.Ping(t.Context()) != nil {
		t.Errorf("Begin() = %v, Ping() = %v", err, s.Ping(t.Context()))
	}
	if n := strings.Count(log.String(), "no room is kept"); n != 1 {
		t.Errorf("the log says it %d times: %s", n, &log)
	}
}

// TestTheReserveTakesRoom holds the real one to having as many bytes as it should, and to being there at the next
// opening.
func TestTheReserveTakesRoom(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "threads.db")
	b, s := openOn(t, path, nil, io.Discard)
	size := func() int64 {
		info, err := os.Stat(reservePath(path))
		if err != nil {
			return 0
		}
		return info.Size()
	}
	if size() != reserveBytes {
		t.Errorf("the reserve has %d bytes", size())
	}
	if !b.releaseReserve() || b.releaseReserve() || size() != 0 {
		t.Errorf("the reserve has %d bytes when it is used", size())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openOn(t, path, nil, io.Discard)
	if size() != reserveBytes {
		t.Errorf("the reserve has %d bytes after the next opening", size())
	}
}

// TestAFileThatIsGone takes the file of an open store away, or puts another in its place: nothing is acknowledged that
// would be gone with the process.
func TestAFileThatIsGone(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(path string) error{
		"removed":  os.Remove,
		"replaced": func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, []byte("x"), 0o600)) },
		"moved":    func(path string) error { return os.Rename(path, path+".old") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "threads.db")
			_, s := openOn(t, path, nil, io.Discard)
			l, err := beginOn(t.Context(), s, "t", 10)
			if err != nil {
				t.Fatal(err)
			}
			if err := away(path); err != nil {
				t.Fatal(err)
			}
			if err := s.Ping(t.Context()); !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), path) {
				t.Errorf("Ping() = %v, want ErrGone", err)
			}
			if err := commitOn(t.Context(), s, l, 1, 10, nil); !errors.Is(err, ErrGone) {
				t.Errorf("Commit() = %v, want ErrGone", err)
			}
			if _, err := beginOn(t.Context(), s, "other", 10); !errors.Is(err, ErrGone) {
				t.Errorf("Begin() = %v, want ErrGone", err)
			}
		})
	}
}

// TestATornPage damages each of the two first pages of a file: the store opens with the other one, and says that the
// last write may be gone.
func TestATornPage(t *testing.T) {
	t.Parallel()
	for page := range 2 {
		path := filepath.Join(t.TempDir(), "threads.db")
		var log strings.Builder
		_, s := openOn(t, path, nil, &log)
		if _, err := beginOn(t.Context(), s, "t", 10); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if in, err := Inspect(t.Context(), path); err != nil || in.Torn || log.Len() > 0 {
			t.Fatalf("Inspect() = %+v, %v of a file that is whole; log: %s", in, err, &log)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[page*os.Getpagesize()+pageHeader+20] ^= 1
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if in, err := Inspect(t.Context(), path); err != nil || !in.Torn {
			t.Errorf("page %d: Inspect() = %+v, %v", page, in, err)
		}
		if in, err := Copy(t.Context(), path, path+".copy"); err != nil || !in.Torn {
			t.Errorf("page %d: Copy() = %+v, %v", page, in, err)
		}
		openOn(t, path, nil, &log)
		if !strings.Contains(log.String(), "the last write may be gone") {
			t.Errorf("page %d: the log has %q", page, &log)
		}
	}
}
