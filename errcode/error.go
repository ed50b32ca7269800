package errcode

import (
	"errors"

	"github.com/agui-gateway/gateway/agui"
)

// An Error is a failure with a code. Its cause is for the log only; clients get [Error.Public].
type Error struct {
	Code Code
	// Text is a sentence for clients that replaces the code's. It may quote a conversation and is not logged.
	Text string
	// Err is the cause; may be nil.
	Err error
}

// Error returns code and cause, for logs.
func (e *Error) Error() string {
	if e.Err == nil {
		return string(e.Code)
	}
	return string(e.Code) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Public returns what a client may read: the text if there is one, else the code's sentence, followed by the path
// and the problem if the cause is a [*agui.FieldError], which never quotes a value.
func (e *Error) Public() string {
	if e.Text != "" {
		return e.Text
	}
	if field, ok := errors.AsType[*agui.FieldError](e.Err); ok && e.Code == InvalidInput {
		if field.Path == "" {
			return e.Code.Message() + " The body " + field.Problem + "."
		}
		return e.Code.Message() + " " + field.Error() + "."
	}
	return e.Code.Message()
}

// Public returns the public text of err: [Error.Public], or the sentence of its code.
func Public(err error) string {
	if coded, ok := errors.AsType[*Error](err); ok {
		return coded.Public()
	}
	return Of(err).Message()
}

// Of returns the code of the first [*Error] in err's chain. A [*agui.FieldError] is invalid_input, any other error
// internal: the meaning of a deadline or cancellation is up to the code that set it. Nil has no code.
func Of(err error) Code {
	if err == nil {
		return ""
	}
	if coded, ok := errors.AsType[*Error](err); ok {
		return coded.Code
	}
	if _, ok := errors.AsType[*agui.FieldError](err); ok {
		return InvalidInput
	}
	if errors.Is(err, agui.ErrUnsupportedVersion) {
		return UnsupportedVersion
	}
	return Internal
}

// EndsTurn reports whether err was made by a check of the service that no policy of an agent overrides: a hook, a
// guardrail or a budget.
func EndsTurn(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Code == HookFailed || e.Code == GuardrailRefused || e.Code == BudgetExceeded)
}
