package house

import (
	"os/exec"
	"regexp"
	"testing"
)

// TestMakeRunObeysTheEnvironment holds that `make run` names no setting: a flag wins over the environment, so that
// GATEWAY_ADDR=… make run would listen elsewhere. Where threads are kept it says by the one variable that all others
// override.
func TestMakeRunObeysTheEnvironment(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "make", "--dry-run", "--no-print-directory", "run")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("make --dry-run run: %v\n%s", err, out)
	}
	serve := regexp.MustCompile(`(?m)^.*bin/gateway serve.*$`).FindString(string(out))
	if want := "GATEWAY_STORE_DEFAULT=file:data/threads.db bin/gateway serve"; serve != want {
		t.Errorf("make run starts %q, want %q", serve, want)
	}
}
