package agui

import (
	"errors"
	"slices"
	"testing"
)

func TestRunHandover(t *testing.T) {
	t.Parallel()
	var sent []EventType
	old := NewRun(RunOptions{ThreadID: "t", RunID: "r", Sink: func(e Event, _ []byte) error {
		sent = append(sent, e.EventType())
		return nil
	}})
	if err := old.Start(&RunStarted{}); err != nil {
		t.Fatal(err)
	}
	text := old.As("").Text(TextOptions{})
	if _, err := text.WriteString("half"); err != nil {
		t.Fatal(err)
	}
	heir := old.Handover()
	if _, err := text.WriteString(" a sentence"); !errors.Is(err, ErrRunEnded) {
		t.Errorf("the old writer's error = %v, want %v", err, ErrRunEnded)
	}
	if err := old.Fail(&RunError{Message: "no"}); !errors.Is(err, ErrRunEnded) {
		t.Errorf("the old run's Fail = %v, want %v", err, ErrRunEnded)
	}
	old.Inspect(func(v *View) {
		if n := len(v.Messages()); n != 0 {
			t.Errorf("the old run shows %d messages, want none", n)
		}
	})
	if err := heir.Finish(&RunFinished{}); err != nil {
		t.Fatal(err)
	}
	want := []EventType{TypeRunStarted, TypeTextMessageStart, TypeTextMessageContent, TypeTextMessageEnd, TypeRunFinished}
	if !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
}
