package agui

import (
	"errors"
	"testing"
)

func TestIntegersAreJavaScripts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "1e3": 1000, "5.0": 5, "1770000000000": 1770000000000, "-7": -7,
		"9007199254740991": maxInteger, "1.00000000000000000001": 1,
	} {
		e, err := Decode([]byte(`{"type":"RUN_ERROR","message":"","timestamp":`+text+`}`), nil)
		if err != nil {
			t.Errorf("timestamp %s: %v", text, err)
			continue
		}
		if got := e.base().Timestamp; got != want {
			t.Errorf("timestamp %s = %d, want %d", text, got, want)
		}
	}
	for _, text := range []string{"1.5", `"5"`, "true", "null", "[]", "9007199254740992", "-9007199254740992", "1e400", "1e999999999", "99999999999999999999999999"} {
		_, err := Decode([]byte(`{"type":"RUN_ERROR","message":"","timestamp":`+text+`}`), nil)
		if f, ok := errors.AsType[*FieldError](err); !ok || f.Path != "timestamp" {
			t.Errorf("timestamp %s: error = %v, want one at timestamp", text, err)
		}
	}
}

func TestUsageIsNeverNegative(t *testing.T) {
	t.Parallel()
	_, err := Decode([]byte(`{"type":"RUN_ERROR","message":"","usage":[{"inputTokens":1},{"outputTokens":-1}]}`), nil)
	if f, ok := errors.AsType[*FieldError](err); !ok || f.Path != "usage[1].outputTokens" {
		t.Errorf("error = %v, want one at usage[1].outputTokens", err)
	}
}

func TestDecodeReadsBytesAsText(t *testing.T) {
	t.Parallel()
	e, err := Decode([]byte("{\"type\":\"STATE_SNAPSHOT\",\"snapshot\":\"a\xffb\"}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(e.(*StateSnapshot).Snapshot); got != "\"a\uFFFDb\"" {
		t.Errorf("snapshot = %q", got)
	}
}

func TestAToolReturnsTextOrParts(t *testing.T) {
	t.Parallel()
	for _, content := range []string{`{}`, `5`, `null`, `[null]`, `[{"type":"text"}]`} {
		_, err := Decode([]byte(`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":`+content+`}`), nil)
		if _, ok := errors.AsType[*FieldError](err); !ok {
			t.Errorf("content %s: error = %v, want a *FieldError", content, err)
		}
	}
}
