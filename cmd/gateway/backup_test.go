package main

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// askingTeam asks a person, and says the answer.
const askingTeam = `version: 1
agents:
  shop: { type: script, steps: [ { ask: { key: size, message: "Which size?", options: [ S, M ] } }, { say: "Thank you." } ] }
`

// askSize leaves a question open on thread t.
func askSize(t *testing.T, url string) {
	t.Helper()
	if status, body := get(t, http.MethodPost, url+"/agents/shop", input("t")); status != http.StatusOK || !strings.Contains(body, `"interrupt"`) {
		t.Fatalf("the question = %d, %s", status, body)
	}
}

// answerSize answers the question of thread t, and checks that the run continues.
func answerSize(t *testing.T, url string) {
	t.Helper()
	_, body := get(t, http.MethodGet, url+"/threads/t?agent=shop", "")
	id := regexp.MustCompile(`int_[a-z0-9-]+`).FindString(body)
	status, events := get(t, http.MethodPost, url+"/agents/shop", `{"threadId":"t","runId":"r2","state":{},"messages":[],"tools":[],"context":[],"forwardedProps":{},"protocolVersion":"1.0",`+
		`"resume":[{"interruptId":"`+id+`","status":"resolved","payload":"M"}]}`)
	if status != http.StatusOK || !strings.Contains(events, "you.") || !strings.Contains(events, `"success"`) {
		t.Errorf("the answer to %q = %d, %s\nthe thread was %s", id, status, events, body)
	}
}

// TestBackupAndRestore copies a file while its gateway runs, and after it has stopped, and continues with a question in
// each copy.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	team, file := writeFile(t, "team.yaml", askingTeam), filepath.Join(dir, "threads.db")
	c := commandRunner{"file:" + file}
	p, admin := startAdminProcess(t, builtGateway(t), nil, "-admin-addr", "127.0.0.1:0", "-config", team, "-store", c.store)
	askSize(t, p.url)

	hot, cold := filepath.Join(dir, "copies", "hot.db"), filepath.Join(dir, "copies", "cold.db")
	if code, _, says := c.run(t, "backup", hot); code != exitError || !strings.Contains(says, "-admin-addr") {
		t.Errorf("gateway backup without an address = %d %s", code, says)
	}
	if code, _, says := c.run(t, "backup", hot, "-admin-addr", "127.0.0.1:1"); code != exitError || !strings.Contains(says, "cannot be asked") {
		t.Errorf("gateway backup of nobody = %d %s", code, says)
	}
	addr := strings.TrimPrefix(admin, "http://")
	if code, done, says := c.run(t, "backup", hot, "-admin-addr", addr); code != exitOK || !strings.Contains(done, "checked: 1 threads") {
		t.Fatalf("gateway backup = %d %s %s", code, done, says)
	}
	if status, _, _ := ask(t, admin+"/backup"); status != http.StatusMethodNotAllowed {
		t.Errorf("GET /backup = %d, want 405: only who asks for a copy has one made", status)
	}
	p.signal(t, syscall.SIGTERM)
	p.wantExit(t, exitOK)
	if code, done, says := c.run(t, "backup", cold); code != exitOK || !strings.Contains(done, "checked: 1 threads") {
		t.Fatalf("gateway backup of a stopped gateway = %d %s %s", code, done, says)
	}
	for name, copied := range map[string]string{"hot": hot, "cold": cold} {
		t.Run(name, func(t *testing.T) {
			if code, _, says := c.run(t, "backup", copied); code != exitError || !strings.Contains(says, "there is a file already") {
				t.Errorf("gateway backup over a copy = %d %s", code, says)
			}
			if code, _, says := c.run(t, "restore", copied); code != exitError || !strings.Contains(says, "move it away first") {
				t.Errorf("gateway restore over the store = %d %s", code, says)
			}
			back := commandRunner{"file:" + filepath.Join(t.TempDir(), "data", "threads.db")}
			if code, done, says := back.run(t, "restore", copied); code != exitOK || !strings.Contains(done, "1 threads") {
				t.Fatalf("gateway restore = %d %s %s", code, done, says)
			}
			url, _ := startServer(t, "-config", team, "-store", back.store)
			answerSize(t, url)
		})
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 3 {
		t.Errorf("the directory has %q, %v, want the file, its reserve and the copies", left, err)
	}
}

// TestWhoHasNoCopyMade is who comes by an address that others can reach, or from a page.
func TestWhoHasNoCopyMade(t *testing.T) {
	t.Parallel()
	binary, file := builtGateway(t), filepath.Join(t.TempDir(), "threads.db")
	post := func(url, origin string) int {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/backup", nil)
		if err != nil {
			t.Fatal(err)
		}
		if origin != "" {
			request.Header.Set("Origin", origin)
		}
		response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode
	}
	for _, tt := range []struct {
		name, origin string
		args         []string
		want         int
	}{
		{"an operator", "", []string{"-admin-addr", "127.0.0.1:0", "-store", "file:" + file}, http.StatusOK},
		{"a page", "http://localhost:8080", []string{"-admin-addr", "127.0.0.1:0", "-store", "file:" + file}, http.StatusForbidden},
		{"a neighbour", "", []string{"-admin-addr", "0.0.0.0:0", "-admin-auth", "none", "-store", "file:" + file}, http.StatusNotFound},
		{"an operator of threads in memory", "", []string{"-admin-addr", "127.0.0.1:0"}, http.StatusNotFound},
	} {
		p, admin := startAdminProcess(t, binary, nil, tt.args...)
		got := post(strings.Replace(admin, "[::]", "127.0.0.1", 1), tt.origin)
		_, err := os.Stat(file + ".backup")
		if got != tt.want || (err == nil) != (tt.want == http.StatusOK) {
			t.Errorf("POST /backup of %s = %d, and a copy: %v; want %d", tt.name, got, err, tt.want)
		}
		_ = os.Remove(file + ".backup") // there may be none
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, exitOK)
	}
}

// TestBackupRefuses says why there is no copy.
func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, "copy.db")
	damaged := writeFile(t, "notes.db", strings.Repeat("my notes ", 2000))
	for _, tt := range []struct{ store, command, operand, says string }{
		{"memory", "backup", target, "threads in memory"},
		{"redis://127.0.0.1:1", "backup", target, "redis-cli --rdb"},
		{"redis://127.0.0.1:1", "restore", target, "redis-cli --rdb"},
		{"file:" + filepath.Join(dir, "none.db"), "backup", target, "no such file"},
		{"file:" + damaged, "backup", target, "is not a store of this gateway"},
		{"file:" + filepath.Join(dir, "threads.db"), "restore", damaged, "is not a store of this gateway"},
		{"file:" + filepath.Join(dir, "threads.db"), "restore", filepath.Join(dir, "none.db"), "no such file"},
	} {
		code, _, says := commandRunner{tt.store}.run(t, tt.command, tt.operand)
		if code != exitError || !strings.Contains(says, tt.says) {
			t.Errorf("gateway %s with %s = %d %s, want %q", tt.command, tt.store, code, says, tt.says)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the directory has %v, %v", left, err)
	}
}

// TestARestoredRedis continues, in another Redis, with a question that was open when the first one was copied.
func TestARestoredRedis(t *testing.T) {
	t.Parallel()
	team := writeFile(t, "team.yaml", askingTeam)
	before := redistest.Start(t)
	url, stop := startServer(t, "-config", team, "-store", before.URL())
	askSize(t, url)
	host, port, err := net.SplitHostPort(before.Addr)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "redis-cli", "-h", host, "-p", port, "--rdb", filepath.Join(dir, "dump.rdb")).CombinedOutput(); err != nil {
		t.Fatalf("redis-cli --rdb: %v\n%s", err, out)
	}
	stop()
	before.Kill()
	restored := redistest.Start(t, "--dir", dir)
	url, _ = startServer(t, "-config", team, "-store", restored.URL())
	answerSize(t, url)
}
