// Package fence lets what reaches out of a run ask, before it does, whether the run is still this process'. Who
// executes a run puts its fence into the run's context with [With]; models, tools and remote agents ask with [Ask]. So
// they need to know nothing of each other, nor of who executes.
package fence

import "context"

// key is where a context carries the fence of its run.
type key struct{}

// With returns a context in which [Ask] calls f. A nil f changes nothing.
func With(ctx context.Context, f func(context.Context) error) context.Context {
	if f == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, f)
}

// Ask returns nil if the run that ctx belongs to may do something in the world outside, and else why it may not: the
// cause of ctx, or what the run's fence says. It may wait. A context without a fence allows everything until it ends.
func Ask(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if f, ok := ctx.Value(key{}).(func(context.Context) error); ok {
		return f(ctx)
	}
	return nil
}
