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
