package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
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
	policy  sync.Once // the maxmemory-policy was asked for

	mu     sync.Mutex
	owners map[post]*owner
	owned  map[slot]int // how many owners a thread has here
	feeds  map[slot]*feed

	turns turns
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
// [ErrURL], or when the Redis cannot be reached, unless o.Late; no error quotes the address.
//
// Everything is read from masters: a replica may not have yet what a reader's cursor was given for.
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
	err = s.Ping(ctx)
	late := err != nil && o.Late && !refused(err)
	if err != nil && !late {
		return nil, errors.Join(err, s.main.Close(), s.blocking.Close())
	}
	if late {
		o.Logger.WarnContext(ctx, "the Redis cannot be reached yet and is waited for", slog.Any("error", err))
	}
	s.subscription = s.main.Subscribe(ctx, s.channel) // connects again by itself
	if !late {
		if _, err := s.subscription.ReceiveTimeout(ctx, patience); err != nil {
			return nil, errors.Join(fmt.Errorf("redisstore: %w", err), s.subscription.Close(), s.main.Close(), s.blocking.Close())
		}
	}
	s.running.Go(s.listen)
	return s, nil
}

// refused reports whether the Redis was there and said no in a way that waiting does not change.
func refused(err error) bool {
	if redis.IsAuthError(err) || redis.IsPermissionError(err) {
		return true
	}
	answer, ok := errors.AsType[redis.Error](err)
	if !ok || redis.IsMaxClientsError(answer) {
		return false
	}
	code, _, _ := strings.Cut(answer.Error(), " ") // what may pass has a code of its own: LOADING, MASTERDOWN, READONLY, …
	return code == "ERR"
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

// Ping reports whether the Redis can be reached and takes writes: one that is full, or a replica's, serves no run.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	if err := s.main.Set(ctx, s.o.Prefix+":ping", "", block).Err(); err != nil {
		return fmt.Errorf("redisstore: %w", err)
	}
	s.warnOfEviction(ctx)
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

// now is about what time it is by the store's clock: in a cluster each node has its own, and any of them may answer. What is
// so of a thread is judged by the clock of its own node.
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
