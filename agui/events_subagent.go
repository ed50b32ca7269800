package agui

import "encoding/json"

// SubagentStarted announces one invocation of a subagent. Its parent must have been announced in this run.
type SubagentStarted struct {
	Base
	SubagentRunID       string `json:"subagentRunId" agui:"id"`
	Name                string `json:"name"`
	Description         string `json:"description,omitempty"`
	ParentSubagentRunID string `json:"parentSubagentRunId,omitempty"`
	ParentToolCallID    string `json:"parentToolCallId,omitempty"`
	ParentMessageID     string `json:"parentMessageId,omitempty"`
}

// SubagentFinished ends an invocation that is done or waits for an answer.
type SubagentFinished struct {
	Base
	SubagentRunID string `json:"subagentRunId"`
	// Result is never JSON null.
	Result  json.RawMessage  `json:"result,omitempty"`
	Outcome *SubagentOutcome `json:"outcome,omitempty"`
}

// SubagentError ends an invocation that failed; the run continues.
type SubagentError struct {
	Base
	SubagentRunID string `json:"subagentRunId"`
	Message       string `json:"message"`
	Code          string `json:"code,omitempty"`
}
