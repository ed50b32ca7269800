package gateway_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

// TestLongAttributesAreCut has a stack, which may take more of a line than other attributes.
func TestLongAttributesAreCut(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(gateway.BoundedLog(slog.NewTextHandler(&out, nil)))
	long := strings.Repeat("x", 10<<10)
	log.Info("panic", "stack", long+"s", "text", long+"t")
	if line := out.String(); !strings.Contains(line, long+"s") || strings.Contains(line, long+"t") {
		t.Errorf("the line has %d bytes: %.100s", len(line), line)
	}
	out.Reset()
	log.Info("panic", "stack", long+long)
	if n := out.Len(); n > 17<<10 {
		t.Errorf("the line of a long stack has %d bytes", n)
	}
}
