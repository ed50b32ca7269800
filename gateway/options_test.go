package gateway_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

func TestNewReportsEveryMistake(t *testing.T) {
	t.Parallel()
	fine := groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error { return nil })
	_, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{
		"fine": fine, "with space": fine, "none": nil, "empty": &groupchat.Chat{},
	}})
	if err == nil {
		t.Fatal("New() = nil error")
	}
	for _, name := range []string{`"with space"`, `"none"`, `"empty"`} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("New() = %v, does not name %s", err, name)
		}
	}
}

// A duration that is none means the default: a run without an end and a heartbeat without a pause are no choice.
func TestNegativeDurationsAreDefaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) {
		o.Heartbeat, o.RunTimeout, o.Lease, o.WriteTimeout, o.DetachGrace = -1, -1, -1, -1, -1
	})
	w.post("echo", input("t", "r1", []string{"u1:Hi"})).finished()
}
