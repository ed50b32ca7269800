package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// adminAt is what the log says of the address for operators.
var adminAt = regexp.MustCompile(`admin: metrics and health.*\b(http://[^"\s]+)`)

// startAdminProcess starts the binary with an address for operators, and variables. It returns the URL of that too.
func startAdminProcess(t *testing.T, binary string, env []string, args ...string) (p *process, admin string) {
	t.Helper()
	p = &process{cmd: exec.CommandContext(t.Context(), binary, append([]string{"serve", "-addr", "127.0.0.1:0", "-voice-delay", "0"}, args...)...)}
	p.cmd.Env = append(p.cmd.Environ(), env...)
	pipe, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	log := bufio.NewReader(pipe)
	for admin == "" {
		line, err := log.ReadString('\n')
		p.log.WriteString(line)
		if err != nil {
			t.Fatalf("no address for operators (%v):\n%s", err, &p.log)
		}
		if m := adminAt.FindStringSubmatch(line); m != nil {
			admin = m[1]
		}
	}
	p.url, p.ended = findAddress(t, log, &p.log)
	return p, admin
}

// ask sends a GET with headers, of which Host is one, and returns the status, the type and the body of the answer.
func ask(t *testing.T, url string, headers ...string) (status int, kind, body string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if request.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			request.Host = headers[i+1]
		}
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Content-Type"), string(data)
}

// TestAdminAddress is about the address for operators: its content and its callers, that it is off by default, and that
// none of it is on the gateway's address.
func TestAdminAddress(t *testing.T) {
	t.Parallel()
	binary := builtGateway(t)
	t.Run("off", func(t *testing.T) {
		t.Parallel()
		p := startProcess(t, binary)
		p.hasNothingForOperators(t)
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, exitOK)
		if strings.Contains(p.log.String(), "admin") {
			t.Errorf("the log speaks of an address that there is not:\n%s", &p.log)
		}
	})
	t.Run("on", func(t *testing.T) {
		t.Parallel()
		p, admin := startAdminProcess(t, binary, nil, "-admin-addr", "127.0.0.1:0", "-drain", "1h", "-config", writeFile(t, "team.yaml", slowTeam))
		p.hasNothingForOperators(t)
		if status, body := get(t, http.MethodPost, p.url+"/agents/short", input("first")); status != http.StatusOK {
			t.Fatalf("a run = %d, %s", status, body)
		}
		wantScrape(t, admin)
		for path, want := range map[string]int{
			"/healthz": 200, "/readyz": 200, "/debug/pprof/": 200, "/debug/pprof/heap": 200, "/debug/pprof/profile?seconds=1": 200,
			"/debug/pprof/cmdline": 404, "/": 404, "/agents": 404, "/threads": 404,
		} {
			if status, _, body := ask(t, admin+path); status != want {
				t.Errorf("GET %s = %d, %s, want %d", path, status, body, want)
			}
		}
		if status, _ := get(t, http.MethodPost, admin+"/metrics", ""); status != http.StatusMethodNotAllowed {
			t.Errorf("POST /metrics = %d", status)
		}
		for _, path := range []string{"/metrics", "/debug/pprof/heap"} {
			for want, headers := range map[int][]string{
				http.StatusMisdirectedRequest: {"Host", "evil.example"}, // a name that was made to point here
				http.StatusForbidden:          {"Origin", "http://evil.example"},
				http.StatusOK:                 {"Host", "localhost:1", "Sec-Fetch-Site", "none"},
			} {
				if status, _, body := ask(t, admin+path, headers...); status != want {
					t.Errorf("GET %s with %q = %d, %s, want %d", path, headers, status, body, want)
				}
			}
			if status, _, _ := ask(t, admin+path, "Sec-Fetch-Site", "cross-site"); status != http.StatusForbidden {
				t.Errorf("GET %s for a page = %d", path, status)
			}
		}
		p.drainsWhileOperatorsLookOn(t, admin)
	})
	t.Run("where others reach it", func(t *testing.T) {
		t.Parallel()
		p, admin := startAdminProcess(t, binary, nil, "-admin-addr", "0.0.0.0:0", "-admin-auth", "none", "-hosts", "gateway.example")
		_, port, err := net.SplitHostPort(strings.TrimPrefix(admin, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		admin = "http://127.0.0.1:" + port
		wantScrape(t, admin)
		for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/profile"} {
			if status, _, _ := ask(t, admin+path); status != http.StatusNotFound {
				t.Errorf("GET %s = %d, and others can ask for it", path, status)
			}
		}
		if status, _, body := ask(t, admin+"/metrics", "Host", "gateway.example:9464"); status != http.StatusOK {
			t.Errorf("a scrape by a name of -hosts = %d, %s", status, body)
		}
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, exitOK)
	})
	t.Run("mistakes", func(t *testing.T) {
		t.Parallel()
		var listening net.ListenConfig
		taken, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
		for want, args := range map[string][]string{
			"-admin-addr (GATEWAY_ADMIN_ADDR): listen tcp":            {"-admin-addr", taken.Addr().String()},
			"-admin-addr (GATEWAY_ADMIN_ADDR): others can reach":      {"-admin-addr", ":0"},
			"or write -admin-auth none (GATEWAY_ADMIN_AUTH=none) out": {"-admin-addr", "192.0.2.1:0", "-auth", "none"},
			"-admin-addr (GATEWAY_ADMIN_ADDR): not an address":        {"-admin-addr", "9464"},
			"-admin-auth (GATEWAY_ADMIN_AUTH): there is no":           {"-admin-auth", "none"},
		} {
			var out, log bytes.Buffer
			code := run(context.Background(), append([]string{"-addr", "127.0.0.1:0", "-log-level", "error"}, args...), environment(nil), &out, &log)
			if code != exitError || !strings.Contains(log.String(), want) || strings.Count(log.String(), "\n") != 1 {
				t.Errorf("run(%q) = %d, %q, want %q", args, code, log.String(), want)
			}
		}
	})
}

// hasNothingForOperators asks the gateway's own address.
func (p *process) hasNothingForOperators(t *testing.T) {
	t.Helper()
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/profile"} {
		if status, _, body := ask(t, p.url+path); status != http.StatusNotFound {
			t.Errorf("GET %s on the gateway's address = %d, %s", path, status, body)
		}
	}
}

// wantScrape reads the metrics in both formats, and has promtool judge them.
func wantScrape(t *testing.T, admin string) {
	t.Helper()
	status, kind, text := ask(t, admin+"/metrics")
	if status != http.StatusOK || !strings.HasPrefix(kind, "text/plain") {
		t.Fatalf("GET /metrics = %d, %s", status, kind)
	}
	for _, want := range []string{"gateway_build_info{", "go_goroutines ", "process_start_time_seconds "} {
		if !strings.Contains(text, want) {
			t.Errorf("/metrics has no %s", want)
		}
	}
	promtool := exec.CommandContext(t.Context(), "promtool", "check", "metrics")
	promtool.Stdin = strings.NewReader(text)
	if out, err := promtool.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
	status, kind, text = ask(t, admin+"/metrics", "Accept", "application/openmetrics-text; version=1.0.0")
	if status != http.StatusOK || !strings.HasPrefix(kind, "application/openmetrics-text") || !strings.HasSuffix(text, "# EOF\n") {
		t.Errorf("GET /metrics as OpenMetrics = %d, %s", status, kind)
	}
}

// drainsWhileOperatorsLookOn ends the process during a run: metrics can be read until it has ended, and /readyz is red.
func (p *process) drainsWhileOperatorsLookOn(t *testing.T, admin string) {
	t.Helper()
	events := p.post(t, "long")
	p.signal(t, syscall.SIGTERM)
	for status := 0; status != http.StatusServiceUnavailable; { // the signal takes its time
		status, _, _ = ask(t, admin+"/readyz")
	}
	for path, want := range map[string]int{"/metrics": 200, "/healthz": 200} {
		if status, _, body := ask(t, admin+path); status != want {
			t.Errorf("while it drains, GET %s = %d, %s", path, status, body)
		}
	}
	if status, body := get(t, http.MethodPost, p.url+"/threads/t/stop?agent=long", ""); status != http.StatusOK && status != http.StatusAccepted {
		t.Errorf("stop = %d, %s", status, body)
	}
	events()
	p.wantExit(t, exitOK)
	if text := fmt.Sprint(&p.log); strings.Contains(text, "panic") {
		t.Errorf("the log:\n%s", text)
	}
}
