package state

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
)

func TestParseFrameIDTakesOneSpellingOnly(t *testing.T) {
	t.Parallel()
	for _, good := range []FrameID{{}, {1, 0}, {0, 1}, {1764000000000, 42}, {math.MaxUint64, math.MaxUint64}} {
		got, err := ParseFrameID(good.String())
		if err != nil || got != good {
			t.Errorf("ParseFrameID(%q) = %v, %v", good.String(), got, err)
		}
	}
	for _, bad := range []string{
		"", "-", "1", "1-", "-1", "01-1", "1-01", "00-0", "+1-1", "1-+1", "1--1", "1-2-3", " 1-1", "1-1 ", "1_0-1", "0x1-1",
		"18446744073709551616-0", "0-18446744073709551616", "1-1\n", "１-1",
	} {
		if id, err := ParseFrameID(bad); !errors.Is(err, errFrameID) {
			t.Errorf("ParseFrameID(%q) = %v, %v, want errFrameID", bad, id, err)
		}
	}
}

func TestFrameIDsFollowTheLog(t *testing.T) {
	t.Parallel()
	inOrder := []FrameID{{}, {0, 9}, {1, 0}, {1, 1}, {1, 10}, {2, 0}}
	for i, a := range inOrder {
		for j, b := range inOrder {
			if got, want := a.Less(b), i < j; got != want {
				t.Errorf("%v.Less(%v) = %v", a, b, got)
			}
			if got, want := a.Compare(b) == 0, i == j; got != want {
				t.Errorf("%v.Compare(%v) = %d", a, b, a.Compare(b))
			}
		}
	}
	if !inOrder[0].IsZero() || inOrder[1].IsZero() {
		t.Error("IsZero is wrong")
	}
}

func TestFrameKeepsItsFieldsInJSON(t *testing.T) {
	t.Parallel()
	for _, frame := range []Frame{
		{ID: FrameID{3, 4}, Type: agui.TypeCustom, Data: json.RawMessage(`{"type":"CUSTOM","name":"n","value":12345678901234567890}`)},
		{ID: FrameID{3, 5}, Type: agui.TypeMessagesSnapshot, Rev: 7},
		{
			ID: FrameID{3, 6}, Type: agui.TypeRunError, Data: json.RawMessage(`{"type":"RUN_ERROR","message":"m"}`),
			Ending: &Ending{ThreadID: "t", RunID: "r", Resumed: true, Open: []agui.Interrupt{{ID: "i", Reason: "confirmation"}}},
		},
	} {
		data, err := json.Marshal(frame)
		if err != nil {
			t.Fatal(err)
		}
		var got Frame
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(frame, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", data, diff)
		}
	}
	var id FrameID
	if err := json.Unmarshal([]byte(`"01-1"`), &id); err == nil {
		t.Error("a malformed id was accepted")
	}
}

func FuzzFrameID(f *testing.F) {
	for _, seed := range []string{"0-0", "1764000000000-42", "01-1", "-", "18446744073709551616-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseFrameID(s)
		if err != nil {
			return
		}
		if id.String() != s {
			t.Errorf("ParseFrameID(%q) is written as %q", s, id)
		}
	})
}
