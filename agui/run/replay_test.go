package run

import (
	"errors"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// A run with a dead writer is taken over: the new one knows the open items of the log, closes them, and continues.
func TestARunGoesOnWithAnothersLog(t *testing.T) {
	t.Parallel()
	var log []agui.Event
	sink := func(e agui.Event, _ []byte) error { log = append(log, e); return nil }
	first := New(Options{ThreadID: "t", RunID: "r", Sink: sink})
	for _, err := range []error{
		first.Start(&agui.RunStarted{}),
		first.Emit(&agui.StepStarted{StepName: "s"}),
		first.Emit(&agui.SubagentStarted{SubagentRunID: "a", Name: "a"}),
		first.Emit(&agui.TextMessageStart{Tagged: agui.Tagged{SubagentRunID: "a"}, MessageID: "m"}),
		first.Emit(&agui.TextMessageContent{MessageID: "m", Delta: "half a"}),
		first.Emit(&agui.ToolCallStart{ToolCallID: "c", ToolCallName: "n"}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	next := New(Options{ThreadID: "t", RunID: "r", Sink: sink})
	for _, e := range log {
		if err := next.Replay(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := next.Emit(&agui.TextMessageStart{MessageID: "m"}); err == nil {
		t.Error("the next writer opens a message that is open")
	}
	if err := next.CloseOpen(ClosingOptions{SubagentCode: "run_moved", SubagentMessage: "moved"}); err != nil {
		t.Fatal(err)
	}
	if err := next.Finish(&agui.RunFinished{}); err != nil {
		t.Fatal(err)
	}
	var v agui.Verifier
	for _, e := range log {
		if err := v.Next(e); err != nil {
			t.Fatalf("%s: %v", agui.TypeOf(e), err)
		}
	}
	if last := agui.TypeOf(log[len(log)-1]); last != agui.TypeRunFinished {
		t.Errorf("the log ends with %s", last)
	}
	if err := next.Replay(&agui.RunFinished{ThreadID: "t", RunID: "r"}); !errors.Is(err, ErrRunEnded) {
		t.Errorf("Replay() after the end = %v, want ErrRunEnded", err)
	}
}
