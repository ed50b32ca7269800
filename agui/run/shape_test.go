package run

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// What a run sends is read back as it was meant: what its readers would refuse is refused when it is written.
func TestRunSendsOnlyWhatReadersAccept(t *testing.T) {
	t.Parallel()
	text, object := agui.TextContent("x"), agui.ObjectContent(json.RawMessage(`{}`))
	source := &agui.Source{Type: agui.SourceURL, Value: "https://example.com/a.png"}
	for _, test := range []struct {
		name string
		e    agui.Event
		sent bool // the others are refused
	}{
		{"reasoning without a role", &agui.ReasoningMessageStart{MessageID: "n"}, true},
		{"reasoning of another role", &agui.ReasoningMessageStart{MessageID: "n", Role: agui.RoleUser}, false},
		{"a role that does not exist", &agui.TextMessageStart{MessageID: "n", Role: "bot"}, false},
		{"a role that text does not have", &agui.TextMessageStart{MessageID: "n", Role: agui.RoleTool}, false},
		{"a result's role", &agui.ToolCallResult{MessageID: "n", ToolCallID: "c", Content: text, Role: agui.RoleUser}, false},
		{"a result that is an object", &agui.ToolCallResult{MessageID: "n", ToolCallID: "c", Content: object}, false},
		{"a result without content", &agui.ToolCallResult{MessageID: "n", ToolCallID: "c"}, true},
		{"a result of parts", &agui.ToolCallResult{MessageID: "n", ToolCallID: "c", Content: agui.PartsContent(agui.Part{Type: agui.PartImage, Source: source})}, true},
		{"a part of no kind", &agui.ToolCallResult{MessageID: "n", ToolCallID: "c", Content: agui.PartsContent(agui.Part{Text: "x"})}, false},
		{"a picture from nowhere", &agui.ToolCallResult{MessageID: "n", ToolCallID: "c", Content: agui.PartsContent(agui.Part{Type: agui.PartImage})}, false},
		{"a source of no kind", &agui.ToolCallResult{MessageID: "n", ToolCallID: "c", Content: agui.PartsContent(agui.Part{Type: agui.PartImage, Source: &agui.Source{Value: "x"}})}, false},
		{"a URL with a provider", &agui.ToolCallResult{MessageID: "n", ToolCallID: "c", Content: agui.PartsContent(agui.Part{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: "x", Provider: "p"}})}, false},
		{"an activity without content", &agui.ActivitySnapshot{MessageID: "n", ActivityType: "P"}, false},
		{"an activity that is a list", &agui.ActivitySnapshot{MessageID: "n", ActivityType: "P", Content: json.RawMessage(`[]`)}, false},
		{"an activity's pointer without a slash", &agui.ActivityDelta{MessageID: "n", ActivityType: "P", Patch: agui.Patch{{Op: "remove", Path: "foo"}}}, false},
		{"a pointer without a slash", &agui.StateDelta{Delta: agui.Patch{{Op: "add", Path: "foo", Value: json.RawMessage("1")}}}, false},
		{"a pointer with a loose tilde", &agui.StateDelta{Delta: agui.Patch{{Op: "move", From: "/~", Path: "/foo"}}}, false},
		{"an operation that does not exist", &agui.StateDelta{Delta: agui.Patch{{Op: "merge", Path: "/foo"}}}, false},
		{"an encrypted value of nothing", &agui.ReasoningEncryptedValue{EntityID: "t", EncryptedValue: "x"}, false},
		{"an event that quotes null", &agui.Custom{Tagged: agui.Tagged{Base: agui.Base{RawEvent: json.RawMessage(" null ")}}, Name: "x.y"}, true},
		{"an event that quotes no JSON", &agui.Custom{Tagged: agui.Tagged{Base: agui.Base{RawEvent: json.RawMessage("{")}}, Name: "x.y"}, false},
		{"bytes that are no text in JSON", &agui.Custom{Name: "x.y", Value: json.RawMessage("\"\xff\"")}, false},
		{"a name that is no text", &agui.Custom{Name: "\xff", Value: json.RawMessage("1")}, false},
		{"an id that is no text", &agui.TextMessageStart{MessageID: "\xff"}, false},
		{"an empty id", &agui.TextMessageStart{}, false},
		{"a call without an id", &agui.ToolCallStart{ToolCallName: "f"}, false},
		{"a subagent without an id", &agui.SubagentStarted{Name: "x"}, false},
		{"a time beyond JavaScript's", &agui.Custom{Tagged: agui.Tagged{Base: agui.Base{Timestamp: 1 << 53}}, Name: "x.y"}, false},
		{"a subagent that ended in a question", &agui.SubagentFinished{SubagentRunID: "s", Outcome: &agui.SubagentOutcome{Type: agui.OutcomeInterrupt}}, false},
		{"a success that waits", &agui.SubagentFinished{SubagentRunID: "s", Outcome: &agui.SubagentOutcome{Type: agui.OutcomeSuccess, InterruptIDs: []string{"i"}}}, false},
		{"a subagent's result that is null", &agui.SubagentFinished{SubagentRunID: "s", Result: json.RawMessage("null")}, true},
		{"a message of no role", &agui.MessagesSnapshot{Messages: []agui.Message{{ID: "n"}}}, false},
		{"a call in a message of a user", &agui.MessagesSnapshot{Messages: []agui.Message{{ID: "n", Role: agui.RoleUser, ToolCalls: []agui.ToolCall{{ID: "x"}}}}}, false},
		{"a call without a type", &agui.MessagesSnapshot{Messages: []agui.Message{{ID: "n", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "x"}}}}}, true},
		{"a call of another type", &agui.MessagesSnapshot{Messages: []agui.Message{{ID: "n", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "x", Type: "code"}}}}}, false},
		{"an assistant that says an object", &agui.MessagesSnapshot{Messages: []agui.Message{{ID: "n", Role: agui.RoleAssistant, Content: object}}}, false},
		{"a user that says nothing", &agui.MessagesSnapshot{Messages: []agui.Message{{ID: "n", Role: agui.RoleUser}}}, true},
		{"an activity in a snapshot", &agui.MessagesSnapshot{Messages: []agui.Message{{ID: "n", Role: agui.RoleActivity}}}, true},
		{"a picture in system's words", &agui.MessagesSnapshot{Messages: []agui.Message{{ID: "n", Role: agui.RoleSystem, Content: agui.PartsContent()}}}, false},
		{"metadata that is no JSON", &agui.MessagesSnapshot{Messages: []agui.Message{{ID: "n", Role: agui.RoleUser, Metadata: agui.Metadata{"x": json.RawMessage("{")}}}}, false},
		{"no event", nil, false},
		{"a pointer to no event", (*agui.TextMessageStart)(nil), false},
		{"a pointer to no unknown event", (*agui.Unknown)(nil), false},
	} {
		for _, markers := range []bool{false, true} {
			r, s := newTestRun(t, Options{Markers: markers})
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
			if err := r.Finish(&agui.RunFinished{}); err != nil {
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
		e, err := agui.Decode([]byte(line), func(w agui.Warning) { s.t.Errorf("%s: %s", line, w) })
		if err != nil {
			s.t.Errorf("%s: %v", line, err)
			continue
		}
		if again, err := agui.Encode(e); err != nil || string(again) != line {
			s.t.Errorf("%s is written again as %s (%v)", line, again, err)
		}
	}
}

func TestRunEndsOnlyAsReadersAccept(t *testing.T) {
	t.Parallel()
	ask := func(change func(*agui.Interrupt)) *agui.Outcome {
		i := agui.Interrupt{ID: "i", Reason: "confirmation"}
		change(&i)
		return &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{i}}
	}
	minus := int64(-1)
	for _, test := range []struct {
		name string
		f    *agui.RunFinished
		sent bool
	}{
		{"a result that is null", &agui.RunFinished{Result: json.RawMessage("null")}, true},
		{"a question", &agui.RunFinished{Outcome: ask(func(*agui.Interrupt) {})}, true},
		{"an outcome of no kind", &agui.RunFinished{Outcome: &agui.Outcome{}}, false},
		{"questions without a question", &agui.RunFinished{Outcome: &agui.Outcome{Type: agui.OutcomeInterrupt}}, false},
		{"a success with questions", &agui.RunFinished{Outcome: &agui.Outcome{Type: agui.OutcomeSuccess, Interrupts: []agui.Interrupt{{ID: "i", Reason: "x"}}}}, false},
		{"a stop that leaves calls", &agui.RunFinished{Outcome: &agui.Outcome{Type: agui.OutcomeCancelled, PendingToolCallIDs: []string{"c"}}}, false},
		{"a question without an id", &agui.RunFinished{Outcome: ask(func(i *agui.Interrupt) { i.ID = "" })}, false},
		{"a schema that is no object", &agui.RunFinished{Outcome: ask(func(i *agui.Interrupt) { i.ResponseSchema = json.RawMessage("true") })}, false},
		{"tokens below zero", &agui.RunFinished{Usage: []agui.TokenUsage{{InputTokens: &minus}}}, false},
		{"nothing", nil, false},
	} {
		r, s := newTestRun(t, Options{})
		err := r.Finish(test.f)
		if (err == nil) != test.sent || r.Ended() != test.sent {
			t.Errorf("%s: Finish() = %v, ended: %t, to be sent: %t", test.name, err, r.Ended(), test.sent)
		}
		if !test.sent {
			if err := r.Fail(&agui.RunError{Message: "\xff", Code: "c"}); err != nil { // a run can always be ended
				t.Errorf("%s: Fail() = %v", test.name, err)
			}
		}
		s.readable()
	}
}

func TestEncodeRefusesNothing(t *testing.T) {
	t.Parallel()
	for _, e := range []agui.Event{nil, (*agui.TextMessageStart)(nil), (*agui.Unknown)(nil)} {
		if data, err := agui.Encode(e); err == nil {
			t.Errorf("Encode(%#v) = %s", e, data)
		}
	}
}

func TestARefusalNamesTheField(t *testing.T) {
	t.Parallel()
	r, _ := newTestRun(t, Options{})
	err := r.Emit(&agui.StateDelta{Delta: agui.Patch{{Op: "remove", Path: "/a"}, {Op: "remove", Path: "b"}}})
	malformed, ok := errors.AsType[*agui.EventError](err)
	if !ok || malformed.Type != agui.TypeStateDelta || malformed.Path != "delta[1].path" {
		t.Errorf("Emit() = %v, want one that names delta[1].path", err)
	}
	if _, ok := errors.AsType[*agui.FieldError](err); ok {
		t.Error("it is reported as a mistake of the client's")
	}
}
