package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/internal/approval"
	"github.com/agui-gateway/gateway/groupchat/internal/schema"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/model"
)

// A Tool is a function that a model may call. Exactly one of Call and Turn is set.
type Tool struct {
	// Name is the tool's name for the model, Description its description.
	Name        string
	Description string
	// SourceName is what a source calls the tool where that is not Name. [tools.Approvals] may say either.
	SourceName string
	// Origin identifies where calls go, and as whom: see [tools.Origin]. People approve of calls to one origin only. It
	// is empty for a function of the program; a tool of a source that has none gets that of the source.
	Origin string
	// Parameters is the JSON Schema of the arguments, an object; nil takes none. Arguments that do not match it never
	// reach the tool: the model reads the mistake.
	Parameters json.RawMessage

	// Call makes a call. Its result is recorded before it is used, so that the call is made once however often the turn
	// is entered again; if the process died before that, it may be made twice: see Repeat and [ToolCall.Key]. Several
	// calls may be under way at once. A panic is an error. A call that returns [*tools.InputNeeded] asks a person.
	Call func(ctx context.Context, c ToolCall) (tools.Result, error)
	// Turn makes a call within the turn of the agent that makes it: it may ask, change the state, let other agents
	// work. Like an agent it is entered again after a pause and repeated after a takeover. Each call has separate keys
	// and a turn id: a person's approval, and a recorded effect, count for no other call. Repeat and Timeout do not
	// apply to it.
	Turn func(ctx context.Context, t *Turn, c ToolCall) (tools.Result, error)

	// Repeat says whether a call with a lost result may be made again.
	Repeat tools.Repeat
	// Retry says how often a call without an answer is made again; the zero value makes none again.
	Retry tools.Retry
	// Approve says whether a person must approve of each call; the zero value leaves that to the agent.
	Approve tools.Approval
	// Destructive says that the tool may do harm that cannot be undone. A person must approve of its calls unless
	// Approve, or the agent, says otherwise.
	Destructive bool
	// OnError says what an error means; the zero value tells the model.
	OnError tools.ErrorPolicy
	// Timeout is how long a call may take; 0 means what the agent says. A call that ignores its context is not waited
	// for.
	Timeout time.Duration
	// MaxResult is how many bytes of a result are kept; 0 means 64 KiB.
	MaxResult int

	err    error  // of NewTool
	source string // the origin of the source that has it; empty for an agent's own

	// agent is the specialist that the tool is, and info describes it: see AsTool.
	agent Agent
	info  profile.Info
}

// A ToolCall is one call of a tool.
type ToolCall struct {
	// ID is what clients know the call by: another one after a takeover.
	ID   string
	Name string
	// Arguments are the model's, or those a person put in their place. They match the tool's schema.
	Arguments json.RawMessage
	// Key is the same for every repetition of this call and different for every other: an idempotency key.
	Key      string
	ThreadID string
	// Principal is who asked for the run; see [Turn.Principal].
	Principal Principal
	// Inputs are what people answered to what the call needed to know, in the order in which it asked: see
	// [tools.InputNeeded].
	Inputs []ToolInput

	mark  approval.Mark // the decision about it
	nth   int           // of the tool's in the turn, from 1
	model model.Model   // of who calls
	// history is the part of messages in that model's request.
	history func([]Message) []Message
}

// NewTool makes a tool of a function. The schema is that of A, a struct or a map: each exported field by its JSON name,
// optional with omitempty or omitzero, described by a tag such as `jsonschema:"the city"`. R is text, an
// [agui.Content], a [tools.Result], or becomes JSON. What cannot be a schema is an error of the agent's Validate.
func NewTool[A, R any](name, description string, f func(ctx context.Context, c ToolCall, arguments A) (R, error)) Tool {
	t := Tool{Name: name, Description: description}
	t.Parameters, t.err = schema.Of[A]()
	t.Call = func(ctx context.Context, c ToolCall) (tools.Result, error) {
		arguments, err := decodeArguments[A](c.Arguments)
		if err != nil {
			return tools.Result{}, err
		}
		r, err := f(ctx, c, arguments)
		if err != nil {
			return tools.Result{}, err
		}
		return resultOf(r)
	}
	return t
}

// NewTurnTool is [NewTool] for a function that works within the turn: see [Tool.Turn].
func NewTurnTool[A, R any](name, description string,
	f func(ctx context.Context, t *Turn, c ToolCall, arguments A) (R, error)) Tool {
	t := Tool{Name: name, Description: description}
	t.Parameters, t.err = schema.Of[A]()
	t.Turn = func(ctx context.Context, turn *Turn, c ToolCall) (tools.Result, error) {
		arguments, err := decodeArguments[A](c.Arguments)
		if err != nil {
			return tools.Result{}, err
		}
		r, err := f(ctx, turn, c, arguments)
		if err != nil {
			return tools.Result{}, err
		}
		return resultOf(r)
	}
	return t
}

func decodeArguments[A any](raw json.RawMessage) (arguments A, err error) {
	if err := exact.Unmarshal(raw, &arguments); err != nil {
		return arguments, &tools.Error{Text: mistakeText("they cannot be decoded"), Err: err}
	}
	return arguments, nil
}

func resultOf(v any) (tools.Result, error) {
	switch v := v.(type) {
	case string:
		return tools.Text(v), nil
	case agui.Content:
		return tools.Result{Content: v}, nil
	case tools.Result:
		return v, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return tools.Result{}, fmt.Errorf("groupchat: tool: result: %w", err)
	}
	return tools.Text(string(raw)), nil
}

// Validate reports every mistake of the tool itself, joined, such as a schema that calls cannot be checked with. Tools
// of an [LLM] that have one are refused with it; those of a [ToolSource] are left out of turns.
func (t *Tool) Validate() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("tool %q: "+format, append([]any{t.Name}, args...)...))
	}
	if t.Name == "" {
		bad("has no name")
	}
	if (t.Call == nil) == (t.Turn == nil) {
		bad("wants one of Call and Turn")
	}
	if t.err != nil {
		bad("%w", t.err)
	}
	if _, err := schema.Cached(t.Parameters); err != nil {
		bad("parameters: %w", err)
	}
	switch t.Repeat {
	case tools.RepeatAgain, tools.RepeatNever:
	default:
		bad("unknown repeat %q", t.Repeat)
	}
	switch t.Approve {
	case tools.ApproveByAgent, tools.ApproveAlways, tools.ApproveNever:
	default:
		bad("unknown approval %q", t.Approve)
	}
	switch t.OnError {
	case tools.Tells, tools.Fails:
	default:
		bad("unknown error policy %q", t.OnError)
	}
	t.checkRetry(bad)
	if t.Timeout < 0 || t.MaxResult < 0 {
		bad("a limit is negative")
	}
	return errors.Join(errs...)
}

// A ToolSource has tools that come and go: those of a server, for example. It is safe for concurrent use.
//
// A source may also have a method Expects(name string) bool, which reports whether it is set up to have a tool of that
// name, be it away or not. Without it a name in [tools.Approvals] that is a tool of a source that is away is one that
// no tool has.
//
// A method Origin() string identifies the source, see [Tool.Origin]; the default is the place in the agent's list.
// Names() []string returns the names of all of its tools if they are known without a request. Two sources of one agent
// must not have tools of one name: Validate refuses known names, and names that are found later are withheld from the
// model. In a thread a name stays with its source.
//
// One with a method Required() bool that returns true is needed: a turn that begins without all of its tools fails with
// tool_failed, and may be tried again.
type ToolSource interface {
	// Tools are those there are now. It is asked when a turn is entered; it may wait, and should not for long. What it
	// returns beside an error counts. The error is logged, and the model reads that tools are missing: an unavailable
	// source stops no agent.
	Tools(ctx context.Context) ([]Tool, error)
}
