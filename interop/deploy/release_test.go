package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReleaseRefuses runs the scripts of a release in a checkout with changes, for versions that cannot be. The stages
// deploy, release and docs of CI look at the files that they make.
func TestReleaseRefuses(t *testing.T) {
	t.Parallel()
	checkout := t.TempDir()
	dir := filepath.Join("deploy", "release")
	if err := os.MkdirAll(filepath.Join(checkout, dir), 0o700); err != nil {
		t.Fatal(err)
	}
	scripts := []string{filepath.Join(dir, "release.sh"), filepath.Join(dir, "module.sh")}
	for _, script := range scripts {
		text, err := os.ReadFile(filepath.Join(root, script))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(checkout, script), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "one"},
	} {
		if out, err := output(t, "git", append([]string{"-C", checkout}, args...)...); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(checkout, "change"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{"v1.2.3": "not committed", "v1 2": "VERSION is", "../x": "VERSION is"} {
		for _, script := range scripts {
			cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(checkout, script))
			cmd.Env = append(os.Environ(), "VERSION="+version)
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
				t.Errorf("%s of %s: %v, %s, want %q", script, version, err, out, want)
			}
		}
	}
}
