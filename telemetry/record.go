package telemetry

import (
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// A Kind is what a step does.
type Kind string

// The kinds of steps.
const (
	KindRun      Kind = "run"      // an attempt at a run, from its first event to its last
	KindTurn     Kind = "turn"     // one try of a participant's turn
	KindChoice   Kind = "choice"   // a supervisor's choice of who speaks next
	KindModel    Kind = "model"    // a call of a language model, with its retries
	KindTool     Kind = "tool"     // a call of a tool on this side
	KindRemote   Kind = "remote"   // a run of an agent on another server
	KindQuestion Kind = "question" // from a question to its answer
	KindStore    Kind = "store"    // a call of the store
	KindWebhook  Kind = "webhook"  // an attempt to tell a receiver of questions; no run's trace has it
)

// A Record is one step as the trace of its run tells it: once when it begins, without End, and once when it has ended.
type Record struct {
	ID     string `json:"id"`               // of the step, within the run; Begin makes it
	Parent string `json:"parent,omitempty"` // the step it is part of; Begin takes it from the context
	Kind   Kind   `json:"kind"`
	// Name is who or what works: an agent, a participant with its path, a configured model, a tool.
	Name  string `json:"name,omitempty"`
	Start int64  `json:"start"`         // milliseconds since 1970; Begin fills it
	End   int64  `json:"end,omitempty"` // milliseconds since 1970; Step.End fills it
	// Attempt counts from 1 the tries of the same thing: attempts at a run, tries of a turn.
	Attempt int `json:"attempt,omitempty"`

	// What of the run's events the step is seen by.
	SubagentRunID string `json:"subagentRunId,omitempty"`
	MessageID     string `json:"messageId,omitempty"`
	ToolCallID    string `json:"toolCallId,omitempty"`
	InterruptID   string `json:"interruptId,omitempty"`

	// Of a model call: who was asked, when it said its first words (milliseconds since 1970), and what it used. Cost is nil if the
	// model has no price.
	Provider   string           `json:"provider,omitempty"`
	Model      string           `json:"model,omitempty"`
	FirstToken int64            `json:"firstToken,omitempty"`
	Usage      *agui.TokenUsage `json:"usage,omitempty"`
	Cost       *float64         `json:"cost,omitempty"`

	// Limit is the limit at which what the step is about ended, which is no failure: "max_rounds" of a choice.
	Limit string `json:"limit,omitempty"`

	// Code is why the step failed, empty if it did not.
	Code errcode.Code `json:"code,omitempty"`
}
