package groupchat

import (
	"context"

	"github.com/agui-gateway/gateway/internal/fence"
)

// Fence returns when the run that ctx belongs to is known to be this process' still. It waits while that is not known, as
// after its store could not be reached for longer than the run's lease, and fails with the cause of ctx once another
// replica has the run. [Once], models, tools and remote agents ask it each time before they reach out. An agent that
// does something in the world by itself asks it before. Where nobody else can have the run it returns at once.
func Fence(ctx context.Context) error { return fence.Ask(ctx) }
