package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A commandRunner runs commands on a store.
type commandRunner struct{ store string }

// run runs a command line in this process and returns its exit code and what it says.
func (r commandRunner) run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, environment(map[string]string{"GATEWAY_STORE": r.store}), &out, &errs)
	return code, out.String(), errs.String()
}

// TestExportAndDelete exports and deletes what a store has of a principal, beside the gateway and without one.
func TestExportAndDelete(t *testing.T) {
	t.Parallel()
	binary := builtGateway(t)
	team := writeFile(t, "team.yaml", slowTeam)
	t.Run("a file", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "threads.db")
		c := commandRunner{"file:" + path}
		p := startProcess(t, binary, "-config", team, "-store", c.store)
		p.post(t, "short")()
		for _, args := range [][]string{{"export", "local"}, {"delete", "local", "-yes"}} {
			code, _, says := c.run(t, args...)
			if code != exitError || !strings.Contains(says, "is in use by another process") || !strings.Contains(says, "DELETE /me") {
				t.Errorf("gateway %s beside a gateway = %d %s", args[0], code, says)
			}
		}
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, 0)
		code, lines, says := c.run(t, "export", "local")
		if code != exitOK || strings.Count(lines, "\n") != 3 || !strings.Contains(lines, `"content":"one"`) || !strings.HasSuffix(lines, `{"threads":1}`+"\n") {
			t.Errorf("gateway export = %d %s %s", code, lines, says)
		}
		if code, _, says := c.run(t, "delete", "local"); code != exitError || !strings.Contains(says, `"local" has 1 threads`) {
			t.Errorf("gateway delete without -yes = %d %s", code, says)
		}
		for _, want := range []string{"1 threads", "0 threads"} { // it is safe to repeat
			if code, done, says := c.run(t, "delete", "local", "-yes"); code != exitOK || !strings.HasPrefix(done, want) {
				t.Errorf("gateway delete = %d %s %s, want %s", code, done, says, want)
			}
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, left := range []string{"local", "short", `"one"`} {
			if bytes.Contains(raw, []byte(left)) {
				t.Errorf("the file still has %s", left)
			}
		}
	})
	t.Run("a Redis beside a gateway with a live run", func(t *testing.T) {
		t.Parallel()
		c := commandRunner{redistest.Start(t).URL()}
		p := startProcess(t, binary, "-config", team, "-store", c.store)
		last := p.post(t, "long")
		code, done, says := c.run(t, "delete", "local", "-yes")
		if code != exitOK || !strings.HasPrefix(done, "1 threads") {
			t.Errorf("gateway delete = %d %s %s", code, done, says)
		}
		if end := last(); !strings.Contains(end, "cancelled") && !strings.Contains(end, "run_lost") {
			t.Errorf("the live run ended with %s", end)
		}
		if _, body := get(t, http.MethodGet, p.url+"/threads", ""); !strings.Contains(body, `"threads":[]`) {
			t.Errorf("GET /threads = %s", body)
		}
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, 0)
	})
	t.Run("what is not understood", func(t *testing.T) {
		t.Parallel()
		missing := "file:" + filepath.Join(t.TempDir(), "none.db")
		for _, test := range []struct {
			store string
			args  []string
			code  int
			says  string
		}{
			{"memory", []string{"export", "local"}, exitError, "GET /me/export"},
			{"memory", []string{"export"}, exitUsage, "gateway export PRINCIPAL"},
			{"memory", []string{"delete", "-yes"}, exitUsage, "gateway delete PRINCIPAL"},
			{"memory", []string{"export", "local", "-yes"}, exitUsage, "flag provided but not defined"},
			{"memory", []string{"export", "local", "another"}, exitUsage, "not understood"},
			{missing, []string{"export", "local"}, exitError, "there is no such file"},
		} {
			code, _, says := commandRunner{test.store}.run(t, test.args...)
			if code != test.code || !strings.Contains(says, test.says) {
				t.Errorf("gateway %s = %d %s, want %d %s", test.args, code, says, test.code, test.says)
			}
		}
		if code, help, _ := (commandRunner{}).run(t, "delete", "local", "-h"); code != exitOK || !strings.Contains(help, "delete PRINCIPAL") || !strings.Contains(help, "-yes") {
			t.Errorf("gateway delete -h = %d %s", code, help)
		}
	})
}
