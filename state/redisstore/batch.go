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

// How many scripts, and bytes of their arguments, go in one round trip, and how many round trips are on their way at a time.
const (
	batchCalls = 256
	batchBytes = readBytes
	batchTrips = 2
)

// errUnanswered is what a call comes to that was not answered for a reason of this process' own.
var errUnanswered = errors.New("redisstore: a script was not sent")

// A batcher sends what is small for many threads in few round trips to one node: a call goes at once while the node is idle, and those
// that come while others are on their way go together. Each has an answer or an error of its own.
type batcher struct {
	client redis.UniversalClient

	mu      sync.Mutex
	waiting []*call // oldest first; each has a caller who waits for it
	trips   int     // on their way
}

// A call is a script, or some commands, that are sent for a caller.
type call struct {
	script script
	keys   []string
	args   args
	size   int // bytes of what is large in args and the answer
	// commands, if there are any, are sent in place of a script. They have their own answers; the call has the first error of theirs.
	commands []redis.Cmder
	answer   any
	err      error
	done     chan struct{} // closed when it is answered
}

// do has a script run, and waits for its answer or the end of ctx. What a caller no longer waits for may be done all the same.
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
		go b.trip() // with all calls that wait; it may last longer than ctx
	}
	select {
	case <-c.done:
		return c.answer, c.err
	case <-ctx.Done():
		b.giveUp(c)
		return nil, ctx.Err()
	}
}

// giveUp takes a call away that was not sent yet: while a node hangs, its caller tries again and again.
func (b *batcher) giveUp(c *call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, c); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
	}
}

// trip sends what waits. If something else waits by then, it goes with the next one.
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

// take returns the oldest that wait and go together. The caller holds mu.
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

// exchange has calls made in one pipeline, and returns those whose scripts the node has to be told in full.
func (b *batcher) exchange(calls []*call, run func(script, context.Context, redis.Scripter, []string, ...any) *redis.Cmd) (unknown []*call) {
	ctx := context.Background() // of none of the callers: a hook bounds it
	p := b.client.Pipeline()
	ends := make([]int, len(calls)) // of each call's commands
	for i, c := range calls {
		if c.commands == nil {
			run(c.script, ctx, p, c.keys, c.args...)
		}
		for _, command := range c.commands {
			_ = p.Process(ctx, command) // it is only noted
		}
		ends[i] = p.Len()
	}
	answers, _ := p.Exec(ctx) // it fails with the first error of those that are looked at here
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

// read reads the answers to what was sent for a call.
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
	case errors.Is(c.err, os.ErrDeadlineExceeded): // of the connection, which has that of the exchange
		c.err = fmt.Errorf("redisstore: %w: %w", context.DeadlineExceeded, c.err)
	case c.err != nil:
		c.err = fmt.Errorf("redisstore: %w", c.err)
	}
}

// batchers are those of a Redis: one, or one for each master of a cluster, so that nobody waits for a node that is away but those whose
// threads it has.
type batchers struct {
	client redis.UniversalClient

	mu sync.Mutex
	of map[string]*batcher // by the address of the node
}

// batcherOf returns the batcher for the node that has a key.
func (s *backend) batcherOf(ctx context.Context, key string) (*batcher, error) {
	node, err := s.nodeOf(ctx, key)
	if err != nil {
		return nil, err
	}
	return s.batchers.at(node), nil
}

// nodeOf is the address of the node of a cluster that has a key, empty if there is one for all.
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

// together has commands made that are of any slots, if there are some. Those for a Redis that is no cluster go with what others send.
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
		const most = 1000 // nodes of one cluster: more are those that it had
		if b.of == nil || len(b.of) >= most {
			b.of = map[string]*batcher{}
		}
		of = &batcher{client: b.client}
		b.of[address] = of
	}
	return of
}
