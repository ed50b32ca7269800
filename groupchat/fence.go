package groupchat

import "context"

// fenceKey is where a context carries the fence of its run.
type fenceKey struct{}

// withFence returns a context whose calls of [Fence] ask f.
func withFence(ctx context.Context, f func(context.Context) error) context.Context {
	if f == nil {
		return ctx
	}
	return context.WithValue(ctx, fenceKey{}, f)
}

// Fence returns when the run that ctx belongs to is known to be this process' still. It waits while that is not known, as
// after its store could not be reached for longer than the run's lease, and fails with the cause of ctx once another
// replica has the run. [Once], models, tools and remote agents ask it each time before they reach out. An agent that
// does something in the world by itself asks it before. Where nobody else can have the run it returns at once.
func Fence(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if f, ok := ctx.Value(fenceKey{}).(func(context.Context) error); ok {
		return f(ctx)
	}
	return nil
}
