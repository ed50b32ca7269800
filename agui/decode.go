package agui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A FieldError says which field of a message from a peer is malformed. It is the peer's mistake: a server
// answers it with 400.
type FieldError struct {
	// Path is where, as in "messages[2].content[0].text"; empty is the whole value.
	Path string
	// Problem says what is wrong and never quotes the value, which may be private.
	Problem string
}

// Error returns path and problem.
func (e *FieldError) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

// A Warning is something unrecognised, or forgiven, that decoding left out.
type Warning struct {
	Path   string
	Reason string // never quotes a value
}

// String returns path and reason.
func (w Warning) String() string { return w.Path + ": " + w.Reason }

// DecodeOptions limits what [DecodeInput] accepts. Zero means no limit.
type DecodeOptions struct {
	MaxDepth    int // nesting of objects and arrays
	MaxMessages int
}

// Decode reads one event. Known fields are checked strictly and a malformed one is a [*FieldError];
// unknown members are dropped, each with a warning to warn, which may be nil. An event of an unknown type
// comes back as [*Unknown]. Bytes that are not UTF-8 become U+FFFD, as in every client that reads a stream as text.
func Decode(data []byte, warn func(Warning)) (Event, error) {
	data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	r := &reader{warn: warn}
	m, err := r.object("", data)
	if err != nil {
		return nil, err
	}
	var name EventType
	raw, ok := m["type"]
	if !ok {
		return nil, &FieldError{"type", "is missing"}
	}
	if err := json.Unmarshal(raw, &name); err != nil || isNull(raw) {
		return nil, &FieldError{"type", "must be a string"}
	}
	build, ok := events[name]
	if !ok {
		return &Unknown{Type: name, Raw: bytes.Clone(data)}, nil
	}
	delete(m, "type")
	e := build()
	if err := r.fields("", m, e); err != nil {
		return nil, err
	}
	if result, ok := e.(*ToolCallResult); ok {
		if err := result.Content.fits(RoleTool, "content"); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// events builds an empty event of each known type.
var events = map[EventType]func() Event{
	TypeRunStarted:              func() Event { return new(RunStarted) },
	TypeRunFinished:             func() Event { return new(RunFinished) },
	TypeRunError:                func() Event { return new(RunError) },
	TypeStepStarted:             func() Event { return new(StepStarted) },
	TypeStepFinished:            func() Event { return new(StepFinished) },
	TypeTextMessageStart:        func() Event { return new(TextMessageStart) },
	TypeTextMessageContent:      func() Event { return new(TextMessageContent) },
	TypeTextMessageEnd:          func() Event { return new(TextMessageEnd) },
	TypeTextMessageChunk:        func() Event { return new(TextMessageChunk) },
	TypeToolCallStart:           func() Event { return new(ToolCallStart) },
	TypeToolCallArgs:            func() Event { return new(ToolCallArgs) },
	TypeToolCallEnd:             func() Event { return new(ToolCallEnd) },
	TypeToolCallChunk:           func() Event { return new(ToolCallChunk) },
	TypeToolCallResult:          func() Event { return new(ToolCallResult) },
	TypeStateSnapshot:           func() Event { return new(StateSnapshot) },
	TypeStateDelta:              func() Event { return new(StateDelta) },
	TypeMessagesSnapshot:        func() Event { return new(MessagesSnapshot) },
	TypeActivitySnapshot:        func() Event { return new(ActivitySnapshot) },
	TypeActivityDelta:           func() Event { return new(ActivityDelta) },
	TypeRaw:                     func() Event { return new(Raw) },
	TypeCustom:                  func() Event { return new(Custom) },
	TypeReasoningStart:          func() Event { return new(ReasoningStart) },
	TypeReasoningEnd:            func() Event { return new(ReasoningEnd) },
	TypeReasoningMessageStart:   func() Event { return new(ReasoningMessageStart) },
	TypeReasoningMessageContent: func() Event { return new(ReasoningMessageContent) },
	TypeReasoningMessageEnd:     func() Event { return new(ReasoningMessageEnd) },
	TypeReasoningMessageChunk:   func() Event { return new(ReasoningMessageChunk) },
	TypeReasoningEncryptedValue: func() Event { return new(ReasoningEncryptedValue) },
	TypeSubagentStarted:         func() Event { return new(SubagentStarted) },
	TypeSubagentFinished:        func() Event { return new(SubagentFinished) },
	TypeSubagentError:           func() Event { return new(SubagentError) },
}

// DecodeInput reads the body of a run request: one JSON object in UTF-8 with nothing after it. What is
// malformed is a [*FieldError] with the field's path; what is unrecognised is dropped with a warning.
// Empty and repeated ids are refused, because everything that follows is keyed by them.
func DecodeInput(data []byte, o DecodeOptions) (*RunAgentInput, []Warning, error) {
	if !utf8.Valid(data) {
		return nil, nil, &FieldError{"", "is not valid UTF-8"}
	}
	if o.MaxDepth > 0 && depth(data) > o.MaxDepth {
		return nil, nil, &FieldError{"", "is nested deeper than " + strconv.Itoa(o.MaxDepth) + " levels"}
	}
	var warnings []Warning
	r := &reader{warn: func(w Warning) { warnings = append(warnings, w) }}
	m, err := r.object("", data)
	if err != nil {
		return nil, nil, err
	}
	in := new(RunAgentInput)
	if err := r.fields("", m, in); err != nil {
		return nil, warnings, err
	}
	if o.MaxMessages > 0 && len(in.Messages) > o.MaxMessages {
		return nil, warnings, &FieldError{"messages", "has more than " + strconv.Itoa(o.MaxMessages) + " messages"}
	}
	return in, warnings, in.checkIDs()
}

// checkIDs refuses ids that are empty or stand for two things.
func (in *RunAgentInput) checkIDs() error {
	if in.ThreadID == "" {
		return &FieldError{"threadId", "must not be empty"}
	}
	if in.RunID == "" {
		return &FieldError{"runId", "must not be empty"}
	}
	seen := make(map[string]bool, len(in.Messages))
	calls := make(map[string]bool)
	for i, m := range in.Messages {
		path := fmt.Sprintf("messages[%d]", i)
		if err := once(seen, m.ID, path+".id"); err != nil {
			return err
		}
		for j, c := range m.ToolCalls {
			if err := once(calls, c.ID, fmt.Sprintf("%s.toolCalls[%d].id", path, j)); err != nil {
				return err
			}
		}
	}
	return nil
}

func once(seen map[string]bool, id, path string) error {
	if id == "" {
		return &FieldError{path, "must not be empty"}
	}
	if seen[id] {
		return &FieldError{path, "is used twice"}
	}
	seen[id] = true
	return nil
}

// depth returns how deep objects and arrays of data are nested. It does not check that data is JSON.
func depth(data []byte) int {
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// DecodeResume reads the body of a resume by itself: {"resume": [...]}, by the rules of [DecodeInput].
func DecodeResume(data []byte, o DecodeOptions) ([]ResumeEntry, error) {
	if !utf8.Valid(data) {
		return nil, &FieldError{"", "is not valid UTF-8"}
	}
	if o.MaxDepth > 0 && depth(data) > o.MaxDepth {
		return nil, &FieldError{"", "is nested deeper than " + strconv.Itoa(o.MaxDepth) + " levels"}
	}
	r := &reader{}
	m, err := r.object("", data)
	if err != nil {
		return nil, err
	}
	var body struct {
		Resume List[ResumeEntry] `json:"resume"`
	}
	if err := r.fields("", m, &body); err != nil {
		return nil, err
	}
	if len(body.Resume) == 0 {
		return nil, &FieldError{"resume", "must not be empty"}
	}
	return body.Resume, nil
}
