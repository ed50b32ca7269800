package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What a run sends is read back as it was meant: what its readers would refuse is refused when it is written.
func TestRunSendsOnlyWhatReadersAccept(t *testing.T) {
	t.Parallel()
	text, object := TextContent("x"), ObjectContent(json.RawMessage(`{}`))
	source := &Source{Type: SourceURL, Value: "https://example.com/a.png"}
	for _, test := range []struct {
		name string
		e    Event
		sent bool // the others are refused
	}{
		{"reasoning without a role", &ReasoningMessageStart{MessageID: "n"}, true},
		{"reasoning of another role", &ReasoningMessageStart{MessageID: "n", Role: RoleUser}, false},
		{"a role that does not exist", &TextMessageStart{MessageID: "n", Role: "bot"}, false},
		{"a role that text does not have", &TextMessageStart{MessageID: "n", Role: RoleTool}, false},
		{"a result's role", &ToolCallResult{MessageID: "n", ToolCallID: "c", Content: text, Role: RoleUser}, false},
		{"a result that is an object", &ToolCallResult{MessageID: "n", ToolCallID: "c", Content: object}, false},
		{"a result without content", &ToolCallResult{MessageID: "n", ToolCallID: "c"}, true},
		{"a result of parts", &ToolCallResult{MessageID: "n", ToolCallID: "c", Content: PartsContent(Part{Type: PartImage, Source: source})}, true},
		{"a part of no kind", &ToolCallResult{MessageID: "n", ToolCallID: "c", Content: PartsContent(Part{Text: "x"})}, false},
		{"a picture from nowhere", &ToolCallResult{MessageID: "n", ToolCallID: "c", Content: PartsContent(Part{Type: PartImage})}, false},
		{"a source of no kind", &ToolCallResult{MessageID: "n", ToolCallID: "c", Content: PartsContent(Part{Type: PartImage, Source: &Source{Value: "x"}})}, false},
		{"a URL with a provider", &ToolCallResult{MessageID: "n", ToolCallID: "c", Content: PartsContent(Part{Type: PartImage, Source: &Source{Type: SourceURL, Value: "x", Provider: "p"}})}, false},
		{"an activity without content", &ActivitySnapshot{MessageID: "n", ActivityType: "P"}, false},
		{"an activity that is a list", &ActivitySnapshot{MessageID: "n", ActivityType: "P", Content: json.RawMessage(`[]`)}, false},
		{"an activity's pointer without a slash", &ActivityDelta{MessageID: "n", ActivityType: "P", Patch: Patch{{Op: "remove", Path: "foo"}}}, false},
		{"a pointer without a slash", &StateDelta{Delta: Patch{{Op: "add", Path: "foo", Value: json.RawMessage("1")}}}, false},
		{"a pointer with a loose tilde", &StateDelta{Delta: Patch{{Op: "move", From: "/~", Path: "/foo"}}}, false},
		{"an operation that does not exist", &StateDelta{Delta: Patch{{Op: "merge", Path: "/foo"}}}, false},
		{"an encrypted value of nothing", &ReasoningEncryptedValue{EntityID: "t", EncryptedValue: "x"}, false},
		{"an event that quotes null", &Custom{Tagged: Tagged{Base: Base{RawEvent: json.RawMessage(" null ")}}, Name: "x.y"}, true},
		{"an event that quotes no JSON", &Custom{Tagged: Tagged{Base: Base{RawEvent: json.RawMessage("{")}}, Name: "x.y"}, false},
		{"bytes that are no text in JSON", &Custom{Name: "x.y", Value: json.RawMessage("\"\xff\"")}, false},
		{"a name that is no text", &Custom{Name: "\xff", Value: json.RawMessage("1")}, false},
		{"an id that is no text", &TextMessageStart{MessageID: "\xff"}, false},
		{"an empty id", &TextMessageStart{}, false},
		{"a call without an id", &ToolCallStart{ToolCallName: "f"}, false},
		{"a subagent without an id", &SubagentStarted{Name: "x"}, false},
		{"a time beyond JavaScript's", &Custom{Tagged: Tagged{Base: Base{Timestamp: 1 << 53}}, Name: "x.y"}, false},
		{"a subagent that ended in a question", &SubagentFinished{SubagentRunID: "s", Outcome: &SubagentOutcome{Type: OutcomeInterrupt}}, false},
		{"a success that waits", &SubagentFinished{SubagentRunID: "s", Outcome: &SubagentOutcome{Type: OutcomeSuccess, InterruptIDs: []string{"i"}}}, false},
		{"a subagent's result that is null", &SubagentFinished{SubagentRunID: "s", Result: json.RawMessage("null")}, true},
		{"a message of no role", &MessagesSnapshot{Messages: []Message{{ID: "n"}}}, false},
		{"a call in a message of a user", &MessagesSnapshot{Messages: []Message{{ID: "n", Role: RoleUser, ToolCalls: []ToolCall{{ID: "x"}}}}}, false},
		{"a call without a type", &MessagesSnapshot{Messages: []Message{{ID: "n", Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "x"}}}}}, true},
		{"a call of another type", &MessagesSnapshot{Messages: []Message{{ID: "n", Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "x", Type: "code"}}}}}, false},
		{"an assistant that says an object", &MessagesSnapshot{Messages: []Message{{ID: "n", Role: RoleAssistant, Content: object}}}, false},
		{"a user that says nothing", &MessagesSnapshot{Messages: []Message{{ID: "n", Role: RoleUser}}}, true},
		{"an activity in a snapshot", &MessagesSnapshot{Messages: []Message{{ID: "n", Role: RoleActivity}}}, true},
		{"a picture in system's words", &MessagesSnapshot{Messages: []Message{{ID: "n", Role: RoleSystem, Content: PartsContent()}}}, false},
		{"metadata that is no JSON", &MessagesSnapshot{Messages: []Message{{ID: "n", Role: RoleUser, Metadata: Metadata{"x": json.RawMessage("{")}}}}, false},
		{"no event", nil, false},
		{"a pointer to no event", (*TextMessageStart)(nil), false},
		{"a pointer to no unknown event", (*Unknown)(nil), false},
	} {
		for _, markers := range []bool{false, true} {
			r, s := newTestRun(t, RunOptions{Markers: markers})
			for _, e := range decoded(t, `
				{"type":"TEXT_MESSAGE_START","messageId":"t"}
				{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}
				{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}`) {
				if err := r.Emit(e); err != nil {
					t.Fatal(err)
				}
			}
			before := len(s.events)
			if err := r.Emit(test.e); (err == nil) != test.sent {
				t.Errorf("%s: Emit() = %v, to be sent: %t", test.name, err, test.sent)
			}
			if n := len(s.events) - before; !test.sent && n != 0 {
				t.Errorf("%s: %d events were sent", test.name, n)
			}
			if err := r.Finish(&RunFinished{}); err != nil {
				t.Errorf("%s: Finish() = %v", test.name, err)
			}
			s.readable()
		}
	}
}

// readable checks that a reader makes the same event of every line.
func (s *sent) readable() {
	s.t.Helper()
	for _, line := range s.lines {
		if line == "" {
			continue // a marker
		}
		e, err := Decode([]byte(line), func(w Warning) { s.t.Errorf("%s: %s", line, w) })
		if err != nil {
			s.t.Errorf("%s: %v", line, err)
			continue
		}
		if again, err := Encode(e); err != nil || string(again) != line {
			s.t.Errorf("%s is written again as %s (%v)", line, again, err)
		}
	}
}

func TestRunEndsOnlyAsReadersAccept(t *testing.T) {
	t.Parallel()
	ask := func(change func(*Interrupt)) *Outcome {
		i := Interrupt{ID: "i", Reason: "confirmation"}
		change(&i)
		return &Outcome{Type: OutcomeInterrupt, Interrupts: []Interrupt{i}}
	}
	minus := int64(-1)
	for _, test := range []struct {
		name string
		f    *RunFinished
		sent bool
	}{
		{"a result that is null", &RunFinished{Result: json.RawMessage("null")}, true},
		{"a question", &RunFinished{Outcome: ask(func(*Interrupt) {})}, true},
		{"an outcome of no kind", &RunFinished{Outcome: &Outcome{}}, false},
		{"questions without a question", &RunFinished{Outcome: &Outcome{Type: OutcomeInterrupt}}, false},
		{"a success with questions", &RunFinished{Outcome: &Outcome{Type: OutcomeSuccess, Interrupts: []Interrupt{{ID: "i", Reason: "x"}}}}, false},
		{"a stop that leaves calls", &RunFinished{Outcome: &Outcome{Type: OutcomeCancelled, PendingToolCallIDs: []string{"c"}}}, false},
		{"a question without an id", &RunFinished{Outcome: ask(func(i *Interrupt) { i.ID = "" })}, false},
		{"a schema that is no object", &RunFinished{Outcome: ask(func(i *Interrupt) { i.ResponseSchema = json.RawMessage("true") })}, false},
		{"tokens below zero", &RunFinished{Usage: []TokenUsage{{InputTokens: &minus}}}, false},
		{"nothing", nil, false},
	} {
		r, s := newTestRun(t, RunOptions{})
		err := r.Finish(test.f)
		if (err == nil) != test.sent || r.Ended() != test.sent {
			t.Errorf("%s: Finish() = %v, ended: %t, to be sent: %t", test.name, err, r.Ended(), test.sent)
		}
		if !test.sent {
			if err := r.Fail(&RunError{Message: "\xff", Code: "c"}); err != nil { // a run can always be ended
				t.Errorf("%s: Fail() = %v", test.name, err)
			}
		}
		s.readable()
	}
}

func TestEncodeRefusesNothing(t *testing.T) {
	t.Parallel()
	for _, e := range []Event{nil, (*TextMessageStart)(nil), (*Unknown)(nil)} {
		if data, err := Encode(e); err == nil {
			t.Errorf("Encode(%#v) = %s", e, data)
		}
	}
}

func TestARefusalNamesTheField(t *testing.T) {
	t.Parallel()
	r, _ := newTestRun(t, RunOptions{})
	err := r.Emit(&StateDelta{Delta: Patch{{Op: "remove", Path: "/a"}, {Op: "remove", Path: "b"}}})
	malformed, ok := errors.AsType[*EventError](err)
	if !ok || malformed.Type != TypeStateDelta || malformed.Path != "delta[1].path" {
		t.Errorf("Emit() = %v, want one that names delta[1].path", err)
	}
	if code := CodeOf(err); code != CodeInternal {
		t.Errorf("its code is %s: it is no mistake of the client's", code)
	}
}

// What the check of a run's events accepts is what a reader accepts, over all types and what their fields may hold.
func TestTheCheckAgreesWithTheDecoder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		types := slices.Sorted(maps.Keys(events))
		e := events[rapid.SampledFrom(types).Draw(rt, "type")]()
		populate(rt, reflect.ValueOf(e).Elem(), 0)
		settle(e)
		refused := checkEvent(e)
		data, err := Encode(e)
		if err != nil {
			return // it is not sent, whatever the check says
		}
		var decoded error
		again, err := Decode(data, func(w Warning) { decoded = errors.Join(decoded, errors.New(w.String())) })
		decoded = errors.Join(decoded, err)
		if refused == nil && decoded != nil {
			rt.Fatalf("%s is accepted, and read with %v", data, decoded)
		}
		if refused == nil {
			if second, err := Encode(again); err != nil || !bytes.Equal(second, data) {
				rt.Fatalf("%s is accepted, and written again as %s (%v)", data, second, err)
			}
			return
		}
		malformed, _ := errors.AsType[*EventError](refused)
		for _, stricter := range []string{"must not be empty", errNotUTF8.Problem, "has a name that is not valid UTF-8", "is not a member of this role's messages"} {
			if malformed.Problem == stricter {
				return // a reader does not see it, or takes it as it is
			}
		}
		if decoded == nil {
			rt.Fatalf("%s is refused: %v", data, refused)
		}
	})
}

// populate fills v with values that are often right and sometimes wrong.
func populate(rt *rapid.T, v reflect.Value, deep int) {
	pick := func(values ...string) string { return rapid.SampledFrom(values).Draw(rt, "value") }
	raw := func() json.RawMessage {
		s := pick("", "", "{}", "{}", `{"a":1}`, "null", "[]", "1", "\"\xff\"")
		if s == "" {
			return nil
		}
		return json.RawMessage(s)
	}
	switch v.Interface().(type) {
	case json.RawMessage:
		v.SetBytes(raw())
		return
	case Metadata:
		if rapid.IntRange(0, 9).Draw(rt, "metadata") == 0 {
			v.Set(reflect.ValueOf(Metadata{pick("a", "\xff"): raw()}))
		}
		return
	case Content:
		c := Content{}
		switch rapid.IntRange(0, 6).Draw(rt, "content") {
		case 1, 2:
			c = TextContent(pick("x", "x", ""))
		case 3:
			c = ObjectContent(json.RawMessage(pick("{}", "{\"a\":\"\xff\"}")))
		case 4:
			part := Part{}
			populate(rt, reflect.ValueOf(&part).Elem(), deep+1)
			c = PartsContent(part)
		}
		v.Set(reflect.ValueOf(c))
		return
	case Role:
		v.SetString(pick("", "assistant", "user", "tool", "reasoning", "activity", "bot"))
		return
	case PartType:
		v.SetString(pick("text", "text", "image", "x"))
		return
	case SourceType:
		v.SetString(pick("data", "url", "file", "x"))
		return
	case OutcomeType:
		v.SetString(pick("success", "interrupt", "cancelled", "suspended", ""))
		return
	}
	if v.Kind() != reflect.Struct && v.Kind() != reflect.String && deep > 0 && rapid.IntRange(0, 2).Draw(rt, "set") > 0 || deep > 6 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(pick("x", "x", "x", "", "/a", "add", "remove", "move", "message", "resolved", "function", "\xff"))
	case reflect.Int64:
		v.SetInt(rapid.SampledFrom([]int64{0, 1, -1, 1 << 53}).Draw(rt, "number"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(rt, "flag"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		populate(rt, v.Elem(), deep+1)
	case reflect.Struct:
		for _, field := range v.Fields() {
			populate(rt, field, deep+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		populate(rt, v.Index(0), deep+1)
	default:
	}
}
