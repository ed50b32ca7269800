package telemetry

import (
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// A Kind is the kind of a step.
type Kind string

// The kinds of steps.
const (
	KindRun      Kind = "run"      // an attempt at a run, from its first event to its last
	KindTurn     Kind = "turn"     // one try of a participant's turn
	KindChoice   Kind = "choice"   // a supervisor's choice of the next speaker
	KindModel    Kind = "model"    // a call of a language model, with its retries
	KindTool     Kind = "tool"     // a call of a tool on this side
	KindRemote   Kind = "remote"   // a run of an agent on another server
	KindQuestion Kind = "question" // from a question to its answer
	KindStore    Kind = "store"    // a call of the store
	KindWebhook  Kind = "webhook"  // an attempt to notify a receiver of questions; in no run's trace
)

// A Record is one step in the trace of its run: once at its beginning, without End, and once after its end.
type Record struct {
	ID     string `json:"id"`               // of the step, within the run; Begin makes it
	Parent string `json:"parent,omitempty"` // the enclosing step; Begin takes it from the context
	Kind   Kind   `json:"kind"`
	// Name is the name of the agent, participant (with its path), configured model, or tool.
	Name  string `json:"name,omitempty"`
	Start int64  `json:"start"`         // milliseconds since 1970; Begin fills it
	End   int64  `json:"end,omitempty"` // milliseconds since 1970; Step.End fills it
	// Attempt counts from 1 the tries of the same thing: attempts at a run, tries of a turn.
	Attempt int `json:"attempt,omitempty"`

	// The events of the run that show the step.
	SubagentRunID string `json:"subagentRunId,omitempty"`
	MessageID     string `json:"messageId,omitempty"`
	ToolCallID    string `json:"toolCallId,omitempty"`
	InterruptID   string `json:"interruptId,omitempty"`

	// For a model call: the provider, the time of the first token in Unix milliseconds, and the usage.
	Provider   string           `json:"provider,omitempty"`
	Model      string           `json:"model,omitempty"`
	FirstToken int64            `json:"firstToken,omitempty"`
	Usage      *agui.TokenUsage `json:"usage,omitempty"`
	Cost       *float64         `json:"cost,omitempty"`

	// Limit is the limit that ended the subject of the step without a failure: "max_rounds" of a choice.
	Limit string `json:"limit,omitempty"`

	// Code is the code of the step's failure, or "".
	Code errcode.Code `json:"code,omitempty"`
}
