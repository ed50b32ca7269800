package redisstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/redis/go-redis/v9"
)

// The most scripts, and bytes of their arguments, of one round trip, and the most concurrent round trips.
const (
	batchCalls = 256
	batchBytes = readBytes
	batchTrips = 2
)

// errUnanswered: the call was not answered because of an error in this process.
var errUnanswered = errors.New("redisstore: a script was not sent")

// A batcher sends the small scripts of many threads in few round trips to one node. A call is sent at once while
// the node is idle; calls that come during round trips are sent together. Each has its own answer or error.
type batcher struct {
	client redis.UniversalClient

	mu      sync.Mutex
	waiting []*call // oldest first; each has a waiting caller
	trips   int     // running
}

// A call is a script, or some commands, of one caller.
type call struct {
	script script
	keys   []string
	args   args
	size   int // large bytes in args and the answer
	// commands, if any, are sent instead of a script. Each has its answer; the call has their first error.
	commands []redis.Cmder
	answer   any
	err      error
	done     chan struct{} // closed when it is answered
}

// do runs a script and waits for its answer or the end of ctx. A script may run although its caller has left.
func (b *batcher) do(ctx context.Context, c *call) (any, error) {
	c.done = make(chan struct{})
	b.mu.Lock()
	b.waiting = append(b.waiting, c)
	leads := b.trips < batchTrips
	if leads {
		b.trips++
	}
	b.mu.Unlock()
	if leads {
		go b.trip() // with all waiting calls; it may outlast ctx
	}
	select {
	case <-c.done:
		return c.answer, c.err
	case <-ctx.Done():
		b.giveUp(c)
		return nil, ctx.Err()
	}
}

// giveUp removes a call that was not sent yet: while a node hangs, its caller tries again and again.
func (b *batcher) giveUp(c *call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, c); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
	}
}

// trip sends the waiting calls, and again while others have come.
func (b *batcher) trip() {
	b.mu.Lock()
	calls := b.take()
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		more := len(b.waiting) > 0
		if !more {
			b.trips--
		}
		b.mu.Unlock()
		if more {
			go b.trip()
		}
	}()
	b.send(calls)
}

// take returns the oldest waiting calls that are sent together. The caller holds mu.
func (b *batcher) take() []*call {
	n, size := 0, 0
	for n < len(b.waiting) && n < batchCalls && (n == 0 || size+b.waiting[n].size <= batchBytes) {
		size += b.waiting[n].size
		n++
	}
	calls := b.waiting[:n:n]
	b.waiting = b.waiting[n:]
	if len(b.waiting) == 0 {
		b.waiting = nil
	}
	return calls
}

// send makes one round trip, and another for the scripts that the node did not know.
func (b *batcher) send(calls []*call) {
	defer func() {
		for _, c := range calls {
			close(c.done)
		}
	}()
	for _, c := range calls {
		c.err = errUnanswered // unless it is
	}
	unknown := b.exchange(calls, script.EvalSha)
	if len(unknown) > 0 {
		b.exchange(unknown, script.Eval)
	}
}

// exchange sends calls in one pipeline, and returns those with scripts that the node does not know.
func (b *batcher) exchange(
	calls []*call, run func(script, context.Context, redis.Scripter, []string, ...any) *redis.Cmd,
) (unknown []*call) {
	ctx := context.Background() // independent of the callers; a hook bounds it
	p := b.client.Pipeline()
	ends := make([]int, len(calls)) // of each call's commands
	for i, c := range calls {
		if c.commands == nil {
			run(c.script, ctx, p, c.keys, c.args...)
		}
		for _, command := range c.commands {
			_ = p.Process(ctx, command) // only queued
		}
		ends[i] = p.Len()
	}
	answers, _ := p.Exec(ctx) // its error is the first one of the answers
	begin := 0
	for i, c := range calls {
		c.read(answers[begin:ends[i]])
		begin = ends[i]
		if redis.HasErrorPrefix(c.err, "NOSCRIPT") {
			unknown = append(unknown, c)
		}
	}
	return unknown
}

// read reads the answers of a call.
func (c *call) read(answers []redis.Cmder) {
	c.err = nil
	for _, answer := range answers {
		if c.err = answer.Err(); c.err != nil {
			break
		}
		if script, ok := answer.(*redis.Cmd); ok {
			c.answer = script.Val()
		}
	}
	switch {
	case errors.Is(c.err, os.ErrDeadlineExceeded): // the deadline of the connection, which is that of the exchange
		c.err = fmt.Errorf("redisstore: %w: %w", context.DeadlineExceeded, c.err)
	case c.err != nil:
		c.err = fmt.Errorf("redisstore: %w", c.err)
	}
}

// batchers has the batcher of a Redis, or one for each master of a cluster, so that a node that is down delays only
// calls for its threads.
type batchers struct {
	client redis.UniversalClient

	mu sync.Mutex
	of map[string]*batcher // by the address of the node
}

// batcherOf returns the batcher of the node with a key.
func (s *backend) batcherOf(ctx context.Context, key string) (*batcher, error) {
	node, err := s.nodeOf(ctx, key)
	if err != nil {
		return nil, err
	}
	return s.batchers.at(node), nil
}

// nodeOf returns the address of the cluster's node with a key; empty without a cluster.
func (s *backend) nodeOf(ctx context.Context, key string) (string, error) {
	cluster, ok := s.main.(*redis.ClusterClient)
	if !ok {
		return "", nil
	}
	node, err := cluster.MasterForKey(ctx, key)
	if err != nil {
		return "", fmt.Errorf("redisstore: %w", err)
	}
	return node.Options().Addr, nil
}

// together runs commands for any slots. For a single Redis they share the round trips of the batcher.
func (s *backend) together(ctx context.Context, commands func(ctx context.Context, p redis.Pipeliner)) error {
	p := s.main.Pipeline()
	commands(ctx, p)
	if p.Len() == 0 {
		return nil
	}
	if _, ok := s.main.(*redis.ClusterClient); !ok {
		_, err := s.batchers.at("").do(ctx, &call{commands: p.Cmds()})
		return err
	}
	if _, err := p.Exec(ctx); err != nil {
		return fmt.Errorf("redisstore: %w", err)
	}
	return nil
}

func (b *batchers) at(address string) *batcher {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := b.of[address]
	if of == nil {
		const most = 1000 // nodes of one cluster; more are former ones
		if b.of == nil || len(b.of) >= most {
			b.of = map[string]*batcher{}
		}
		of = &batcher{client: b.client}
		b.of[address] = of
	}
	return of
}
