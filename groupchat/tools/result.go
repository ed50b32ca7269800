package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/redact"
)

// A Result is the result of a call of a tool.
type Result struct {
	// Content is for the client; the model reads its text.
	Content agui.Content `json:"content,omitzero"`
	// Metadata goes with the result to the client.
	Metadata agui.Metadata `json:"metadata,omitzero"`
}

// Text returns a result that is text.
func Text(text string) Result { return Result{Content: agui.TextContent(text)} }

// An Error is an error with a text that the model may read. For other errors it reads only that the tool failed.
type Error struct {
	Text string
	Err  error // the cause, for the log; may be nil
	// Temporary says that this is no answer of the tool's: its server was away, for example. See [Retry].
	Temporary bool
}

// Error returns the cause, for logs, or else the beginning of the text: what a tool says to a model may be long, and
// quote anything.
func (e *Error) Error() string {
	if e.Err == nil {
		return "groupchat: tool: " + redact.Line(e.Text, nil, nil)
	}
	return "groupchat: tool: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// An ErrorPolicy says what an error of a tool means.
type ErrorPolicy string

// The error policies of a tool.
const (
	Tells ErrorPolicy = ""     // the model reads that it failed and decides what then
	Fails ErrorPolicy = "fail" // the turn fails with tool_failed
)

// Repeat says whether a call may be made again.
type Repeat string

// The kinds of repetition.
const (
	RepeatAgain Repeat = ""      // it may: the tool is idempotent, or knows the call by its key
	RepeatNever Repeat = "never" // it may not: a call with a lost result has failed, and the agent decides what then
)

// A Retry says how often a call of a tool without an answer is made again: after an error other than an [Error] that is
// not Temporary, or after its timeout. The zero value makes none again.
//
// Only a tool that may be repeated is called again ([RepeatAgain]), with the same idempotency key. There is no further
// try once the run is stopped or another process has it (groupchat.Fence is called before each), after a panic, after a
// question of the tool's, and after what ends the turn whatever the tool's policy. Each try may take the tool's
// Timeout; the result of the last one counts, and hooks see no other.
type Retry struct {
	// Times is how many further tries there may be, up to 10.
	Times int
	// Backoff is how long the first further try waits at most; it waits at least half as long. Each further one waits
	// twice as long, up to 30 seconds. 0 means 500ms; a negative one does not wait.
	Backoff time.Duration
}

// MaxRetries is the most of [Retry.Times].
const MaxRetries = 10

// An InputNeeded is the error of a call that cannot be finished without a person's answer. The turn asks, and
// makes the same call again, with the same key, when the answer is there; nothing of the first call counts but what it
// asked. A tool asks at most 16 times for one call.
type InputNeeded struct {
	// Message is what a person is asked, and Schema the JSON Schema of the answer; nil takes anything.
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	// By is the name of the asking agent, where that is not the agent.
	By string `json:"by,omitempty"`
	// State is given back with the answer; see groupchat.ToolInput. It is kept with the question, so it should be
	// small.
	State json.RawMessage `json:"state,omitempty"`
}

// Error does not quote the question.
func (*InputNeeded) Error() string { return "groupchat: tool: a person has to answer first" }

// Origin returns the origin of calls that go to what parts identify: a hash, which shows nothing of secrets
// among them.
func Origin(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}
