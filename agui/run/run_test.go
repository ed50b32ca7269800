package run

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// sent collects the events of a run and checks each with a separate Verifier.
type sent struct {
	t        testing.TB
	verifier agui.Verifier
	events   []agui.Event
	lines    []string
}

func (s *sent) sink(e agui.Event, data []byte) error {
	if err := s.verifier.Next(e); err != nil {
		s.t.Errorf("the run sent %s: %v", data, err)
	}
	s.events = append(s.events, e)
	s.lines = append(s.lines, string(data))
	return nil
}

func (s *sent) types() string {
	var types []string
	for _, e := range s.events {
		types = append(types, string(agui.TypeOf(e)))
	}
	return strings.Join(types, " ")
}

func numbered() func() string {
	n := 0
	return func() string {
		n++
		return "id-" + strconv.Itoa(n)
	}
}

// newTestRun returns a started run and what it sends.
func newTestRun(t testing.TB, o Options) (*Run, *sent) {
	t.Helper()
	s := &sent{t: t}
	o.ThreadID, o.RunID, o.NewID = "t", "r", numbered()
	if o.View == nil {
		o.View = newTestView()
	}
	if o.Sink == nil {
		o.Sink = s.sink
	}
	r := New(o)
	if err := r.Start(&agui.RunStarted{}); err != nil {
		t.Fatal(err)
	}
	return r, s
}

func TestARefusedEventLeavesTheRunAsItWas(t *testing.T) {
	t.Parallel()
	base := decoded(t, `{"type":"MESSAGES_SNAPSHOT","messages":[`+
		`{"id":"old","role":"assistant","content":"x","subagentRunId":"s9","toolCalls":[{"id":"oldcall","type":"function","function":{"name":"f","arguments":""}}]},`+
		`{"id":"oldact","role":"activity","activityType":"P","content":{},"subagentRunId":"s9"}]}`)
	const setup = `
		{"type":"STEP_STARTED","stepName":"a"}
		{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"one"}
		{"type":"SUBAGENT_STARTED","subagentRunId":"s2","name":"two"}
		{"type":"SUBAGENT_FINISHED","subagentRunId":"s2"}
		{"type":"TEXT_MESSAGE_START","messageId":"t","subagentRunId":"s1"}
		{"type":"REASONING_START","messageId":"m"}
		{"type":"REASONING_MESSAGE_START","messageId":"m","role":"reasoning"}
		{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}
		{"type":"ACTIVITY_SNAPSHOT","messageId":"act","activityType":"P","content":{}}
		{"type":"TEXT_MESSAGE_CHUNK","messageId":"k","delta":"x"}`
	const rest = `
		{"type":"TEXT_MESSAGE_CHUNK","delta":"y"}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"t","delta":"x"}
		{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"x"}
		{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"x"}
		{"type":"STEP_FINISHED","stepName":"a"}`
	for _, test := range []struct{ name, event string }{
		{"open text", `{"type":"TEXT_MESSAGE_START","messageId":"t","subagentRunId":"s1"}`},
		{"closed text", `{"type":"TEXT_MESSAGE_CONTENT","messageId":"none","delta":"","subagentRunId":"s1"}`},
		{"another's text", `{"type":"TEXT_MESSAGE_CONTENT","messageId":"t","delta":"","subagentRunId":"s2"}`},
		{"another's text ends", `{"type":"TEXT_MESSAGE_END","messageId":"t","subagentRunId":"s2"}`},
		{"an older message of another", `{"type":"TEXT_MESSAGE_START","messageId":"old","subagentRunId":"s1"}`},
		{"a call in an older message of another", `{"type":"TOOL_CALL_START","toolCallId":"n","toolCallName":"f","parentMessageId":"old","subagentRunId":"s1"}`},
		{"an older call of another", `{"type":"TOOL_CALL_START","toolCallId":"oldcall","toolCallName":"f","subagentRunId":"s1"}`},
		{"an older activity of another", `{"type":"ACTIVITY_DELTA","messageId":"oldact","activityType":"P","patch":[],"subagentRunId":"s1"}`},
		{"an older call's value by another", `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"oldcall","encryptedValue":"x","subagentRunId":"s1"}`},
		{"open call", `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","subagentRunId":"s1"}`},
		{"call of another's message", `{"type":"TOOL_CALL_START","toolCallId":"n","toolCallName":"f","parentMessageId":"t","subagentRunId":"s2"}`},
		{"closed call", `{"type":"TOOL_CALL_END","toolCallId":"none","subagentRunId":"s1"}`},
		{"open span", `{"type":"REASONING_START","messageId":"m","subagentRunId":"s1"}`},
		{"closed span", `{"type":"REASONING_END","messageId":"none","subagentRunId":"s1"}`},
		{"open step", `{"type":"STEP_STARTED","stepName":"a"}`},
		{"closed step", `{"type":"STEP_FINISHED","stepName":"a","subagentRunId":"s1"}`},
		{"active subagent", `{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"x"}`},
		{"used subagent", `{"type":"SUBAGENT_STARTED","subagentRunId":"s2","name":"x"}`},
		{"unknown parent", `{"type":"SUBAGENT_STARTED","subagentRunId":"s3","name":"x","parentSubagentRunId":"none"}`},
		{"ended parent", `{"type":"SUBAGENT_STARTED","subagentRunId":"s3","name":"x","parentSubagentRunId":"s2"}`},
		{"ended subagent", `{"type":"SUBAGENT_ERROR","subagentRunId":"s2","message":"x"}`},
		{"patch", `{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/none"}],"subagentRunId":"s1"}`},
		{"activity patch", `{"type":"ACTIVITY_DELTA","messageId":"act","activityType":"P","patch":[{"op":"remove","path":"/none"}]}`},
		{"changed chunk", `{"type":"TEXT_MESSAGE_CHUNK","messageId":"k","role":"user","delta":"x"}`},
		{"chunk without id", `{"type":"TOOL_CALL_CHUNK","toolCallName":"f","subagentRunId":"s1"}`},
		{"chunk of an open message", `{"type":"TEXT_MESSAGE_CHUNK","messageId":"t","delta":"x","subagentRunId":"s1"}`},
		{"too large", `{"type":"CUSTOM","name":"` + strings.Repeat("x", 500) + `","value":1,"subagentRunId":"s1"}`},
		{"start", viewStart},
		{"end", `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`},
		{"error", `{"type":"RUN_ERROR","message":"m"}`},
		{"unknown", `{"type":"NEW"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, s := newTestRun(t, Options{MaxEvent: 500, View: newTestView(base[0].(*agui.MessagesSnapshot).Messages...)})
			emit := func(e agui.Event) {
				t.Helper()
				if err := r.Emit(e); err != nil {
					t.Fatalf("%s: %v", agui.TypeOf(e), err)
				}
			}
			for _, e := range decoded(t, setup) {
				emit(e)
			}
			events, messages := len(s.events), shown(t, r.view.Messages())
			if err := r.Emit(decoded(t, test.event)[0]); err == nil {
				t.Fatal("it was not refused")
			}
			if n := len(s.events) - events; test.name != "open step" && test.name != "closed step" && n > 1 {
				t.Errorf("it sent %d events", n)
			}
			if got := shown(t, r.view.Messages()); got != messages {
				t.Errorf("the view changed to\n%s\nfrom\n%s", got, messages)
			}
			if test.name == "open step" || test.name == "closed step" {
				emit(&agui.TextMessageChunk{MessageID: "k2"})
			}
			for _, e := range decoded(t, rest) {
				emit(e)
			}
			if err := r.Finish(&agui.RunFinished{}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestRunEndsOnceWithEverythingClosed(t *testing.T) {
	t.Parallel()
	r, s := newTestRun(t, Options{Now: func() time.Time { return time.UnixMilli(5) }})
	w := r.As("")
	_, _ = w.Text(TextOptions{}).WriteString("open")
	w.Step("a")
	w.ToolCall(ToolCallOptions{ID: "front", Name: "f"})
	_ = r.Emit(&agui.ReasoningMessageChunk{MessageID: "k"})
	if err := r.Finish(&agui.RunFinished{}); err != nil {
		t.Fatal(err)
	}
	if !r.Ended() {
		t.Error("the run has not ended")
	}
	const last = `{"type":"RUN_FINISHED","timestamp":5,"threadId":"t","runId":"r","outcome":{"type":"success","pendingToolCallIds":["front"]}}`
	if got := s.lines[len(s.lines)-1]; got != last {
		t.Errorf("the last event is %s", got)
	}
	n := len(s.events)
	for name, err := range map[string]error{
		"Start": r.Start(&agui.RunStarted{}), "Emit": r.Emit(&agui.Raw{Event: json.RawMessage("1")}), "Finish": r.Finish(&agui.RunFinished{}),
		"Fail": r.Fail(&agui.RunError{}), "CloseOpen": r.CloseOpen(ClosingOptions{}),
	} {
		if !errors.Is(err, ErrRunEnded) {
			t.Errorf("%s after the end: %v", name, err)
		}
	}
	if len(s.events) != n || r.Err() != nil {
		t.Error("something happened after the end")
	}
}

func TestRunSuspendsWhoWaits(t *testing.T) {
	t.Parallel()
	r, s := newTestRun(t, Options{})
	r.Subagent(agui.SubagentStarted{SubagentRunID: "s", Name: "n"})
	outcome := &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{{ID: "i", Reason: "confirmation", SubagentRunID: "s"}}}
	if err := r.Finish(&agui.RunFinished{Outcome: outcome}); err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":{"type":"suspended","interruptIds":["i"]}}`
	if got := s.lines[len(s.lines)-2]; got != want {
		t.Errorf("the subagent ends with %s", got)
	}
}

func TestRunFailsWithThingsOpen(t *testing.T) {
	t.Parallel()
	r, s := newTestRun(t, Options{})
	_, _ = r.As("").Text(TextOptions{}).WriteString("open")
	if err := r.Fail(&agui.RunError{Message: "m", Code: "c"}); err != nil {
		t.Fatal(err)
	}
	if got, want := s.types(), "RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT RUN_ERROR"; got != want {
		t.Errorf("sent %s", got)
	}
}

func TestTheErrorOfTheSinkSticks(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	calls := 0
	r, _ := newTestRun(t, Options{Sink: func(e agui.Event, _ []byte) error {
		calls++
		if _, ok := e.(*agui.RunStarted); ok {
			return nil
		}
		return broken
	}})
	text := r.As("").Text(TextOptions{})
	for range 3 {
		if _, err := text.WriteString("x"); !errors.Is(err, broken) {
			t.Errorf("WriteString: %v", err)
		}
	}
	if err := r.Finish(&agui.RunFinished{}); !errors.Is(err, broken) || !errors.Is(r.Err(), broken) || r.Ended() {
		t.Errorf("Finish: %v, Err: %v", err, r.Err())
	}
	if calls != 2 {
		t.Errorf("the sink was called %d times", calls)
	}
}

func TestSnapshotsAreMarkersIfTheLogWantsThem(t *testing.T) {
	t.Parallel()
	r, s := newTestRun(t, Options{Markers: true})
	if err := r.Emit(&agui.MessagesSnapshot{Messages: []agui.Message{{ID: "u", Role: agui.RoleUser}}}); err != nil {
		t.Fatal(err)
	}
	if s.lines[1] != "" {
		t.Errorf("data is %s", s.lines[1])
	}
	r.Inspect(func(v *View) {
		if len(v.Messages()) != 1 {
			t.Error("the view missed the snapshot")
		}
	})
}

func TestManyMayWriteAtOnce(t *testing.T) {
	t.Parallel()
	r, s := newTestRun(t, Options{})
	var writers sync.WaitGroup
	for i := range 8 {
		sub := r.Subagent(agui.SubagentStarted{SubagentRunID: "s" + strconv.Itoa(i), Name: "n"})
		text, thought := sub.Text(TextOptions{}), sub.Reasoning(ReasoningOptions{})
		call := sub.ToolCall(ToolCallOptions{ID: "c" + strconv.Itoa(i), Name: "f"})
		id := "answer" + strconv.Itoa(i)
		writers.Go(func() {
			step := sub.Step("work")
			for range 50 {
				for _, w := range []io.StringWriter{text, thought, call} {
					if _, err := w.WriteString("x"); err != nil {
						t.Error(err)
					}
				}
			}
			err := errors.Join(text.Close(), thought.Close(), call.Close(),
				sub.Emit(&agui.ToolCallResult{MessageID: id, ToolCallID: call.ID(), Content: agui.TextContent("y")}), step.End(), sub.Finish(nil))
			if err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	if err := r.Finish(&agui.RunFinished{}); err != nil {
		t.Fatal(err)
	}
	again := newTestView()
	apply(t, again, s.events...)
	if got, want := shown(t, again.Messages()), shown(t, r.view.Messages()); got != want || len(again.Messages()) != 32 {
		t.Errorf("the stream adds up to\n%sbut the run holds\n%s", got, want)
	}
}

func BenchmarkEmit(b *testing.B) {
	for _, writers := range []int{1, 8} {
		b.Run(strconv.Itoa(writers)+"writers", func(b *testing.B) {
			b.ReportAllocs()
			r := New(Options{ThreadID: "t", RunID: "r", Sink: func(agui.Event, []byte) error { return nil }})
			if err := r.Start(&agui.RunStarted{}); err != nil {
				b.Fatal(err)
			}
			texts := make([]*Text, writers)
			for i := range texts {
				texts[i] = r.As("s" + strconv.Itoa(i)).Text(TextOptions{})
			}
			for b.Loop() {
				var each sync.WaitGroup
				for _, text := range texts[1:] {
					each.Go(func() { writeHundred(b, text) })
				}
				writeHundred(b, texts[0])
				each.Wait()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*100*writers), "ns/event")
		})
	}
}

func writeHundred(b *testing.B, text *Text) {
	for range 100 {
		if _, err := text.WriteString("a token "); err != nil {
			b.Error(err)
		}
	}
}

func TestCloseOpenLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	r, s := newTestRun(t, Options{})
	failing := r.Subagent(agui.SubagentStarted{Name: "n"})
	waiting := r.Subagent(agui.SubagentStarted{Name: "n"})
	waiting.Step("a")
	delta := "x"
	err := errors.Join(
		failing.Fail("c", "m"), failing.Fail("c", "again"),
		waiting.Emit(&agui.ToolCallChunk{ToolCallID: "c", ToolCallName: "f", Delta: &delta}),
		r.CloseOpen(ClosingOptions{SubagentCode: "run_moved", SubagentMessage: "m"}),
	)
	if err != nil {
		t.Fatal(err)
	}
	r.Inspect(func(v *View) {
		if open := v.Closing(ClosingOptions{}); len(open) != 0 {
			t.Errorf("%d are still open", len(open))
		}
	})
	const want = "RUN_STARTED SUBAGENT_STARTED SUBAGENT_STARTED STEP_STARTED SUBAGENT_ERROR TOOL_CALL_START TOOL_CALL_ARGS " +
		"TOOL_CALL_END STEP_FINISHED SUBAGENT_ERROR"
	if got := s.types(); got != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
}

func TestAWriterKeepsTheErrorOfItsBeginning(t *testing.T) {
	t.Parallel()
	r, _ := newTestRun(t, Options{})
	first, second := r.As("").Step("a"), r.As("").Step("a")
	call := r.As("").ToolCall(ToolCallOptions{ID: "c", Name: "f"})
	again := r.As("").ToolCall(ToolCallOptions{ID: "c", Name: "f"})
	orphan := r.Subagent(agui.SubagentStarted{Name: "n", ParentSubagentRunID: "none"})
	var order *agui.OrderError
	for name, err := range map[string]error{
		"Step": second.End(), "ToolCall": again.Result(agui.TextContent("x")), "Subagent": orphan.Finish(nil),
	} {
		if !errors.As(err, &order) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(first.End(), call.Result(agui.TextContent("x")), r.Finish(&agui.RunFinished{})); err != nil {
		t.Error(err)
	}
}

// A slowDocument works on a patch until its context is done.
type slowDocument struct {
	doc
	begun chan struct{}
}

func (d slowDocument) Apply(ctx context.Context, _ agui.Patch) error {
	close(d.begun)
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestARunEndsWhileAPatchIsApplied(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(r *Run) error{
		"fail":     func(r *Run) error { return r.Fail(&agui.RunError{Message: "stopped"}) },
		"handover": func(r *Run) error { return r.Handover().Fail(&agui.RunError{Message: "stopped"}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := slowDocument{doc{}, make(chan struct{})}
			r, s := newTestRun(t, Options{View: NewView(nil, d)})
			emitted := make(chan error)
			go func() { emitted <- r.Emit(&agui.StateDelta{Delta: agui.Patch{}}) }()
			<-d.begun
			if err := end(r); err != nil {
				t.Errorf("the end of the run: %v", err)
			}
			if err := <-emitted; !errors.Is(err, ErrRunEnded) {
				t.Errorf("Emit() = %v, want %v", err, ErrRunEnded)
			}
			if got := s.types(); got != "RUN_STARTED RUN_ERROR" {
				t.Errorf("sent %s", got)
			}
		})
	}
}

func TestAHeirAppliesPatches(t *testing.T) {
	t.Parallel()
	r, _ := newTestRun(t, Options{})
	if err := r.Emit(&agui.ActivitySnapshot{MessageID: "a", ActivityType: "list", Content: json.RawMessage(`{"l":[` + strings.Repeat("1,", 1<<14) + `1]}`)}); err != nil {
		t.Fatal(err)
	}
	delta := &agui.ActivityDelta{MessageID: "a", ActivityType: "list", Patch: agui.Patch{{Op: "move", From: "/l", Path: "/m"}}}
	if err := r.Handover().Emit(delta); err != nil {
		t.Errorf("Emit() = %v", err)
	}
}

// TestARunCanBeFailed also where the error is larger than an event.
func TestARunCanBeFailed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\x01", 2<<10)
	for name, tt := range map[string]struct {
		max  int
		e    agui.RunError
		code string
	}{
		"message":            {1 << 10, agui.RunError{Message: long, Code: "c"}, "c"},
		"code":               {1 << 10, agui.RunError{Message: "m", Code: long}, long[:64]},
		"both":               {1 << 10, agui.RunError{Message: long, Code: long}, long[:64]},
		"usage":              {1 << 10, agui.RunError{Message: "m", Code: "c", Usage: make([]agui.TokenUsage, 1000)}, "c"},
		"next to no room":    {10, agui.RunError{Message: "m", Code: "c"}, ""},
		"a character is cut": {16 * 3, agui.RunError{Message: "ab\u00e9", Code: "c"}, "c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &sent{t: t}
			r := New(Options{ThreadID: "t", RunID: "r", MaxEvent: tt.max, Sink: s.sink})
			if err := r.Fail(&tt.e); err != nil || !r.Ended() {
				t.Fatalf("Fail() = %v, ended %v", err, r.Ended())
			}
			if got := s.events[0].(*agui.RunError); got.Code != tt.code || tt.max > 100 && len(s.lines[0]) > tt.max {
				t.Errorf("sent %d bytes with code %q, want %q", len(s.lines[0]), got.Code, tt.code)
			}
		})
	}
}
