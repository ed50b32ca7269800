package redisstore

import (
	"context"
	"log/slog"
	"strings"

	"github.com/redis/go-redis/v9"
)

// noEviction is the maxmemory-policy of a Redis that refuses writes when it is full. Every other one removes keys, of
// threads too: all of them may expire.
const noEviction = "noeviction"

// warnOfEviction logs what nodes may evict threads. It does so once, when the Redis is first there to be asked; one that
// does not say is left alone.
func (s *backend) warnOfEviction(ctx context.Context) {
	s.policy.Do(func() {
		ask := func(ctx context.Context, node *redis.Client) error {
			info, err := node.Info(ctx, "memory").Result()
			_, rest, ok := strings.Cut(info, "maxmemory_policy:")
			if err != nil || !ok {
				return err
			}
			policy, _, _ := strings.Cut(rest, "\r\n")
			if policy != noEviction {
				s.o.Logger.WarnContext(ctx, "this Redis removes parts of threads when it is full; set its maxmemory-policy to "+noEviction,
					slog.String("address", node.Options().Addr), slog.String("maxmemory-policy", policy))
			}
			return nil
		}
		var err error
		switch c := s.main.(type) {
		case *redis.ClusterClient:
			err = c.ForEachMaster(ctx, ask)
		case *redis.Client:
			err = ask(ctx, c)
		}
		if err != nil {
			s.o.Logger.DebugContext(ctx, "the maxmemory-policy is not known", slog.Any("error", err))
		}
	})
}
