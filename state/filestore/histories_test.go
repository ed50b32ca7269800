package filestore_test

import (
	"crypto/rand"
	"errors"
	"flag"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/statetest"
)

// Each run of the tests plays the same histories. The flag -rapid.seed selects others; 0 means new ones.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

// TestHistories compares the three stores by random histories of calls.
func TestHistories(t *testing.T) {
	t.Parallel()
	url, file := redistest.Start(t).URL(), filepath.Join(memoryDir(t), "histories.db")
	quiet := slog.New(slog.DiscardHandler)
	statetest.RunHistories(t,
		statetest.Candidate{Name: "memory", Open: func(clock *statetest.Clock) (state.Store, error) {
			return memstore.New(memstore.Options{Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL}), nil
		}},
		statetest.Candidate{Name: "file", Open: func(clock *statetest.Clock) (state.Store, error) {
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			return filestore.Open(file, filestore.Options{
				Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL, Logger: quiet,
			})
		}},
		statetest.Candidate{Name: "redis", Open: func(clock *statetest.Clock) (state.Store, error) {
			return redisstore.Open(t.Context(), url, redisstore.Options{
				Prefix: rand.Text(), Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL, Logger: quiet,
			})
		}},
	)
}

// memoryDir returns a directory in memory, if the system has a place for one. No history needs its file after the end
// of the process, and a test would spend most of its time on waiting for the disk.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "histories")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
