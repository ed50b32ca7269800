package redisstore

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// The stores that follow a log are in the field readers of its thread. Scripts that add frames publish the thread's
// name to their channels, if there are any. A store that follows ten thousand threads needs one connection and no
// polling. Messages are lost while that connection is down, so everything is read again when it is back.

var unfollowScript = newScript(source("unfollow"), partThread)

// grownSignal is the message to stores that follow a log.
const grownSignal = "grown"

// The part of a followed log that is read at once: it shares a round trip with others, and is small unless there
// was an outage.
const (
	followBatch = 64
	followBytes = 64 << 10
)

// tellAll makes every store read a log: the thread of a lost lease may be lost, with its list of followers.
func (s *backend) tellAll(ctx context.Context, key state.Key) {
	s.hint(ctx, func(ctx context.Context, p redis.Pipeliner) {
		p.Publish(ctx, s.allChannel(), key.Digest()+" 0 "+grownSignal)
	})
}

// allChannel returns the channel of all stores.
func (s *backend) allChannel() string { return s.o.Prefix + ":sig:all" }

// FollowLog reads a log and, in the same script, subscribes this store to it; see [store.LogFollower].
func (s *backend) FollowLog(
	ctx context.Context, key state.Key, after state.FrameID, number int64,
) (*store.LogPage, bool, error) {
	a := s.readArgs(after, followBatch, followBytes, s.name, number)
	r, err := s.batch(ctx, readScript, hashTagOf(key), a, 0)
	if err == nil && r.text(0) == packed {
		r, err = s.run(ctx, readScript, hashTagOf(key), a, partPacks)
	}
	if err != nil {
		return nil, false, err
	}
	page, err := logPage(r, after)
	return page, r.number(5) > 0, err
}

// UnfollowLog ends the subscription. If that fails, messages come in vain for at most a day.
func (s *backend) UnfollowLog(key state.Key, number int64) {
	go func() {
		_, _ = s.batch(context.Background(), unfollowScript, hashTagOf(key), args{s.name, number}, 0)
	}()
}
