package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
)

// betweenCommits is a store that never makes the commit by which the owner of a run applies patches.
type betweenCommits struct{ state.Store }

func (s betweenCommits) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	if len(c.Patched) > 0 {
		fmt.Println("between the commits")
		select {}
	}
	return s.Store.Commit(ctx, l, c)
}

// fileWorld is a gateway with a team of two on the threads of a file.
func fileWorld(t *testing.T, file string, gate chan struct{}, wrap func(state.Store) state.Store) *world {
	t.Helper()
	store, err := filestore.Open(file, filestore.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	closeLast(t, store)
	return newWorld(t, func(o *gateway.Options) {
		o.Store, o.Shared, o.Now, o.NewID = wrap(store), true, nil, nil
		o.Agents["counters"] = counters(gate)
	})
}

// The owner of a live run commits a turn, and then the patches that wait for its end. A process that is killed between
// the two has answered 202, so the patch must not be lost, and it must not be applied twice either.
func TestAStatePatchOutlivesAKillBetweenTheTwoCommits(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{}, 2)
	if file := os.Getenv("GATEWAY_TEST_KILL"); file != "" {
		w := fileWorld(t, file, gate, func(s state.Store) state.Store { return betweenCommits{s} })
		fmt.Println("serving", w.url)
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			gate <- struct{}{}
		}
		select {}
	}
	file := filepath.Join(t.TempDir(), "threads.db")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	killed := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$")
	killed.Env = append(os.Environ(), "GATEWAY_TEST_KILL="+file)
	out, err := killed.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := killed.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	said := func(what string) string {
		for lines.Scan() {
			if _, rest, ok := strings.Cut(lines.Text(), what); ok {
				return strings.TrimSpace(rest)
			}
		}
		t.Fatalf("the process never said %q: %v", what, lines.Err())
		return ""
	}
	w := &world{t: t, url: said("serving"), client: &http.Client{}, patience: patience}
	r := w.open(http.MethodPost, "/agents/counters", input("t", "r1", []string{"u1:Hi"}))
	r.until(agui.TypeCustom)
	const body = `[{"op":"add","path":"/paid","value":true}]`
	status, _, first := w.patchState("t", jsonPatch, body, "Idempotency-Key", `"payment 1"`, "Prefer", "wait=0")
	if status != http.StatusAccepted {
		t.Fatalf("PATCH = %d %s", status, first)
	}
	if _, err := fmt.Fprintln(in, "go on"); err != nil {
		t.Fatal(err)
	}
	said("between the commits")
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed
	w.client.CloseIdleConnections()

	gate <- struct{}{}
	next := fileWorld(t, file, gate, func(s state.Store) state.Store { return s })
	next.idle("t") // the second turn had begun with the first commit, and the patch is applied behind it
	if raw, _ := next.state("t"); raw != `{"paid":true,"turns":1}` {
		t.Errorf("state = %s", raw)
	}
	status, _, again := next.patchState("t", jsonPatch, body, "Idempotency-Key", `"payment 1"`)
	if status != http.StatusOK || patchID(t, again) != patchID(t, first) {
		t.Errorf("PATCH again = %d %s, first %s", status, again, first)
	}
	log := next.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", r.cursorID())
	log.goOnFrom(r)
	log.rest()
	told := 0
	for _, e := range log.events {
		if delta, ok := e.(*agui.StateDelta); ok && strings.Contains(fmt.Sprint(delta.Delta), "/paid") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("readers were told of the patch %d times", told)
	}
}
