package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// A Store keeps threads in Redis. It is safe for concurrent use, and any number of them, in any number of
// processes, share one Redis.
type Store struct {
	clients
	o            Options
	channel      string // where this store is told what others say to its attempts
	subscription *redis.PubSub

	closed  chan struct{}
	leaving sync.Once
	running sync.WaitGroup

	mu     sync.Mutex
	owners map[post]*owner
	owned  map[slot]int // how many owners a thread has here
	feeds  map[slot]*feed
}

var (
	_ state.Store = (*Store)(nil)
	_ state.Facts = (*facts)(nil)
)

var errClosed = errors.New("redisstore: the store is closed")

// Open connects to the Redis at an address:
//
//	redis://[user:password@]host[:port][/db]
//	redis+cluster://[user:password@]host[:port][,host[:port]…]
//	redis+sentinel://[user:password@]host[:port][,host[:port]…]/master[/db]
//
// With rediss in place of redis the connections are encrypted. A cluster can also be spelled redis://…?cluster=true.
// The credentials of the sentinels themselves are ?sentinel_username= and ?sentinel_password=. It fails with
// [ErrURL], or when the Redis cannot be reached; no error quotes the address.
func Open(ctx context.Context, address string, o Options) (*Store, error) {
	where, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	s := &Store{
		clients: newClients(where, o), o: o, channel: o.Prefix + ":sig:" + rand.Text(), closed: make(chan struct{}),
		owners: map[post]*owner{}, owned: map[slot]int{}, feeds: map[slot]*feed{},
	}
	if err := s.Ping(ctx); err != nil {
		return nil, errors.Join(err, s.main.Close(), s.blocking.Close())
	}
	s.subscription = s.main.Subscribe(ctx, s.channel)
	if _, err := s.subscription.Receive(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("redisstore: %w", err), s.subscription.Close(), s.main.Close(), s.blocking.Close())
	}
	s.running.Go(s.listen)
	return s, nil
}

// ready reports why nothing can be asked of the store now.
func (s *Store) ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-s.closed:
		return errClosed
	default:
		return nil
	}
}

// Ping reports whether the Redis can be reached.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	if err := s.main.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("redisstore: %w", err)
	}
	return nil
}

// Close ends the store's tails, at once, and its connections. Leases it holds are not given back: they run out.
func (s *Store) Close() error {
	var err error
	s.leaving.Do(func() {
		close(s.closed)
		err = errors.Join(s.subscription.Close(), s.blocking.Close(), s.main.Close())
		s.running.Wait()
	})
	return err
}

// now is the time by the store's clock.
func (s *Store) now(ctx context.Context) (time.Time, error) {
	if s.o.Now != nil {
		return s.o.Now(), nil
	}
	now, err := s.main.Time(ctx).Result()
	if err != nil {
		return time.Time{}, fmt.Errorf("redisstore: %w", err)
	}
	return now, nil
}
