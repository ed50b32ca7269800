package run

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
)

// holdAll holds back every message, and sends it when it ends, as one piece.
func holdAll() Filter {
	held := map[string][]agui.Event{}
	return func(e agui.Event, next Emit) error {
		switch e := e.(type) {
		case *agui.TextMessageStart:
			held[e.MessageID] = []agui.Event{e}
			return nil
		case *agui.TextMessageContent:
			if list := held[e.MessageID]; len(list) == 2 {
				list[1].(*agui.TextMessageContent).Delta += e.Delta
			} else {
				held[e.MessageID] = append(list, e)
			}
			return nil
		case *agui.TextMessageEnd:
			list := append(held[e.MessageID], e)
			delete(held, e.MessageID)
			for _, e := range list {
				if err := next(e); err != nil {
					return err
				}
			}
			return nil
		}
		return next(e)
	}
}

// saidIn is the text of all messages that were sent, in order.
func saidIn(events []agui.Event) string {
	var said strings.Builder
	for _, e := range events {
		if c, ok := e.(*agui.TextMessageContent); ok {
			said.WriteString(c.Delta)
		}
	}
	return said.String()
}

func TestAFilterIsToldTheEndOfWhatIsOpen(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(w Writer) error{
		"a text that was not closed": func(w Writer) error { _, err := w.Text(TextOptions{}).WriteString("half a "); return err },
		"chunks":                     func(w Writer) error { return w.Emit(&agui.TextMessageChunk{MessageID: "c", Delta: new("half a ")}) },
		"two": func(w Writer) error {
			if _, err := w.Text(TextOptions{}).WriteString("half "); err != nil {
				return err
			}
			_, err := w.Text(TextOptions{}).WriteString("a ")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, s := newTestRun(t, Options{})
			sub := r.Subagent(agui.SubagentStarted{Name: "x"})
			w := sub.Through(func(e agui.Event, next Emit) error { return next(e) }).Through(holdAll())
			if err := write(w); err != nil {
				t.Fatal(err)
			}
			if said := saidIn(s.events); said != "" {
				t.Fatalf("said %q before the end", said)
			}
			if err := errors.Join(w.CloseOpen(), sub.Finish(nil), r.Finish(&agui.RunFinished{})); err != nil {
				t.Fatal(err)
			}
			if got := saidIn(s.events); len(got) != len("half a ") {
				t.Errorf("said %q", got)
			}
		})
	}
}

func TestAFilterThatFailedLetsNothingPass(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	r, s := newTestRun(t, Options{})
	w := r.Through(func(e agui.Event, next Emit) error {
		if c, ok := e.(*agui.TextMessageContent); ok && c.Delta == "bad" {
			return refused
		}
		return next(e)
	})
	text := w.Text(TextOptions{})
	for i, test := range []struct {
		words string
		err   error
	}{{"good ", nil}, {"bad", refused}, {"good", refused}} {
		if _, err := text.WriteString(test.words); !errors.Is(err, test.err) {
			t.Errorf("write %d = %v, want %v", i, err, test.err)
		}
	}
	if err := w.CloseOpen(); !errors.Is(err, refused) {
		t.Errorf("CloseOpen() = %v", err)
	}
	if err := w.Unfiltered().Emit(&agui.Custom{Name: "x.y"}); err != nil {
		t.Error(err)
	}
	if err := r.Finish(&agui.RunFinished{}); err != nil {
		t.Error(err)
	}
	if got := saidIn(s.events); got != "good " {
		t.Errorf("said %q", got)
	}
}

// An event that the run refuses is the writer's mistake, after which it may continue.
func TestARefusedEventIsNotTheFilters(t *testing.T) {
	t.Parallel()
	r, s := newTestRun(t, Options{})
	w := r.Through(func(e agui.Event, next Emit) error { return next(e) })
	if err := w.Emit(&agui.TextMessageContent{MessageID: "none", Delta: "x"}); err == nil {
		t.Fatal("content of nothing is sent")
	}
	text := w.Text(TextOptions{})
	if _, err := text.WriteString("on"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(text.Close(), r.Finish(&agui.RunFinished{})); err != nil || saidIn(s.events) != "on" {
		t.Errorf("%v, said %q", err, saidIn(s.events))
	}
}

// anyFilter drops, repeats, replaces, holds back, makes up and refuses events as it is drawn.
func anyFilter(t *rapid.T, name string) Filter {
	var held []agui.Event
	return func(e agui.Event, next Emit) error {
		switch rapid.IntRange(0, 11).Draw(t, name) {
		case 0:
			return nil
		case 1:
			_ = next(e) // whatever becomes of it
			return next(e)
		case 2:
			held = append(held, e)
			return nil
		case 3:
			for _, e := range held {
				_ = next(e)
			}
			held = nil
			return next(e)
		case 4:
			_ = next(&agui.TextMessageContent{MessageID: "made up", Delta: "x"})
			_ = next(&agui.TextMessageStart{MessageID: "made up"})
			return next(e)
		case 5:
			if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
				return errors.New("refused")
			}
		}
		return next(e)
	}
}

// TestAnyFilterKeepsStreamsInOrder: with any filters, a reader gets a stream in order, with an end and without open
// items.
func TestAnyFilterKeepsStreamsInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r, s := newTestRun(t, Options{})
		sub := r.Subagent(agui.SubagentStarted{Name: "x"})
		w := sub.Writer
		for range rapid.IntRange(1, 3).Draw(rt, "filters") {
			w = w.Through(anyFilter(rt, "filter"))
		}
		var open []interface {
			WriteString(string) (int, error)
			Close() error
		}
		for range rapid.IntRange(1, 20).Draw(rt, "length") {
			switch n := rapid.IntRange(0, 7).Draw(rt, "event"); {
			case n == 0:
				open = append(open, w.Text(TextOptions{}))
			case n == 1:
				open = append(open, w.Reasoning(ReasoningOptions{}))
			case n == 2:
				open = append(open, w.ToolCall(ToolCallOptions{Name: "f"}))
			case n == 3:
				_ = w.Emit(&agui.TextMessageChunk{MessageID: rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "id"), Delta: new("chunk")})
			case len(open) == 0:
			case n == 4:
				_ = open[len(open)-1].Close() // the filters decide
			default:
				_, _ = open[rapid.IntRange(0, len(open)-1).Draw(rt, "which")].WriteString("é")
			}
		}
		_ = w.CloseOpen() // the filters' errors, if there are any
		if err := errors.Join(sub.Finish(nil), r.Finish(&agui.RunFinished{})); err != nil {
			rt.Fatal(err)
		}
		var reader agui.Tracker
		for _, e := range s.events {
			if err := reader.Check(e); err != nil {
				rt.Fatalf("%s: %v", agui.TypeOf(e), err)
			}
			reader.Note(e)
		}
		if left := reader.Open(agui.KindText, agui.KindToolCall, agui.KindReasoning, agui.KindSpan, agui.KindSubagent); len(left) > 0 {
			rt.Fatalf("left open: %v", left)
		}
	})
}

// Several goroutines may write through one filter: it is given one event at a time.
func TestOneEventPassesAtATime(t *testing.T) {
	t.Parallel()
	r, s := newTestRun(t, Options{})
	n := 0 // without a lock: the race detector sees two at once
	w := r.Through(func(e agui.Event, next Emit) error {
		n++
		return next(e)
	})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := w.Text(TextOptions{ID: "m" + strconv.Itoa(i)})
			for range 50 {
				if _, err := text.WriteString("x"); err != nil {
					t.Error(err)
				}
			}
			if err := text.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n != 8*52 || len(saidIn(s.events)) != 8*50 {
		t.Errorf("%d events passed, %d letters were said", n, len(saidIn(s.events)))
	}
}

func TestAFilteredWriterRefusesNoEvent(t *testing.T) {
	t.Parallel()
	r, _ := newTestRun(t, Options{})
	w := r.Through(func(e agui.Event, next Emit) error { return next(e) })
	for _, e := range []agui.Event{nil, (*agui.TextMessageStart)(nil), (*agui.TextMessageEnd)(nil), (*agui.Custom)(nil)} {
		if err := w.Emit(e); !errors.Is(err, errNilEvent) {
			t.Errorf("Emit(%T(nil)) = %v, want %v", e, err, errNilEvent)
		}
	}
}
