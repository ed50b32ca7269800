//go:build unix

package main

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAProcessWhoseFileCannotGrow limits the size of files, as a full disk does. A run is refused or ends with
// store_unavailable, no reader hangs, and the process is not ready from then on, although small writes fit into the
// file.
func TestAProcessWhoseFileCannotGrow(t *testing.T) {
	t.Parallel()
	const blocks = "4096" // of 512 bytes
	p := &process{cmd: exec.CommandContext(t.Context(), "sh", "-c", `ulimit -f "$0" && exec "$@"`, blocks, builtGateway(t), "serve", "-addr", "127.0.0.1:0",
		"-voice-delay", "0", "-store-buffer", "1s", "-store", "file:"+filepath.Join(t.TempDir(), "threads.db"))}
	log, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.url, p.ended = findAddress(t, log, &p.log)
	if status, answer := get(t, http.MethodGet, p.url+"/readyz", ""); status != http.StatusOK {
		t.Fatalf("/readyz = %d %s before", status, answer)
	}
	// A write that is refused may be larger than what the probe writes afterwards. So runs begin until the probe is refused.
	full := false
	for n := 0; n < 40 && !full; n++ {
		body := fmt.Sprintf(`{"protocolVersion":"1.0","threadId":"t%d","runId":"r","messages":[{"id":"m","role":"user","content":"Plan my trip%s"}]}`, n, strings.Repeat(" please", 40<<10))
		get(t, http.MethodPost, p.url+"/agents/travel", body)
		status, answer := get(t, http.MethodGet, p.url+"/readyz", "")
		full = status == http.StatusServiceUnavailable && strings.Contains(answer, "store_unavailable")
	}
	if !full {
		t.Fatal("the gateway is ready after 40 runs")
	}
	for range 5 {
		if status, answer := get(t, http.MethodGet, p.url+"/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(answer, "store_unavailable") {
			t.Errorf("/readyz = %d %s", status, answer)
		}
		if status, _ := get(t, http.MethodGet, p.url+"/threads/t0?agent=travel", ""); status != http.StatusOK {
			t.Errorf("the first thread = %d", status)
		}
	}
	p.signal(t, syscall.SIGKILL)
	p.wantExit(t, -1)
}
