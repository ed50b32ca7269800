package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// Find returns the threads with an id; see [state.Directory].
func (s *Store) Find(ctx context.Context, principal, id string) ([]state.Key, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	now, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.main.ZRangeWithScores(ctx, s.nameKey(principal, id), 0, -1).Result()
	if err != nil {
		return nil, fmt.Errorf("redisstore: %w", err)
	}
	hinted := make([]state.Key, len(found))
	for i, z := range found {
		agent, _ := z.Member.(string)
		hinted[i] = state.Key{Principal: principal, Agent: agent, ID: id}
	}
	looks, err := s.look(ctx, hinted)
	if err != nil {
		return nil, err
	}
	var keys []state.Key
	for i, l := range looks {
		if l.summary(now) != nil {
			keys = append(keys, l.key)
		} else if found[i].Score < score(now.Add(-doubt)) {
			s.unlist(ctx, l.key, found[i].Score)
		}
	}
	slices.SortFunc(keys, func(a, b state.Key) int { return cmp.Compare(a.Agent, b.Agent) })
	return keys, nil
}

// Rename sets the title; see [state.Directory].
func (s *Store) Rename(ctx context.Context, key state.Key, title string) error {
	for try := range tries {
		l, err := s.load(ctx, key, wish{})
		if err != nil {
			return err
		}
		if !l.exists() {
			return state.ErrUnknownThread
		}
		step := state.RenameStep(l.thread, title, l.now)
		if err := s.announce(ctx, &state.Thread{Key: key, UpdatedAt: step.Thread.UpdatedAt}); err != nil {
			return err
		}
		status, _, err := s.write(ctx, l, change{step: step})
		if err != nil || status == didIt {
			return err
		}
		if err := again(ctx, try); err != nil {
			return err
		}
	}
	return errBusy
}

// Fork makes a thread of another's beginning; see [state.Directory].
func (s *Store) Fork(ctx context.Context, from state.Key, messageID, id string) (*state.Thread, error) {
	l, err := s.load(ctx, from, wish{known: []string{messageID}})
	if err != nil {
		return nil, err
	}
	if !l.exists() {
		return nil, state.ErrUnknownThread
	}
	key := state.Key{Principal: from.Principal, Agent: from.Agent, ID: id}
	step, err := state.ForkStep(l.thread, l.facts, messageID, key, l.now)
	if err := errors.Join(l.facts.err, err); err != nil {
		return nil, err
	}
	to, err := s.load(ctx, key, wish{})
	if err != nil {
		return nil, err
	}
	if to.exists() {
		return nil, state.ErrThreadExists
	}
	if err := s.announce(ctx, step.Thread); err != nil {
		return nil, err
	}
	status, after, err := s.write(ctx, to, change{step: step})
	switch {
	case err != nil:
		return nil, err
	case status == conflict:
		// Or it is done, its reply was lost, and somebody has used it since.
		if to, err = s.load(ctx, key, wish{}); err != nil {
			return nil, err
		}
		if to.born != after.born {
			return nil, state.ErrThreadExists
		}
		return to.thread, nil
	}
	return after.thread, nil
}

// Delete forgets the thread; see [state.Directory]. Readers on other replicas learn of it within a second.
func (s *Store) Delete(ctx context.Context, key state.Key) error {
	h := slotOf(key)
	r, err := s.run(ctx, deleteScript, h, args{s.clock(), rand.Text()})
	if err != nil {
		return err
	}
	if r.text(0) != didIt {
		return state.ErrUnknownThread
	}
	s.mu.Lock()
	f := s.feeds[h]
	s.mu.Unlock()
	if f != nil {
		f.fail(state.ErrUnknownThread)
	}
	s.unlist(ctx, key, score(parseMoment(r.text(2)).Add(-time.Microsecond)))
	if fence, err := strconv.ParseUint(r.text(1), 10, 64); err == nil {
		s.unlistLive(ctx, key, fence)
	}
	return nil
}

// A glance is as much of a thread as a listing shows.
type glance struct {
	key   state.Key
	reply *redis.SliceCmd
}

// look reads as much of threads as a listing shows, in one round trip.
func (s *Store) look(ctx context.Context, keys []state.Key) ([]glance, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	looks := make([]glance, len(keys))
	p := s.main.Pipeline()
	for i, key := range keys {
		looks[i] = glance{key, p.HMGet(ctx, s.key(slotOf(key), partThread), fieldDoc, fieldLive, "asks", "deadline", "damaged")}
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, fmt.Errorf("redisstore: %w", err)
	}
	return looks, nil
}

// gone reports whether there is no such thread any more.
func (g glance) gone(now time.Time) bool {
	r := reply(g.reply.Val())
	doc, deadline := r.text(0), r.text(3)
	return doc == "" || deadline != "" && deadline <= moment(now)
}

// summary is the thread in a listing, nil if it is gone.
func (g glance) summary(now time.Time) *state.Summary {
	if g.gone(now) {
		return nil
	}
	r := reply(g.reply.Val())
	live, asks := r.text(1), r.text(2)
	t, err := decode(map[string]string{fieldDoc: r.text(0)})
	if err != nil {
		return nil
	}
	status := state.StatusIdle
	switch {
	case r.text(4) != "": // nothing more can be done with it
		status = state.StatusFailed
	case live != "":
		status = state.StatusRunning
	case asks > moment(now):
		status = state.StatusInterrupted
	case t.Failed:
		status = state.StatusFailed
	}
	return &state.Summary{Key: g.key, Status: status, Title: t.Title, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt}
}
