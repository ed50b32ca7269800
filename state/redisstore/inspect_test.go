package redisstore_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// TestInspect asks a server, a cluster and a replica what they are.
func TestInspect(t *testing.T) {
	t.Parallel()
	o := redisstore.Options{Logger: slog.New(slog.DiscardHandler)}
	server := redistest.Start(t, "--maxmemory", "64mb", "--maxmemory-policy", "volatile-ttl", "--save", "60 1")
	if err := server.Client().Set(t.Context(), "agui:format", "agui-gateway threads 7", 0).Err(); err != nil {
		t.Fatal(err)
	}
	in, err := redisstore.Inspect(t.Context(), server.URL(), o)
	if err != nil || len(in.Nodes) != 1 {
		t.Fatalf("Inspect() = %+v, %v, want one node", in, err)
	}
	n := in.Nodes[0]
	n.Version, n.Memory = "", 0 // whatever they are
	if want := (redisstore.Node{Address: server.Addr, Role: "master", Policy: "volatile-ttl", MaxMemory: 64 << 20, Snapshots: true, Reported: true, PersistenceReported: true, MinReplicas: 0}); n != want {
		t.Errorf("Inspect() has the node %+v, want %+v", n, want)
	}
	if want := state.Format(7); in.Format != want || in.RoundTrip <= 0 || in.Ahead.Abs() > time.Minute || in.Cluster != "" {
		t.Errorf("Inspect() = %+v, want format %s, a round trip, and the clock of this machine", in, want)
	}

	cluster := redistest.StartCluster(t)
	if in, err = redisstore.Inspect(t.Context(), cluster.URL(), o); err != nil || len(in.Nodes) != len(cluster.Nodes) || in.Cluster != "ok" {
		t.Errorf("Inspect() of a cluster = %+v, %v, want %d nodes", in, err, len(cluster.Nodes))
	}
}

// TestRehearse lets threads live and die where they can, and says which step fails where they cannot, and why.
func TestRehearse(t *testing.T) {
	t.Parallel()
	o := redisstore.Options{Logger: slog.New(slog.DiscardHandler)}
	tests := []struct {
		name   string
		acl    []any // of a user besides the one that there is
		step   string
		reason redisstore.Reason
	}{
		{"all rights", []any{"~*", "&*", "+@all"}, "", ""},
		{"a prefix and its channels", []any{"~agui:*", "&agui:*", "+@all"}, "", ""},
		{"other keys", []any{"~other:*", "&*", "+@all"}, "", redisstore.ReasonPermission},
		{"no streams", []any{"~*", "&*", "+@all", "-@stream"}, "begin a run", redisstore.ReasonOther},
		{"no publishing", []any{"~*", "&*", "+@all", "-publish"}, "tell a run to stop", redisstore.ReasonOther},
		{"no subscribing", []any{"~*", "&*", "+@all", "-subscribe"}, "", redisstore.ReasonPermission},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			client := server.Client()
			if err := client.Do(t.Context(), append([]any{"acl", "setuser", "u", "on", ">p"}, tt.acl...)...).Err(); err != nil {
				t.Fatal(err)
			}
			err := redisstore.Rehearse(t.Context(), "redis://u:p@"+server.Addr, o)
			step := ""
			if failed, ok := errors.AsType[*redisstore.RehearsalError](err); ok {
				step = failed.Step
			}
			if reason := redisstore.ReasonOf(err); reason != tt.reason || step != tt.step {
				t.Errorf("Rehearse() = %v: step %q, reason %q; want %q and %q", err, step, reason, tt.step, tt.reason)
			}
			if keys, err := client.Keys(t.Context(), "*").Result(); err != nil || len(keys) > 0 && tt.reason == "" {
				t.Errorf("the Redis has %q, %v, want nothing", keys, err)
			}
			for _, key := range client.Keys(t.Context(), "*").Val() {
				if ttl, err := client.TTL(t.Context(), key).Result(); err != nil || ttl <= 0 {
					t.Errorf("the key %s has the time %v, %v, want one", key, ttl, err)
				}
			}
		})
	}
}

// TestReasons are those that no server is needed for.
func TestReasons(t *testing.T) {
	t.Parallel()
	o := redisstore.Options{Logger: slog.New(slog.DiscardHandler)}
	_, err := redisstore.Inspect(t.Context(), "http://:secret@host", o)
	if got := redisstore.ReasonOf(err); got != redisstore.ReasonURL {
		t.Errorf("ReasonOf(%v) = %q, want %q", err, got, redisstore.ReasonURL)
	}
	_, err = redisstore.Inspect(t.Context(), "redis://127.0.0.1:1", o)
	if got := redisstore.ReasonOf(err); got != redisstore.ReasonUnreachable {
		t.Errorf("ReasonOf(%v) = %q, want %q", err, got, redisstore.ReasonUnreachable)
	}
	if got := redisstore.ReasonOf(nil); got != "" {
		t.Errorf("ReasonOf(nil) = %q", got)
	}
}
