package run

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
)

// TestEarlierMessages holds a view that reads its conversation late to one that has it from the start.
func TestEarlierMessages(t *testing.T) {
	t.Parallel()
	earlier := []agui.Message{
		{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("q")},
		{ID: "a1", Role: agui.RoleAssistant, SubagentRunID: "s", Content: agui.TextContent("x"), ToolCalls: []agui.ToolCall{{ID: "c1", Type: "function", Function: agui.FunctionCall{Name: "f"}}}},
		{ID: "act", Role: agui.RoleActivity, ActivityType: "P", Content: agui.ObjectContent([]byte(`{"n":1}`))},
		{ID: "u2", Role: agui.RoleUser, Content: agui.TextContent("more")},
	}
	for name, test := range map[string]struct {
		script string
		reads  bool
	}{
		"a new message": {`
			{"type":"TEXT_MESSAGE_START","messageId":"new1"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"new1","delta":"hi"}
			{"type":"TEXT_MESSAGE_END","messageId":"new1"}`, false},
		"a new call and its result": {`
			{"type":"TOOL_CALL_START","toolCallId":"new1","toolCallName":"f"}
			{"type":"TOOL_CALL_END","toolCallId":"new1"}
			{"type":"TOOL_CALL_RESULT","messageId":"new2","toolCallId":"new1","content":"y"}`, false},
		"a message that is there": {`
			{"type":"TEXT_MESSAGE_START","messageId":"a1"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"a1","delta":"hi"}
			{"type":"TEXT_MESSAGE_END","messageId":"a1"}`, true},
		"one of another subagent":    {`{"type":"TEXT_MESSAGE_START","messageId":"a1","subagentRunId":"other"}`, true},
		"an id of another role":      {`{"type":"TEXT_MESSAGE_START","messageId":"u1"}`, true},
		"a call that is there":       {`{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"g"}`, true},
		"the result of one":          {`{"type":"TOOL_CALL_RESULT","messageId":"new1","toolCallId":"c1","content":"y"}`, true},
		"an activity that is there":  {`{"type":"ACTIVITY_DELTA","messageId":"act","activityType":"P","patch":[{"op":"replace","path":"/n","value":2}]}`, true},
		"an id that nobody has made": {`{"type":"TEXT_MESSAGE_START","messageId":"given"}`, true},
		"a snapshot":                 {`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u2","role":"user","content":"more"}]}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reads := 0
			late := NewViewAfter(Earlier{
				Read: func() ([]agui.Message, error) { reads++; return slices.Clone(earlier), nil },
				New:  func(id string) bool { return strings.HasPrefix(id, "new") },
				Last: "u2",
			}, nil)
			runs := map[*View]*Run{}
			for _, v := range []*View{NewView(earlier, nil), late} {
				runs[v] = New(Options{View: v, Sink: func(agui.Event, []byte) error { return nil }})
			}
			var refused [2][]string
			var views [2]*View
			for v, run := range runs {
				i := 0
				if v == late {
					i = 1
				}
				views[i] = v
				if err := run.Start(&agui.RunStarted{}); err != nil {
					t.Fatal(err)
				}
				for _, e := range decoded(t, test.script) {
					said := ""
					if err := run.Emit(e); err != nil {
						said = err.Error()
					}
					refused[i] = append(refused[i], said)
				}
			}
			if (reads > 0) != test.reads {
				t.Errorf("what was before is read %d times", reads)
			}
			if diff := cmp.Diff(refused[0], refused[1]); diff != "" {
				t.Errorf("refusals (-at once +late):\n%s", diff)
			}
			if views[0].Last() != views[1].Last() || views[0].Joined() != views[1].Joined() {
				t.Errorf("last, joined = %s %d, want %s %d", views[1].Last(), views[1].Joined(), views[0].Last(), views[0].Joined())
			}
			for look, of := range map[string]func(v *View) []agui.Message{"changed": (*View).Changed, "closed": (*View).Closed, "messages": (*View).Messages, "backward": backward} {
				if want, got := shown(t, of(views[0])), shown(t, of(views[1])); got != want {
					t.Errorf("%s = %s, want %s", look, got, want)
				}
			}
			if reads != 1 {
				t.Errorf("what was before is read %d times", reads)
			}
		})
	}
}

// backward are the messages in the order of [View.Messages], read from the end.
func backward(v *View) []agui.Message {
	messages := slices.Collect(v.Backward())
	slices.Reverse(messages)
	return messages
}

// TestTheNewestMessagesAreReadAlone looks for a message of this run's, and then for one before it.
func TestTheNewestMessagesAreReadAlone(t *testing.T) {
	t.Parallel()
	reads := 0
	v := NewViewAfter(Earlier{Read: func() ([]agui.Message, error) {
		reads++
		return []agui.Message{{ID: "u1", Role: agui.RoleUser}, {ID: "u2", Role: agui.RoleUser}}, nil
	}, New: func(string) bool { return true }, Last: "u2"}, nil)
	for _, id := range []string{"a", "b"} {
		if err := v.Apply(&agui.TextMessageStart{MessageID: id}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []struct {
		id    string
		reads int
	}{{"b", 0}, {"a", 0}, {"u2", 1}, {"u1", 1}} {
		n := 0
		for m := range v.Backward() {
			if n++; n > i {
				if m.ID != want.id || reads != want.reads {
					t.Errorf("message %d from the end is %s after %d reads, want %+v", i+1, m.ID, reads, want)
				}
				break
			}
		}
	}
}

// TestEarlierMessagesThatCannotBeRead holds a view to ask again.
func TestEarlierMessagesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	err := errors.New("away")
	v := NewViewAfter(Earlier{Read: func() ([]agui.Message, error) { return []agui.Message{{ID: "u1", Role: agui.RoleUser}}, err }, New: func(string) bool { return false }}, nil)
	if got := len(v.Messages()); got != 0 {
		t.Errorf("%d messages, want none", got)
	}
	err = nil
	if got := len(v.Messages()); got != 1 {
		t.Errorf("%d messages, want 1", got)
	}
}
