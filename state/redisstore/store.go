package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// A backend is a [store.Backend] in Redis. Several, in any number of processes, share one Redis.
type backend struct {
	main         redis.UniversalClient
	o            Options
	name         string // unique among the backends of the Redis
	channel      string // receives signals to attempts of this store, and the names of grown logs
	subscription *redis.PubSub
	running      sync.WaitGroup
	policy       atomic.Bool // the maxmemory-policy was read
	counting     atomic.Bool // sizes of principals are counted
	batchers     batchers
	packer       packer
	closing      chan struct{} // closed by Close
}

var (
	_ store.Backend     = (*backend)(nil)
	_ store.LogFollower = (*backend)(nil)
	_ store.Replicator  = (*backend)(nil)
)

// Open connects to the Redis at an address:
//
//	redis://[user:password@]host[:port][/db]
//	redis+cluster://[user:password@]host[:port][,host[:port]…]
//	redis+sentinel://[user:password@]host[:port][,host[:port]…]/master[/db]
//
// With rediss instead of redis the connections are encrypted. A cluster can also be spelled redis://…?cluster=true.
// The credentials of the sentinels themselves are ?sentinel_username= and ?sentinel_password=. It fails with
// [ErrURL], with [state.ErrLater] or [state.ErrOlder] if another version of the gateway has stored its threads there in
// another format, or when the Redis cannot be reached, unless o.AllowUnreachable; no error quotes the address.
//
// Everything is read from masters: a replica may not have the frames of a reader's cursor yet.
func Open(ctx context.Context, address string, o Options) (state.Store, error) {
	b, err := openBackend(ctx, address, o)
	if err != nil {
		return nil, err
	}
	return store.New(b, store.Options{ThreadTTL: b.o.ThreadTTL, Logger: b.o.Logger}), nil
}

func openBackend(ctx context.Context, address string, o Options) (*backend, error) {
	where, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	s := &backend{main: newClient(where, o), o: o, name: rand.Text(), closing: make(chan struct{})}
	s.channel, s.batchers.client, s.packer.wake = o.Prefix+":sig:"+s.name, s.main, make(chan struct{}, 1)
	err = s.Ping(ctx)
	late := err != nil && o.AllowUnreachable && !refused(err)
	if err != nil && !late {
		return nil, errors.Join(err, s.main.Close())
	}
	if late {
		o.Logger.WarnContext(ctx, "the Redis cannot be reached yet and is waited for", slog.Any("error", err))
	}
	s.subscription = s.main.Subscribe(ctx, s.channel, s.allChannel()) // reconnects by itself
	if !late {
		if _, err := s.subscription.ReceiveTimeout(ctx, o.timeout); err != nil {
			return nil, errors.Join(fmt.Errorf("redisstore: %w", err), s.subscription.Close(), s.main.Close())
		}
	}
	return s, nil
}

// refused reports whether the Redis answered with an error that does not pass by itself.
func refused(err error) bool {
	if errors.Is(err, state.ErrLater) || errors.Is(err, state.ErrOlder) || errors.Is(err, errForeign) ||
		redis.IsAuthError(err) || redis.IsPermissionError(err) {
		return true
	}
	answer, ok := errors.AsType[redis.Error](err)
	if !ok || redis.IsMaxClientsError(answer) {
		return false
	}
	code, _, _ := strings.Cut(answer.Error(), " ") // temporary errors have codes: LOADING, MASTERDOWN, READONLY, …
	return code == "ERR"
}

// Listen delivers signals to attempts and waiting requests of this process, and the names of followed logs that
// have grown, until the subscription is closed.
func (s *backend) Listen(tell func(store.Event)) {
	s.running.Go(func() {
		for heard := range s.subscription.ChannelWithSubscriptions() {
			switch m := heard.(type) {
			case *redis.Subscription: // connected again: messages may be lost
				tell(store.Event{Kind: store.EventGrown})
			case *redis.Message:
				if e, ok := parseSignal(m.Payload); ok {
					tell(e)
				}
			}
		}
	})
	s.running.Go(s.packOver)
}

// parseSignal reads a message of a script. A lost signal comes with the next renewal.
func parseSignal(payload string) (store.Event, bool) {
	text := strings.Fields(payload)
	if len(text) != 3 {
		return store.Event{}, false
	}
	fence, err := strconv.ParseUint(text[1], 10, 64)
	e := store.Event{Kind: store.EventSignal, Thread: text[0], Fence: fence, Signal: state.Signal(text[2])}
	switch text[2] {
	case wakeSignal:
		e.Kind = store.EventTurn
	case grownSignal:
		e.Kind = store.EventGrown
	}
	return e, err == nil
}

// Ping reports whether the Redis can be reached and takes writes: a full one, or a replica, serves no run. Neither
// does one of a later version: [state.ErrLater].
func (s *backend) Ping(ctx context.Context) error {
	if err := s.main.Set(ctx, s.o.Prefix+":ping", "", time.Second).Err(); err != nil {
		return fmt.Errorf("redisstore: %w", err)
	}
	if err := s.enterFormat(ctx); err != nil {
		return err
	}
	s.warnOfEviction(ctx)
	return nil
}

// Close closes the connections. Waits end at once; leases expire.
func (s *backend) Close() error {
	close(s.closing)
	err := errors.Join(s.subscription.Close(), s.main.Close())
	s.running.Wait()
	return err
}

// now returns about the time of the store's clock. In a cluster each node has a clock, and any of them may answer.
// Threads are judged by the clock of their node.
func (s *backend) now(ctx context.Context) (time.Time, error) {
	if s.o.Now != nil {
		return s.o.Now(), nil
	}
	now, err := s.main.Time(ctx).Result()
	if err != nil {
		return time.Time{}, fmt.Errorf("redisstore: %w", err)
	}
	return now, nil
}

// noEviction is the maxmemory-policy of a Redis that refuses writes when it is full. Every other one removes keys
// of threads, because all of them have an expiry.
const noEviction = "noeviction"

// warnOfEviction logs the nodes that may evict threads. It does so once, when the Redis is first reached; a node
// that does not report its policy is skipped.
func (s *backend) warnOfEviction(ctx context.Context) {
	if s.policy.Swap(true) {
		return
	}
	ask := func(ctx context.Context, node *redis.Client) error {
		info, err := node.Info(ctx, "memory").Result()
		if policy := infoFields(info)["maxmemory_policy"]; policy != noEviction && policy != "" {
			s.o.Logger.WarnContext(ctx,
				"this Redis removes parts of threads when it is full; set its maxmemory-policy to "+noEviction,
				slog.String("address", node.Options().Addr), slog.String("maxmemory-policy", policy))
		}
		return err
	}
	if err := s.eachMaster(ctx, ask); err != nil {
		s.o.Logger.DebugContext(ctx, "the maxmemory-policy is not known", slog.Any("error", err))
	}
}

// eachMaster calls ask for each node with threads.
func (s *backend) eachMaster(ctx context.Context, ask func(context.Context, *redis.Client) error) error {
	if cluster, ok := s.main.(*redis.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, ask)
	}
	return ask(ctx, s.main.(*redis.Client))
}

// Options configure a store. The zero value is good.
type Options struct {
	// LogTTL is how long the log of a run is kept after its end; 0 means an hour.
	LogTTL time.Duration
	// ThreadTTL is how long a thread is kept after its last transition, [state.MaxTTL] at most; 0 means 30 days.
	ThreadTTL time.Duration
	// Prefix begins every key, so that several gateways can share a Redis; empty means "agui".
	Prefix string
	// PoolSize is the most connections per node, beside the one for signals and growing logs; 0 means 8. More than
	// a few help where an exchange takes long, because scripts of many threads share a round trip.
	PoolSize int
	// Wait is the number of replicas that must have a question, an answer or an approval before it is acknowledged
	// (WAIT); 0 means none. Other writes do not wait. If they do not have it within a second the call fails with
	// [ErrReplicas], and may be repeated.
	Wait int
	// AllowUnreachable lets [Open] succeed while the Redis cannot be reached: calls and Ping fail until it can.
	// Errors of the Redis itself, such as a wrong password or database, still fail at once.
	AllowUnreachable bool
	// Logger logs messages of the client about connections; nil means slog.Default. The client has one logger per
	// process: that of the first store.
	Logger *slog.Logger
	// Now replaces the clock of the Redis server; nil means that clock.
	Now func() time.Time

	timeout time.Duration // of an exchange; 0 means opTimeout
	// packDelay is the time from the end of a run to its packing; 0 means defaultPackDelay, negative at once.
	packDelay time.Duration
}

func (o Options) withDefaults() Options {
	o.LogTTL = min(cmp.Or(o.LogTTL, time.Hour), state.MaxTTL)
	o.ThreadTTL = min(cmp.Or(o.ThreadTTL, 30*24*time.Hour), state.MaxTTL)
	o.Prefix = cmp.Or(o.Prefix, "agui")
	o.PoolSize = cmp.Or(o.PoolSize, 8)
	o.packDelay = cmp.Or(o.packDelay, defaultPackDelay)
	o.timeout = cmp.Or(o.timeout, opTimeout)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}
