package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A later version that takes the Redis makes this one unready and gets its new runs; the live run here ends normally.
func TestALaterVersionTakesTheRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	gate := make(chan struct{})
	a, _ := twins(t, server.URL(), func(o *gateway.Options) {
		o.Agents["patient"] = groupchat.AgentFunc(func(ctx context.Context, turn *groupchat.Turn) error {
			return await(ctx, turn, gate)
		})
	})
	live := a.open("POST", "/agents/patient", input("live", "r1", []string{"u1:Before"}))
	live.until(agui.TypeCustom)
	client := server.Client()
	keys, err := client.Keys(t.Context(), "*:format").Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("Keys() = %v, %v", keys, err)
	}
	later := state.CurrentFormat + 1
	client.Set(t.Context(), keys[0], later.Record(), 0)

	for name, request := range map[string][3]string{
		"readiness": {"GET", "/readyz", ""},
		"a run":     {"POST", "/agents/echo", input("other", "r1", []string{"u1:Hi"})},
		"a name":    {"PATCH", "/threads/live", `{"title":"t"}`},
	} {
		status, body := a.call(request[0], request[1], request[2])
		if status != http.StatusServiceUnavailable || !strings.Contains(body, `"store_too_new"`) {
			t.Errorf("%s = %d %s, want store_too_new", name, status, body)
		}
	}
	close(gate)
	live.rest()
	live.finished()
	if status, body := a.call("GET", "/threads/live", ""); status != http.StatusOK || !strings.Contains(body, `"idle"`) {
		t.Errorf("GET /threads/live = %d %s", status, body)
	}
	client.Set(t.Context(), keys[0], state.CurrentFormat.Record(), 0) // the operator went back
	a.post("echo", input("again", "r1", []string{"u1:Hi"})).finished()
}
