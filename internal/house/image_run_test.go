package house

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inImage runs a program with an image's files as the root of its file system, where it can only read, as a user
// without rights, with one directory to write to, if there is one. User namespaces make that possible without Docker,
// and without being root.
const inImage = `
mount --bind "$IMAGE" "$IMAGE"
[ -z "$VOLUME" ] || mount --bind "$VOLUME" "$IMAGE/data"
mount -o remount,bind,ro,nosuid,nodev "$IMAGE"
! touch "$IMAGE/gateway" 2>/dev/null
exec unshare --user --map-user=65532 --map-group=65532 --root="$IMAGE" "$@"`

// containerCommand is inImage of a command line.
func containerCommand(ctx context.Context, image, volume string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "unshare", append([]string{"--user", "--map-root-user", "--mount", "sh", "-euc", inImage, "sh"}, args...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "IMAGE=" + image, "VOLUME=" + volume}, env...)
	return cmd
}

// runImage serves from the files of an image, plans a trip there and asks how it is, as its HEALTHCHECK does.
func runImage(t *testing.T, image string) {
	t.Helper()
	for _, tt := range []struct{ name, volume, store string }{
		{"threads in the volume", t.TempDir(), "file:/data/threads.db"},
		{"nothing to write to", "", "memory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := containerCommand(t.Context(), image, tt.volume, []string{"GATEWAY_ADDR=127.0.0.1:0", "GATEWAY_STORE_DEFAULT=" + tt.store, "GATEWAY_VOICE_DELAY=0"}, "/gateway", "serve")
			log, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := json.NewDecoder(log)
			addr := ""
			for addr == "" {
				var line struct{ Msg, Addr string }
				if err := lines.Decode(&line); err != nil {
					rest, _ := io.ReadAll(lines.Buffered())
					t.Fatalf("the gateway did not start: %v %s", err, rest)
				}
				addr = line.Addr
			}
			go func() { _, _ = io.Copy(io.Discard, log) }() // until the process ends
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if err != nil || !strings.Contains(string(status), "CapEff:\t0000000000000000\n") {
				t.Errorf("the gateway has capabilities: %v\n%s", err, status)
			}
			if body := ask(t, addr+"/", ""); !strings.Contains(body, "<script") {
				t.Errorf("/ is not the page: %.200s", body)
			}
			run := ask(t, addr+"/agents/travel", `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"Plan my trip"}]}`)
			if !strings.Contains(run, `"RUN_FINISHED"`) {
				t.Errorf("a run ended with %s", run[max(0, len(run)-300):])
			}
			env := []string{"GATEWAY_ADDR=" + strings.TrimPrefix(addr, "http://")}
			if out, err := containerCommand(t.Context(), image, tt.volume, env, "/gateway", "healthcheck").CombinedOutput(); err != nil || string(out) != "ready\n" {
				t.Errorf("healthcheck in the image = %q, %v", out, err)
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the gateway in the image ended with %v", err)
			}
			if files, _ := filepath.Glob(filepath.Join(tt.volume, "*")); tt.volume != "" && len(files) == 0 {
				t.Error("nothing was written to the volume")
			}
		})
	}
}

// ask is GET, or POST if there is a body. It returns the answer.
func ask(t *testing.T, url, body string) string {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return answer.String()
}
