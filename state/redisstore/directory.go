package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/listed"
)

// Find returns the threads with an id; see [store.Backend].
func (s *backend) Find(ctx context.Context, principal, id string) ([]state.Key, error) {
	found, err := s.main.ZRangeWithScores(ctx, s.nameKey(principal, id), 0, -1).Result()
	if err != nil {
		return nil, fmt.Errorf("redisstore: %w", err)
	}
	hinted := make([]state.Key, len(found))
	for i, z := range found {
		agent, _ := z.Member.(string)
		hinted[i] = state.Key{Principal: principal, Agent: agent, ID: id}
	}
	looks, err := s.readSummaries(ctx, hinted)
	if err != nil {
		return nil, err
	}
	var keys []state.Key
	for i, l := range looks {
		if l.summary() != nil {
			keys = append(keys, l.key)
		} else if l.stale(found[i].Score) {
			s.unlist(ctx, l.key, found[i].Score)
		}
	}
	slices.SortFunc(keys, func(a, b state.Key) int { return cmp.Compare(a.Agent, b.Agent) })
	return keys, nil
}

// Delete deletes the thread; see [store.Backend].
func (s *backend) Delete(ctx context.Context, key state.Key) (uint64, error) {
	last, err := state.DeletedFrame(state.FrameID{}, 0) // the script sets its id and its time
	if err != nil {
		return 0, err
	}
	a := args{s.clock(), rand.Text(), []byte(last.Data), state.DeadLogTTL.Milliseconds()}
	r, err := s.runPacked(ctx, deleteScript, hashTagOf(key), a)
	if err == nil {
		err = granted(r.text(0))
	}
	if err != nil {
		return 0, err
	}
	s.packer.drop(key)
	s.unlist(ctx, key, score(parseMoment(r.text(2)).Add(-time.Microsecond)))
	s.countDeleted(ctx, key)
	fence, err := strconv.ParseUint(r.text(1), 10, 64)
	if err != nil {
		return 0, nil //nolint:nilerr // an earlier call with a lost reply did it, and the fence is not known any more
	}
	s.unlistLive(ctx, key, fence)
	return fence, nil
}

// Purge removes the remains of a deleted thread; see [store.Backend].
func (s *backend) Purge(ctx context.Context, key state.Key) error {
	_, err := s.run(ctx, purgeScript, hashTagOf(key), args{s.clock()})
	return err
}

// fieldsRead has some fields of a thread.
type fieldsRead struct {
	key    state.Key
	clock  *clock   // of the thread's node: its clock set the deadlines
	fields []string // in the order of the request; empty is absent
	err    error    // the node that has the thread did not answer
}

// text returns the field at i of the request.
func (g fieldsRead) text(i int) string {
	if i >= len(g.fields) {
		return ""
	}
	return g.fields[i]
}

// A clock has the time of a node.
type clock struct {
	*redis.Cmd

	now    time.Time
	moment string // now, in the encoding of deadlines
}

// readFields reads fields of threads in one round trip. It fails only if no node has answered. A list reads many
// threads, so each is one plain command; a script with the first thread of a node reads the node's time.
func (s *backend) readFields(ctx context.Context, keys []state.Key, fields ...any) ([]fieldsRead, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	p := s.main.Pipeline()
	clocks := map[string]*clock{}
	found := make([]fieldsRead, len(keys))
	answers := make([]*redis.StringSliceCmd, len(keys))
	for i, key := range keys {
		thread := s.key(hashTagOf(key), partThread)
		node, _ := s.nodeOf(ctx, thread) // an unknown one does not answer either
		if clocks[node] == nil {
			clocks[node] = &clock{Cmd: clockScript.Eval(ctx, p, []string{thread})}
		}
		answers[i] = redis.NewStringSliceCmd(ctx, append([]any{"hmget", thread}, fields...)...)
		_ = p.Process(ctx, answers[i]) // it is queued
		found[i] = fieldsRead{key: key, clock: clocks[node]}
	}
	_, err := p.Exec(ctx)
	if err != nil && !slices.ContainsFunc(answers, func(c *redis.StringSliceCmd) bool { return c.Err() == nil }) {
		return nil, fmt.Errorf("redisstore: %w", err)
	}
	for _, c := range clocks {
		c.moment, _ = c.Text()
		if s.o.Now != nil {
			c.moment = moment(s.o.Now())
		}
		c.now = parseMoment(c.moment)
	}
	for i, answer := range answers {
		found[i].fields, found[i].err = answer.Val(), cmp.Or(answer.Err(), found[i].clock.Err())
	}
	return found, nil
}

// readSummaries reads the fields of threads for a listing, in one round trip.
func (s *backend) readSummaries(ctx context.Context, keys []state.Key) ([]fieldsRead, error) {
	looks, err := s.readFields(ctx, keys, fieldDoc, "until", "asks", "deadline", "damaged", fieldFormat)
	if err != nil {
		return nil, err
	}
	for _, g := range looks {
		if g.err != nil {
			return nil, fmt.Errorf("redisstore: %w", g.err)
		}
	}
	return looks, nil
}

// later reports whether a later version has written the thread: then only its existence is known.
func (g fieldsRead) later() bool {
	format, _ := strconv.Atoi(g.text(5)) // empty: 1
	return format > int(state.CurrentFormat)
}

// gone reports whether the thread does not exist any more.
func (g fieldsRead) gone() bool {
	if g.later() {
		return false
	}
	doc, deadline := g.text(0), g.text(3)
	return doc == "" || deadline != "" && deadline <= g.clock.moment
}

// stale reports whether a hint with this score names a thread that is gone, and not one that is about to be written.
func (g fieldsRead) stale(hint float64) bool {
	return g.gone() && hint < score(g.clock.now.Add(-hintGrace))
}

// summary returns the thread in a listing; nil if it is gone.
func (g fieldsRead) summary() *state.Summary {
	if g.gone() {
		return nil
	}
	if g.later() {
		return &state.Summary{Key: g.key, Status: state.StatusFailed}
	}
	t, err := listed.Decode([]byte(g.text(0)))
	if err != nil { // it exists, and can be deleted
		return &state.Summary{Key: g.key, Status: state.StatusFailed}
	}
	status := state.StatusIdle
	switch {
	case g.text(4) != "": // it cannot be used any more
		status = state.StatusFailed
	case g.text(1) != "": // the end of a live attempt's lease
		status = state.StatusRunning
	case g.text(2) > g.clock.moment:
		status = state.StatusInterrupted
	case t.Failed:
		status = state.StatusFailed
	}
	return &state.Summary{
		Key: g.key, Status: status, Title: t.Title, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, Calls: t.Waiting(),
	}
}
