package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slowTeam says something, waits, and says something again.
const slowTeam = `version: 1
agents:
  short: { type: script, steps: [ { say: one }, { sleep: 400ms }, { say: two } ] }
  long: { type: script, steps: [ { say: one }, { sleep: 1h }, { say: two } ] }
`

// TestProcess is about what only a process has: a binary, signals and an exit code.
func TestProcess(t *testing.T) {
	t.Parallel()
	binary := builtGateway(t)
	team := writeFile(t, "team.yaml", slowTeam)

	t.Run("version of a release", func(t *testing.T) {
		t.Parallel()
		releaseVersion(t, binary)
	})
	t.Run("usage", func(t *testing.T) {
		t.Parallel()
		err := exec.CommandContext(t.Context(), binary, "dance").Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitUsage {
			t.Errorf("gateway dance: %v, want exit code %d", err, exitUsage)
		}
	})
	t.Run("SIGHUP reads the team file again", func(t *testing.T) {
		t.Parallel()
		hangUp(t, binary)
	})
	t.Run("SIGTERM lets runs end", func(t *testing.T) {
		t.Parallel()
		p := startProcess(t, binary, "-config", team)
		events := p.post(t, "short")
		p.signal(t, syscall.SIGTERM)
		if last := events(); !strings.Contains(last, `"RUN_FINISHED"`) {
			t.Errorf("the run ended with %s, want RUN_FINISHED", last)
		}
		p.wantExit(t, 0)
		if strings.Contains(p.log.String(), "travel") {
			t.Errorf("the log speaks of a demo that is not there:\n%s", &p.log)
		}
	})
	t.Run("SIGTERM cuts runs short after -drain", func(t *testing.T) {
		t.Parallel()
		p := startProcess(t, binary, "-config", team, "-drain", "50ms")
		events := p.post(t, "long")
		p.signal(t, syscall.SIGTERM)
		if last := events(); !strings.Contains(last, `"RUN_ERROR"`) || !strings.Contains(last, `"draining"`) {
			t.Errorf("the run ended with %s, want RUN_ERROR draining", last)
		}
		p.wantExit(t, 0)
	})
	t.Run("SIGTERM has balancers turn away first", func(t *testing.T) {
		t.Parallel()
		leaveProcess(t, binary, team)
	})
	t.Run("draining takes no new runs", func(t *testing.T) {
		t.Parallel()
		p := startProcess(t, binary, "-config", team, "-drain", "1h")
		events := p.post(t, "long")
		p.signal(t, syscall.SIGTERM)
		eventually(t, "the server drains", func() bool {
			status, _ := get(t, http.MethodGet, p.url+"/readyz", "")
			return status == http.StatusServiceUnavailable
		})
		if status, body := get(t, http.MethodPost, p.url+"/agents/short", input("other")); status != http.StatusServiceUnavailable ||
			!strings.Contains(body, `"draining"`) {
			t.Errorf("a new run while draining = %d, %s, want 503 draining", status, body)
		}
		// The next signal ends at once, however long the drain may last.
		p.cut(t)
		events()
		p.wantExit(t, -1)
	})
}

// A process is the binary, serving.
type process struct {
	cmd   *exec.Cmd
	url   string
	log   bytes.Buffer    // to be read when ended is closed
	ended <-chan struct{} // its log has an end
}

func startProcess(t *testing.T, binary string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.CommandContext(t.Context(), binary, append([]string{"serve", "-addr", "127.0.0.1:0", "-voice-delay", "0"}, args...)...)}
	log, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	p.url, p.ended = findAddress(t, log, &p.log)
	return p
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// cut sends signals until the process has ended. A signal is lost if it arrives before the process listens again.
func (p *process) cut(t *testing.T) {
	t.Helper()
	eventually(t, "the process ends", func() bool {
		_ = p.cmd.Process.Signal(syscall.SIGINT) // it may have ended
		select {
		case <-p.ended:
			return true
		default:
			return false
		}
	})
}

// wantExit waits for the process. A code of -1 is a signal's.
func (p *process) wantExit(t *testing.T, code int) {
	t.Helper()
	receive(t, "the process ends", p.ended)
	err := p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("the process ended with %d (%v), want %d; its log:\n%s", got, err, code, &p.log)
	}
}

// post starts a run and returns when its first message is there. The function it returns reads on, and returns the
// run's last event.
func (p *process) post(t *testing.T, agent string) (last func() string) {
	t.Helper()
	return p.postAs(t, "", agent)
}

// postAs is post with a bearer's credential.
func (p *process) postAs(t *testing.T, credential, agent string) (last func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/agents/"+agent, strings.NewReader(input("t")))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if credential != "" {
		request.Header.Set("Authorization", "Bearer "+credential)
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() }) // it was read to its end
	events := bufio.NewScanner(response.Body)
	event := ""
	next := func() bool {
		for events.Scan() {
			if data, ok := strings.CutPrefix(events.Text(), "data: "); ok {
				event = data
				return true
			}
		}
		return false
	}
	for next() && !strings.Contains(event, `"TEXT_MESSAGE_END"`) {
		continue
	}
	return func() string {
		for next() {
			continue
		}
		return event
	}
}
