package filestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/ledger"
	"github.com/agui-gateway/gateway/state/store"
)

// Options configure a store. The zero value is good.
type Options struct {
	// Now is the store's clock; nil means time.Now.
	Now func() time.Time
	// LogTTL is how long the log of a run is kept after its end; 0 means an hour.
	LogTTL time.Duration
	// ThreadTTL is how long a thread is kept after its last step; 0 means 30 days.
	ThreadTTL time.Duration
	// Limit is the number of bytes that the threads may take in the file, without the free room of its pages; 0
	// means any number. At the limit the oldest logs of runs that ended are removed first, then the least recently
	// changed threads, those with an open question last. If only live threads are left, new runs fail with
	// [state.ErrFull]; the last eighth is reserved for live ones. A live run that exceeds even that is stopped.
	Limit int64
	// Share is the number of bytes that the threads of one principal may take, counted like Limit; 0 means any
	// number. Beyond it the principal's least recently changed idle threads are removed, each after its log. If
	// only live threads and open questions are left, writes fail with [state.ErrStored].
	Share int64
	// Logger logs problems that no call returns; nil means slog.Default.
	Logger *slog.Logger

	disk *disk // nil means realDisk
}

// Open opens the store in the file at path for this process alone, and makes the file if there is none. It fails
// with an [*Error] for a file that it cannot use, and does not change it.
//
// Runs that were live when the previous process ended are overdue at once. No other process can have the file open,
// so their leases are over.
func Open(path string, o Options) (state.Store, error) {
	b, err := openBackend(path, o)
	if err != nil {
		return nil, err
	}
	return &fileStore{store.New(b, store.Options{ThreadTTL: o.ThreadTTL, Logger: b.o.Logger}), b}, nil
}

// Tables of the file's first level.
var (
	threadsTable = []byte("threads") // a table for each thread
	indexTable   = []byte("index")   // the threads of each principal, the newest first
	dueTable     = []byte("due")     // when something is to be removed from which thread
	liveTable    = []byte("live")    // the threads with a live run
	floorTable   = []byte("floor")   // the highest fence of the threads that were removed
)

var topTables = [][]byte{formatTable, threadsTable, indexTable, dueTable, liveTable, floorTable}

// errClosed is the error of every method after Close.
var errClosed = errors.New("filestore: the store is closed")

// A backend is a [store.Backend] in a file.
type backend struct {
	o    Options
	path string
	db   *bolt.DB
	// books has the size of each thread. It is computed from the file when it is opened.
	books *ledger.Ledger

	jobs   chan *job
	closed chan struct{} // closed by Close
	ended  chan struct{} // closed when the writer has ended
	once   sync.Once
	tell   func(store.Event)

	mu     sync.Mutex
	live   map[state.Key]attempt        // of every live run
	queues map[state.Key][]state.Ticket // the requests that wait; they end with the process
	floor  uint64
	failed bool  // a transaction could not be written, and it is not known that the next one can be
	need   int64 // how large the largest of those was

	disk       *disk
	file       os.FileInfo // of the file that is open
	reserved   atomic.Bool // there is a reserve
	unreserved atomic.Bool // none can be made, and there is none
	trying     atomic.Bool // a call finds out whether the disk takes writes
}

var _ store.Backend = (*backend)(nil)

func openBackend(path string, o Options) (*backend, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	o.LogTTL = min(cmp.Or(o.LogTTL, time.Hour), state.MaxTTL)
	sizes := map[string]int64{}
	db, err := openBolt(path, o, sizes)
	if err != nil {
		return nil, err
	}
	b := &backend{
		o: o, path: path, db: db, books: ledger.New(), tell: func(store.Event) {},
		jobs: make(chan *job), closed: make(chan struct{}), ended: make(chan struct{}),
		live: map[state.Key]attempt{}, queues: map[state.Key][]state.Ticket{}, disk: cmp.Or(o.disk, &realDisk),
	}
	b.file, err = os.Stat(path)
	if err == nil {
		err = b.restore(sizes)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := b.takeReserve(reserveBytes); err != nil {
		b.failed = true
		o.Logger.Error("the store is not ready", slog.Any("error", err))
	}
	go b.write()
	return b, nil
}

// restore reads the state that is also held in memory.
func (b *backend) restore(sizes map[string]int64) error {
	err := guarded(func() error {
		return b.db.View(func(tx *bolt.Tx) error {
			for _, name := range topTables {
				if tx.Bucket(name) == nil {
					return fmt.Errorf("there is no table %q", name)
				}
			}
			v := &view{tx: tx}
			b.floor = numberOf(v.root(floorTable).get(floorTable))
			b.restoreLive(v)
			b.restoreBooks(v, sizes)
			return v.err
		})
	})
	if err != nil {
		return damaged(b.path, err)
	}
	return nil
}

// restoreLive reads the live runs and ends the leases of the previous process.
func (b *backend) restoreLive(v *view) {
	now := b.o.Now()
	v.root(liveTable).each(nil, func(name, _ []byte) bool {
		key, ok := threadKey(name)
		if !ok {
			v.fail(state.ErrDamaged)
			return false
		}
		r := v.thread(key, now)
		if r == nil || r.thread.Live == nil {
			return true
		}
		a := attemptOf(r.thread)
		a.attempt, a.until, a.tied, a.hungUp, a.readUntil = "", now, false, false, time.Time{}
		b.live[key] = a
		return true
	})
}

// Listen sets the receiver of events; see [store.Backend].
func (b *backend) Listen(tell func(store.Event)) { b.tell = tell }

// Ping reports whether the file is there and takes writes. After a failed write it tests the disk with as many bytes.
func (b *backend) Ping(ctx context.Context) error {
	if err := b.ready(ctx); err != nil {
		return err
	}
	if err := b.sameFile(); err != nil {
		return err
	}
	b.mu.Lock()
	failed, need := b.failed, b.need
	b.mu.Unlock()
	if !failed {
		return nil
	}
	return b.retryDisk(ctx, need)
}

// ready reports whether a call can be made.
func (b *backend) ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-b.closed:
		return errClosed
	default:
		return nil
	}
}

// Close ends the writer and closes the file; see [store.Backend]. Changes that were requested before are written.
func (b *backend) Close() error {
	var err error
	b.once.Do(func() {
		close(b.closed)
		<-b.ended
		err = b.db.Close()
	})
	return err
}

// view reads the file at one moment. f must not keep anything of it, and must not call code of others: the writer
// may wait for it.
func (b *backend) view(ctx context.Context, f func(v *view)) error {
	if err := b.ready(ctx); err != nil {
		return err
	}
	err := guarded(func() error {
		return b.db.View(func(tx *bolt.Tx) error {
			v := &view{tx: tx}
			f(v)
			return v.err
		})
	})
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return errClosed
	}
	return damage(err)
}

// damage adds [state.ErrDamaged] to the error of a record with a wrong checksum.
func damage(err error) error {
	if errors.Is(err, errSum) {
		return errors.Join(state.ErrDamaged, err)
	}
	return err
}
