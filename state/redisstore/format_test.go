package redisstore_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// later is the next format.
const later = state.CurrentFormat + 1

// reopened opens a store on a Redis with a record of the format, and returns the record after that.
func reopened(t *testing.T, url string, c *redis.Client, record string) (then string, err error) {
	t.Helper()
	prefix := rand.Text()
	if record != "" {
		c.Set(t.Context(), prefix+":format", record, 0)
	}
	s, err := redisstore.Open(t.Context(), url, redisstore.Patient(redisstore.Options{
		Prefix: prefix, AllowUnreachable: true, Logger: slog.New(slog.DiscardHandler), // a Redis that is there is asked all the same
	}))
	if err == nil {
		err = s.Close()
	}
	return c.Get(t.Context(), prefix+":format").Val(), err
}

// A gateway writes its format where there is no record, and does not start on the record of another format or of
// another program, which stays as it is.
func TestTheFormatOfARedisAtTheStart(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	c := server.Client()
	current := state.CurrentFormat.Record()
	for record, want := range map[string]struct {
		err  error
		then string
	}{
		"":                         {then: current},
		current:                    {then: current},
		later.Record():             {state.ErrLater, later.Record()},
		"agui-gateway threads 0":   {state.ErrOlder, "agui-gateway threads 0"},
		"agui-gateway threads 1.2": {state.ErrOlder, "agui-gateway threads 1.2"},
		"another program's":        {redisstore.ErrForeign, "another program's"},
	} {
		if then, err := reopened(t, server.URL(), c, record); !errors.Is(err, want.err) || then != want.then {
			t.Errorf("with the record %q: Open() = %v, and the record is %q; want %v and %q", record, err, then, want.err, want.then)
		}
	}
}

// everyKey is all that a Redis has, as far as a version may have written it.
func everyKey(t *testing.T, c *redis.Client) map[string]any {
	t.Helper()
	found := map[string]any{}
	for _, key := range c.Keys(t.Context(), "*").Val() {
		switch kind := c.Type(t.Context(), key).Val(); kind {
		case "hash":
			found[key] = c.HGetAll(t.Context(), key).Val()
		case "stream":
			found[key] = c.XRange(t.Context(), key, "-", "+").Val()
		case "list":
			found[key] = c.LRange(t.Context(), key, 0, -1).Val()
		}
	}
	return found
}

// A thread that a later version has written is as if this one could not reach it, whatever is asked of it: nothing
// in it changes.
func TestAThreadOfALaterVersionIsLeftAlone(t *testing.T) {
	t.Parallel()
	server, th := redistest.Start(t), newThread(t)
	c, prefix := server.Client(), rand.Text()
	s := open(t, server.URL(), redisstore.Options{Prefix: prefix})
	l := th.begin(s, time.Minute)
	c.HSet(t.Context(), prefix+":{"+th.key.Digest()+"}:thread", "format", strconv.Itoa(int(later)))
	before := everyKey(t, c)

	ctx, key := t.Context(), th.key
	frame := state.Frame{ID: state.FrameID{Fence: l.Fence, Seq: 9}, Type: agui.TypeCustom, Data: json.RawMessage(`{}`)}
	calls := map[string]func(context.Context) error{
		"Append":     func(ctx context.Context) error { return s.Append(ctx, l, state.FrameID{}, []state.Frame{frame}) },
		"Once":       func(ctx context.Context) error { return s.Once(ctx, l, "k", json.RawMessage(`1`)) },
		"Renew":      func(ctx context.Context) error { return s.Renew(ctx, l, time.Minute) },
		"Release":    func(ctx context.Context) error { return s.Release(ctx, l) },
		"Delete":     func(ctx context.Context) error { return s.Delete(ctx, key) },
		"Rename":     func(ctx context.Context) error { return s.Rename(ctx, key, "new") },
		"Load":       func(ctx context.Context) error { _, _, err := s.Load(ctx, key); return err },
		"Snapshot":   func(ctx context.Context) error { _, err := s.Snapshot(ctx, key); return err },
		"Runs":       func(ctx context.Context) error { _, err := s.Runs(ctx, key); return err },
		"State":      func(ctx context.Context) error { _, err := s.State(ctx, key, -1); return err },
		"Messages":   func(ctx context.Context) error { _, err := s.Messages(ctx, key, -1); return err },
		"Holds":      func(ctx context.Context) error { _, err := s.Holds(ctx, key, frame.ID); return err },
		"Signal":     func(ctx context.Context) error { _, err := s.Signal(ctx, key, 0, state.SignalStop); return err },
		"NoteReader": func(ctx context.Context) error { _, _, err := s.NoteReader(ctx, key, time.Minute); return err },
		"Fork":       func(ctx context.Context) error { _, err := s.Fork(ctx, key, "m", "forked", 0); return err },
		"Commit":     func(ctx context.Context) error { _, err := s.Commit(ctx, l, state.Commit{Number: 1}); return err },
		"Take": func(ctx context.Context) error {
			_, err := s.Take(ctx, key, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Minute})
			return err
		},
		"Begin": func(ctx context.Context) error {
			_, err := s.Begin(ctx, th.request(), state.LeaseOptions{Attempt: rand.Text(), TTL: time.Minute})
			return err
		},
		"Tail": func(ctx context.Context) error {
			for _, err := range s.Tail(ctx, key, state.FrameID{}) {
				return err
			}
			return nil
		},
	}
	for name, call := range calls {
		if err := call(ctx); !errors.Is(err, state.ErrLater) {
			t.Errorf("%s() = %v, want ErrLater", name, err)
		}
	}
	page, err := s.List(ctx, state.Query{Principal: key.Principal})
	if err != nil || len(page.Threads) != 1 || page.Threads[0].Key != key || page.Threads[0].Status != state.StatusFailed {
		t.Errorf("List() = %+v, %v, want the thread, as one that nothing can be done with", page, err)
	}
	if after := everyKey(t, c); !cmp.Equal(before, after) {
		t.Errorf("what is stored has changed (-before +after):\n%s", cmp.Diff(before, after))
	}
}

// When a later version takes a store that is being served, nothing begins here any more and nothing is taken over.
// What runs here is of a format that both know: it comes to its end.
func TestALaterVersionTakesTheStore(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"single": redistest.Start(t).URL(), "cluster": redistest.StartCluster(t).URL()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prefix := rand.Text()
			s := open(t, url, redisstore.Options{Prefix: prefix})
			running, idle, dead := newThread(t), newThread(t), newThread(t)
			idle.key.ID, dead.key.ID = "idle", "dead"
			l := running.begin(s, time.Minute)
			dead.begin(s, time.Nanosecond)
			redisstore.ClientOf(t, url).Set(t.Context(), prefix+":format", later.Record(), 0)

			ctx := t.Context()
			o := state.LeaseOptions{Attempt: rand.Text(), TTL: time.Minute}
			for name, call := range map[string]func() error{
				"Ping":    func() error { return s.Ping(ctx) },
				"Begin":   func() error { _, err := s.Begin(ctx, idle.request(), o); return err },
				"Rename":  func() error { return s.Rename(ctx, running.key, "new") },
				"Take":    func() error { _, err := s.Take(ctx, dead.key, o); return err },
				"Overdue": func() error { _, err := s.Overdue(ctx, 10); return err },
			} {
				if err := call(); !errors.Is(err, state.ErrLater) {
					t.Errorf("%s() = %v, want ErrLater", name, err)
				}
			}
			if err := s.Renew(ctx, l, time.Minute); err != nil {
				t.Errorf("Renew() = %v", err)
			}
			running.succeed(s, l, 1)
			if th, _, err := s.Load(ctx, running.key); err != nil || th.Live != nil {
				t.Errorf("the thread that ran is %+v, %v", th, err)
			}
		})
	}
}

// A version that keeps the format may add to it. This version ignores the additions. It keeps keys and fields, and
// drops additions to a document when it writes the thread. So a version may add to documents only what may be lost.
func TestAdditionsOfALaterVersion(t *testing.T) {
	t.Parallel()
	server, th := redistest.Start(t), newThread(t)
	c, prefix := server.Client(), rand.Text()
	s := open(t, server.URL(), redisstore.Options{Prefix: prefix})
	th.succeed(s, th.begin(s, time.Minute), 1)
	base := prefix + ":{" + th.key.Digest() + "}:"
	for field, is := range c.HGetAll(t.Context(), base+"thread").Val() {
		if field == "doc" || field == "run" {
			c.HSet(t.Context(), base+"thread", field, `{"added":{"by":["a","later"]},`+is[1:])
		}
	}
	c.HSet(t.Context(), base+"thread", "added", "by a later version")
	c.HSet(t.Context(), base+"added", "k", "v")
	was, _, err := s.Load(t.Context(), th.key)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Rename(t.Context(), th.key, "new"); err != nil {
		t.Fatal(err)
	}
	is, _, err := s.Load(t.Context(), th.key)
	if err != nil || is.Title != "new" || is.Count != was.Count || is.Run.RunID != was.Run.RunID {
		t.Errorf("Load() = %+v, %v", is, err)
	}
	fields := c.HGetAll(t.Context(), base+"thread").Val()
	var document, run map[string]any
	if err := errors.Join(json.Unmarshal([]byte(fields["doc"]), &document), json.Unmarshal([]byte(fields["run"]), &run)); err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{
		"document": document["added"] != nil, "run": run["added"] != nil, "field": fields["added"] != "",
		"key": c.HGet(t.Context(), base+"added", "k").Val() == "v",
	}
	want := map[string]bool{"document": false, "run": false, "field": true, "key": true}
	if !cmp.Equal(has, want) {
		t.Errorf("after a renaming the additions are there: %v, want %v", has, want)
	}
}
