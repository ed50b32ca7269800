package model

import "context"

// An Asker identifies the principal and agent of a call. Agents put it into the context of [Model.Stream]; a model that
// keeps replies reads their owner there.
type Asker struct {
	// Principal is the id of who asked for the run.
	Principal string
	// Again says that the turn was tried before and failed: a reply that was kept may be the reason, so it should not
	// be given again.
	Again bool
}

type askerKey struct{}

// WithAsker returns a context that says for whom models are asked.
func WithAsker(ctx context.Context, a Asker) context.Context {
	return context.WithValue(ctx, askerKey{}, a)
}

// AskerOf returns for whom a model is asked, if the context says so.
func AskerOf(ctx context.Context) (Asker, bool) {
	a, ok := ctx.Value(askerKey{}).(Asker)
	return a, ok
}
