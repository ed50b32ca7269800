package agui

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/internal/jsonscan"
)

// A FieldError says which field of a message from a peer is malformed. It is the peer's mistake: a server
// answers it with 400.
type FieldError struct {
	// Path is where, as in "messages[2].content[0].text"; empty is the whole value.
	Path string
	// Problem describes the problem and never quotes the value, which may be private.
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
	// Path is where, as in [FieldError]. What the peer calls its members is cut short.
	Path   string
	Reason string // never quotes a value
}

// String returns path and reason.
func (w Warning) String() string {
	if w.Path == "" {
		return w.Reason
	}
	return w.Path + ": " + w.Reason
}

// DecodeOptions limits what [DecodeInput] accepts. Zero means no limit.
type DecodeOptions struct {
	MaxDepth    int // nesting of objects and arrays
	MaxValues   int // values in all, those of opaque JSON included: decoded they take far more room than their text
	MaxMessages int
	MaxID       int // bytes of the ids that callers choose: of threads, runs, and messages other than an agent's
}

// Decode reads one event. Known fields are checked strictly and a malformed one is a [*FieldError];
// unknown members are dropped with a warning to warn, which may be nil: the first 20, and one that says how many more
// there were. An event of an unknown type comes back as [*Unknown]. Bytes that are not UTF-8 become U+FFFD, as in every
// client that reads a stream as text. What it makes of data takes memory in proportion to that.
func Decode(data []byte, warn func(Warning)) (Event, error) {
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	r := newDecoder(data)
	defer r.tell(warn)
	name, err := r.eventType(data)
	if err != nil {
		return nil, err
	}
	e := newEvent(name)
	if e == nil {
		return &Unknown{Type: name, Raw: bytes.Clone(data)}, nil
	}
	m, err := r.object(data, planOf(reflect.TypeOf(e).Elem()), "type")
	if err != nil {
		return nil, err
	}
	if err := r.event(m, e); err != nil {
		return nil, err
	}
	return e, nil
}

func (r *decoder) tell(warn func(Warning)) {
	if warn == nil {
		return
	}
	for _, w := range r.takeWarnings() {
		warn(w)
	}
}

func (r *decoder) eventType(data []byte) (EventType, error) {
	if err := checkSyntax(data); err != nil {
		return "", err
	}
	name, err := r.variant("type", data)
	return EventType(name), err
}

func (r *decoder) event(m map[string]json.RawMessage, e Event) error {
	if err := r.fields(m, e); err != nil {
		return err
	}
	if result, ok := e.(*ToolCallResult); ok {
		if problem := result.Content.fits(RoleTool, "content"); problem != nil {
			return problem
		}
	}
	return nil
}

// DecodeInput reads the body of a run request: one JSON object in UTF-8 with nothing after it. A malformed field is a
// [*FieldError] with its path; unrecognised ones are dropped with a warning, as in [Decode]. Empty and repeated ids are
// refused, because everything that follows is keyed by them.
func DecodeInput(data []byte, o DecodeOptions) (*RunAgentInput, []Warning, error) {
	if err := o.check(data); err != nil {
		return nil, nil, err
	}
	r, in := newDecoder(data), new(RunAgentInput)
	m, err := r.object(data, planOf(reflect.TypeOf(in).Elem()))
	if err != nil {
		return nil, nil, err
	}
	if raw := m["messages"]; o.MaxMessages > 0 && isArray(raw) && jsonscan.Count(raw) > o.MaxMessages {
		return nil, r.takeWarnings(),
			&FieldError{"messages", "has more than " + strconv.Itoa(o.MaxMessages) + " messages"}
	}
	if err := r.fields(m, in); err != nil {
		return nil, r.takeWarnings(), err
	}
	return in, r.takeWarnings(), in.checkIDs(o.MaxID)
}

// check refuses invalid JSON and too deep nesting.
func (o DecodeOptions) check(data []byte) error {
	if !utf8.Valid(data) {
		return &FieldError{"", "is not valid UTF-8"}
	}
	depth, values := measure(data)
	if o.MaxDepth > 0 && depth > o.MaxDepth {
		return &FieldError{"", "is nested deeper than " + strconv.Itoa(o.MaxDepth) + " levels"}
	}
	if o.MaxValues > 0 && values > o.MaxValues {
		return &FieldError{"", "has more than " + strconv.Itoa(o.MaxValues) + " values"}
	}
	return checkSyntax(data)
}

// checkIDs refuses ids that are empty or stand for two things, and those of callers that are longer than limit (0: none
// is). What an agent said comes back with the id that the agent gave it.
func (in *RunAgentInput) checkIDs(limit int) error {
	long := func(id string) bool { return limit > 0 && len(id) > limit }
	tooLong := "is longer than " + strconv.Itoa(limit) + " bytes"
	switch {
	case in.ThreadID == "":
		return &FieldError{"threadId", "must not be empty"}
	case in.RunID == "":
		return &FieldError{"runId", "must not be empty"}
	case long(in.ThreadID):
		return &FieldError{"threadId", tooLong}
	case long(in.RunID):
		return &FieldError{"runId", tooLong}
	case long(in.ParentRunID):
		return &FieldError{"parentRunId", tooLong}
	}
	if problem := checkMessageIDs(in.Messages); problem != nil {
		return problem
	}
	for i, m := range in.Messages {
		if m.Role != RoleAssistant && m.Role != RoleReasoning && m.Role != RoleActivity && long(m.ID) {
			return &FieldError{"messages[" + strconv.Itoa(i) + "].id", tooLong}
		}
	}
	return nil
}

// checkMessageIDs refuses ids of messages and calls that are empty or stand for two things, in a request and in a
// snapshot: a client sends back what it was sent.
func checkMessageIDs(messages []Message) *FieldError {
	seen, calls := make(map[string]bool, len(messages)), make(map[string]bool)
	for i, m := range messages {
		at := func() string { return "messages[" + strconv.Itoa(i) + "]" }
		if problem := checkID(seen, m.ID); problem != "" {
			return &FieldError{at() + ".id", problem}
		}
		for j, c := range m.ToolCalls {
			if problem := checkID(calls, c.ID); problem != "" {
				return &FieldError{at() + ".toolCalls[" + strconv.Itoa(j) + "].id", problem}
			}
		}
	}
	return nil
}

func checkID(seen map[string]bool, id string) string {
	switch {
	case id == "":
		return "must not be empty"
	case seen[id]:
		return "is used twice"
	}
	seen[id] = true
	return ""
}

// measure returns how deep objects and arrays of data are nested, and how many values there are. It does not check that
// data is JSON; an empty object counts as one that is not.
func measure(data []byte) (depth, values int) {
	now := 0
	values = 1
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = jsonscan.StringEnd(data, i) - 1
		case ',':
			values++
		case '{', '[':
			values++
			now++
			depth = max(depth, now)
		case '}', ']':
			now--
		}
	}
	return depth, values
}

// DecodeResume reads the body of a resume by itself: {"resume": [...]}, by the rules of [DecodeInput].
func DecodeResume(data []byte, o DecodeOptions) ([]ResumeEntry, error) {
	if err := o.check(data); err != nil {
		return nil, err
	}
	var body struct {
		Resume List[ResumeEntry] `json:"resume"`
	}
	if err := newDecoder(data).structure(data, &body); err != nil {
		return nil, err
	}
	if len(body.Resume) == 0 {
		return nil, &FieldError{"resume", "must not be empty"}
	}
	return body.Resume, nil
}
