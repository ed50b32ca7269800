package agui

import "encoding/json"

// ProtocolVersion is the version this package speaks.
const ProtocolVersion = "1.0"

// RunAgentInput is the body of a run request.
type RunAgentInput struct {
	ThreadID string `json:"threadId"`
	RunID    string `json:"runId"`
	// ProtocolVersion is the caller's; empty means a 0.x caller, see [EraOf].
	ProtocolVersion string `json:"protocolVersion,omitempty"`
	ParentRunID     string `json:"parentRunId,omitempty"`
	// State is the client's state; nil means absent.
	State json.RawMessage `json:"state,omitempty" null:"absent"`
	// Messages is the conversation as the client sees it.
	Messages List[Message] `json:"messages"`
	Tools    List[Tool]    `json:"tools" agui:"optional"`
	Context  List[Context] `json:"context" agui:"optional"`
	// ForwardedProps is passed through; nil means absent.
	ForwardedProps json.RawMessage `json:"forwardedProps,omitempty" null:"absent"`
	// Resume answers the open interrupts of the thread.
	Resume []ResumeEntry `json:"resume,omitempty"`
}

// A Tool is a tool the client offers to run itself.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Parameters is a JSON Schema; nil means absent.
	Parameters json.RawMessage `json:"parameters,omitempty" null:"absent"`
	Metadata   Metadata        `json:"metadata,omitzero"`
}

// A Context is something the client wants the agent to know.
type Context struct {
	Description string `json:"description"`
	Value       string `json:"value"`
}
