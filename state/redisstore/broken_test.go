package redisstore_test

import (
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// TestAThreadThatCannotBeDecoded replaces a part of a thread by nonsense: reads of that part fail with ErrDamaged,
// lists name the thread, so that a change of all threads of a principal finds it, and it can be deleted and made anew.
func TestAThreadThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]struct{ key, field, nonsense string }{
		"document": {"thread", "doc", "{"}, "open tokens": {"thread", "open", "{"}, "newest run": {"thread", "run", "{"}, "message": {"msgs", "0", "{"}, "token": {"ints", "q", "{"},
		"queue": {"thread", "queue", "{"}, "queue of nothing": {"thread", "queue", `[1,{"owner":2}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			client, ctx := server.Client(), t.Context()
			stores := replicas(t, server.URL(), 2)
			th := newThread(t)
			th.asks(stores[0])
			overwrite(t, client, part.key, part.field, part.nonsense)
			for _, s := range stores {
				if _, err := s.Snapshot(ctx, th.key); !errors.Is(err, state.ErrDamaged) {
					t.Errorf("Snapshot() = %v, want ErrDamaged", err)
				}
				page, err := s.List(ctx, state.Query{Principal: th.key.Principal})
				if err != nil || len(page.Threads) != 1 || part.field == "doc" && page.Threads[0].Status != state.StatusFailed {
					t.Errorf("List() = %+v, %v", page, err)
				}
				if keys, err := s.Find(ctx, th.key.Principal, th.key.ID); err != nil || len(keys) != 1 {
					t.Errorf("Find() = %v, %v", keys, err)
				}
			}
			th.madeAnew(stores[1], stores[0])
		})
	}
}

// overwrite puts nonsense in a field of the only thread that a Redis has.
func overwrite(t *testing.T, client *redis.Client, part, field, nonsense string) {
	t.Helper()
	keys, err := client.Keys(t.Context(), "*}:"+part).Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("Keys() = %v, %v", keys, err)
	}
	if err := client.HSet(t.Context(), keys[0], field, nonsense).Err(); err != nil {
		t.Fatal(err)
	}
}
