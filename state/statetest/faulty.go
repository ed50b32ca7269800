package statetest

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// ErrFault is what a call of a [Faulty] store fails with.
var ErrFault = errors.New("statetest: the store could not be reached")

// A Fault says when a call fails.
type Fault uint8

// The faults: the call never arrives, or its answer is lost on the way back.
const (
	NoFault Fault = iota
	Before
	After
)

// A Call names one of a store's writing methods.
type Call string

// The calls that can be made to fail.
const (
	CallBegin   Call = "begin"
	CallTake    Call = "take"
	CallAppend  Call = "append"
	CallCommit  Call = "commit"
	CallOnce    Call = "once"
	CallRenew   Call = "renew"
	CallRelease Call = "release"
)

// Faulty is a store that fails the next call of a kind on demand. It is safe for concurrent use.
type Faulty struct {
	state.Store

	mu   sync.Mutex
	next map[Call]Fault
}

// Fail makes the next call of this kind fail.
func (f *Faulty) Fail(call Call, fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == nil {
		f.next = map[Call]Fault{}
	}
	f.next[call] = fault
}

func (f *Faulty) take(call Call) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	fault := f.next[call]
	delete(f.next, call)
	return fault
}

// try makes one call through the fault that waits for it.
func try[T any](f *Faulty, call Call, do func() (T, error)) (T, error) {
	var none T
	fault := f.take(call)
	if fault == Before {
		return none, ErrFault
	}
	v, err := do()
	if fault == After {
		return none, ErrFault
	}
	return v, err
}

func (f *Faulty) try(call Call, do func() error) error {
	_, err := try(f, call, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// Begin is the store's, with faults.
func (f *Faulty) Begin(ctx context.Context, r *state.Request, o state.LeaseOptions) (*state.Begun, error) {
	return try(f, CallBegin, func() (*state.Begun, error) { return f.Store.Begin(ctx, r, o) })
}

// Take is the store's, with faults.
func (f *Faulty) Take(ctx context.Context, key state.Key, o state.LeaseOptions) (*state.Begun, error) {
	return try(f, CallTake, func() (*state.Begun, error) { return f.Store.Take(ctx, key, o) })
}

// Append is the store's, with faults.
func (f *Faulty) Append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	return f.try(CallAppend, func() error { return f.Store.Append(ctx, l, after, frames) })
}

// Commit is the store's, with faults.
func (f *Faulty) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	return try(f, CallCommit, func() (*state.Thread, error) { return f.Store.Commit(ctx, l, c) })
}

// Once is the store's, with faults.
func (f *Faulty) Once(ctx context.Context, l *state.Lease, key string, result json.RawMessage) error {
	return f.try(CallOnce, func() error { return f.Store.Once(ctx, l, key, result) })
}

// Renew is the store's, with faults.
func (f *Faulty) Renew(ctx context.Context, l *state.Lease, ttl time.Duration) error {
	return f.try(CallRenew, func() error { return f.Store.Renew(ctx, l, ttl) })
}

// Release is the store's, with faults.
func (f *Faulty) Release(ctx context.Context, l *state.Lease) error {
	return f.try(CallRelease, func() error { return f.Store.Release(ctx, l) })
}
