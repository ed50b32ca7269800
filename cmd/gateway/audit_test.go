package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

// actions are those of the entries that a log has.
func actions(t *testing.T, log string) (list []string) {
	t.Helper()
	for line := range strings.Lines(log) {
		var e gateway.AuditEntry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list = append(list, string(e.Action))
	}
	return list
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A log that is rotated by renaming continues in a new file, and an existing one is appended to. Other users may not
// read it.
func TestAuditLogIsAppendedTo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	for _, action := range []gateway.AuditAction{gateway.AuditRenamed, gateway.AuditDeleted} { // each by a new process
		c := &config{audit: path}
		l, err := c.openAudit(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.options.Audit(gateway.AuditEntry{Action: action}); err != nil {
			t.Fatal(err)
		}
		l.close()
	}
	c := &config{audit: path}
	l, err := c.openAudit(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := c.options.Audit(gateway.AuditEntry{Action: gateway.AuditStopped}); err != nil {
		t.Fatal(err)
	}
	if old, now := actions(t, readFile(t, path+".1")), actions(t, readFile(t, path)); strings.Join(old, " ")+", "+strings.Join(now, " ") != "renamed deleted, stopped" {
		t.Errorf("the files have %v and %v", old, now)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
}

func TestAuditLogToStandardOutput(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &config{audit: "-"}
	if _, err := c.openAudit(&out); err != nil {
		t.Fatal(err)
	}
	if err := c.options.Audit(gateway.AuditEntry{Action: gateway.AuditForked}); err != nil {
		t.Fatal(err)
	}
	if got := actions(t, out.String()); len(got) != 1 || got[0] != "forked" {
		t.Errorf("standard output has %s", &out)
	}
}

// A log that cannot be written stops the start; without the setting there is none.
func TestAuditLogThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	c := &config{audit: filepath.Join(t.TempDir(), "none", "audit.log")}
	if _, err := c.openAudit(nil); err == nil || !strings.Contains(err.Error(), "-audit-log (GATEWAY_AUDIT_LOG)") {
		t.Errorf("openAudit() = %v", err)
	}
	c = &config{}
	if _, err := c.openAudit(nil); err != nil || c.options.Audit != nil {
		t.Errorf("without the setting: %v, audit %v", err, c.options.Audit != nil)
	}
}
