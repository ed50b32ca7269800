package filestore_test

import (
	"crypto/rand"
	"flag"
	"log/slog"
	"path/filepath"
	"strconv"
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
	url, dir, files := redistest.Start(t).URL(), t.TempDir(), 0
	quiet := slog.New(slog.DiscardHandler)
	statetest.RunHistories(t,
		statetest.Candidate{Name: "memory", Open: func(clock *statetest.Clock) (state.Store, error) {
			return memstore.New(memstore.Options{Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL}), nil
		}},
		statetest.Candidate{Name: "file", Open: func(clock *statetest.Clock) (state.Store, error) {
			files++
			return filestore.Open(filepath.Join(dir, strconv.Itoa(files)+".db"), filestore.Options{
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
