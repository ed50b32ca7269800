package redisstore

import (
	"context"
	_ "embed" // the script
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// Who follows a log is noted in the field readers of its thread, which scripts that add frames look at: they publish the thread's name to
// the channels of those, and nothing if there is nobody. So whoever follows ten thousand threads has one connection for it and asks nothing
// while nothing comes. What is published while that connection is cut is lost, so everything is read again when it is back.
//
// Versions before this one publish nothing. As long as a replica of one uses the Redis, which can be seen from its channel, nobody here
// relies on being told.

//go:embed scripts/unfollow.lua
var unfollowSource string

var unfollowScript = newScript(unfollowSource, partThread)

// tellingMark begins the names of stores that publish when they add frames.
const tellingMark = "2."

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
func (s *backend) allChannel() string { return s.o.Prefix + ":sig:" + tellingMark + "all" }

// olderPeriod is how often a store looks for replicas of earlier versions.
const olderPeriod = 2 * time.Second

// FollowLog reads a log and notes in the same script that this store is told when it grows; see [state.LogFollower].
func (s *backend) FollowLog(ctx context.Context, key state.Key, after state.FrameID, number int64) (*state.LogPage, bool, error) {
	older := s.older.Load() // before the reading: what one of them writes afterwards is found by looking again
	a := s.readArgs(after, followBatch, followBytes, s.name, number)
	r, err := s.batch(ctx, readScript, hashTagOf(key), a, 0)
	if err == nil && r.text(0) == packed {
		r, err = s.run(ctx, readScript, hashTagOf(key), a, partPacks)
	}
	if err != nil {
		return nil, false, err
	}
	page, err := logPage(r, after)
	return page, r.number(5) > 0 && !older, err
}

// UnfollowLog takes this store from those that are told. If that fails it is told in vain for at most a day.
func (s *backend) UnfollowLog(key state.Key, number int64) {
	go func() {
		_, _ = s.batch(context.Background(), unfollowScript, hashTagOf(key), args{s.name, number}, 0)
	}()
}

// watchOlder finds out whether replicas of earlier versions use the Redis, until the backend is closed. If that cannot be found out,
// there may be some; that it may not be asked is logged once. If one has come, the logs that are followed are looked at again.
func (s *backend) watchOlder(tell func(state.Event)) {
	ticker := time.NewTicker(olderPeriod)
	defer ticker.Stop()
	var refused sync.Once
	for {
		older, err := s.anyOlder(context.Background())
		if redis.IsPermissionError(err) {
			refused.Do(func() {
				s.o.Logger.Warn("redisstore: readers are not told when logs grow, and look at them instead, because PUBSUB CHANNELS is not permitted", "error", err)
			})
		}
		if older = older || err != nil; s.older.Swap(older) != older {
			tell(state.Event{Kind: state.EventGrown})
		}
		select {
		case <-ticker.C:
		case <-s.closing:
			return
		}
	}
}

// anyOlder looks at the channels of all replicas.
func (s *backend) anyOlder(ctx context.Context) (older bool, err error) {
	prefix := s.o.Prefix + ":sig:"
	pattern := globs.Replace(prefix) + "*"
	var mu sync.Mutex
	ask := func(ctx context.Context, node *redis.Client) error {
		channels, err := node.PubSubChannels(ctx, pattern).Result()
		mu.Lock()
		defer mu.Unlock()
		for _, channel := range channels {
			older = older || !strings.HasPrefix(channel, prefix+tellingMark)
		}
		return err
	}
	err = s.eachMaster(ctx, ask)
	return older, err
}

// globs quotes what means more than itself in a pattern.
var globs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`)
