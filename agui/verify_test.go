package agui_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// A sequence is an entry of testdata/sequences. The Node tests in interop hold the reference clients to the same table.
type sequence struct {
	Name    string            `json:"name"`
	Why     string            `json:"why"`
	Verdict string            `json:"verdict"` // of the reference client 1.0.0, and of ours
	Old     string            `json:"old"`     // of 0.0.59
	At      *int              `json:"at"`      // the event refused; nil is the last
	Events  []json.RawMessage `json:"events"`
}

func sequences(tb testing.TB) []sequence {
	tb.Helper()
	files, err := filepath.Glob("testdata/sequences/*.json")
	if err != nil {
		tb.Fatal(err)
	}
	var all []sequence
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		var some []sequence
		if err := json.Unmarshal(data, &some); err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		all = append(all, some...)
	}
	return all
}

// judge decodes and verifies, as a reader of the stream would, and returns the first event refused, or -1.
func judge(events []json.RawMessage) (int, error) {
	var v agui.Verifier
	for i, data := range events {
		e, err := agui.Decode(data, nil)
		if err != nil {
			return i, err
		}
		if err := v.Next(e); err != nil {
			return i, err
		}
	}
	return -1, nil
}

func TestVerifierSequences(t *testing.T) {
	t.Parallel()
	all := sequences(t)
	if len(all) < 180 {
		t.Fatalf("only %d sequences", len(all))
	}
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			at, err := judge(s.Events)
			want := -1
			if s.Verdict == "reject" {
				want = len(s.Events) - 1
				if s.At != nil {
					want = *s.At
				}
			}
			if at != want {
				t.Errorf("refused event %d (%v), want %d", at, err, want)
			}
		})
	}
}

func TestVerifierRules(t *testing.T) {
	t.Parallel()
	seen := make(map[agui.OrderRule]bool)
	for _, s := range sequences(t) {
		_, err := judge(s.Events)
		var order *agui.OrderError
		if errors.As(err, &order) {
			seen[order.Rule] = true
		}
	}
	for _, rule := range []agui.OrderRule{
		agui.RuleFirstEvent, agui.RuleRunActive, agui.RuleRunEnded, agui.RuleAlreadyOpen, agui.RuleNotOpen,
		agui.RuleUnclosed, agui.RuleOwner, agui.RuleSubagentReused, agui.RuleUnknownParent,
		agui.RuleChunkOpener, agui.RuleChunkChanged, agui.RuleChunkAmbiguous,
	} {
		if !seen[rule] {
			t.Errorf("no sequence breaks %s", rule)
		}
	}
}

func TestVerifierErrorIsSticky(t *testing.T) {
	t.Parallel()
	var v agui.Verifier
	run := &agui.RunStarted{ThreadID: "t", RunID: "r"}
	content := &agui.TextMessageContent{MessageID: "m", Delta: "x"}
	if err := v.Next(run); err != nil {
		t.Fatal(err)
	}
	first := v.Next(content)
	var order *agui.OrderError
	if !errors.As(first, &order) {
		t.Fatalf("Next(content) = %v, want an *OrderError", first)
	}
	want := agui.OrderError{Rule: agui.RuleNotOpen, Type: agui.TypeTextMessageContent, Kind: "text message", ID: "m"}
	if *order != want {
		t.Errorf("Next(content) = %+v, want %+v", *order, want)
	}
	if text := first.Error(); text != `agui: TEXT_MESSAGE_CONTENT is out of order: not_open: text message "m"` {
		t.Errorf("Error() = %s", text)
	}
	if again := v.Next(&agui.RunFinished{ThreadID: "t", RunID: "r"}); !errors.Is(again, first) {
		t.Errorf("Next after an error = %v, want the same error", again)
	}
}

func TestVerifierNamesWhatIsUnclosed(t *testing.T) {
	t.Parallel()
	run := &agui.RunStarted{ThreadID: "t", RunID: "r"}
	tests := map[string]struct {
		open agui.Event
		id   string
	}{
		"text message":      {&agui.TextMessageStart{MessageID: "m"}, "m"},
		"tool call":         {&agui.ToolCallStart{ToolCallID: "c", ToolCallName: "find"}, "c"},
		"reasoning message": {&agui.ReasoningMessageStart{MessageID: "q", Role: agui.RoleReasoning}, "q"},
		"reasoning span":    {&agui.ReasoningStart{MessageID: "q"}, "q"},
		"step":              {&agui.StepStarted{StepName: "plan"}, "plan"},
		"subagent":          {&agui.SubagentStarted{SubagentRunID: "s", Name: "flights"}, "s"},
	}
	for kind, test := range tests {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var v agui.Verifier
			for _, e := range []agui.Event{run, test.open} {
				if err := v.Next(e); err != nil {
					t.Fatal(err)
				}
			}
			var order *agui.OrderError
			if err := v.Next(&agui.RunFinished{ThreadID: "t", RunID: "r"}); !errors.As(err, &order) {
				t.Fatalf("Next(RunFinished) = %v, want an *OrderError", err)
			}
			if order.Rule != agui.RuleUnclosed || string(order.Kind) != kind || order.ID != test.id {
				t.Errorf("Next(RunFinished) = %v, want %s of %s %q", order, agui.RuleUnclosed, kind, test.id)
			}
		})
	}
}

// Content is the hot path: it must not allocate.
func TestVerifierContentDoesNotAllocate(t *testing.T) {
	v, content := openText(t)
	if n := testing.AllocsPerRun(100, func() {
		if err := v.Next(content); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("Next(content) allocates %v times, want 0", n)
	}
}

func BenchmarkVerifierContent(b *testing.B) {
	v, content := openText(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := v.Next(content); err != nil {
			b.Fatal(err)
		}
	}
}

func openText(tb testing.TB) (*agui.Verifier, agui.Event) {
	tb.Helper()
	tag := agui.Tagged{SubagentRunID: "s"}
	v := new(agui.Verifier)
	for _, e := range []agui.Event{
		&agui.RunStarted{ThreadID: "t", RunID: "r"},
		&agui.TextMessageStart{Tagged: tag, MessageID: "m", Role: agui.RoleAssistant},
	} {
		if err := v.Next(e); err != nil {
			tb.Fatal(err)
		}
	}
	return v, &agui.TextMessageContent{Tagged: tag, MessageID: "m", Delta: "hello"}
}

// FuzzVerifier reads its input as one event a line. Nothing may panic, a prefix of an accepted stream is accepted, and
// a refused event stays refused.
func FuzzVerifier(f *testing.F) {
	for _, s := range sequences(f) {
		f.Add(bytes.Join(rawBytes(s.Events), []byte("\n")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var events []agui.Event
		for line := range bytes.Lines(data) {
			if e, err := agui.Decode(bytes.TrimSpace(line), nil); err == nil {
				events = append(events, e)
			}
		}
		refused := verify(events)
		for n := range events {
			want := -1
			if refused >= 0 && refused < n {
				want = refused
			}
			if got := verify(events[:n]); got != want {
				t.Fatalf("of %d events %d was refused, of their first %d event %d", len(events), refused, n, got)
			}
		}
	})
}

func rawBytes(raw []json.RawMessage) [][]byte {
	out := make([][]byte, len(raw))
	for i, r := range raw {
		out[i] = r
	}
	return out
}

// verify returns the first event refused, or -1.
func verify(events []agui.Event) int {
	var v agui.Verifier
	for i, e := range events {
		if v.Next(e) != nil {
			return i
		}
	}
	return -1
}
