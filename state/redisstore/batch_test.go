package redisstore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// What goes wrong with the append of one thread concerns no other that goes with it: a lease that is lost, frames
// that are missing, a thread of a later version, a key that another program has put there.
func TestAppendsThatGoTogetherFailAlone(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	prefix := rand.Text()
	s := open(t, server.URL(), redisstore.Options{Prefix: prefix})
	const fine, lost, gone, later, foreign, kinds, each = 0, 1, 2, 3, 4, 5, 20
	want := [kinds]error{lost: state.ErrLeaseLost, gone: state.ErrGap, later: state.ErrLater}
	threads := make([]*thread, kinds*each)
	leases := make([]*state.Lease, len(threads))
	afters := make([]state.FrameID, len(threads))
	for i := range threads {
		threads[i] = newThread(t)
		leases[i] = threads[i].begin(s, time.Hour)
		key := prefix + ":{" + threads[i].key.Digest() + "}"
		switch i % kinds {
		case lost:
			leases[i].Attempt = "another"
		case gone:
			afters[i] = behind(leases[i], 9)
		case later:
			must(t, client.HSet(t.Context(), key+":thread", "format", "99").Err())
		case foreign:
			must(t, client.Del(t.Context(), key+":ev").Err())
			must(t, client.Set(t.Context(), key+":ev", "text", 0).Err())
		}
	}
	for range 3 { // before Redis knows the script, and afterwards
		errs := make([]error, len(threads))
		var all sync.WaitGroup
		for i, l := range leases {
			all.Go(func() { errs[i] = s.Append(t.Context(), l, afters[i], frames(l, 1, 2)) })
		}
		all.Wait()
		for i, err := range errs {
			kind := i % kinds
			_, answered := errors.AsType[redis.Error](err)
			if kind == foreign && !answered || kind != foreign && !errors.Is(err, want[kind]) {
				t.Fatalf("Append() of thread %d = %v, want %v", i, err, want[kind])
			}
		}
		must(t, client.ScriptFlush(t.Context()).Err())
	}
	for i, th := range threads {
		if i%kinds == fine {
			ids, _ := th.tail(s, state.FrameID{}, 2)
			th.ordered(ids(), 2)
		}
	}
}

// A caller that leaves does not affect the scripts of others in its batch.
func TestACallerThatLeavesABatch(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := open(t, server.URL(), redisstore.Options{})
	const runs = 20
	threads, leases := make([]*thread, runs), make([]*state.Lease, runs)
	for i := range threads {
		threads[i] = newThread(t)
		leases[i] = threads[i].begin(s, time.Hour)
	}
	ctx, cancel := context.WithCancel(t.Context())
	server.Freeze()
	var all sync.WaitGroup
	errs := make([]error, runs)
	for i, l := range leases {
		all.Go(func() {
			with := ctx
			if i%2 == 0 {
				with = t.Context()
			}
			errs[i] = s.Append(with, l, state.FrameID{}, frames(l, 1, 1))
		})
	}
	cancel()
	server.Thaw()
	all.Wait()
	for i, err := range errs {
		if i%2 == 0 && err != nil {
			t.Errorf("Append() beside callers that left = %v", err)
		}
		threads[i].append(s, leases[i], 1, 2) // again, whatever was done
		ids, _ := threads[i].tail(s, state.FrameID{}, 2)
		threads[i].ordered(ids(), 2)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
