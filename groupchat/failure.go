package groupchat

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/internal/hosting"
	"github.com/agui-gateway/gateway/state"
)

// fail is an error of this package with the code its run ends with. One that begins with a turn's path leaves that of a root agent,
// which has none, away.
func fail(code agui.Code, format string, args ...any) error {
	if rest, ok := strings.CutPrefix(format, "%s: "); ok && len(args) > 0 && args[0] == "" {
		format, args = rest, args[1:]
	}
	return &agui.Error{Code: code, Err: fmt.Errorf("groupchat: "+format, args...)}
}

// coded gives an agent's error a code, unless it brings one.
func coded(err error) error {
	if _, ok := errors.AsType[*agui.Error](err); ok || err == nil {
		return err
	}
	code := agui.CodeAgentFailed
	if errors.Is(err, state.ErrTooLarge) || errors.Is(err, agui.ErrEventTooLarge) {
		code = agui.CodeTooLarge
	}
	return &agui.Error{Code: code, Err: err}
}

// public is the sentence of err that clients may read.
func public(err error) string {
	if e, ok := errors.AsType[*agui.Error](err); ok {
		return e.Public()
	}
	return agui.CodeOf(err).Message()
}

// onlyCancelled reports whether err says nothing but that a person cancelled a question.
func onlyCancelled(err error) bool {
	switch e := err.(type) { //nolint:errorlint // the tree is walked here: another failure beside it counts
	case interface{ Unwrap() error }:
		return onlyCancelled(e.Unwrap())
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(e.Unwrap(), func(inner error) bool { return !onlyCancelled(inner) })
	default:
		return err == ErrCancelled //nolint:errorlint // unwrapped
	}
}

// A pathError is a failure of the turn at Path, or of what was done in its name.
type pathError struct {
	Path string
	Err  error
}

// Error names the turn, for the log.
func (e *pathError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the failure.
func (e *pathError) Unwrap() error { return e.Err }

// at says where err happened, unless somebody further in has.
func at(path string, err error) error {
	if _, ok := errors.AsType[*pathError](err); ok || err == nil {
		return err
	}
	return &pathError{path, err}
}

// A PanicError is a panic of an agent's code. Its value may hold anything and is for the log only.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the panic's value.
func (p *PanicError) Error() string { return fmt.Sprintf("groupchat: panic: %v", p.Value) }

// protect turns a panic of f into an error. The methods of the error that f returns are the agent's code too: one that
// panics when somebody asks what the error is counts as a panic of f, so that whoever asks later is safe.
func protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &agui.Error{Code: agui.CodeAgentFailed, Err: &PanicError{Value: v, Stack: debug.Stack()}}
		}
	}()
	err = f()
	_ = errors.Is(err, errNone) // looks at every cause
	return err
}

// errNone is no error's cause.
var errNone = errors.New("groupchat: none")

// verdict is what the errors of a turn's goroutines add up to: the failure that came first, else all the pauses, in the
// order their goroutines were started, so that the questions have the same order every time. A question whose turn has
// failed elsewhere is not asked.
func verdict(errs []returnedError) error {
	for _, e := range errs {
		if pauseOf(e.err) == nil {
			return coded(e.err)
		}
	}
	slices.SortFunc(errs, func(a, b returnedError) int { return cmp.Compare(a.n, b.n) })
	var pauses []*Pause
	for _, e := range errs {
		pauses = append(pauses, pauseOf(e.err))
	}
	if p := joinPauses(pauses...); p != nil {
		return p
	}
	return nil
}

// leftOpen adds to a turn's failure which of its messages are open.
func (t *Turn) leftOpen(err error) error {
	var ids []string
	t.run.Inspect(func(v *agui.View) {
		closed := map[string]bool{}
		for _, m := range v.Closed() {
			closed[m.ID] = true
		}
		for _, m := range v.Messages() {
			if m.SubagentRunID == t.out.SubagentRunID() && !closed[m.ID] && len(m.ToolCalls) == 0 {
				ids = append(ids, m.ID)
			}
		}
	})
	if ids == nil {
		return err
	}
	return &hosting.OpenMessagesError{Err: err, IDs: ids}
}
