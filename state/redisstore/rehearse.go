package redisstore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// rehearsalTime is the expiry of keys that an interrupted rehearsal leaves. Keys with an expiry of the store may
// last a day longer.
const rehearsalTime = time.Minute

// errNoSignal: a message to the owner of a run did not arrive.
var errNoSignal = errors.New("redisstore: a published message did not arrive")

// A RehearsalError names the failed step of a rehearsal.
type RehearsalError struct {
	Step string // such as "begin a run"
	Err  error
}

// Error returns step and cause.
func (e *RehearsalError) Error() string { return "redisstore: to " + e.Step + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *RehearsalError) Unwrap() error { return e.Err }

// Rehearse creates and deletes a thread in the Redis at an address: a run begins, writes to its log, is stopped,
// ends, is read and deleted. It shows that the user has all rights that a store needs. The keys are under the
// prefix of the store, agui:doctor:<random> if the prefix is agui, and are removed at the end. The error is a
// [*RehearsalError], or one of [Open].
func Rehearse(ctx context.Context, address string, o Options) (err error) {
	o = o.withDefaults()
	o.Prefix += ":doctor:" + rand.Text()
	o.ThreadTTL, o.LogTTL, o.AllowUnreachable = rehearsalTime, rehearsalTime, false
	b, err := openBackend(ctx, address, o)
	if err != nil {
		return err
	}
	key := state.Key{Principal: "doctor", Agent: "doctor", ID: "rehearsal"}
	s := store.New(b, store.Options{ThreadTTL: o.ThreadTTL, Logger: o.Logger})
	defer func() {
		b.forget(context.WithoutCancel(ctx), key)
		err = errors.Join(err, s.Close())
	}()
	return b.rehearse(ctx, s, key)
}

// rehearse runs the steps.
func (b *backend) rehearse(ctx context.Context, s state.Store, key state.Key) error {
	request := &state.Request{
		Key: key, RunID: "run", Hash: "run", Era: agui.Era1, State: json.RawMessage(`{"rehearsed":true}`),
		Messages: []agui.Message{{ID: "m", Role: agui.RoleUser, Content: agui.TextContent("a rehearsal")}},
	}
	var lease *state.Lease
	frame := func(seq uint64) []state.Frame {
		return []state.Frame{{
			ID: state.FrameID{Fence: lease.Fence, Seq: seq}, Type: agui.TypeCustom,
			Data: json.RawMessage(`{"type":"CUSTOM","name":"rehearsal"}`),
		}}
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"begin a run", func() error {
			begun, err := s.Begin(ctx, request, state.LeaseOptions{Attempt: rand.Text(), TTL: rehearsalTime})
			if err == nil && begun.Lease == nil {
				err = errors.New("it did not begin")
			}
			if err != nil {
				return err
			}
			lease = begun.Lease
			// This is the only key without an expiry.
			return b.main.Expire(ctx, b.liveKey(hashTagOf(key).shard(liveShards)), rehearsalTime).Err()
		}},
		{"write to the log of a run", func() error { return s.Append(ctx, lease, state.FrameID{}, frame(1)) }},
		{"record a result", func() error { return s.Once(ctx, lease, "effect", json.RawMessage(`1`)) }},
		{"renew a lease", func() error { return s.Renew(ctx, lease, rehearsalTime) }},
		{"tell a run to stop", func() error { return stop(ctx, s, lease) }},
		{"end a run", func() error {
			_, err := s.Commit(ctx, lease, state.Commit{Frames: frame(2), End: &state.End{Status: state.RunSuccess}})
			return err
		}},
		{"read a thread", func() error {
			_, err := s.Snapshot(ctx, key)
			return err
		}},
		{"read a log", func() error {
			for _, err := range s.Tail(ctx, key, state.FrameID{}) {
				return err
			}
			return nil
		}},
		{"list threads", func() error {
			_, err := s.List(ctx, state.Query{Principal: key.Principal})
			return err
		}},
		{"look for runs that nobody owns", func() error {
			_, err := s.Overdue(ctx, 1)
			return err
		}},
		{"delete a thread", func() error { return errors.Join(s.Delete(ctx, key), s.Purge(ctx, key)) }},
	} {
		if err := step.do(); err != nil {
			return &RehearsalError{step.name, err}
		}
	}
	return nil
}

// stop sends a run a stop, as any replica may, and waits until its owner has it.
func stop(ctx context.Context, s state.Store, lease *state.Lease) error {
	if _, err := s.Signal(ctx, lease.Key, lease.Fence, state.SignalStop); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, opTimeout)
	defer cancel()
	select {
	case <-lease.Signals:
		return nil
	case <-ctx.Done():
		return errNoSignal
	}
}

// forget removes the keys of a rehearsal. Keys that it cannot remove expire.
func (s *backend) forget(ctx context.Context, key state.Key) {
	h := hashTagOf(key)
	keys := append(s.keys(h, threadParts), s.keys(h, logParts)...)
	keys = append(keys, s.key(h, partPacks), s.liveKey(h.shard(liveShards)),
		s.indexKey(key.Principal, h.shard(indexShards)), s.nameKey(key.Principal, key.ID),
		s.formatKey(), s.o.Prefix+":ping")
	if _, err := s.main.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, k := range keys {
			p.Del(ctx, k)
		}
		return nil
	}); err != nil {
		s.o.Logger.DebugContext(ctx, fmt.Sprintf("the keys of a rehearsal end by themselves: %v", err))
	}
}
