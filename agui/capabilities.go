package agui

// AgentCapabilities says what an agent can do, in the shape of AG-UI 1.0. Everything is optional, and unset members are
// omitted: undeclared, which is not the same as false. Declaring something neither licenses nor forbids an event. Go
// 1.26's new(true) declares a flag.
type AgentCapabilities struct {
	Identity       *IdentityCapabilities       `json:"identity,omitempty"`
	Transport      *TransportCapabilities      `json:"transport,omitempty"`
	Tools          *ToolsCapabilities          `json:"tools,omitempty"`
	Output         *OutputCapabilities         `json:"output,omitempty"`
	State          *StateCapabilities          `json:"state,omitempty"`
	MultiAgent     *MultiAgentCapabilities     `json:"multiAgent,omitempty"`
	Reasoning      *ReasoningCapabilities      `json:"reasoning,omitempty"`
	Multimodal     *MultimodalCapabilities     `json:"multimodal,omitempty"`
	Execution      *ExecutionCapabilities      `json:"execution,omitempty"`
	HumanInTheLoop *HumanInTheLoopCapabilities `json:"humanInTheLoop,omitempty"`
	Custom         Metadata                    `json:"custom,omitzero"`
}

// IdentityCapabilities says who the agent is.
type IdentityCapabilities struct {
	Name             string   `json:"name,omitempty"`
	Type             string   `json:"type,omitempty"`
	Description      string   `json:"description,omitempty"`
	Version          string   `json:"version,omitempty"`
	Provider         string   `json:"provider,omitempty"`
	DocumentationURL string   `json:"documentationUrl,omitempty"`
	Metadata         Metadata `json:"metadata,omitzero"`
}

// TransportCapabilities says how the agent can be reached. Resumable is whether a broken stream can be taken up again.
type TransportCapabilities struct {
	Streaming         *bool `json:"streaming,omitempty"`
	Websocket         *bool `json:"websocket,omitempty"`
	HTTPBinary        *bool `json:"httpBinary,omitempty"`
	PushNotifications *bool `json:"pushNotifications,omitempty"`
	Resumable         *bool `json:"resumable,omitempty"`
}

// ToolsCapabilities says which tools the agent has and whether it takes the client's.
type ToolsCapabilities struct {
	Supported *bool `json:"supported,omitempty"`
	// Items are the agent's own tools.
	Items          []Tool `json:"items,omitempty"`
	ParallelCalls  *bool  `json:"parallelCalls,omitempty"`
	ClientProvided *bool  `json:"clientProvided,omitempty"`
}

// OutputCapabilities says what the agent's output can be.
type OutputCapabilities struct {
	StructuredOutput   *bool    `json:"structuredOutput,omitempty"`
	SupportedMimeTypes []string `json:"supportedMimeTypes,omitempty"`
}

// StateCapabilities says how the agent shares its state and whether it outlives a run.
type StateCapabilities struct {
	Snapshots       *bool `json:"snapshots,omitempty"`
	Deltas          *bool `json:"deltas,omitempty"`
	Memory          *bool `json:"memory,omitempty"`
	PersistentState *bool `json:"persistentState,omitempty"`
}

// MultiAgentCapabilities says who works behind the agent.
type MultiAgentCapabilities struct {
	Supported  *bool          `json:"supported,omitempty"`
	Delegation *bool          `json:"delegation,omitempty"`
	Handoffs   *bool          `json:"handoffs,omitempty"`
	Subagents  []SubagentInfo `json:"subagents,omitempty"`
}

// SubagentInfo names one agent behind the agent.
type SubagentInfo struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// ReasoningCapabilities says whether the agent shows how it thinks.
type ReasoningCapabilities struct {
	Supported *bool `json:"supported,omitempty"`
	Streaming *bool `json:"streaming,omitempty"`
	Encrypted *bool `json:"encrypted,omitempty"`
}

// MultimodalCapabilities says which media go in and come out.
type MultimodalCapabilities struct {
	Input  *MultimodalInput  `json:"input,omitempty"`
	Output *MultimodalOutput `json:"output,omitempty"`
}

// MultimodalInput says which media the agent takes.
type MultimodalInput struct {
	Image *bool `json:"image,omitempty"`
	Audio *bool `json:"audio,omitempty"`
	Video *bool `json:"video,omitempty"`
	PDF   *bool `json:"pdf,omitempty"`
	File  *bool `json:"file,omitempty"`
}

// MultimodalOutput says which media the agent makes.
type MultimodalOutput struct {
	Image *bool `json:"image,omitempty"`
	Audio *bool `json:"audio,omitempty"`
}

// ExecutionCapabilities says whether and how far the agent runs code.
type ExecutionCapabilities struct {
	CodeExecution *bool `json:"codeExecution,omitempty"`
	Sandboxed     *bool `json:"sandboxed,omitempty"`
	// MaxIterations is per run, at least 0.
	MaxIterations *int64 `json:"maxIterations,omitempty"`
	// MaxExecutionTime is in milliseconds, at least 0.
	MaxExecutionTime *int64 `json:"maxExecutionTime,omitempty"`
}

// HumanInTheLoopCapabilities says how people take part. Interrupts announces the interrupt outcome,
// ApproveWithEdits that an approval may bring edited arguments.
type HumanInTheLoopCapabilities struct {
	Supported        *bool `json:"supported,omitempty"`
	Approvals        *bool `json:"approvals,omitempty"`
	Interventions    *bool `json:"interventions,omitempty"`
	Feedback         *bool `json:"feedback,omitempty"`
	Interrupts       *bool `json:"interrupts,omitempty"`
	ApproveWithEdits *bool `json:"approveWithEdits,omitempty"`
}
