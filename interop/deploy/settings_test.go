package deploy

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// settle asks the binary which settings it would start with, and wants it to take each variable of ours that is set. It
// returns the values by the names of their variables.
func settle(t *testing.T, env map[string]string, args ...string) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), gateway(t), append([]string{"config", "-json"}, args...)...)
	for variable, value := range env {
		cmd.Env = append(cmd.Env, variable+"="+value)
	}
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("the binary refuses the settings: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	type row struct {
		Variable, Value string
		Ignored         bool
	}
	var shown struct{ Settings, Variables []row }
	if err := json.Unmarshal(out, &shown); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	values := map[string]string{}
	for _, r := range append(shown.Settings, shown.Variables...) {
		values[r.Variable] = r.Value
		if r.Ignored {
			t.Errorf("%s changes nothing", r.Variable)
		}
	}
	for variable := range env {
		if _, ok := values[variable]; !ok && strings.HasPrefix(variable, "GATEWAY_") && variable != "GATEWAY_STORE_DEFAULT" {
			t.Errorf("%s is set, and the binary does not take it: %v", variable, values)
		}
	}
	return values
}

// TestPodsStartWithTheirSettings gives the binary the variables of each pod that the chart makes.
func TestPodsStartWithTheirSettings(t *testing.T) {
	t.Parallel()
	for _, values := range []string{"default", "redis", "file", "memory"} {
		t.Run(values, func(t *testing.T) {
			t.Parallel()
			env, secrets := environment(at(workload(render(t, values)), "spec", "template", "spec"))
			for variable := range secrets {
				env[variable] = "hush-hush"
				if variable == "GATEWAY_STORE" {
					env[variable] = "redis://:hush-hush@redis:6379"
				}
			}
			if values == "redis" { // a secret is not needed by itself
				env["GATEWAY_INTERRUPT_WEBHOOK"] = "https://hooks.example.org/questions"
			}
			got := settle(t, env)
			if strings.Contains(fmt.Sprint(got), "hush-hush") {
				t.Errorf("the settings show a secret: %v", got)
			}
		})
	}
}

// TestContainersStartWithTheirSettings gives the binary the variables of the gateways in compose.yaml, and those of its
// image.
func TestContainersStartWithTheirSettings(t *testing.T) {
	t.Parallel()
	env := map[string]string{"GATEWAY_ADDR": "0.0.0.0:8080"}
	for variable, value := range at(readCompose(t), "replica-a", "environment").(object) {
		env[variable] = fmt.Sprint(value)
	}
	secrets := filepath.Join(t.TempDir(), "gateway.env")
	if err := os.WriteFile(secrets, []byte("GATEWAY_STORE=redis://:hush-hush@redis:6379\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := settle(t, env, "-env-file", secrets)["GATEWAY_STORE"]; !strings.HasPrefix(got, "redis://") || strings.Contains(got, "hush-hush") {
		t.Errorf("the store is %q, want a Redis, and its password masked", got)
	}
}

// TestUnitStartsWithItsSettings gives the binary the example of the systemd unit's settings.
func TestUnitStartsWithItsSettings(t *testing.T) {
	t.Parallel()
	got := settle(t, nil, "-env-file", filepath.Join(root, "deploy", "systemd", "agui-gateway.env"))
	if want := "file:/var/lib/agui-gateway/threads.db"; got["GATEWAY_STORE"] != want {
		t.Errorf("the store is %q, want %q", got["GATEWAY_STORE"], want)
	}
	unit, err := os.ReadFile(filepath.Join(root, "deploy", "systemd", "agui-gateway.service"))
	if err != nil || !strings.Contains(string(unit), "\nStateDirectory=agui-gateway\n") || !strings.Contains(string(unit), "\nConfigurationDirectory=agui-gateway\n") {
		t.Errorf("the unit has no directory for these settings and threads: %v", err)
	}
}
