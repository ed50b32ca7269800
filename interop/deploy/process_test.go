package deploy

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binaries is where the gateway is built.
var binaries string

// gatewayBinary builds the gateway, once, for the tests that need it.
var gatewayBinary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaries, "gateway")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-tags", "grpcnotrace", "-o", path, "./cmd/gateway")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "agui-deploy-")
	if err != nil {
		panic(err)
	}
	binaries = dir
	code := m.Run()
	_ = os.RemoveAll(dir) // the system removes what this cannot
	os.Exit(code)
}

func gateway(t *testing.T) string {
	t.Helper()
	path, err := gatewayBinary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A process is a program that runs until the test ends, or until it is stopped.
type process struct {
	cmd   *exec.Cmd
	log   string        // path
	ended chan struct{} // closed when it has
}

// start runs a program with variables beside PATH and HOME. What it writes is shown if the test fails.
func start(t *testing.T, name string, env map[string]string, program string, args ...string) *process {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.CommandContext(context.Background(), program, args...), log: log.Name(), ended: make(chan struct{})}
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	for variable, value := range env {
		p.cmd.Env = append(p.cmd.Env, variable+"="+value)
	}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the exit code is asked for where it matters
		_ = log.Close()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it may have ended
		<-p.ended
		if t.Failed() {
			text, _ := os.ReadFile(p.log)
			t.Logf("%s:\n%s", name, text)
		}
	})
	return p
}

// logged waits until the log has a match of pattern, and returns the part of it that is in brackets.
func (p *process) logged(t *testing.T, pattern string) (found string) {
	t.Helper()
	expression := regexp.MustCompile(pattern)
	p.until(t, "the log has "+pattern, func() bool {
		text, err := os.ReadFile(p.log)
		if err != nil {
			t.Fatal(err)
		}
		match := expression.FindSubmatch(text)
		if match != nil {
			found = string(match[1])
		}
		return match != nil
	})
	return found
}

// end tells the process to end.
func (p *process) end(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// until polls yes, until the process has ended or the answer is true.
func (p *process) until(t *testing.T, what string, yes func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for !yes() {
		select {
		case <-p.ended:
			t.Fatalf("%s: the process has ended", what)
		case <-deadline:
			t.Fatalf("%s: not within a minute", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// request asks url, with a bearer's key and a body if there are any. The caller closes the answer's body.
func request(ctx context.Context, url, key, body string) (*http.Response, error) {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return client.Do(r)
}
