package redisstore

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// opTimeout is the limit of one exchange with all its tries. A Redis that hangs keeps connections open and does not
// answer, and callers should not wait for it as for a slow one.
const opTimeout = 2 * time.Second

func newClient(o *redis.UniversalOptions, settings Options) redis.UniversalClient {
	setLogger(settings.Logger)
	o.DialTimeout = settings.timeout
	o.DialerRetries = 1
	o.ReadTimeout = settings.timeout
	o.WriteTimeout = settings.timeout
	o.ContextTimeoutEnabled = true
	o.DisableIdentity = true
	o.PipelinePoolSize = -1 // pipelines are few and small here: they share the pool
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	// Repeating is safe: scripts recognize their own work, and log entries have explicit ids.
	o.MaxRetries = 2
	o.MinRetryBackoff, o.MaxRetryBackoff = 10*time.Millisecond, 200*time.Millisecond
	o.PoolSize = settings.PoolSize

	c := redis.NewUniversalClient(o)
	c.AddHook(bound(settings.timeout))
	return c
}

// A bound is the time limit of an exchange with all its tries. The client's limits are for each try.
type bound time.Duration

// DialHook does nothing: connecting has its own limit.
func (b bound) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook bounds a command.
func (b bound) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(b))
		defer cancel()
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook bounds a pipeline.
func (b bound) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(b))
		defer cancel()
		return next(ctx, cmds)
	}
}

var once sync.Once

// setLogger sets the client's logger, which a process has once: it is that of the first store.
func setLogger(l *slog.Logger) {
	once.Do(func() { redis.SetLogger(&clientLog{to: l, quiet: map[string]time.Time{}}) })
}

// A clientLog is a slog.Logger for the client. Its messages are about connections and have no requests or replies.
// While a Redis is down they repeat.
type clientLog struct {
	to *slog.Logger

	mu    sync.Mutex
	quiet map[string]time.Time // the time from which a format is logged again
}

// Printf logs a line of the client, at most one of a format in five seconds.
func (l *clientLog) Printf(ctx context.Context, format string, v ...any) {
	now := time.Now()
	l.mu.Lock()
	quiet := now.Before(l.quiet[format])
	if !quiet {
		l.quiet[format] = now.Add(5 * time.Second)
	}
	l.mu.Unlock()
	if !quiet {
		l.to.WarnContext(ctx, "redis client", slog.String("message", fmt.Sprintf(format, v...)))
	}
}
