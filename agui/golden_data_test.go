package agui

import "encoding/json"

// The examples of this file are the golden files of testdata/golden. "" is the filled example of a type: every
// field it can have is set. Values are chosen to be hard: empty strings where they are legal, nulls and big
// integers inside opaque JSON, text that needs escapes.

const goldenText = "Zoë said \"<b>&</b>\" \\ \u2028 \u0007 🛫\nand left"

var (
	goldenJSON   = json.RawMessage(`{"big":12345678901234567890,"none":null,"list":[null,{"":0}],"tiny":1.0e-7,"html":"<&>"}`)
	goldenMeta   = Metadata{"a": json.RawMessage("null"), "b": goldenJSON, "ui": json.RawMessage(`{"x":[1,2]}`)}
	goldenBase   = Base{Timestamp: 1770000000000, RawEvent: goldenJSON, Metadata: goldenMeta}
	goldenTagged = Tagged{goldenBase, "sub-1"}
	goldenUsage  = []TokenUsage{
		{"openai", "gpt-4.1-mini", new(int64(12)), new(int64(34)), new(int64(46)), new(int64(5)), new(int64(3)), new(int64(0))},
		{Provider: "anthropic"},
	}
	goldenQuestion = Interrupt{
		ID: "int-1", Reason: "input_required", Message: goldenText, ToolCallID: "call-1",
		ResponseSchema: json.RawMessage(`{"type":"object","required":["airline"],"properties":{"airline":{"type":"string"}}}`),
		ExpiresAt:      "2026-11-22T10:00:00Z", Metadata: goldenMeta, SubagentRunID: "sub-1",
	}
	goldenPatch = Patch{
		{Op: "add", Path: "/a~1b/-", Value: goldenJSON}, {Op: "replace", Path: "", Value: json.RawMessage("null")},
		{Op: "test", Path: "/", Value: json.RawMessage(`""`)}, {Op: "remove", Path: "/m~0n"},
		{Op: "move", From: "/a", Path: "/b"}, {Op: "copy", From: "", Path: "/c"},
	}
	goldenParts = []Part{
		{Type: PartText, ID: "p1", Text: goldenText, Metadata: json.RawMessage(`{"k":null}`)},
		{Type: PartImage, ID: "p2", Source: &Source{Type: SourceData, Value: "aGk=", MimeType: "image/png"}, Metadata: json.RawMessage(`"high"`)},
		{Type: PartAudio, Source: &Source{Type: SourceURL, Value: "https://example.com/a.mp3", MimeType: "audio/mpeg"}},
		{Type: PartVideo, Source: &Source{Type: SourceURL, Value: "https://example.com/v.mp4"}},
		{Type: PartDocument, Source: &Source{Type: SourceFile, Value: "file-1", Provider: "openai", MimeType: "application/pdf"}},
		{Type: PartDocument, Source: &Source{Type: SourceFile, Value: "file-2"}},
	}
	goldenCalls = []ToolCall{
		{ID: "call-1", Type: "function", Function: FunctionCall{Name: "book", Arguments: `{"a":1}`}, EncryptedValue: "enc", Metadata: goldenMeta},
		{ID: "call-2", Type: "function", Function: FunctionCall{}},
	}
)

var goldenMessages = map[string]Message{
	"developer":         {ID: "m1", Role: RoleDeveloper, Content: TextContent(goldenText), Name: "dev", EncryptedValue: "enc", SubagentRunID: "sub-1", Metadata: goldenMeta},
	"developer_minimal": {ID: "m1", Role: RoleDeveloper, Content: TextContent("")},
	"system":            {ID: "m2", Role: RoleSystem, Content: TextContent(goldenText), Name: "sys", EncryptedValue: "enc", SubagentRunID: "sub-1", Metadata: goldenMeta},
	"system_minimal":    {ID: "m2", Role: RoleSystem, Content: TextContent("")},
	"assistant":         {ID: "m3", Role: RoleAssistant, Content: TextContent(goldenText), Name: "flights", ToolCalls: goldenCalls, EncryptedValue: "enc", SubagentRunID: "sub-1", Metadata: goldenMeta},
	"assistant_minimal": {ID: "m3", Role: RoleAssistant},
	"user":              {ID: "m4", Role: RoleUser, Content: PartsContent(goldenParts...), Name: "Ann", EncryptedValue: "enc", SubagentRunID: "sub-1", Metadata: goldenMeta},
	"user_text":         {ID: "m4", Role: RoleUser, Content: TextContent("hi")},
	"user_minimal":      {ID: "m4", Role: RoleUser, Content: PartsContent([]Part{}...)},
	"tool":              {ID: "m5", Role: RoleTool, Content: PartsContent(goldenParts...), ToolCallID: "call-1", Error: "tool_failed", EncryptedValue: "enc", SubagentRunID: "sub-1", Metadata: goldenMeta},
	"tool_minimal":      {ID: "m5", Role: RoleTool, Content: TextContent(""), ToolCallID: ""},
	"activity":          {ID: "m6", Role: RoleActivity, Content: ObjectContent(goldenJSON), ActivityType: "PLAN", SubagentRunID: "sub-1", Metadata: goldenMeta},
	"activity_minimal":  {ID: "m6", Role: RoleActivity, Content: ObjectContent(json.RawMessage(`{}`)), ActivityType: ""},
	"reasoning":         {ID: "m7", Role: RoleReasoning, Content: TextContent(goldenText), EncryptedValue: "enc", SubagentRunID: "sub-1", Metadata: goldenMeta},
	"reasoning_minimal": {ID: "m7", Role: RoleReasoning, Content: TextContent("")},
}

var goldenInputs = map[string]*RunAgentInput{
	"input": {
		ThreadID: "t1", RunID: "r1", ProtocolVersion: "1.0", ParentRunID: "r0", State: goldenJSON,
		Messages: List[Message]{goldenMessages["user"], goldenMessages["assistant"], goldenMessages["tool"], goldenMessages["reasoning"]},
		Tools:    List[Tool]{{Name: "book", Description: goldenText, Parameters: json.RawMessage(`{"type":"object"}`), Metadata: goldenMeta}, {}},
		Context:  List[Context]{{Description: "locale", Value: "en-GB"}}, ForwardedProps: goldenJSON,
		Resume: []ResumeEntry{
			{InterruptID: "int-1", Status: ResumeResolved, Payload: json.RawMessage(`false`), Metadata: goldenMeta},
			{InterruptID: "int-2", Status: ResumeCancelled},
		},
	},
	"input_minimal": {ThreadID: "t1", RunID: "r1", Messages: List[Message]{}, Tools: List[Tool]{}, Context: List[Context]{}},
}

// goldenEvents holds the examples of each type, in the form <TYPE>_<variant>.
var goldenEvents = map[string]Event{
	"RUN_STARTED":          &RunStarted{goldenBase, "t1", "r1", ProtocolVersion, "r0", goldenInputs["input"]},
	"RUN_STARTED_minimal":  &RunStarted{ThreadID: "t1", RunID: "r1"},
	"RUN_FINISHED":         &RunFinished{goldenBase, "t1", "r1", json.RawMessage(`false`), &Outcome{Type: OutcomeInterrupt, Interrupts: []Interrupt{goldenQuestion, {ID: "int-2", Reason: "travel:choose"}}}, goldenUsage},
	"RUN_FINISHED_minimal": &RunFinished{ThreadID: "t1", RunID: "r1"},
	"RUN_FINISHED_success": &RunFinished{ThreadID: "t1", RunID: "r1", Result: goldenJSON, Outcome: &Outcome{Type: OutcomeSuccess}},
	"RUN_FINISHED_pending": &RunFinished{ThreadID: "t1", RunID: "r1", Outcome: &Outcome{Type: OutcomeSuccess, PendingToolCallIDs: []string{"call-1", "call-2"}}},
	"RUN_FINISHED_stopped": &RunFinished{ThreadID: "t1", RunID: "r1", Outcome: &Outcome{Type: OutcomeCancelled}, Usage: goldenUsage},
	"RUN_ERROR":            &RunError{goldenBase, goldenText, "internal", goldenUsage},
	"RUN_ERROR_minimal":    &RunError{},

	"STEP_STARTED":          &StepStarted{goldenTagged, "flights_agent"},
	"STEP_STARTED_minimal":  &StepStarted{},
	"STEP_FINISHED":         &StepFinished{goldenTagged, "flights_agent"},
	"STEP_FINISHED_minimal": &StepFinished{},

	"TEXT_MESSAGE_START":           &TextMessageStart{goldenTagged, "m1", RoleDeveloper, "flights"},
	"TEXT_MESSAGE_START_minimal":   &TextMessageStart{MessageID: "m1"},
	"TEXT_MESSAGE_CONTENT":         &TextMessageContent{goldenTagged, "m1", goldenText},
	"TEXT_MESSAGE_CONTENT_minimal": &TextMessageContent{MessageID: "m1"},
	"TEXT_MESSAGE_END":             &TextMessageEnd{goldenTagged, "m1"},
	"TEXT_MESSAGE_END_minimal":     &TextMessageEnd{MessageID: "m1"},
	"TEXT_MESSAGE_CHUNK":           &TextMessageChunk{goldenTagged, "m1", RoleAssistant, new(goldenText), "flights"},
	"TEXT_MESSAGE_CHUNK_minimal":   &TextMessageChunk{},
	"TEXT_MESSAGE_CHUNK_empty":     &TextMessageChunk{Delta: new("")},

	"TOOL_CALL_START":          &ToolCallStart{goldenTagged, "call-1", "book", "m1"},
	"TOOL_CALL_START_minimal":  &ToolCallStart{ToolCallID: "call-1"},
	"TOOL_CALL_ARGS":           &ToolCallArgs{goldenTagged, "call-1", `{"a":"` + goldenText},
	"TOOL_CALL_ARGS_minimal":   &ToolCallArgs{ToolCallID: "call-1"},
	"TOOL_CALL_END":            &ToolCallEnd{goldenTagged, "call-1"},
	"TOOL_CALL_END_minimal":    &ToolCallEnd{ToolCallID: "call-1"},
	"TOOL_CALL_CHUNK":          &ToolCallChunk{goldenTagged, "call-1", "book", "m1", new(`{"a`)},
	"TOOL_CALL_CHUNK_minimal":  &ToolCallChunk{},
	"TOOL_CALL_RESULT":         &ToolCallResult{goldenTagged, "m2", "call-1", TextContent(goldenText), RoleTool},
	"TOOL_CALL_RESULT_minimal": &ToolCallResult{MessageID: "m2", ToolCallID: "call-1", Content: TextContent("")},
	"TOOL_CALL_RESULT_parts":   &ToolCallResult{MessageID: "m2", ToolCallID: "call-1", Content: PartsContent(goldenParts...)},

	"STATE_SNAPSHOT":            &StateSnapshot{goldenTagged, goldenJSON},
	"STATE_SNAPSHOT_minimal":    &StateSnapshot{Snapshot: json.RawMessage("null")},
	"STATE_DELTA":               &StateDelta{goldenTagged, goldenPatch},
	"STATE_DELTA_minimal":       &StateDelta{Delta: Patch{}},
	"MESSAGES_SNAPSHOT":         &MessagesSnapshot{goldenBase, List[Message]{goldenMessages["system"], goldenMessages["user"], goldenMessages["assistant"], goldenMessages["tool"], goldenMessages["activity"]}},
	"MESSAGES_SNAPSHOT_minimal": &MessagesSnapshot{Messages: List[Message]{}},
	"ACTIVITY_SNAPSHOT":         &ActivitySnapshot{goldenTagged, "m6", "PLAN", goldenJSON, new(false)},
	"ACTIVITY_SNAPSHOT_minimal": &ActivitySnapshot{MessageID: "m6", Content: json.RawMessage(`{}`)},
	"ACTIVITY_DELTA":            &ActivityDelta{goldenTagged, "m6", "PLAN", goldenPatch},
	"ACTIVITY_DELTA_minimal":    &ActivityDelta{MessageID: "m6", Patch: Patch{}},
	"RAW":                       &Raw{goldenTagged, goldenJSON, "openai"},
	"RAW_minimal":               &Raw{Event: json.RawMessage("0")},
	"CUSTOM":                    &Custom{goldenTagged, "gateway.failed", goldenJSON},
	"CUSTOM_minimal":            &Custom{Value: json.RawMessage("null")},

	"REASONING_START":                   &ReasoningStart{goldenTagged, "m7"},
	"REASONING_START_minimal":           &ReasoningStart{MessageID: "m7"},
	"REASONING_END":                     &ReasoningEnd{goldenTagged, "m7"},
	"REASONING_END_minimal":             &ReasoningEnd{MessageID: "m7"},
	"REASONING_MESSAGE_START":           &ReasoningMessageStart{goldenTagged, "m7", RoleReasoning},
	"REASONING_MESSAGE_START_minimal":   &ReasoningMessageStart{MessageID: "m7", Role: RoleReasoning},
	"REASONING_MESSAGE_CONTENT":         &ReasoningMessageContent{goldenTagged, "m7", goldenText},
	"REASONING_MESSAGE_CONTENT_minimal": &ReasoningMessageContent{MessageID: "m7"},
	"REASONING_MESSAGE_END":             &ReasoningMessageEnd{goldenTagged, "m7"},
	"REASONING_MESSAGE_END_minimal":     &ReasoningMessageEnd{MessageID: "m7"},
	"REASONING_MESSAGE_CHUNK":           &ReasoningMessageChunk{goldenTagged, "m7", new(goldenText)},
	"REASONING_MESSAGE_CHUNK_minimal":   &ReasoningMessageChunk{},
	"REASONING_ENCRYPTED_VALUE":         &ReasoningEncryptedValue{goldenTagged, EncryptedToolCall, "call-1", "enc"},
	"REASONING_ENCRYPTED_VALUE_minimal": &ReasoningEncryptedValue{Subtype: EncryptedMessage},

	"SUBAGENT_STARTED":            &SubagentStarted{goldenBase, "sub-2", "hotels_agent", goldenText, "sub-1", "call-1", "m1"},
	"SUBAGENT_STARTED_minimal":    &SubagentStarted{SubagentRunID: "sub-1"},
	"SUBAGENT_FINISHED":           &SubagentFinished{goldenBase, "sub-1", goldenJSON, &SubagentOutcome{Type: OutcomeSuccess}},
	"SUBAGENT_FINISHED_minimal":   &SubagentFinished{SubagentRunID: "sub-1"},
	"SUBAGENT_FINISHED_suspended": &SubagentFinished{SubagentRunID: "sub-1", Outcome: &SubagentOutcome{Type: OutcomeSuspended, InterruptIDs: []string{"int-1"}}},
	"SUBAGENT_ERROR":              &SubagentError{goldenBase, "sub-1", goldenText, "run_moved"},
	"SUBAGENT_ERROR_minimal":      &SubagentError{SubagentRunID: "sub-1"},
}

var goldenCapabilities = map[string]AgentCapabilities{
	"capabilities_minimal": {},
	"capabilities": {
		Identity:   &IdentityCapabilities{"Travel", "groupchat", goldenText, "1.0.0", "gateway", "https://example.com/docs", goldenMeta},
		Transport:  &TransportCapabilities{new(true), new(false), new(false), new(false), new(true)},
		Tools:      &ToolsCapabilities{new(true), []Tool{{Name: "book", Description: "Books", Parameters: json.RawMessage(`{"type":"object"}`), Metadata: goldenMeta}}, new(false), new(true)},
		Output:     &OutputCapabilities{new(false), []string{"text/plain"}},
		State:      &StateCapabilities{new(true), new(true), new(false), new(true)},
		MultiAgent: &MultiAgentCapabilities{new(true), new(true), new(false), []SubagentInfo{{"flights_agent", "Finds flights"}, {Name: "hotels_agent"}}},
		Reasoning:  &ReasoningCapabilities{new(false), new(false), new(false)},
		Multimodal: &MultimodalCapabilities{&MultimodalInput{new(true), new(false), new(false), new(true), new(false)}, &MultimodalOutput{new(false), new(false)}},
		Execution:  &ExecutionCapabilities{new(false), new(false), new(int64(0)), new(int64(600000))},
		HumanInTheLoop: &HumanInTheLoopCapabilities{
			new(true), new(true), new(false), new(false), new(true), new(false),
		},
		Custom: goldenMeta,
	},
}
