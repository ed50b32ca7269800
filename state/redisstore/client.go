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

// opTimeout is how long one exchange may take, all its tries together, before the Redis counts as away. One that hangs
// takes connections and says nothing: nobody may wait for it as long as for one that works.
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
	// What is sent again is safe to be: scripts know their own work, and log entries have explicit ids.
	o.MaxRetries = 2
	o.MinRetryBackoff, o.MaxRetryBackoff = 10*time.Millisecond, 200*time.Millisecond
	o.PoolSize = settings.PoolSize

	c := redis.NewUniversalClient(o)
	c.AddHook(bound(settings.timeout))
	return c
}

// A bound is the time limit of an exchange with all its tries: the client's own limits are for each of them.
type bound time.Duration

// DialHook leaves connecting alone, which has a limit.
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

// setLogger hands what the client logs to the first store's logger: it has one per process.
func setLogger(l *slog.Logger) {
	once.Do(func() { redis.SetLogger(&clientLog{to: l, quiet: map[string]time.Time{}}) })
}

// A clientLog is a slog.Logger as the client wants it. What it says is about connections: its requests and
// replies are not in it. While a Redis is away it says the same thing over and over.
type clientLog struct {
	to *slog.Logger

	mu    sync.Mutex
	quiet map[string]time.Time // until when a format is not logged again
}

// Printf logs a line of the client's, of a kind at most one in five seconds.
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
