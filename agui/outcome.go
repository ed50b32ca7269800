package agui

import "encoding/json"

// An OutcomeType is the kind of end of a run, or of a subagent's invocation.
type OutcomeType string

// The outcomes of AG-UI 1.0. A run ends in success, interrupt or cancelled, a subagent in success or suspended.
const (
	OutcomeSuccess   OutcomeType = "success"
	OutcomeInterrupt OutcomeType = "interrupt"
	OutcomeCancelled OutcomeType = "cancelled"
	OutcomeSuspended OutcomeType = "suspended"
)

// An Outcome is the outcome of RUN_FINISHED.
type Outcome struct {
	Type OutcomeType `json:"type"`
	// PendingToolCallIDs names the frontend calls a successful run leaves open, in the order they were started.
	PendingToolCallIDs []string `json:"pendingToolCallIds,omitempty"`
	// Interrupts are the questions of an interrupted run, at least one.
	Interrupts []Interrupt `json:"interrupts,omitempty"`
}

// A SubagentOutcome is the outcome of SUBAGENT_FINISHED.
type SubagentOutcome struct {
	Type OutcomeType `json:"type"`
	// InterruptIDs names the interrupts this invocation itself waits for.
	InterruptIDs []string `json:"interruptIds,omitempty"`
}

// An Interrupt is a question an interrupted run asks. A later run on the same thread answers it by ID.
type Interrupt struct {
	ID string `json:"id" agui:"id"`
	// Reason is one of "tool_call", "input_required", "confirmation" or "<framework>:<name>".
	Reason     string `json:"reason"`
	Message    string `json:"message,omitempty"`
	ToolCallID string `json:"toolCallId,omitempty"`
	// ResponseSchema is a JSON Schema object the answer's payload must match.
	ResponseSchema json.RawMessage `json:"responseSchema,omitempty" agui:"object"`
	// ExpiresAt is RFC 3339, UTC.
	ExpiresAt     string   `json:"expiresAt,omitempty"`
	Metadata      Metadata `json:"metadata,omitzero"`
	SubagentRunID string   `json:"subagentRunId,omitempty"`
}

// A ResumeStatus says whether an interrupt was answered or called off.
type ResumeStatus string

// The statuses of a resume entry.
const (
	ResumeResolved  ResumeStatus = "resolved"
	ResumeCancelled ResumeStatus = "cancelled"
)

// A ResumeEntry answers one open interrupt.
type ResumeEntry struct {
	InterruptID string          `json:"interruptId"`
	Status      ResumeStatus    `json:"status" enum:"resolved cancelled"`
	Payload     json.RawMessage `json:"payload,omitempty" null:"absent"`
	Metadata    Metadata        `json:"metadata,omitzero"`
}
