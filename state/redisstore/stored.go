package redisstore

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// The size of a principal's threads is the sum over a hash of their sizes, in its own slot. A thread is measured after
// each transition, and again when it shrinks by itself: when a part of its log expires, and when the thread does. At
// that time sizes are right again that a dead replica has not written, or that expiry in Redis has changed.

var (
	measureScript = newScript(source("measure"), slices.Concat(threadParts, logParts)...)
	storedScript  = redis.NewScript(source("stored")) // for a principal, not a thread
)

// messageCost is about the memory of a message in Redis beside its encoding: two hash entries, with its ids and its
// place.
const messageCost = 250

// measureRounds is the most rounds of due threads that one call measures; later calls measure the others.
const measureRounds = 8

// storedKeys returns the keys of a principal's sizes.
func (s *backend) storedKeys(principal string) []string {
	of := s.o.Prefix + ":stored:{" + state.Digest(principal) + "}:"
	return []string{of + "sizes", of + "due"}
}

// Stored returns the bytes of memory that the principal's threads take in Redis; see [store.Backend]. Transitions
// are counted from the first call on. Threads last written before, or by a replica that does not count, are counted
// with their next transition.
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

// noteStored writes sizes, each as a member, a size and the time of the next measurement, and returns the sum and
// the threads to measure.
func (s *backend) noteStored(
	ctx context.Context, principal string, sizes ...any,
) (total int64, due []state.Key, err error) {
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

// measure measures a thread and writes its size.
func (s *backend) measure(ctx context.Context, key state.Key) error {
	size, due, err := s.size(ctx, key)
	if err != nil {
		return err
	}
	_, _, err = s.noteStored(ctx, key.Principal, indexMember(key), strconv.FormatInt(size, 10), due)
	return err
}

// size returns the number of bytes of a thread, and when it shrinks by itself, as a score.
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

// expectWrite schedules the measurement of a thread that is about to be written, in case this process dies.
func (s *backend) expectWrite(ctx context.Context, p redis.Pipeliner, key state.Key) {
	if s.counting.Load() {
		storedScript.Eval(ctx, p, s.storedKeys(key.Principal), s.storedArgs([]any{indexMember(key), "", ""})...)
	}
}

// countWrite measures a written thread. If that fails, it is measured when it is due.
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

// countDeleted removes a thread from the sizes, also if this backend does not count.
func (s *backend) countDeleted(ctx context.Context, key state.Key) {
	s.hint(ctx, func(ctx context.Context, p redis.Pipeliner) {
		storedScript.Eval(ctx, p, s.storedKeys(key.Principal), s.storedArgs([]any{indexMember(key), "0", ""})...)
	})
}
