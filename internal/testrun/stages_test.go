package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStages runs .ci/run with other stages.
func TestStages(t *testing.T) {
	const flaky = "for i in $(seq %); do echo pkg.Test$i >>$CI_RESULTS/flaky; done"
	tests := []struct {
		name   string
		stages map[string]string // name and script
		code   int
		want   string // all lines behind the summary's total
		ran    string // a file that a stage makes
	}{
		{name: "green", stages: map[string]string{"install": "true", "checks": "true"}},
		{name: "after install nothing runs", stages: map[string]string{"install": "echo no network; exit 3", "checks": "touch ran"},
			code: 1, want: "FAILED: install\ninstall: no network\n"},
		{name: "after a failure the rest runs", stages: map[string]string{"checks": "echo '--- FAIL: TestX'; exit 1", "bench": "touch ran"},
			code: 1, want: "FAILED: checks\nchecks: --- FAIL: TestX\n", ran: "ran"},
		{name: "a stage that hangs", stages: map[string]string{"bench": "echo starting; exec sleep 3600"}, code: 1,
			want: "FAILED: bench\nbench: starting\n"},
		{name: "two flaky tests", stages: map[string]string{"checks": strings.ReplaceAll(flaky, "%", "2")},
			want: "FLAKY: pkg.Test1\nFLAKY: pkg.Test2\n"},
		{name: "three flaky tests", stages: map[string]string{"checks": strings.ReplaceAll(flaky, "%", "3")}, code: 1,
			want: "FLAKY: pkg.Test1\nFLAKY: pkg.Test2\nFLAKY: pkg.Test3\n"},
		{name: "a failed test has its first lines", stages: map[string]string{"checks": `printf 'pkg.TestX\n    x_test.go:1: bad\n' >$CI_RESULTS/failed; exit 1`},
			code: 1, want: "FAILED: checks\nchecks: pkg.TestX\n    x_test.go:1: bad\n"},
		{name: "many failures", stages: map[string]string{"checks": `for i in $(seq 100); do printf 'pkg.Test%d\n    x_test.go:1: bad\n' $i; done >$CI_RESULTS/failed; exit 1`},
			code: 1, want: "FAILED: checks\n" + numbered("checks: pkg.Test", 54) + "... and 46 more, see above\n"},
		{name: "unknown", stages: map[string]string{"nothing": "true"}, code: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := checkout(t, tt.stages)
			args := []string{filepath.Join(dir, ".ci", "run")}
			for _, name := range []string{"install", "checks", "bench", "nothing"} {
				if tt.stages[name] != "" {
					args = append(args, name)
				}
			}
			command := exec.CommandContext(t.Context(), "bash", args...)
			command.Env = append(os.Environ(), "BENCH_LIMIT=1")
			var errOut strings.Builder
			command.Stderr = &errOut
			out, err := command.Output()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if code := command.ProcessState.ExitCode(); code != tt.code {
				t.Errorf("exit code %d, want %d; output:\n%s%s", code, tt.code, out, errOut.String())
			}
			_, total, _ := strings.Cut(string(out), "\ntotal ")
			_, rest, _ := strings.Cut(total, "\n")
			if rest != tt.want {
				t.Errorf("the summary ends with\n%s, want\n%s", rest, tt.want)
			}
			if strings.Count(rest, "\n") > 60 {
				t.Errorf("%d lines behind the summary, want at most 60", strings.Count(rest, "\n"))
			}
			if _, err := os.Stat(filepath.Join(dir, "ran")); (err == nil) != (tt.ran != "") {
				t.Errorf("the last stage ran: %t, want %t", err == nil, tt.ran != "")
			}
		})
	}
}

// TestNightlyKeepsVerdicts runs two stages by the set nightly, of which the second one fails.
func TestNightlyKeepsVerdicts(t *testing.T) {
	stages := map[string]string{}
	for _, name := range strings.Fields("install tools added race fuzz neighbours browser-all release chart docs bench-all simulate faults-long chaos-long soak-long") {
		stages[name] = "true"
	}
	stages["fuzz"] = "exit 1"
	dir := checkout(t, stages)
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "--allow-empty", "-m", "x"}} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git: %v %s", err, out)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "bash", filepath.Join(dir, ".ci", "run"), "nightly").CombinedOutput(); err == nil {
		t.Errorf("no failure:\n%s", out)
	}
	head, err := exec.CommandContext(t.Context(), "git", "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	for file, verdict := range map[string]string{"race": "ok", "race.passed": "ok", "fuzz": "FAILED: exit code 1", "soak-long": "ok"} {
		data, err := os.ReadFile(filepath.Join(dir, "test-results", "nightly", file))
		if err != nil {
			t.Error(err)
		} else if want := "commit: " + string(head); !strings.HasPrefix(string(data), want) || !strings.Contains(string(data), "\nverdict: "+verdict+"\n") {
			t.Errorf("%s has\n%s, want %s and the verdict %s", file, data, want, verdict)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "test-results", "nightly", "fuzz.passed")); !os.IsNotExist(err) {
		t.Errorf("fuzz.passed: %v, want no file", err)
	}
}

// checkout makes a folder with .ci/run, this program's source and stages.
func checkout(t *testing.T, stages map[string]string) string {
	t.Helper()
	sources, err := filepath.Glob("*.*")
	if err != nil {
		t.Fatal(err)
	}
	from := map[string]string{".ci/run": "../../.ci/run", ".ci/env.sh": "../../.ci/env.sh"}
	for _, name := range sources {
		if !strings.HasSuffix(name, "_test.go") {
			from["internal/testrun/"+name] = name
		}
	}
	files := map[string]string{"go.mod": "module test\n\ngo 1.26\n"}
	for name, path := range from {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	for name, script := range stages {
		files[".ci/stages/"+name+".sh"] = script + "\n"
	}
	return writeFiles(t, files)
}

// numbered returns n lines that begin with prefix and end with their number.
func numbered(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d\n", prefix, i+1)
	}
	return b.String()
}
