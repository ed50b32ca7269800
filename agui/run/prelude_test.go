package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
)

// preludeBase is a thread before the run.
func preludeBase() []agui.Message {
	return []agui.Message{
		{ID: "u0", Role: agui.RoleUser, Content: agui.PartsContent(agui.Part{Type: agui.PartText, Text: "q"})},
		{ID: "old", Role: agui.RoleAssistant, Content: agui.TextContent("before"), ToolCalls: []agui.ToolCall{
			{ID: "oldcall", Type: "function", Function: agui.FunctionCall{Name: "f", Arguments: "{}"}},
		}},
		{ID: "oldresult", Role: agui.RoleTool, ToolCallID: "oldcall", Content: agui.TextContent("y")},
		{ID: "oldthought", Role: agui.RoleReasoning, Content: agui.TextContent("hm"), EncryptedValue: "e", SubagentRunID: "s0"},
		{ID: "oldact", Role: agui.RoleActivity, ActivityType: "P", Content: agui.ObjectContent(json.RawMessage(`{"n":1}`))},
		{ID: "asks", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{
			{ID: "unanswered", Type: "function", Function: agui.FunctionCall{Name: "f", Arguments: "{}"}},
		}},
		{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("q2")},
	}
}

// A script draws the events of a run. It may draw events the run refuses: those are not part of the stream.
type script struct {
	t       *rapid.T
	run     *Run
	n       int
	dropped bool // a snapshot left something out
	results int
}

func (s *script) of(values ...string) string { return rapid.SampledFrom(values).Draw(s.t, "choice") }
func (s *script) chance(percent int) bool    { return rapid.IntRange(0, 99).Draw(s.t, "chance") < percent }
func (s *script) tag() string                { return s.of("", "", "s0", "s1", "s2") }
func (s *script) text() string {
	return s.of("t0", "t1", "t2", "t3", "old", "c0", "p0", "u0", "r0", "a0")
}
func (s *script) thought() string { return s.of("r0", "r1", "r2", "oldthought", "t0", "t1", "old") }
func (s *script) callID() string {
	return s.of("c0", "c1", "c2", "c3", "c4", "c5", "unanswered", "t1", "u1")
}
func (s *script) delta() string { s.n++; return fmt.Sprintf("<%d>", s.n) }

func (s *script) tagged() agui.Tagged {
	t := tagOf(s.tag())
	if s.chance(10) {
		s.n++
		t.Metadata = agui.Metadata{s.of("x", "y"): json.RawMessage(fmt.Sprint(s.n))}
	}
	return t
}

// event draws the next event. Continuations are drawn from open items, so that most of them are accepted.
func (s *script) event() agui.Event {
	open := func(kind agui.Kind) (ids []string) {
		for _, o := range s.run.view.open.Open(kind) {
			ids = append(ids, o.ID)
		}
		return ids
	}
	if open := open(agui.KindText); len(open) > 0 && s.chance(20) {
		return &agui.TextMessageContent{MessageID: s.of(open...), Delta: s.delta()}
	}
	if open := open(agui.KindReasoning); len(open) > 0 && s.chance(15) {
		return &agui.ReasoningMessageContent{MessageID: s.of(open...), Delta: s.delta()}
	}
	t := s.tagged()
	switch rapid.IntRange(0, 24).Draw(s.t, "event") {
	case 0, 1:
		return &agui.TextMessageStart{Tagged: t, MessageID: s.text(), Role: agui.Role(s.of("", "assistant", "assistant", "user")), Name: s.of("", "n")}
	case 2:
		if open := open(agui.KindText); len(open) > 0 {
			return &agui.TextMessageEnd{MessageID: s.of(open...)}
		}
		return &agui.Custom{Tagged: t, Name: "x.y", Value: json.RawMessage("null")}
	case 3:
		return &agui.ReasoningStart{Tagged: t, MessageID: s.thought()}
	case 4, 5:
		return &agui.ReasoningMessageStart{Tagged: t, MessageID: s.thought(), Role: agui.RoleReasoning}
	case 6:
		if open := open(agui.KindSpan); len(open) > 0 && s.chance(30) {
			return &agui.ReasoningEnd{MessageID: s.of(open...)}
		}
		return &agui.ReasoningMessageEnd{MessageID: s.thought(), Tagged: t}
	case 7, 8, 9:
		return &agui.ToolCallStart{Tagged: t, ToolCallID: s.callID(), ToolCallName: s.of("f", "g"), ParentMessageID: s.of("", "", "t0", "t1", "p0", "p1", "old", "u0")}
	case 10, 11:
		return &agui.ToolCallArgs{ToolCallID: s.callID(), Delta: s.delta()}
	case 12:
		return &agui.ToolCallEnd{Tagged: tagOf(""), ToolCallID: s.callID()}
	case 13, 14:
		s.results++
		id := fmt.Sprint("result", s.results)
		if s.chance(20) {
			id = s.of("result1", "t0", "r0", "oldresult")
		}
		return &agui.ToolCallResult{Tagged: t, MessageID: id, ToolCallID: s.callID(), Content: agui.TextContent(s.delta()), Role: agui.RoleTool}
	case 15:
		replace := s.chance(70)
		return &agui.ActivitySnapshot{Tagged: t, MessageID: s.of("a0", "a1", "oldact", "t0"), ActivityType: "P", Content: json.RawMessage(fmt.Sprintf(`{"n":%d}`, s.n)), Replace: &replace}
	case 16:
		return &agui.ActivityDelta{Tagged: t, MessageID: s.of("a0", "a1", "oldact"), ActivityType: "P", Patch: agui.Patch{{Op: s.of("add", "remove"), Path: "/n", Value: json.RawMessage("7")}}}
	case 17:
		if s.chance(50) {
			return &agui.StateSnapshot{Tagged: t, Snapshot: json.RawMessage(fmt.Sprintf(`{"n":%d}`, s.n))}
		}
		return &agui.StateDelta{Tagged: t, Delta: agui.Patch{{Op: s.of("add", "remove"), Path: s.of("/n", "/m"), Value: json.RawMessage(fmt.Sprint(s.n))}}}
	case 18:
		return &agui.StepStarted{Tagged: tagOf(s.tag()), StepName: s.of("a", "b")}
	case 19:
		return &agui.StepFinished{Tagged: tagOf(s.tag()), StepName: s.of("a", "b")}
	case 20:
		s.n++
		return &agui.SubagentStarted{SubagentRunID: s.of("s0", "s1", "s2", fmt.Sprint("s", s.n+10)), Name: "n", ParentSubagentRunID: s.of("", "s0", "s1")}
	case 21:
		if s.chance(50) {
			return &agui.SubagentError{SubagentRunID: s.of("s0", "s1", "s2"), Message: "m"}
		}
		return &agui.SubagentFinished{SubagentRunID: s.of("s0", "s1", "s2")}
	case 22:
		subtype, id := agui.EncryptedToolCall, s.callID()
		if s.chance(50) {
			subtype, id = agui.EncryptedMessage, s.of("t0", "t1", "r0", "old", "c0")
		}
		return &agui.ReasoningEncryptedValue{Tagged: t, Subtype: subtype, EntityID: id, EncryptedValue: s.delta()}
	case 23:
		delta := s.delta()
		switch s.of("text", "call", "reasoning") {
		case "text":
			return &agui.TextMessageChunk{Tagged: t, MessageID: s.of("", "t2", "t3"), Delta: &delta}
		case "call":
			return &agui.ToolCallChunk{Tagged: t, ToolCallID: s.of("", "c4", "c5"), ToolCallName: s.of("", "f"), Delta: &delta}
		}
		return &agui.ReasoningMessageChunk{Tagged: t, MessageID: s.of("", "r2"), Delta: &delta}
	default:
		return s.snapshot()
	}
}

// snapshot restates what there is, or most of it, or changes it, or adds to it.
func (s *script) snapshot() agui.Event {
	messages := s.run.view.Messages()
	switch s.of("same", "same", "drop", "change", "retag", "add") {
	case "retag":
		for i := range messages {
			if s.chance(15) {
				messages[i].SubagentRunID = s.tag()
			}
		}
	case "drop":
		s.dropped = true
		messages = slices.DeleteFunc(messages, func(agui.Message) bool { return s.chance(15) })
	case "change":
		for i := range messages {
			if messages[i].Role == agui.RoleAssistant && s.chance(20) {
				messages[i].Content = agui.TextContent(s.delta())
			}
		}
	case "add":
		messages = append(messages, agui.Message{ID: "added" + s.delta(), Role: agui.RoleUser, Content: agui.TextContent("x")})
	}
	return &agui.MessagesSnapshot{Messages: messages}
}

// openCalls returns the ids of a view's open calls.
func openCalls(v *View) []string {
	var ids []string
	for _, c := range v.OpenCalls() {
		ids = append(ids, c.ID)
	}
	return ids
}

// fold verifies and folds a stream.
func fold(t *rapid.T, v *View, streams ...[]agui.Event) {
	var verifier agui.Verifier
	for _, events := range streams {
		for _, e := range events {
			if err := verifier.Next(e); err != nil {
				data, _ := agui.Encode(e)
				t.Fatalf("%s: %v", data, err)
			}
			if err := v.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func listing(t testing.TB, events []agui.Event) string {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		data, err := agui.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
		b.WriteByte('\n')
	}
	return b.String()
}

// sortedByID is for a client that saw more than the prelude says: it keeps the places it knows.
func sortedByID(messages []agui.Message) []agui.Message {
	slices.SortStableFunc(messages, func(a, b agui.Message) int { return strings.Compare(a.ID, b.ID) })
	return messages
}

// Whoever joins, wherever, ends with what everybody else has.
func TestPreludeAndTailAddUpToTheWholeStream(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		stream, dropped := drawRun(rt)
		whole := newTestView(preludeBase()...)
		fold(rt, whole, stream)
		want, wantState, wantCalls := shown(t, whole.Messages()), string(whole.state.JSON()), openCalls(whole)

		server := newTestView(preludeBase()...)
		for k, e := range stream[:len(stream)-1] {
			apply(t, server, e)
			prelude, err := server.Prelude(stream[0].(*agui.RunStarted))
			if err != nil {
				rt.Fatalf("cut after %d of\n%s: %v", k+1, listing(t, stream), err)
			}
			tail := stream[k+1:]
			story := func() string {
				return fmt.Sprintf("cut after %d of\n%s\nthe prelude is\n%s", k+1, listing(t, stream), listing(t, prelude))
			}
			stranger := newTestView()
			fold(rt, stranger, prelude)
			if got, now := shown(t, stranger.Messages()), shown(t, server.Messages()); got != now {
				rt.Fatalf("%s\nit adds up to\n%swant\n%s", story(), got, now)
			}
			joiner := newTestView()
			fold(rt, joiner, prelude, tail)
			if got := shown(t, joiner.Messages()); got != want {
				rt.Fatalf("%s\nthe joiner has\n%swant\n%s", story(), got, want)
			}
			if got := string(joiner.state.JSON()); got != wantState {
				rt.Fatalf("%s\nthe joiner's state is %s, want %s", story(), got, wantState)
			}
			if dropped {
				continue // a joiner cannot know of a result that was withdrawn, nor what others remember of it
			}
			// Of a call with a result a joiner cannot know whether it was started again behind that, or before.
			answered := func(id string) bool {
				return slices.ContainsFunc(joiner.Messages(), func(m agui.Message) bool { return m.ToolCallID == id })
			}
			if calls, want := slices.DeleteFunc(openCalls(joiner), answered), slices.DeleteFunc(slices.Clone(wantCalls), answered); !slices.Equal(calls, want) {
				rt.Fatalf("%s\nthe joiner's open calls are %v, want %v", story(), calls, want)
			}
			seen := newTestView(preludeBase()...)
			apply(t, seen, stream[:rapid.IntRange(0, k+1).Draw(rt, "seen")]...)
			fold(rt, seen, prelude, tail)
			if got, want := shown(t, sortedByID(seen.Messages())), shown(t, sortedByID(whole.Messages())); got != want {
				rt.Fatalf("%s\none who saw the beginning has\n%swant\n%s", story(), got, want)
			}
		}
	})
}

// drawRun returns the events of a random run on the base thread, and whether a snapshot dropped a message.
func drawRun(rt *rapid.T) ([]agui.Event, bool) {
	var stream []agui.Event
	run := New(Options{
		ThreadID: "t", RunID: "r", View: newTestView(preludeBase()...), NewID: numbered(),
		Sink: func(e agui.Event, _ []byte) error { stream = append(stream, e); return nil },
	})
	if err := run.Start(&agui.RunStarted{}); err != nil {
		rt.Fatal(err)
	}
	s := &script{t: rt, run: run}
	for range rapid.IntRange(1, 40).Draw(rt, "length") {
		_ = run.Emit(s.event()) // refused events are not part of the stream
	}
	if err := run.Finish(&agui.RunFinished{}); err != nil {
		rt.Fatal(err)
	}
	return stream, s.dropped
}
