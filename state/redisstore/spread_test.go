package redisstore_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/statetest"
)

// A spread sends every call to the next of several stores, as a balancer does: whatever one replica has in memory, the
// others must do without.
type spread struct {
	stores []state.Store
	calls  atomic.Uint64
}

// TestSpread runs the suite over three replicas at once.
func TestSpread(t *testing.T) {
	server := redistest.Start(t)
	statetest.Run(t, func(t *testing.T, clock *statetest.Clock) state.Store {
		s := &spread{}
		o := redisstore.Options{Prefix: rand.Text(), Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL}
		for range 3 {
			s.stores = append(s.stores, open(t, server.URL(), o))
		}
		return s
	})
}

func (s *spread) next() state.Store { return s.stores[s.calls.Add(1)%uint64(len(s.stores))] }

func (s *spread) Begin(ctx context.Context, r *state.Request, o state.LeaseOptions) (*state.Begun, error) {
	return s.next().Begin(ctx, r, o)
}

func (s *spread) Await(ctx context.Context, key state.Key, ticket string, ttl time.Duration) error {
	return s.next().Await(ctx, key, ticket, ttl)
}

func (s *spread) Hold(ctx context.Context, key state.Key, ticket string, ttl time.Duration) error {
	return s.next().Hold(ctx, key, ticket, ttl)
}

func (s *spread) Leave(ctx context.Context, key state.Key, ticket string) error {
	return s.next().Leave(ctx, key, ticket)
}

func (s *spread) Overdue(ctx context.Context, limit int) ([]state.Key, error) {
	return s.next().Overdue(ctx, limit)
}

func (s *spread) Take(ctx context.Context, key state.Key, o state.LeaseOptions) (*state.Begun, error) {
	return s.next().Take(ctx, key, o)
}

func (s *spread) Signal(ctx context.Context, key state.Key, run uint64, signal state.Signal) (bool, error) {
	return s.next().Signal(ctx, key, run, signal)
}

func (s *spread) NoteReader(ctx context.Context, key state.Key, d time.Duration) (time.Duration, bool, error) {
	return s.next().NoteReader(ctx, key, d)
}

func (s *spread) Append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	return s.next().Append(ctx, l, after, frames)
}

func (s *spread) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	return s.next().Commit(ctx, l, c)
}

func (s *spread) Once(ctx context.Context, l *state.Lease, key string, result json.RawMessage) error {
	return s.next().Once(ctx, l, key, result)
}

func (s *spread) Observe(o state.Observer) {
	for _, one := range s.stores {
		one.Observe(o)
	}
}

func (s *spread) Renew(ctx context.Context, l *state.Lease, ttl time.Duration) error {
	return s.next().Renew(ctx, l, ttl)
}

func (s *spread) Release(ctx context.Context, l *state.Lease) error { return s.next().Release(ctx, l) }

func (s *spread) Load(ctx context.Context, key state.Key) (*state.Thread, []agui.Interrupt, error) {
	return s.next().Load(ctx, key)
}

func (s *spread) Snapshot(ctx context.Context, key state.Key) (*state.Snapshot, error) {
	return s.next().Snapshot(ctx, key)
}

func (s *spread) Runs(ctx context.Context, key state.Key) ([]state.Run, error) {
	return s.next().Runs(ctx, key)
}

func (s *spread) State(ctx context.Context, key state.Key, rev int64) (json.RawMessage, error) {
	return s.next().State(ctx, key, rev)
}

func (s *spread) Messages(ctx context.Context, key state.Key, rev int64) (state.Conversation, error) {
	return s.next().Messages(ctx, key, rev)
}

func (s *spread) Tail(ctx context.Context, key state.Key, after state.FrameID) iter.Seq2[[]state.Frame, error] {
	return s.next().Tail(ctx, key, after)
}

func (s *spread) Holds(ctx context.Context, key state.Key, id state.FrameID) (bool, error) {
	return s.next().Holds(ctx, key, id)
}

func (s *spread) Find(ctx context.Context, principal, id string) ([]state.Key, error) {
	return s.next().Find(ctx, principal, id)
}

func (s *spread) List(ctx context.Context, q state.Query) (state.Page, error) {
	return s.next().List(ctx, q)
}

func (s *spread) Rename(ctx context.Context, key state.Key, title string) error {
	return s.next().Rename(ctx, key, title)
}

func (s *spread) PatchState(ctx context.Context, r *state.PatchRequest) (state.PatchResult, error) {
	return s.next().PatchState(ctx, r)
}

func (s *spread) Approvals(ctx context.Context, key state.Key) ([]state.Approval, error) {
	return s.next().Approvals(ctx, key)
}

func (s *spread) Remember(ctx context.Context, key state.Key, a state.Approval) error {
	return s.next().Remember(ctx, key, a)
}

func (s *spread) Revoke(ctx context.Context, key state.Key, id string) (state.Approval, error) {
	return s.next().Revoke(ctx, key, id)
}

func (s *spread) Fork(ctx context.Context, from state.Key, messageID, id string, maxStored int64) (*state.Thread, error) {
	return s.next().Fork(ctx, from, messageID, id, maxStored)
}

func (s *spread) Delete(ctx context.Context, key state.Key) error { return s.next().Delete(ctx, key) }

func (s *spread) Purge(ctx context.Context, key state.Key) error { return s.next().Purge(ctx, key) }

func (s *spread) Ping(ctx context.Context) error { return s.next().Ping(ctx) }

func (s *spread) Close() error {
	var err error
	for _, store := range s.stores {
		err = errors.Join(err, store.Close())
	}
	return err
}
