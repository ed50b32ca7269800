package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(toolsVariable) != "" {
		serveTools()
	}
	dir, err := os.MkdirTemp("", "agui-gateway-")
	if err != nil {
		panic(err)
	}
	binaries = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir) // the system removes what this cannot
		os.Exit(code)
	}))
}

// listening is what the log says of the address, in both formats.
var listening = regexp.MustCompile(`\blistening\b.*\b(https?://[^"\s]+)`)

// findAddress reads log lines until one says where the server listens, and leaves the rest to somebody else. All
// lines are kept in seen.
func findAddress(t *testing.T, log io.Reader, seen *bytes.Buffer) (url string, rest <-chan struct{}) {
	t.Helper()
	lines := bufio.NewScanner(log)
	for url == "" && lines.Scan() {
		seen.WriteString(lines.Text() + "\n")
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			url = m[1]
		}
	}
	if url == "" {
		t.Fatalf("the server does not listen:\n%s", seen)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines.Scan() {
			seen.WriteString(lines.Text() + "\n")
		}
	}()
	return url, done
}

// startServer runs the program in this process. Stop ends it and returns its exit code and its log.
func startServer(t *testing.T, args ...string) (url string, stop func() (int, string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	log, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), environment(nil), io.Discard, w)
		_ = w.Close() // of a pipe it returns nil
	}()
	var seen bytes.Buffer
	late := time.AfterFunc(patience, func() { _ = log.Close() })
	url, rest := findAddress(t, log, &seen)
	late.Stop()
	return url, func() (int, string) {
		cancel()
		receive(t, "the log ends", rest)
		return receive(t, "the program ends", code), seen.String()
	}
}

// get returns the status and the body of a resource.
func get(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
	}()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(data)
}

// input is a RunAgentInput that says hello on a thread.
func input(thread string) string {
	return `{"threadId":"` + thread + `","runId":"r","state":{},"messages":[{"id":"u","role":"user","content":"Hello"}],"tools":[],"context":[],"forwardedProps":{},"protocolVersion":"1.0"}`
}

func TestServeBuiltin(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			url, stop := startServer(t, "-log-format", format, "-voice-delay", "0")
			if status, body := get(t, http.MethodGet, url+"/agents", ""); status != http.StatusOK || !strings.Contains(body, `"flights_agent"`) {
				t.Errorf("GET /agents = %d, %s", status, body)
			}
			if status, body := get(t, http.MethodPost, url+"/agents/travel", input("t")); status != http.StatusOK || !strings.Contains(body, `"RUN_FINISHED"`) {
				t.Errorf("POST /agents/travel = %d, %s", status, body)
			}
			code, log := stop()
			if code != exitOK {
				t.Errorf("run() = %d, log:\n%s", code, log)
			}
			for _, want := range []string{"threads end with this process", "speaks from its script"} {
				if strings.Count(log, want) != 1 {
					t.Errorf("the log does not say once %q:\n%s", want, log)
				}
			}
		})
	}
}

// TestStarter walks the way init proposes.
func TestStarter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "gateway.yaml")
	do := func(args ...string) (int, string, string) {
		var out, log bytes.Buffer
		code := run(t.Context(), args, environment(nil), &out, &log)
		return code, out.String(), log.String()
	}
	if code, out, log := do("init", "-config", path); code != exitOK || !strings.Contains(out, "gateway validate -config "+path) {
		t.Fatalf("init = %d, %q, %q", code, out, log)
	}
	if err := os.WriteFile(path, append(starter, '#'), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, log := do("init", "-config", path); code != exitError || !strings.Contains(log, "is there already") || strings.Count(log, "\n") != 1 {
		t.Errorf("init over a file = %d, %q", code, log)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.HasSuffix(data, []byte("#")) {
		t.Errorf("init wrote over the file (%v)", err)
	}
	if code, out, log := do("validate", "-config", path); code != exitOK || !strings.Contains(out, "is good: desk, order, travel") {
		t.Fatalf("validate = %d, %q, %q", code, out, log)
	}
	url, stop := startServer(t, "-config", path, "-voice-delay", "0")
	for agent, want := range map[string]string{"order": `"type":"interrupt"`, "desk": `"/draft"`, "travel": `"RUN_FINISHED"`} {
		if status, body := get(t, http.MethodPost, url+"/agents/"+agent, input("t")); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("POST /agents/%s = %d, %s\nwant %s", agent, status, body, want)
		}
	}
	if code, log := stop(); code != exitOK {
		t.Errorf("run() = %d, log:\n%s", code, log)
	}
}

// TestStarterOptions reads the lines of the starter that are examples: they are good as well.
func TestStarterOptions(t *testing.T) {
	t.Parallel()
	text := regexp.MustCompile(`(?m)^( *)#(\w| {2,}\S)`).ReplaceAllString(string(starter), "$1$2")
	for _, want := range []string{"\n    run_timeout: 10m", "\nmodels:\n  default:", "\n  assistant:\n    type: llm", "\n  upstream:", "\n        review: on"} {
		if strings.Count(text, want) != 1 {
			t.Fatalf("the starter has lost %q", want)
		}
	}
	var out, log bytes.Buffer
	env := environment(map[string]string{"OPENAI_API_KEY": "hush", "UPSTREAM_TOKEN": "hush"})
	if code := run(t.Context(), []string{"validate", "-config", writeFile(t, "g.yaml", text)}, env, &out, &log); code != exitOK ||
		!strings.Contains(out.String(), ": assistant, desk, order, support; not served: travel, upstream\n") {
		t.Errorf("validate = %d, %s%s", code, &out, &log)
	}
	// Without a key there is no model to speak through, and the error says which settings are missing.
	log.Reset()
	code := run(t.Context(), []string{"validate", "-config", writeFile(t, "g.yaml", text)}, environment(nil), &out, &log)
	if code != exitError || !strings.Contains(log.String(), "OPENAI_BASE_URL (-model-url), OPENAI_API_KEY (-model-key)") {
		t.Errorf("validate = %d, %s", code, &log)
	}
}

// TestValidate names every problem, for serve as for validate.
func TestValidate(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "team.yaml", "version: 1\nagents:\n  a: { type: llm }\n  b: { type: script, steps: [ { say: \"${WHO}\" } ] }\n")
	for _, args := range [][]string{{"validate", "-config", path}, {"-addr", "127.0.0.1:0", "-config", path}} {
		var out, log bytes.Buffer
		code := run(t.Context(), args, environment(nil), &out, &log)
		for _, want := range []string{path + ":3:6: there is no default model; set OPENAI_BASE_URL (-model-url)", path + ":4:38: ${WHO} is not set"} {
			if code != exitError || !strings.Contains(log.String(), want) {
				t.Errorf("run(%q) = %d, %q, want %d and %q", args, code, log.String(), exitError, want)
			}
		}
	}
	// What an -env-file says holds for the team file too.
	var out, log bytes.Buffer
	good := writeFile(t, "good.yaml", "version: 1\nagents: { b: { type: script, steps: [ { say: \"${WHO}\" } ] } }\n")
	args := []string{"validate", "-env-file", writeFile(t, "env", "WHO=you"), "-config", good}
	if code := run(t.Context(), args, environment(nil), &out, &log); code != exitOK {
		t.Errorf("run(%q) = %d, %s", args, code, &log)
	}
}

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	url, stop := startServer(t, "-addr", "0.0.0.0:0", "-auth", "none") // X1: in so many words
	port := url[strings.LastIndex(url, ":")+1:]
	addr := "127.0.0.1:" + port
	check := func(addr string, env map[string]string) (int, string) {
		var out, log bytes.Buffer
		args := []string{"healthcheck"}
		if addr != "" {
			args = append(args, "-addr", addr)
		}
		return run(t.Context(), args, environment(env), &out, &log), out.String() + log.String()
	}
	for _, a := range []string{addr, ":" + port, "0.0.0.0:" + port, "localhost:" + port} {
		if code, text := check(a, map[string]string{"GATEWAY_STORE": "not its business"}); code != exitOK || text != "ready\n" {
			t.Errorf("healthcheck -addr %s = %d, %q, want ready", a, code, text)
		}
	}
	if code, text := check("", map[string]string{"GATEWAY_ADDR": addr}); code != exitOK {
		t.Errorf("healthcheck = %d, %q, want ready", code, text)
	}
	if code, log := stop(); code != exitOK {
		t.Errorf("run() = %d, log:\n%s", code, log)
	}
	if code, text := check(addr, nil); code != exitError || !strings.HasPrefix(text, "gateway: not ready: ") {
		t.Errorf("healthcheck of nobody = %d, %q, want not ready", code, text)
	}
}

func TestProbed(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		":80": "127.0.0.1:80", "0.0.0.0:80": "127.0.0.1:80", "[::]:80": "[::1]:80", "192.0.2.1:80": "192.0.2.1:80", "[::1]:80": "[::1]:80", "host:80": "host:80",
	} {
		if got := probeAddress(addr); got != want {
			t.Errorf("probeAddress(%q) = %q, want %q", addr, got, want)
		}
	}
}

// TestBusyPort wants a port that is taken to be one line about -addr.
func TestBusyPort(t *testing.T) {
	t.Parallel()
	url, stop := startServer(t)
	var out, log bytes.Buffer
	code := run(t.Context(), []string{"-addr", strings.TrimPrefix(url, "http://")}, environment(nil), &out, &log)
	if code != exitError || !strings.HasPrefix(log.String(), "gateway: -addr (GATEWAY_ADDR): ") || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("run() = %d, %q, want one line about -addr", code, log.String())
	}
	if code, log := stop(); code != exitOK {
		t.Errorf("run() = %d, log:\n%s", code, log)
	}
}

// TestPrint wants a standard output that is gone to be an error.
func TestPrint(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	if err := r.CloseWithError(errors.New("gone")); err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), []string{"help"}, environment(nil), w, io.Discard); code != exitError {
		t.Errorf("help = %d, want %d", code, exitError)
	}
}
