package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

// TestLogsHaveNoHiddenCharacters: names that others choose change neither the look of a line of a log nor its meaning.
func TestLogsHaveNoHiddenCharacters(t *testing.T) {
	t.Parallel()
	const name = "a\u202eb\u200b\u009b31m\x1b\u2028\U000e0041\u00e9\U0001f600\n"
	for _, format := range []string{"json", "text", "audit"} {
		var out bytes.Buffer
		if format == "audit" {
			l := &auditLog{out: &out}
			if err := l.write(gateway.AuditEntry{Thread: name}); err != nil {
				t.Fatal(err)
			}
		} else {
			slog.New((&config{logFormat: format}).logHandler(&out)).Info("run", "thread", name)
		}
		line := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
		if bytes.ContainsFunc(line, hidden) || bytes.ContainsAny(line, "\n\t\u2028") {
			t.Errorf("%s: %q has characters that cannot be seen", format, line)
		}
		if !bytes.Contains(line, []byte("\u00e9\U0001f600")) {
			t.Errorf("%s: %q has lost characters that can be seen", format, line)
		}
		var read struct{ Thread string }
		if format != "text" && (json.Unmarshal(line, &read) != nil || read.Thread != name) {
			t.Errorf("%s: %q has the thread %q, want %q", format, line, read.Thread, name)
		}
	}
}
