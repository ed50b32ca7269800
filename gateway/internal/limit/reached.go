package limit

import "errors"

// A Name is the metric label of a limit. docs/metrics.md lists them.
type Name string

// The names of limits, in the order of docs/reference/limits.md.
const (
	Header              Name = "header"
	Body                Name = "body"
	Bodies              Name = "bodies"
	BodiesPerPrincipal  Name = "bodies_per_principal"
	Answers             Name = "answers"
	ForwardedHeaders    Name = "forwarded_headers"
	File                Name = "file"
	Thread              Name = "thread"
	State               Name = "state"
	Event               Name = "event"
	Patch               Name = "patch"
	Patches             Name = "patches"
	Runs                Name = "runs"
	RunsPerPrincipal    Name = "runs_per_principal"
	TokensPerPrincipal  Name = "tokens_per_principal"
	Rate                Name = "rate"
	Readers             Name = "readers"
	ReadersPerPrincipal Name = "readers_per_principal"
	Store               Name = "store"
	StoredPerPrincipal  Name = "stored_per_principal"
	Queue               Name = "queue"
	Hops                Name = "hops"
	MaxRounds           Name = "max_rounds" // of a chat, which ends
)

// Names are all of them.
var Names = []Name{
	Header, Body, Bodies, BodiesPerPrincipal, Answers, ForwardedHeaders, File, Thread, State, Event, Patch, Patches,
	Runs, RunsPerPrincipal,
	TokensPerPrincipal, Rate, Readers, ReadersPerPrincipal, Store, StoredPerPrincipal, Queue, Hops, MaxRounds,
}

// A ReachedError is the error of something that was refused because a limit was reached.
type ReachedError struct {
	Limit Name
	Err   error
}

// Reached returns err as that of a limit. Nil stays nil.
func Reached(name Name, err error) error {
	if err == nil {
		return nil
	}
	return &ReachedError{name, err}
}

// Error is that of the cause.
func (e *ReachedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause, which has the code.
func (e *ReachedError) Unwrap() error { return e.Err }

// Of returns the limit that err is about, if it is about one.
func Of(err error) (name Name, ok bool) {
	if reached, ok := errors.AsType[*ReachedError](err); ok {
		return reached.Limit, true
	}
	return "", false
}
