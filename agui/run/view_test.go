package run

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// doc is a state document that knows patches of one operation on a top-level member.
type doc map[string]json.RawMessage

func (d doc) Replace(raw json.RawMessage) error {
	clear(d)
	return json.Unmarshal(raw, &d)
}

func (d doc) JSON() json.RawMessage {
	raw, err := json.Marshal(map[string]json.RawMessage(d))
	if err != nil {
		panic(err)
	}
	return raw
}

var errNoMember = errors.New("no such member")

func (d doc) Apply(_ context.Context, p agui.Patch) error {
	for _, op := range p {
		name := strings.TrimPrefix(op.Path, "/")
		if _, ok := d[name]; !ok && op.Op != "add" {
			return errNoMember
		}
		if op.Op == "remove" {
			delete(d, name)
			continue
		}
		d[name] = op.Value
	}
	return nil
}

func newTestView(messages ...agui.Message) *View {
	return NewView(messages, doc{})
}

// expanded returns what events stand for.
func expanded(t testing.TB, chunks *agui.Expander, events ...agui.Event) []agui.Event {
	t.Helper()
	var whole []agui.Event
	for _, e := range events {
		some, err := chunks.Expand(e)
		if err != nil {
			t.Fatal(err)
		}
		whole = append(whole, some...)
	}
	return whole
}

func apply(t testing.TB, v *View, events ...agui.Event) {
	t.Helper()
	for _, e := range events {
		if err := v.Apply(e); err != nil {
			t.Fatalf("%s: %v", agui.TypeOf(e), err)
		}
	}
}

// decoded returns the events of a script of JSON lines.
func decoded(t testing.TB, script string) []agui.Event {
	t.Helper()
	var events []agui.Event
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		e, err := agui.Decode([]byte(line), nil)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		events = append(events, e)
	}
	return events
}

// shown is messages as the tables write them: one JSON object a line.
func shown(t testing.TB, messages []agui.Message) string {
	t.Helper()
	var b strings.Builder
	for _, m := range messages {
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
		b.WriteByte('\n')
	}
	return b.String()
}

const viewStart = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n"

func TestViewFoldsEventsAsTheClientDoes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, script, want string }{
		{"text, reopened", `
			{"type":"TEXT_MESSAGE_START","messageId":"a","name":"Ann","subagentRunId":"s"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"Hel"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"lo"}
			{"type":"TEXT_MESSAGE_END","messageId":"a"}
			{"type":"TEXT_MESSAGE_START","messageId":"a","role":"user","name":"Bob"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"!"}
			{"type":"TEXT_MESSAGE_END","messageId":"a"}`,
			`{"id":"a","role":"assistant","content":"Hello!","name":"Ann","subagentRunId":"s"}`},
		{"text without content", `{"type":"TEXT_MESSAGE_START","messageId":"a","role":"developer"}`,
			`{"id":"a","role":"developer","content":""}`},
		{"metadata merges, the last wins", `
			{"type":"TEXT_MESSAGE_START","messageId":"a","metadata":{"x":1,"y":{"p":1}}}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"","metadata":{"y":{"q":2}}}
			{"type":"TEXT_MESSAGE_END","messageId":"a","metadata":{"z":null}}`,
			`{"id":"a","role":"assistant","content":"","metadata":{"x":1,"y":{"q":2},"z":null}}`},
		{"reasoning and its encrypted value", `
			{"type":"REASONING_START","messageId":"a","subagentRunId":"s","metadata":{"lost":1}}
			{"type":"REASONING_MESSAGE_START","messageId":"a","role":"reasoning","subagentRunId":"s"}
			{"type":"REASONING_MESSAGE_CONTENT","messageId":"a","delta":"hm"}
			{"type":"REASONING_MESSAGE_END","messageId":"a"}
			{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"a","encryptedValue":"e","metadata":{"lost":1}}
			{"type":"REASONING_END","messageId":"a"}`,
			`{"id":"a","role":"reasoning","content":"hm","encryptedValue":"e","subagentRunId":"s"}`},
		{"a call of its own", `
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","subagentRunId":"s","metadata":{"x":1}}
			{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"a\""}
			{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":":1}"}
			{"type":"TOOL_CALL_END","toolCallId":"c","metadata":{"y":2}}
			{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"c","encryptedValue":"e"}`,
			`{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"},"encryptedValue":"e","metadata":{"x":1,"y":2}}],"subagentRunId":"s"}`},
		{"a call of a message, and of one that is not there yet", `
			{"type":"TEXT_MESSAGE_START","messageId":"a"}
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"a"}
			{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"f","parentMessageId":"b"}
			{"type":"TEXT_MESSAGE_START","messageId":"b","name":"late"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"b","delta":"x"}`,
			`{"id":"a","role":"assistant","content":"","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}
			{"id":"b","role":"assistant","content":"x","toolCalls":[{"id":"d","type":"function","function":{"name":"f","arguments":""}}]}`},
		{"a call whose parent is no assistant", `
			{"type":"TEXT_MESSAGE_START","messageId":"a","role":"user"}
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"a"}`,
			`{"id":"a","role":"user","content":""}
			{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}`},
		{"a call started again", `
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}
			{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"1"}
			{"type":"TOOL_CALL_END","toolCallId":"c"}
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"g"}
			{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"2"}`,
			`{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"g","arguments":"12"}}]}`},
		{"results follow the message that called", `
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"a"}
			{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"f","parentMessageId":"a"}
			{"type":"TEXT_MESSAGE_START","messageId":"b"}
			{"type":"TOOL_CALL_RESULT","messageId":"rd","toolCallId":"d","content":"D","metadata":{"x":1},"subagentRunId":"s"}
			{"type":"TOOL_CALL_RESULT","messageId":"rc","toolCallId":"c","content":[{"type":"text","text":"C"}]}
			{"type":"TOOL_CALL_RESULT","messageId":"rx","toolCallId":"unknown","content":"X"}`,
			`{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}},{"id":"d","type":"function","function":{"name":"f","arguments":""}}]}
			{"id":"rd","role":"tool","content":"D","subagentRunId":"s","metadata":{"x":1},"toolCallId":"d"}
			{"id":"rc","role":"tool","content":[{"type":"text","text":"C"}],"toolCallId":"c"}
			{"id":"b","role":"assistant","content":""}
			{"id":"rx","role":"tool","content":"X","toolCallId":"unknown"}`},
		{"activities", `
			{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"PLAN","content":{"n":1},"subagentRunId":"s","metadata":{"x":1}}
			{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"PLAN","patch":[{"op":"replace","path":"/n","value":2}]}
			{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"PLAN","content":{"n":9},"replace":false}
			{"type":"ACTIVITY_DELTA","messageId":"none","activityType":"PLAN","patch":[]}
			{"type":"ACTIVITY_SNAPSHOT","messageId":"b","activityType":"PLAN","content":{"n":1},"subagentRunId":"s","metadata":{"x":1}}
			{"type":"ACTIVITY_SNAPSHOT","messageId":"b","activityType":"DONE","content":{},"metadata":{"y":2}}
			{"type":"TEXT_MESSAGE_START","messageId":"b","metadata":{"lost":1}}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"b","delta":"lost"}`,
			`{"id":"a","role":"activity","content":{"n":2},"subagentRunId":"s","metadata":{"x":1},"activityType":"PLAN"}
			{"id":"b","role":"activity","content":{},"metadata":{"x":1,"y":2},"activityType":"DONE"}`},
		{"a snapshot replaces, keeps what it cannot know, and drops", `
			{"type":"ACTIVITY_SNAPSHOT","messageId":"act","activityType":"PLAN","content":{}}
			{"type":"REASONING_MESSAGE_START","messageId":"think","role":"reasoning"}
			{"type":"TEXT_MESSAGE_START","messageId":"gone"}
			{"type":"TEXT_MESSAGE_START","messageId":"stays"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"stays","delta":"old"}
			{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":"q"},{"id":"stays","role":"assistant","content":"new"}]}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"stays","delta":"er"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"gone","delta":"x"}`,
			`{"id":"act","role":"activity","content":{},"activityType":"PLAN"}
			{"id":"think","role":"reasoning","content":""}
			{"id":"stays","role":"assistant","content":"newer"}
			{"id":"u","role":"user","content":"q"}`},
		{"a snapshot that owns reasoning and activities", `
			{"type":"ACTIVITY_SNAPSHOT","messageId":"act","activityType":"PLAN","content":{}}
			{"type":"REASONING_MESSAGE_START","messageId":"think","role":"reasoning"}
			{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"act2","role":"activity","activityType":"PLAN","content":{}},{"id":"think2","role":"reasoning","content":"x"}]}`,
			`{"id":"act2","role":"activity","content":{},"activityType":"PLAN"}
			{"id":"think2","role":"reasoning","content":"x"}`},
		{"chunks", `
			{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","delta":"1","metadata":{"x":1}}
			{"type":"TEXT_MESSAGE_CHUNK","delta":"2"}
			{"type":"TEXT_MESSAGE_CHUNK","messageId":"b","delta":"3","subagentRunId":"s"}
			{"type":"TEXT_MESSAGE_CHUNK","delta":"4","metadata":{"x":2}}
			{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"f","parentMessageId":"a","delta":"5"}
			{"type":"TOOL_CALL_CHUNK","delta":"6"}
			{"type":"REASONING_MESSAGE_CHUNK","messageId":"d","delta":"7"}`,
			`{"id":"a","role":"assistant","content":"124","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"56"}}],"metadata":{"x":2}}
			{"id":"b","role":"assistant","content":"3","subagentRunId":"s"}
			{"id":"d","role":"reasoning","content":"7"}`},
		{"an echoed input adds what is missing", `
			{"type":"TEXT_MESSAGE_START","messageId":"a"}
			{"type":"TEXT_MESSAGE_END","messageId":"a"}
			{"type":"RUN_FINISHED","threadId":"t","runId":"r"}
			{"type":"RUN_STARTED","threadId":"t","runId":"r2","input":{"threadId":"t","runId":"r2","tools":[],"context":[],"messages":[{"id":"a","role":"user","content":"other"},{"id":"b","role":"user","content":"B"}]}}`,
			`{"id":"a","role":"assistant","content":""}
			{"id":"b","role":"user","content":"B"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := newTestView()
			var verifier agui.Verifier
			for _, e := range expanded(t, new(agui.Expander), decoded(t, viewStart+test.script)...) {
				if err := verifier.Next(e); err != nil {
					t.Fatal(err)
				}
				apply(t, v, e)
			}
			want := strings.ReplaceAll(test.want, "\t", "") + "\n"
			if got := shown(t, v.Messages()); got != want {
				t.Errorf("messages are\n%swant\n%s", got, want)
			}
		})
	}
}

func TestViewKeepsWhatAFailedPatchLeaves(t *testing.T) {
	t.Parallel()
	v := newTestView()
	apply(t, v, decoded(t, viewStart+`
		{"type":"STATE_SNAPSHOT","snapshot":{"a":1}}
		{"type":"STATE_DELTA","delta":[{"op":"add","path":"/b","value":null}]}
		{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"PLAN","content":{"n":1}}`)...)
	before := shown(t, v.Messages())
	for i, e := range decoded(t, `
		{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/nope","value":2}]}
		{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"PLAN","patch":[{"op":"add","path":"/m","value":2},{"op":"remove","path":"/nope"}]}`) {
		if want := []error{errNoMember, agui.ErrPatch}[i]; !errors.Is(v.Apply(e), want) {
			t.Errorf("%s did not fail with %v", agui.TypeOf(e), want)
		}
	}
	if got := string(v.state.JSON()); got != `{"a":1,"b":null}` {
		t.Errorf("state is %s", got)
	}
	if got := shown(t, v.Messages()); got != before {
		t.Errorf("messages are\n%swant\n%s", got, before)
	}
}

func TestViewTellsWhatIsClosedAndWhatChanged(t *testing.T) {
	t.Parallel()
	base := decoded(t, `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":"q"},{"id":"old","role":"assistant","content":"x"},{"id":"v","role":"user","content":"q"}]}`)
	v := newTestView(base[0].(*agui.MessagesSnapshot).Messages...)
	if got := v.Changed(); len(got) != 0 {
		t.Errorf("a new view has changes: %v", got)
	}
	ids := func(messages []agui.Message) string {
		var ids []string
		for _, m := range messages {
			ids = append(ids, m.ID)
		}
		return strings.Join(ids, " ")
	}
	apply(t, v, decoded(t, viewStart+`
		{"type":"TEXT_MESSAGE_START","messageId":"old"}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"old","delta":"y"}
		{"type":"TEXT_MESSAGE_START","messageId":"a"}
		{"type":"TEXT_MESSAGE_END","messageId":"a"}
		{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}
		{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"f","parentMessageId":"a"}
		{"type":"TOOL_CALL_END","toolCallId":"c"}
		{"type":"TOOL_CALL_END","toolCallId":"d"}
		{"type":"TOOL_CALL_RESULT","messageId":"rd","toolCallId":"d","content":"D"}`)...)
	if got, want := ids(v.Closed()), "u v a rd"; got != want {
		t.Errorf("closed: %q, want %q", got, want)
	}
	if got, want := ids(v.Changed()), "old a rd c"; got != want {
		t.Errorf("changed: %q, want %q", got, want)
	}
	if got := v.OpenCalls(); len(got) != 1 || got[0].ID != "c" {
		t.Errorf("open calls: %v", got)
	}
	messages := v.Messages()
	v.Mark()
	apply(t, v, decoded(t, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"old","delta":"z"}`)...)
	if got, want := ids(v.Changed()), "old"; got != want {
		t.Errorf("changed after Mark: %q, want %q", got, want)
	}
	if got := messages[1].Content.Text(); got != "xy" {
		t.Errorf("a message that was handed out changed to %q", got)
	}
	v.Mark()
	apply(t, v, &agui.MessagesSnapshot{Messages: append(v.Messages(), agui.Message{ID: "w", Role: agui.RoleUser, Content: agui.TextContent("q")})})
	if got, want := ids(v.Changed()), "w"; got != want {
		t.Errorf("changed by a snapshot: %q, want %q", got, want)
	}
}

func TestClosingClosesWhateverIsOpen(t *testing.T) {
	t.Parallel()
	const script = viewStart + `
		{"type":"STEP_STARTED","stepName":"a"}
		{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"one"}
		{"type":"STEP_STARTED","stepName":"a","subagentRunId":"s1"}
		{"type":"SUBAGENT_STARTED","subagentRunId":"s2","name":"two","parentSubagentRunId":"s1"}
		{"type":"REASONING_START","messageId":"m","subagentRunId":"s2"}
		{"type":"REASONING_MESSAGE_START","messageId":"m","role":"reasoning","subagentRunId":"s2"}
		{"type":"TEXT_MESSAGE_START","messageId":"t","subagentRunId":"s1"}
		{"type":"TEXT_MESSAGE_CHUNK","messageId":"k","delta":"x","subagentRunId":"s2"}
		{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"t"}
		{"type":"MESSAGES_SNAPSHOT","messages":[]}
		{"type":"TOOL_CALL_CHUNK","toolCallId":"d","toolCallName":"f","delta":"x"}`
	for _, test := range []struct {
		name    string
		options ClosingOptions
		last    string
	}{
		{"finished", ClosingOptions{}, `{"type":"SUBAGENT_FINISHED","subagentRunId":"s2"}`},
		{"failed", ClosingOptions{SubagentCode: "run_moved", SubagentMessage: "moved"},
			`{"type":"SUBAGENT_ERROR","subagentRunId":"s2","message":"moved","code":"run_moved"}`},
		{"suspended", ClosingOptions{Interrupts: []agui.Interrupt{{ID: "i", SubagentRunID: "s2"}, {ID: "j"}}},
			`{"type":"SUBAGENT_FINISHED","subagentRunId":"s2","outcome":{"type":"suspended","interruptIds":["i"]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := newTestView()
			var verifier agui.Verifier
			var chunks agui.Expander
			take := func(e agui.Event) {
				t.Helper()
				if err := verifier.Next(e); err != nil {
					t.Fatal(err)
				}
				apply(t, v, e)
			}
			for _, e := range append(expanded(t, &chunks, decoded(t, script)...), chunks.Close()...) {
				take(e)
			}
			found := false
			for _, e := range v.Closing(test.options) {
				take(e)
				data, err := agui.Encode(e)
				if err != nil {
					t.Fatal(err)
				}
				found = found || string(data) == test.last
			}
			take(&agui.RunFinished{ThreadID: "t", RunID: "r"})
			if !found {
				t.Errorf("no %s among the closing events", test.last)
			}
			if rest := v.Closing(test.options); len(rest) != 0 {
				t.Errorf("still open: %d", len(rest))
			}
		})
	}
}

// A call of an earlier run that this run starts again, and does not answer, is one of this run's.
func TestAReopenedCallIsPending(t *testing.T) {
	t.Parallel()
	old := []agui.Message{
		{ID: "a", Role: agui.RoleAssistant, Content: agui.TextContent(""), ToolCalls: []agui.ToolCall{{ID: "c", Type: "function", Function: agui.FunctionCall{Name: "f", Arguments: "{}"}}}},
		{ID: "res", Role: agui.RoleTool, ToolCallID: "c", Content: agui.TextContent("1")},
	}
	reopen := []agui.Event{&agui.ToolCallStart{ToolCallID: "c", ToolCallName: "f"}, &agui.ToolCallEnd{ToolCallID: "c"}}
	newer := agui.Message{ID: "new", Role: agui.RoleTool, ToolCallID: "c", Content: agui.TextContent("2")}
	for name, tt := range map[string]struct {
		events []agui.Event
		want   int
	}{
		"not started":                  {nil, 0},
		"started":                      {reopen, 1},
		"answered":                     {append(reopen[:2:2], &agui.ToolCallResult{MessageID: "new", ToolCallID: "c", Content: agui.TextContent("2"), Role: agui.RoleTool}), 0},
		"its old result restated":      {append(reopen[:2:2], &agui.MessagesSnapshot{Messages: old}), 1},
		"a new result in a snapshot":   {append(reopen[:2:2], &agui.MessagesSnapshot{Messages: append(old[:2:2], newer)}), 0},
		"restated before it was begun": {append([]agui.Event{&agui.MessagesSnapshot{Messages: old}}, reopen...), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, s := newTestRun(t, Options{View: NewView(old, nil)})
			for _, e := range tt.events {
				if err := r.Emit(e); err != nil {
					t.Fatal(err)
				}
			}
			r.Inspect(func(v *View) {
				if closed := v.Closed(); len(closed[0].ToolCalls) != 1 || closed[1].ID != "res" {
					t.Errorf("closed are %+v", closed)
				}
				if _, err := v.Prelude(&agui.RunStarted{ThreadID: "t", RunID: "r"}); err != nil {
					t.Error(err)
				}
			})
			if err := r.Finish(&agui.RunFinished{}); err != nil {
				t.Fatal(err)
			}
			pending := 0
			if o := s.events[len(s.events)-1].(*agui.RunFinished).Outcome; o != nil {
				pending = len(o.PendingToolCallIDs)
			}
			if pending != tt.want {
				t.Errorf("%d calls are pending, want %d", pending, tt.want)
			}
		})
	}
}

// A client sends back what it was sent: a run sends no snapshot that would be refused then.
func TestASnapshotThatCannotBeSentBack(t *testing.T) {
	t.Parallel()
	call := agui.ToolCall{ID: "c", Type: "function", Function: agui.FunctionCall{Name: "f", Arguments: "{}"}}
	for path, messages := range map[string][]agui.Message{
		"messages[1].id":              {{ID: "a", Role: agui.RoleUser}, {ID: "a", Role: agui.RoleUser}},
		"messages[0].id":              {{Role: agui.RoleAssistant}},
		"messages[0].toolCalls[1].id": {{ID: "a", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{call, call}}},
		"messages[1].toolCalls[0].id": {{ID: "a", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{call}}, {ID: "b", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{call}}},
	} {
		r, s := newTestRun(t, Options{})
		err := r.Emit(&agui.MessagesSnapshot{Messages: messages})
		if problem, ok := errors.AsType[*agui.EventError](err); !ok || problem.Path != path || len(s.events) != 1 {
			t.Errorf("%s: Emit() = %v, %d events", path, err, len(s.events))
		}
	}
}

// TestTail appends the tail of a view to the earlier messages and compares the result with all messages.
func TestTail(t *testing.T) {
	t.Parallel()
	v := NewView([]agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("Hi")}}, nil)
	kept := v.Messages()
	for i, step := range []struct {
		events    []agui.Event
		unchanged int
	}{
		{nil, 1},
		{[]agui.Event{&agui.TextMessageStart{MessageID: "a"}, &agui.TextMessageContent{MessageID: "a", Delta: "He"}}, 1},
		{[]agui.Event{&agui.TextMessageContent{MessageID: "a", Delta: "llo"}, &agui.TextMessageEnd{MessageID: "a"}}, 1},
		{[]agui.Event{&agui.ToolCallStart{ToolCallID: "c", ToolCallName: "f"}, &agui.ToolCallEnd{ToolCallID: "c"}}, 2},
		{[]agui.Event{&agui.TextMessageStart{MessageID: "b"}, &agui.TextMessageEnd{MessageID: "b"}}, 3},
		{[]agui.Event{&agui.ToolCallResult{MessageID: "res", ToolCallID: "c", Content: agui.TextContent("1")}}, 3},
		{[]agui.Event{&agui.MessagesSnapshot{Messages: []agui.Message{{ID: "a", Role: agui.RoleAssistant, Content: agui.TextContent("Hello")}}}}, 0},
		{nil, 1},
	} {
		for _, e := range step.events {
			if err := v.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		unchanged, rest := v.Tail()
		v.Mark()
		kept = append(kept[:unchanged:unchanged], rest...)
		if unchanged != step.unchanged || shown(t, kept) != shown(t, v.Messages()) {
			t.Errorf("step %d: %d are unchanged, want %d; kept are\n%s", i, unchanged, step.unchanged, shown(t, kept))
		}
	}
}
