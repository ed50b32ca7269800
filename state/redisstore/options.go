package redisstore

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/agui-gateway/gateway/state"
)

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
