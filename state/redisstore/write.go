package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// leaseArgs returns the arguments of a lease.
func leaseArgs(l *state.Lease) args { return args{l.Attempt, strconv.FormatUint(l.Fence, 10)} }

// granted returns the error for the answer of a script.
func granted(answer string) error {
	switch answer {
	case didIt:
		return nil
	case conflict:
		return store.ErrConflict
	case gap:
		return state.ErrGap
	case unknown:
		return state.ErrUnknownThread
	default:
		return state.ErrLeaseLost
	}
}

// grants is granted for the holder of a lease. If the lease is lost, all stores read the log of the thread.
func (s *backend) grants(ctx context.Context, key state.Key, answer string) error {
	err := granted(answer)
	if errors.Is(err, state.ErrLeaseLost) {
		s.packer.drop(key)
		s.tellAll(ctx, key)
	}
	return err
}

// flagsOf reads the flags of the live attempt from an answer.
func flagsOf(flags reply) state.Flags {
	return state.Flags{Stopped: flags.text(0) != "", Tied: flags.text(1) != "", HungUp: flags.text(2) != ""}
}

// Append adds frames to the log; see [store.Backend]. Many are sent in several parts, in their order.
func (s *backend) Append(
	ctx context.Context, l *state.Lease, revision int64, after state.FrameID, frames []state.Frame,
) (before state.FrameID, flags state.Flags, err error) {
	for first := true; ; first = false {
		n, size := piece(frames)
		a := leaseArgs(l)
		a.add(revision, idText(after), s.name)
		a.frames(frames[:n])
		r, err := s.batch(ctx, appendScript, hashTagOf(l.Key), a, size)
		if err != nil {
			return before, flags, err
		}
		if err := s.grants(ctx, l.Key, r.text(0)); err != nil {
			return before, flags, err
		}
		if first {
			if before, err = frameID(r.text(1)); err != nil {
				return before, flags, err
			}
		}
		flags = flagsOf(r[2:])
		s.packer.add(l.Key, l.Fence, frames[:n])
		if n == len(frames) {
			return before, flags, nil
		}
		after, frames = frames[n-1].ID, frames[n:]
	}
}

// piece returns how many frames are sent at once, and about the number of their bytes.
func piece(frames []state.Frame) (n, size int) {
	for i, f := range frames {
		if size+len(f.Data) > readBytes && i > 0 {
			return i, size
		}
		size += len(f.Data)
	}
	return len(frames), size
}

// UpdateAttempt changes a live attempt, with a script for each change; see [store.Backend].
func (s *backend) UpdateAttempt(ctx context.Context, key state.Key, u store.AttemptUpdate) (store.Attempt, error) {
	h := hashTagOf(key)
	switch u.Op {
	case store.AttemptRecord:
		a := append(leaseArgs(u.Lease), memoField(u.Effect), []byte(u.Result))
		r, err := s.update(ctx, onceScript, h, a, len(u.Result))
		return store.Attempt{Live: true, Flags: flagsOf(r.list(1))}, err
	case store.AttemptRenew, store.AttemptRelease:
		script, a := renewScript, append(leaseArgs(u.Lease), s.clock())
		if u.Op == store.AttemptRelease {
			script = releaseScript
			s.packer.drop(key)
			a.add("")
		} else {
			a.add(u.TTL.Microseconds(), (s.o.ThreadTTL + grace).Milliseconds())
		}
		r, err := s.update(ctx, script, h, a, 0)
		if err != nil {
			return store.Attempt{}, err
		}
		s.hintLive(ctx, key, u.Lease.Fence, parseMoment(r.text(1)))
		return store.Attempt{Live: true, Flags: flagsOf(r.list(2))}, nil
	case store.AttemptSignal: // the script signals the owner
		r, err := s.update(ctx, signalScript, h, args{s.clock(), strconv.FormatUint(u.Run, 10), string(u.Signal)}, 0)
		return store.Attempt{Live: r.text(0) == live}, err
	case store.AttemptReader:
		r, err := s.update(ctx, readerScript, h, args{s.clock(), u.TTL.Microseconds()}, 0)
		return store.Attempt{Live: r.text(0) == live, ReadLeft: parseMoment(r.text(2)).Sub(parseMoment(r.text(1)))}, err
	}
	return store.Attempt{}, fmt.Errorf("redisstore: no such change of an attempt: %s", u.Op)
}

// update runs a script that changes the live attempt. It is no error if nothing is live. Size is that of
// [backend.batch].
func (s *backend) update(ctx context.Context, script script, h hashTag, a args, size int) (reply, error) {
	r, err := s.batch(ctx, script, h, a, size)
	if err != nil || r.text(0) == live || r.text(0) == idle {
		return r, err
	}
	return r, granted(r.text(0))
}

// ErrReplicas is returned if too few replicas had a write in time. A failover may lose or keep it.
var ErrReplicas = errors.New("redisstore: too few replicas have the write")

// replicatedScript writes to a thread that has a tag. WAIT covers the last write of its connection and all earlier
// writes on the same server. The tag proves that this server has the transition: a master after a failover may lack it.
var replicatedScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'tag') ~= ARGV[1] then return 'conflict' end
redis.call('HSET', KEYS[1], 'waited', ARGV[1])
return 'done'`)

// Replicated returns when Options.Wait replicas have the transition that left a tag; see [store.Replicator].
func (s *backend) Replicated(ctx context.Context, key state.Key, tag string) error {
	if s.o.Wait <= 0 {
		return nil
	}
	thread, node := s.key(hashTagOf(key), partThread), s.main
	if cluster, ok := s.main.(*redis.ClusterClient); ok {
		master, err := cluster.MasterForKey(ctx, thread)
		if err != nil {
			return fmt.Errorf("redisstore: %w", err)
		}
		node = master
	}
	p := node.Pipeline() // both on one connection
	answer := replicatedScript.Eval(ctx, p, []string{thread}, tag)
	wait := p.Do(ctx, "WAIT", s.o.Wait, (s.o.timeout / 2).Milliseconds())
	_, err := p.Exec(ctx)
	have, _ := wait.Int() // its error is that of the pipeline
	switch {
	case err != nil:
		return fmt.Errorf("redisstore: %w", err)
	case answer.Val() == conflict:
		return store.ErrConflict
	case have < s.o.Wait:
		return fmt.Errorf("%w: %d of %d", ErrReplicas, have, s.o.Wait)
	}
	return nil
}
