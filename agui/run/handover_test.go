package run

import (
	"errors"
	"slices"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

func TestRunHandover(t *testing.T) {
	t.Parallel()
	var sent []agui.EventType
	old := New(Options{ThreadID: "t", RunID: "r", Sink: func(e agui.Event, _ []byte) error {
		sent = append(sent, agui.TypeOf(e))
		return nil
	}})
	if err := old.Start(&agui.RunStarted{}); err != nil {
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
	if err := old.Fail(&agui.RunError{Message: "no"}); !errors.Is(err, ErrRunEnded) {
		t.Errorf("the old run's Fail = %v, want %v", err, ErrRunEnded)
	}
	old.Inspect(func(v *View) {
		if n := len(v.Messages()); n != 0 {
			t.Errorf("the old run shows %d messages, want none", n)
		}
	})
	if err := heir.Finish(&agui.RunFinished{}); err != nil {
		t.Fatal(err)
	}
	want := []agui.EventType{agui.TypeRunStarted, agui.TypeTextMessageStart, agui.TypeTextMessageContent, agui.TypeTextMessageEnd, agui.TypeRunFinished}
	if !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
}
