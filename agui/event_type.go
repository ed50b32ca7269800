package agui

import "reflect"

// An EventType is the wire name of an event, such as "RUN_STARTED".
type EventType string

// The 31 event types of AG-UI 1.0, in the order of the specification's catalogue.
const (
	TypeRunStarted              EventType = "RUN_STARTED"
	TypeRunFinished             EventType = "RUN_FINISHED"
	TypeRunError                EventType = "RUN_ERROR"
	TypeStepStarted             EventType = "STEP_STARTED"
	TypeStepFinished            EventType = "STEP_FINISHED"
	TypeTextMessageStart        EventType = "TEXT_MESSAGE_START"
	TypeTextMessageContent      EventType = "TEXT_MESSAGE_CONTENT"
	TypeTextMessageEnd          EventType = "TEXT_MESSAGE_END"
	TypeTextMessageChunk        EventType = "TEXT_MESSAGE_CHUNK"
	TypeToolCallStart           EventType = "TOOL_CALL_START"
	TypeToolCallArgs            EventType = "TOOL_CALL_ARGS"
	TypeToolCallEnd             EventType = "TOOL_CALL_END"
	TypeToolCallChunk           EventType = "TOOL_CALL_CHUNK"
	TypeToolCallResult          EventType = "TOOL_CALL_RESULT"
	TypeStateSnapshot           EventType = "STATE_SNAPSHOT"
	TypeStateDelta              EventType = "STATE_DELTA"
	TypeMessagesSnapshot        EventType = "MESSAGES_SNAPSHOT"
	TypeActivitySnapshot        EventType = "ACTIVITY_SNAPSHOT"
	TypeActivityDelta           EventType = "ACTIVITY_DELTA"
	TypeRaw                     EventType = "RAW"
	TypeCustom                  EventType = "CUSTOM"
	TypeReasoningStart          EventType = "REASONING_START"
	TypeReasoningEnd            EventType = "REASONING_END"
	TypeReasoningMessageStart   EventType = "REASONING_MESSAGE_START"
	TypeReasoningMessageContent EventType = "REASONING_MESSAGE_CONTENT"
	TypeReasoningMessageEnd     EventType = "REASONING_MESSAGE_END"
	TypeReasoningMessageChunk   EventType = "REASONING_MESSAGE_CHUNK"
	TypeReasoningEncryptedValue EventType = "REASONING_ENCRYPTED_VALUE"
	TypeSubagentStarted         EventType = "SUBAGENT_STARTED"
	TypeSubagentFinished        EventType = "SUBAGENT_FINISHED"
	TypeSubagentError           EventType = "SUBAGENT_ERROR"
)

// structs has the struct of each type of event.
var structs = map[EventType]reflect.Type{
	TypeRunStarted:              reflect.TypeFor[RunStarted](),
	TypeRunFinished:             reflect.TypeFor[RunFinished](),
	TypeRunError:                reflect.TypeFor[RunError](),
	TypeStepStarted:             reflect.TypeFor[StepStarted](),
	TypeStepFinished:            reflect.TypeFor[StepFinished](),
	TypeTextMessageStart:        reflect.TypeFor[TextMessageStart](),
	TypeTextMessageContent:      reflect.TypeFor[TextMessageContent](),
	TypeTextMessageEnd:          reflect.TypeFor[TextMessageEnd](),
	TypeTextMessageChunk:        reflect.TypeFor[TextMessageChunk](),
	TypeToolCallStart:           reflect.TypeFor[ToolCallStart](),
	TypeToolCallArgs:            reflect.TypeFor[ToolCallArgs](),
	TypeToolCallEnd:             reflect.TypeFor[ToolCallEnd](),
	TypeToolCallChunk:           reflect.TypeFor[ToolCallChunk](),
	TypeToolCallResult:          reflect.TypeFor[ToolCallResult](),
	TypeStateSnapshot:           reflect.TypeFor[StateSnapshot](),
	TypeStateDelta:              reflect.TypeFor[StateDelta](),
	TypeMessagesSnapshot:        reflect.TypeFor[MessagesSnapshot](),
	TypeActivitySnapshot:        reflect.TypeFor[ActivitySnapshot](),
	TypeActivityDelta:           reflect.TypeFor[ActivityDelta](),
	TypeRaw:                     reflect.TypeFor[Raw](),
	TypeCustom:                  reflect.TypeFor[Custom](),
	TypeReasoningStart:          reflect.TypeFor[ReasoningStart](),
	TypeReasoningEnd:            reflect.TypeFor[ReasoningEnd](),
	TypeReasoningMessageStart:   reflect.TypeFor[ReasoningMessageStart](),
	TypeReasoningMessageContent: reflect.TypeFor[ReasoningMessageContent](),
	TypeReasoningMessageEnd:     reflect.TypeFor[ReasoningMessageEnd](),
	TypeReasoningMessageChunk:   reflect.TypeFor[ReasoningMessageChunk](),
	TypeReasoningEncryptedValue: reflect.TypeFor[ReasoningEncryptedValue](),
	TypeSubagentStarted:         reflect.TypeFor[SubagentStarted](),
	TypeSubagentFinished:        reflect.TypeFor[SubagentFinished](),
	TypeSubagentError:           reflect.TypeFor[SubagentError](),
}

// types has the type of each pointer to a struct of an event.
var types = func() map[reflect.Type]EventType {
	types := make(map[reflect.Type]EventType, len(structs))
	for name, t := range structs {
		types[reflect.PointerTo(t)] = name
	}
	return types
}()

// TypeOf returns the wire name of an event, such as RUN_STARTED; for an [*Unknown] the name that the peer used.
func TypeOf(e Event) EventType {
	if u, ok := e.(*Unknown); ok {
		return u.Type
	}
	return types[reflect.TypeOf(e)]
}

// newEvent returns an empty event; nil for an unknown type.
func newEvent(name EventType) Event {
	t, ok := structs[name]
	if !ok {
		return nil
	}
	return reflect.New(t).Interface().(Event)
}
