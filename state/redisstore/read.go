package redisstore

import (
	"context"
	"encoding/json"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// State returns the state at a revision; see [store.Backend].
func (s *backend) State(ctx context.Context, key state.Key, rev int64) (json.RawMessage, error) {
	text, _, err := s.stateAt(ctx, key, rev)
	return text, err
}

// stateAt is [backend.State], with the tag of the thread.
func (s *backend) stateAt(ctx context.Context, key state.Key, rev int64) (text json.RawMessage, tag string, err error) {
	a := args{s.clock(), rev}
	r, err := s.batch(ctx, stateScript, hashTagOf(key), a, firstBytes)
	if err == nil && r.text(0) == "replaced" { // only then the second key is named: it may not exist
		r, err = s.run(ctx, stateScript, hashTagOf(key), a, partOld)
	}
	switch {
	case err != nil:
		return nil, "", err
	case r.text(0) == didIt:
		return raw(r.text(1)), r.text(2), nil
	case r.text(0) == "replaced":
		return nil, "", state.ErrRevision
	default:
		return nil, "", state.ErrUnknownThread
	}
}

// The most that is read at once of a log or a conversation: a connection has to transfer it in time.
const (
	readBatch = 256     // entries
	readBytes = 4 << 20 // unless a single entry has more
	// firstBytes is the size of replies that share a round trip: of the first part of a conversation, and about of
	// a state.
	firstBytes = 256 << 10
)

// ReadLog returns the frames of a log after a frame; see [store.Backend].
func (s *backend) ReadLog(ctx context.Context, key state.Key, after state.FrameID) (*store.LogPage, error) {
	r, err := s.runPacked(ctx, readScript, hashTagOf(key), s.readArgs(after, readBatch, readBytes, "", 0))
	if err != nil {
		return nil, err
	}
	return logPage(r, after)
}

func (s *backend) readArgs(after state.FrameID, most, bytes int, name string, number int64) args {
	return args{s.clock(), s.o.LogTTL.Microseconds(), idText(after), most, bytes, name, number}
}

// logPage reads the answer of the script.
func logPage(r reply, after state.FrameID) (*store.LogPage, error) {
	page := &store.LogPage{Born: r.text(0), End: after, More: r.number(3) > 0, Lost: r.number(6) > 0}
	var err error
	if page.Cut, err = frameID(r.text(4)); err != nil {
		return nil, err
	}
	entries := r.list(2)
	for i := range entries {
		entry := entries.list(i)
		fields := entry.list(1).pairs()
		if fields[packFirst] != "" {
			if err := addPack(page, entry.text(0), fields); err != nil {
				return nil, err
			}
			continue
		}
		f, ok, err := parseFrame(entry.text(0), fields)
		if err != nil {
			return nil, err
		}
		if ok {
			page.Frames = append(page.Frames, f)
		} else if born := fields["d"]; born != "" {
			page.Marker = born
		}
		if page.End, err = state.ParseFrameID(entry.text(0)); err != nil {
			return nil, err
		}
	}
	if page.Last, err = frameID(r.text(1)); err != nil {
		return nil, err
	}
	if !page.More && page.End.Less(page.Last) {
		page.End = page.Last // frames between are trimmed
	}
	return page, nil
}

// Holds reports whether the log still has the frame; see [store.Backend].
func (s *backend) Holds(ctx context.Context, key state.Key, id state.FrameID) (bool, error) {
	r, err := s.runPacked(ctx, holdsScript, hashTagOf(key), args{s.clock(), s.o.LogTTL.Microseconds(), id.String()})
	if err != nil {
		return false, err
	}
	if r.text(0) == "" {
		return false, state.ErrUnknownThread
	}
	return r.text(0) == "yes", nil
}

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
