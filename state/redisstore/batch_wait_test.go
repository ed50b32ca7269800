package redisstore

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// While a node hangs, the scripts of callers who have given up do not pile up: each caller tries again and again.
func TestScriptsThatNobodyWaitsForAreNotKept(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr, ReadTimeout: time.Minute})
	b := &batcher{client: client}
	echo := newScript("return 'done'", partThread)
	ask := func(ctx context.Context) error {
		_, err := b.do(ctx, &call{script: echo, keys: []string{"a"}})
		return err
	}
	if err := ask(t.Context()); err != nil {
		t.Fatal(err)
	}
	server.Freeze()
	var all sync.WaitGroup
	waiting := func() (trips, n int) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.trips, len(b.waiting)
	}
	for i := range batchTrips {
		all.Go(func() { _ = ask(t.Context()) }) // it waits for the node
		// One by one: a trip takes all calls that wait.
		redistest.Until(t, "the trip", func() bool { trips, n := waiting(); return trips == i+1 && n == 0 })
	}
	ctx, cancel := context.WithCancel(t.Context())
	for range 100 {
		all.Go(func() {
			if err := ask(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("do() = %v", err)
			}
		})
	}
	redistest.Until(t, "the callers", func() bool { _, n := waiting(); return n == 100 })
	cancel()
	redistest.Until(t, "what is left", func() bool { _, n := waiting(); return n == 0 })
	server.Thaw()
	all.Wait()
	if err := ask(t.Context()); err != nil {
		t.Errorf("do() = %v after the node is back", err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

// A caller that leads a batch leaves it when its context is done, as those behind it do. The batch is sent all the
// same.
func TestTheCallerThatLeadsABatchLeavesIt(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr, ReadTimeout: time.Minute})
	b := &batcher{client: client}
	ask := func(ctx context.Context) error {
		_, err := b.do(ctx, &call{script: newScript("return redis.call('INCR', 'n')", partThread), keys: []string{"a"}})
		return err
	}
	server.Freeze()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- ask(ctx) }()
	redistest.Until(t, "the trip", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.trips == 1 && len(b.waiting) == 0
	})
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) { // the server is frozen still
		t.Errorf("do() = %v", err)
	}
	server.Thaw()
	if err := ask(t.Context()); err != nil {
		t.Errorf("do() = %v after the node is back", err)
	}
	redistest.Until(t, "both", func() bool { n, err := client.Get(t.Context(), "n").Int(); return err == nil && n == 2 })
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}
