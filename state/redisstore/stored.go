package redisstore

import (
	"context"
	_ "embed" // the scripts
	"fmt"
	"log/slog"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// How many bytes a principal's threads take is the sum over a hash of their sizes, in a slot of its own. A thread is measured after each
// transition, and again when it becomes smaller by itself: when a part of its log expires, and when it does. So what a replica
// that died has not noted, and what Redis has removed, is right again at the latest then.

//go:embed scripts/measure.lua
var measureSource string

//go:embed scripts/stored.lua
var storedSource string

var (
	measureScript = newScript(measureSource, slices.Concat(threadParts, logParts)...)
	storedScript  = redis.NewScript(storedSource) // of a principal, not of a thread
)

// messageCost is about what Redis takes for a message beside its encoding: two entries of hashes, its ids and its place.
const messageCost = 250

// measureRounds is how many rounds of threads whose time has come one call measures: more are left to the next calls.
const measureRounds = 8

// storedKeys are the keys of a principal's sizes.
func (s *backend) storedKeys(principal string) []string {
	of := s.o.Prefix + ":stored:{" + state.Digest(principal) + "}:"
	return []string{of + "sizes", of + "due"}
}

// Stored returns how many bytes of memory the principal's threads take in Redis; see [state.Backend]. From the first call on transitions
// are counted. Threads that were last written before that, or by a replica that does not count, count when they are written again.
func (s *backend) Stored(ctx context.Context, principal string) (int64, error) {
	s.counting.Store(true)
	for round := 1; ; round++ {
		total, due, err := s.noteStored(ctx, principal)
		if err != nil || len(due) == 0 || round > measureRounds {
			return total, err
		}
		for _, key := range due {
			if err := s.measure(ctx, key); err != nil {
				return 0, err
			}
		}
	}
}

// noteStored notes sizes, each as a member, a size and when to measure again, and returns the sum and the threads to measure.
func (s *backend) noteStored(ctx context.Context, principal string, sizes ...any) (total int64, due []state.Key, err error) {
	answer, err := storedScript.Run(ctx, s.main, s.storedKeys(principal), s.storedArgs(sizes)...).Slice()
	if err != nil {
		return 0, nil, fmt.Errorf("redisstore: %w", err)
	}
	r := reply(answer)
	if total, err = strconv.ParseInt(r.text(0), 10, 64); err != nil {
		return 0, nil, fmt.Errorf("redisstore: stored size: %w", err)
	}
	members := r.list(1)
	for i := range members {
		if key, ok := parseIndexMember(principal, members.text(i)); ok {
			due = append(due, key)
		}
	}
	return total, due, nil
}

func (s *backend) storedArgs(sizes []any) []any {
	now := ""
	if s.o.Now != nil {
		now = strconv.FormatInt(s.o.Now().UnixMicro(), 10)
	}
	return append([]any{now, hintGrace.Microseconds(), (s.o.ThreadTTL + grace).Milliseconds()}, sizes...)
}

// measure looks how large a thread is, and notes it.
func (s *backend) measure(ctx context.Context, key state.Key) error {
	size, due, err := s.size(ctx, key)
	if err != nil {
		return err
	}
	_, _, err = s.noteStored(ctx, key.Principal, indexMember(key), strconv.FormatInt(size, 10), due)
	return err
}

// size returns how many bytes a thread takes, and when it becomes smaller by itself, as a score.
func (s *backend) size(ctx context.Context, key state.Key) (size int64, due string, err error) {
	r, err := s.runPacked(ctx, measureScript, hashTagOf(key), args{s.clock(), s.o.LogTTL.Microseconds()})
	if err != nil {
		return 0, "", err
	}
	if size, err = strconv.ParseInt(r.text(0), 10, 64); err != nil {
		return 0, "", fmt.Errorf("redisstore: size: %w", err)
	}
	if doc := r.text(1); doc != "" {
		t, err := decode(map[string]string{fieldDoc: doc})
		if err != nil {
			return 0, "", err
		}
		size += int64(t.Size+t.Left) + int64(t.Count)*messageCost
	}
	return size, r.text(2), nil
}

// expectWrite notes that a thread is about to be written, so that it is measured even if nobody is left to do that.
func (s *backend) expectWrite(ctx context.Context, p redis.Pipeliner, key state.Key) {
	if s.counting.Load() {
		storedScript.Eval(ctx, p, s.storedKeys(key.Principal), s.storedArgs([]any{indexMember(key), "", ""})...)
	}
}

// countWrite measures a thread that was written. If that fails, it is measured when its time comes.
func (s *backend) countWrite(ctx context.Context, key state.Key) {
	if !s.counting.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.timeout/2)
	defer cancel()
	if err := s.measure(ctx, key); err != nil {
		s.o.Logger.DebugContext(ctx, "a thread was not measured", slog.Any("error", err))
	}
}

// countDeleted takes a thread out of the sizes, also if this backend does not count.
func (s *backend) countDeleted(ctx context.Context, key state.Key) {
	s.hint(ctx, func(ctx context.Context, p redis.Pipeliner) {
		storedScript.Eval(ctx, p, s.storedKeys(key.Principal), s.storedArgs([]any{indexMember(key), "0", ""})...)
	})
}
