package agui

import "errors"

// A Code names what went wrong, for programs: in the JSON error of a refused request and in RUN_ERROR.
// Codes never change their meaning; new ones may be added.
type Code string

// The codes of answers before a stream has begun. Those that can also happen to a run are used in streams too.
const (
	CodeInvalidInput         Code = "invalid_input"          // the request is malformed
	CodeUnsupportedVersion   Code = "unsupported_version"    // see [ErrUnsupportedVersion]
	CodeUnauthorized         Code = "unauthorized"           // no credentials, or wrong ones
	CodeForbidden            Code = "forbidden"              // known, but not allowed this
	CodeNotFound             Code = "not_found"              // no such thing, or somebody else's
	CodeAmbiguousThread      Code = "ambiguous_thread"       // the thread id exists under several agents
	CodeMethodNotAllowed     Code = "method_not_allowed"     // the path exists, the method does not
	CodeTooLarge             Code = "too_large"              // a limit on size was hit
	CodeUnsupportedMediaType Code = "unsupported_media_type" // the body is not announced as JSON
	CodeRateLimited          Code = "rate_limited"           // this caller asks too much
	CodeOverloaded           Code = "overloaded"             // all callers together do
	CodeDraining             Code = "draining"               // the server is shutting down
	CodeStoreUnavailable     Code = "store_unavailable"      // the store cannot be reached
	CodeThreadDamaged        Code = "thread_damaged"         // the store has lost a part of the thread
	CodeInternal             Code = "internal"               // a defect of the server
)

// The codes of refused runs: the thread is as it was.
const (
	CodeRunInProgress            Code = "run_in_progress"            // the thread has a live run
	CodeQueueFull                Code = "queue_full"                 // and no room to wait for its end
	CodeInterruptPending         Code = "interrupt_pending"          // the thread waits for an answer first
	CodeInterruptNotFound        Code = "interrupt_not_found"        // the answered interrupt is not open here
	CodeInterruptExpired         Code = "interrupt_expired"          // it was answered too late
	CodeInterruptAlreadyResolved Code = "interrupt_already_resolved" // it has another answer already
	CodeResumeIncomplete         Code = "resume_incomplete"          // some open interrupts were left out
	CodeResumeInvalid            Code = "resume_invalid"             // an answer does not fit its schema, or is given twice
	CodeResumeAmbiguous          Code = "resume_ambiguous"           // a bare value, and several open interrupts
	CodeCheckpointIncompatible   Code = "checkpoint_incompatible"    // the paused work does not fit the agents of today
)

// The codes of refused patches of a thread's state: the state is as it was.
const (
	CodePatchFailed          Code = "patch_failed"           // an operation does not apply to the state as it is
	CodeStateChanged         Code = "state_changed"          // the state is not the one that the patch was made for
	CodePatchQueueFull       Code = "patch_queue_full"       // too many patches wait for the turn that is going on
	CodeIdempotencyKeyReused Code = "idempotency_key_reused" // another patch came with the same Idempotency-Key
)

// The codes of runs that ended before their work was done.
const (
	CodeCancelled  Code = "cancelled"   // stopped on purpose
	CodeRunMoved   Code = "run_moved"   // another replica took the run over
	CodeRunLost    Code = "run_lost"    // no replica could go on with it
	CodeRunTimeout Code = "run_timeout" // it took longer than allowed
)

// The codes of runs and turns that failed in their agents, models or tools.
const (
	CodeUnknownSpeaker     Code = "unknown_speaker"      // the manager chose somebody who is not there
	CodeNoProgress         Code = "no_progress"          // the chat goes in circles
	CodeNoRoute            Code = "no_route"             // the manager has nobody to choose
	CodeNotConverged       Code = "not_converged"        // all rounds used, not done
	CodeAgentFailed        Code = "agent_failed"         // the agent returned an error or panicked
	CodeRemoteFailed       Code = "remote_failed"        // a remote agent did not answer as it should
	CodeRemoteLoop         Code = "remote_loop"          // remote agents lead back to one another, or too far
	CodeModelAuth          Code = "model_auth"           // the model's server refused our credentials
	CodeModelRequest       Code = "model_request"        // the model's server refused our request
	CodeModelResponse      Code = "model_response"       // the model's answer made no sense
	CodeModelContentFilter Code = "model_content_filter" // the model's server withheld the answer
	CodeModelUnavailable   Code = "model_unavailable"    // the model's server cannot be reached or is busy
	CodeToolFailed         Code = "tool_failed"          // a tool failed
)

// messages holds one sentence per code. They are all a client is ever told, so that no cause, which may
// hold a secret or a prompt, gets out.
var messages = map[Code]string{
	CodeInvalidInput:         "The request is malformed.",
	CodeUnsupportedVersion:   "This version of the protocol is not supported.",
	CodeUnauthorized:         "Valid credentials are required.",
	CodeForbidden:            "This is not allowed.",
	CodeNotFound:             "There is nothing here.",
	CodeAmbiguousThread:      "Several agents have a thread with this id; name the agent.",
	CodeMethodNotAllowed:     "This method is not allowed here.",
	CodeTooLarge:             "This is larger than the server accepts.",
	CodeUnsupportedMediaType: "The body must be application/json.",
	CodeRateLimited:          "Too many requests; try again later.",
	CodeOverloaded:           "The server is at its limit; try again later.",
	CodeDraining:             "The server is shutting down; try again.",
	CodeStoreUnavailable:     "The server cannot reach its storage; try again later.",
	CodeThreadDamaged:        "A part of this thread was lost; it can only be deleted.",
	CodeInternal:             "Something went wrong on the server.",

	CodeRunInProgress:            "This thread has a run in progress.",
	CodeQueueFull:                "Too many requests are waiting for this thread.",
	CodeInterruptPending:         "This thread is waiting for an answer; resume it first.",
	CodeInterruptNotFound:        "There is no such open question on this thread.",
	CodeInterruptExpired:         "The time to answer this question is over.",
	CodeInterruptAlreadyResolved: "This question has been answered already.",
	CodeResumeIncomplete:         "Every open question of this thread must be answered at once.",
	CodeResumeInvalid:            "The answer does not fit the question.",
	CodeResumeAmbiguous:          "Several questions are open; say which one each answer is for.",
	CodeCheckpointIncompatible:   "The agents have changed since this run was paused; it cannot go on.",

	CodePatchFailed:          "The patch does not apply to the state as it is.",
	CodeStateChanged:         "The state has changed; read it again.",
	CodePatchQueueFull:       "Too many patches are waiting for this thread.",
	CodeIdempotencyKeyReused: "Another patch was sent with the same Idempotency-Key.",

	CodeCancelled:  "The run was stopped.",
	CodeRunMoved:   "The run was moved to another server.",
	CodeRunLost:    "The run was lost.",
	CodeRunTimeout: "The run took too long.",

	CodeUnknownSpeaker:     "The chosen agent does not exist.",
	CodeNoProgress:         "The agents make no progress.",
	CodeNoRoute:            "No agent is responsible for this.",
	CodeNotConverged:       "The agents came to no end in the rounds they have.",
	CodeAgentFailed:        "The agent failed.",
	CodeRemoteFailed:       "The remote agent failed.",
	CodeRemoteLoop:         "The remote agents call each other in a circle.",
	CodeModelAuth:          "The model refused the server's credentials.",
	CodeModelRequest:       "The model refused the request.",
	CodeModelResponse:      "The model's answer could not be understood.",
	CodeModelContentFilter: "The model's answer was withheld by its content filter.",
	CodeModelUnavailable:   "The model is not available; try again later.",
	CodeToolFailed:         "A tool failed.",
}

// Message returns the sentence clients are shown for c. It is fixed: nothing of the cause is in it. A code of
// somebody else's, such as one a script agent fails with, gets a general sentence.
func (c Code) Message() string {
	if m, ok := messages[c]; ok {
		return m
	}
	return "The run failed."
}

// Known reports whether c is one of this package's codes.
func (c Code) Known() bool {
	_, ok := messages[c]
	return ok
}

// An Error is a failure with a code. Its cause is for the log only; clients get [Error.Public].
type Error struct {
	Code Code
	// Text is a sentence that an agent's author wrote for clients. It takes the place of the code's and, as it may
	// quote a conversation, stays out of logs.
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
// and the problem if the cause is a [*FieldError], which never quotes a value.
func (e *Error) Public() string {
	if e.Text != "" {
		return e.Text
	}
	if field, ok := errors.AsType[*FieldError](e.Err); ok && e.Code == CodeInvalidInput {
		if field.Path == "" {
			return e.Code.Message() + " The body " + field.Problem + "."
		}
		return e.Code.Message() + " " + field.Error() + "."
	}
	return e.Code.Message()
}

// CodeOf returns the code of the first [*Error] in err's chain. A [*FieldError] is invalid_input, every other
// error internal: what a deadline or a cancelled context means is for those to say who set it. Nil has no code.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if coded, ok := errors.AsType[*Error](err); ok {
		return coded.Code
	}
	if _, ok := errors.AsType[*FieldError](err); ok {
		return CodeInvalidInput
	}
	if errors.Is(err, ErrUnsupportedVersion) {
		return CodeUnsupportedVersion
	}
	return CodeInternal
}
