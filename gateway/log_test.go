package gateway_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

// stringer has a text, and maybe none.
type stringer struct{ text *string }

func (s stringer) String() string { return *s.text }

// Every line is short; short values are written unchanged.
func TestBoundedLog(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 1<<20)
	var out bytes.Buffer
	log := slog.New(gateway.BoundedLog(gateway.BoundedLog(slog.NewTextHandler(&out, nil))))
	log.With("thread", long).WithGroup("g").Info("a line", "path", "/short", "n", 7,
		"error", errors.New(long), "stringer", stringer{&long}, "broken", stringer{}, "stack", long, slog.Group("in", "text", long))
	line := out.String()
	if len(line) > 5*3<<10+17<<10 {
		t.Errorf("the line has %d bytes", len(line))
	}
	for _, want := range []string{
		"msg=\"a line\"", "path=/short", "n=7", "(2097152 bytes)", "thread=", "g.in.text=", "g.broken=",
	} {
		if !strings.Contains(line, want) {
			t.Errorf("the line lacks %s: %.200s…", want, line)
		}
	}
	if strings.ContainsRune(line, '\uFFFD') {
		t.Error("a character is cut in two")
	}
	out.Reset()
	slog.New(gateway.BoundedLog(slog.NewTextHandler(&out, nil))).Error(long)
	if out.Len() > 3<<10 {
		t.Errorf("a message of %d bytes", out.Len())
	}
}
