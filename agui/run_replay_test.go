package agui

import (
	"errors"
	"testing"
)

// A run whose writer died is taken over: the new one knows what the log has open, closes it, and goes on.
func TestARunGoesOnWithAnothersLog(t *testing.T) {
	t.Parallel()
	var log []Event
	sink := func(e Event, _ []byte) error { log = append(log, e); return nil }
	first := NewRun(RunOptions{ThreadID: "t", RunID: "r", Sink: sink})
	for _, err := range []error{
		first.Start(&RunStarted{}),
		first.Emit(&StepStarted{StepName: "s"}),
		first.Emit(&SubagentStarted{SubagentRunID: "a", Name: "a"}),
		first.Emit(&TextMessageStart{Tagged: Tagged{SubagentRunID: "a"}, MessageID: "m"}),
		first.Emit(&TextMessageContent{MessageID: "m", Delta: "half a"}),
		first.Emit(&ToolCallStart{ToolCallID: "c", ToolCallName: "n"}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	next := NewRun(RunOptions{ThreadID: "t", RunID: "r", Sink: sink})
	for _, e := range log {
		if err := next.Replay(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := next.Emit(&TextMessageStart{MessageID: "m"}); err == nil {
		t.Error("the next writer opens a message that is open")
	}
	if err := next.CloseOpen(ClosingOptions{SubagentCode: "run_moved", SubagentMessage: "moved"}); err != nil {
		t.Fatal(err)
	}
	if err := next.Finish(&RunFinished{}); err != nil {
		t.Fatal(err)
	}
	var v Verifier
	for _, e := range log {
		if err := v.Next(e); err != nil {
			t.Fatalf("%s: %v", e.EventType(), err)
		}
	}
	if last := log[len(log)-1].EventType(); last != TypeRunFinished {
		t.Errorf("the log ends with %s", last)
	}
	if err := next.Replay(&RunFinished{ThreadID: "t", RunID: "r"}); !errors.Is(err, ErrRunEnded) {
		t.Errorf("Replay() after the end = %v, want ErrRunEnded", err)
	}
}
