package redisstore

import (
	"context"
	_ "embed" // the script

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// Who follows a log is noted in the field readers of its thread, which scripts that add frames look at: they publish the thread's name to
// the channels of those, and nothing if there is nobody. So whoever follows ten thousand threads has one connection for it and asks nothing
// while nothing comes. What is published while that connection is cut is lost, so everything is read again when it is back.

//go:embed scripts/unfollow.lua
var unfollowSource string

var unfollowScript = newScript(unfollowSource, partThread)

// grownSignal is what stores are told that follow a log.
const grownSignal = "grown"

// How much of a log that is followed is read at once: it goes together with those of others, and is little unless there was an outage.
const (
	followBatch = 64
	followBytes = 64 << 10
)

// tellAll has every store look at a log: a lease that is lost may be of a thread that Redis has lost, with the note of who follows it.
func (s *backend) tellAll(ctx context.Context, key state.Key) {
	s.hint(ctx, func(ctx context.Context, p redis.Pipeliner) {
		p.Publish(ctx, s.allChannel(), key.Digest()+" 0 "+grownSignal)
	})
}

// allChannel is where every store listens.
func (s *backend) allChannel() string { return s.o.Prefix + ":sig:all" }

// FollowLog reads a log and notes in the same script that this store is told when it grows; see [state.LogFollower].
func (s *backend) FollowLog(ctx context.Context, key state.Key, after state.FrameID, number int64) (*state.LogPage, bool, error) {
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

// UnfollowLog takes this store from those that are told. If that fails it is told in vain for at most a day.
func (s *backend) UnfollowLog(key state.Key, number int64) {
	go func() {
		_, _ = s.batch(context.Background(), unfollowScript, hashTagOf(key), args{s.name, number}, 0)
	}()
}
