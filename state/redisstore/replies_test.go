package redisstore_test

import (
	"crypto/rand"
	"encoding/json"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// TestLostReplies loses the reply to every message that every call exchanges, in turn, after it was executed. The
// client sends it again; nothing may happen twice.
func TestLostReplies(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	proxy := redistest.StartProxy(t, server)
	prefix := rand.Text()
	s, direct := open(t, proxy.URL(), redisstore.Options{Prefix: prefix}), open(t, server.URL(), redisstore.Options{Prefix: prefix})
	const exchanges = 8               // more than any call has
	for n := -1; n < exchanges; n++ { // none at first: the scripts are loaded by separate exchanges
		t.Run("", func(t *testing.T) {
			th := newThread(t)
			do := func(what string, f func() error) {
				t.Helper()
				proxy.Lose(n)
				err := f()
				proxy.Lose(-1)
				if err != nil {
					t.Fatalf("%s = %v", what, err)
				}
			}
			ctx := t.Context()
			var b *state.Begun
			do("Begin()", func() (err error) {
				b, err = s.Begin(ctx, th.request(), state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
				return err
			})
			l := b.Lease
			do("Append()", func() error { return s.Append(ctx, l, behind(l, 0), frames(l, 1, 3)) })
			do("Once()", func() error { return s.Once(ctx, l, "k", json.RawMessage(`1`)) })
			do("Renew()", func() error { return s.Renew(ctx, l, time.Hour) })
			do("Commit()", func() error {
				c := end(l, 4, "m1")
				c.End = nil
				_, err := s.Commit(ctx, l, c)
				return err
			})
			do("Commit() without frames", func() error {
				_, err := s.Commit(ctx, l, state.Commit{Messages: []agui.Message{{ID: "m2", Role: agui.RoleAssistant}}})
				return err
			})
			do("Signal()", func() error { _, err := s.Signal(ctx, th.key, 0, state.SignalStop); return err })
			do("Release()", func() error { return s.Release(ctx, l) })
			do("Take()", func() (err error) {
				b, err = s.Take(ctx, th.key, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
				return err
			})
			do("Commit() of the end", func() error { _, err := s.Commit(ctx, b.Lease, end(b.Lease, 1, "m3")); return err })
			do("Rename()", func() error { return s.Rename(ctx, th.key, "title") })
			fork := "fork-" + th.key.ID
			do("Fork()", func() error { _, err := s.Fork(ctx, th.key, "m3", fork, 0); return err })

			if ids := th.messages(direct); len(ids) != 4 {
				t.Errorf("messages = %v, want 4", ids)
			}
			got, err := direct.Snapshot(ctx, th.key)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Runs) != 1 || got.Runs[0].Status != state.RunSuccess || got.Thread.Count != 4 || got.Thread.Rev != 6 {
				t.Errorf("%d messages after %d transitions, runs %+v", got.Thread.Count, got.Thread.Rev, got.Runs)
			}
			ids, _ := th.tail(direct, state.FrameID{}, 5)
			th.ordered(ids(), 5)

			do("Delete()", func() error { return s.Delete(ctx, th.key) })
			if keys, err := direct.Find(ctx, th.key.Principal, th.key.ID); err != nil || len(keys) > 0 {
				t.Errorf("Find() = %v, %v", keys, err)
			}
		})
	}
	if lost := proxy.Lost(); lost < 13 {
		t.Errorf("%d replies were lost, want one per call at least", lost)
	}
}

// TestLostRepliesOvertaken loses the reply to each message of a call, and lets another caller write the thread
// before the client asks again: the first call has its effect all the same.
func TestLostRepliesOvertaken(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	proxy := redistest.StartProxy(t, server)
	prefix := rand.Text()
	s, direct := open(t, proxy.URL(), redisstore.Options{Prefix: prefix}), open(t, server.URL(), redisstore.Options{Prefix: prefix})
	for n := range 8 { // more than either call has
		t.Run("", func(t *testing.T) {
			th := newThread(t)
			ctx := t.Context()
			begin := func(key state.Key) func() { // succeeds if nothing runs there
				return func() {
					r := th.request()
					r.Key = key
					if _, err := direct.Begin(ctx, r, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour}); err != nil {
						t.Errorf("Begin() = %v", err)
					}
				}
			}
			l := th.begin(s, time.Hour)
			proxy.LoseThen(n, begin(th.key))
			_, err := s.Commit(ctx, l, end(l, 1, "m1"))
			proxy.Lose(-1)
			if err != nil {
				t.Errorf("Commit() of the end = %v", err)
			}
			if holds, err := direct.Holds(ctx, th.key, behind(l, 1)); !holds || err != nil {
				t.Errorf("Holds() of the last frame = %v, %v", holds, err)
			}
			fork := th.key
			fork.ID = "fork-" + fork.ID
			proxy.LoseThen(n, func() {
				if _, _, err := direct.Load(ctx, fork); err == nil {
					begin(fork)()
				}
			})
			_, err = s.Fork(ctx, th.key, "m1", fork.ID, 0)
			proxy.Lose(-1)
			if err != nil {
				t.Errorf("Fork() = %v", err)
			}
		})
	}
}
