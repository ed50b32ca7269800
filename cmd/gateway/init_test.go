package main

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/examples/teams"
)

// initRun runs a command line with a key for models in the environment.
func initRun(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, environment(map[string]string{"OPENAI_API_KEY": "hush"}), &out, &errs)
	return code, out.String(), errs.String()
}

// TestInitWritesEachKind writes each kind into an empty directory. Its files are those of the example, its team file is
// good, and its conversations pass.
func TestInitWritesEachKind(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "team.yaml")
			code, stdout, stderr := initRun(t, "init", k.name, "-config", dir)
			if code != exitOK || stderr != "" {
				t.Fatalf("init = %d: %s", code, stderr)
			}
			for _, want := range []string{k.about, file, "gateway test " + dir, "gateway validate -config " + file, "gateway -config " + file} {
				if !strings.Contains(stdout, want) {
					t.Errorf("init does not print %q:\n%s", want, stdout)
				}
			}
			written, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, entry := range written {
				got, err := os.ReadFile(filepath.Join(dir, entry.Name()))
				if err != nil {
					t.Fatal(err)
				}
				want, err := os.ReadFile(filepath.Join(exampleTeams, k.folder, entry.Name()))
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s is not the example's (%v)", entry.Name(), err)
				}
			}
			if code, stdout, stderr := initRun(t, "validate", "-config", file); code != exitOK {
				t.Errorf("validate = %d: %s%s", code, stdout, stderr)
			}
			code, stdout, stderr = play(t, dir) // without a key
			if code != exitOK || strings.Count(stdout, "ok  ") != len(written)-1 {
				t.Errorf("test = %d with %d files: %s%s", code, len(written), stdout, stderr)
			}
		})
	}
}

// TestInitWithoutAPath writes into a directory with the name of the kind.
func TestInitWithoutAPath(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, stderr := initRun(t, "init", "research"); code != exitOK {
		t.Fatalf("init = %d: %s", code, stderr)
	}
	if code, stdout, stderr := play(t, "research"); code != exitOK {
		t.Errorf("test = %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := initRun(t, "init", "research"); code != exitError || !strings.Contains(stderr, "research/team.yaml is there already") {
		t.Errorf("a second init = %d: %s", code, stderr)
	}
}

// TestInitNamesTheTeamFile writes a team file with another name, which its conversations have as well.
func TestInitNamesTheTeamFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new", "my team.yaml")
	if code, _, stderr := initRun(t, "init", "panel", "-config", file); code != exitOK {
		t.Fatalf("init = %d: %s", code, stderr)
	}
	if code, stdout, stderr := play(t, filepath.Dir(file)); code != exitOK || strings.Count(stdout, "ok  ") != 2 {
		t.Errorf("test = %d: %s%s", code, stdout, stderr)
	}
}

// TestInitRefuses has the command lines of init that write nothing.
func TestInitRefuses(t *testing.T) {
	t.Parallel()
	taken := t.TempDir()
	if err := os.WriteFile(filepath.Join(taken, "verdict_test.yaml"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"an unknown kind":     {[]string{"pannel"}, exitUsage, `there is no kind "pannel"`},
		"one of its files":    {[]string{"panel", "-config", taken}, exitError, "verdict_test.yaml is there already"},
		"a file as directory": {[]string{"panel", "-config", filepath.Join(taken, "verdict_test.yaml", "x.yaml")}, exitError, "not a directory"},
		"two kinds":           {[]string{"panel", "-config", taken, "support"}, exitUsage, "support"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := initRun(t, append([]string{"init"}, tt.args...)...)
			if code != tt.code || stdout != "" || !strings.Contains(stderr, tt.want) {
				t.Errorf("init = %d, %q, %q, want %d with %q", code, stdout, stderr, tt.code, tt.want)
			}
			if tt.code == exitUsage && name == "an unknown kind" {
				for _, k := range kinds() {
					if !strings.Contains(stderr, "\n  "+k.name) {
						t.Errorf("init does not list %s:\n%s", k.name, stderr)
					}
				}
			}
		})
	}
	t.Cleanup(func() {
		if entries, err := os.ReadDir(taken); err != nil || len(entries) != 1 {
			t.Errorf("init wrote %v beside the file (%v)", entries, err)
		}
	})
}

// TestKindsAreTheEmbeddedTeams wants each embedded folder to be a kind, with a golden conversation, and each kind in
// the help of init.
func TestKindsAreTheEmbeddedTeams(t *testing.T) {
	t.Parallel()
	folders, err := teams.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	_, help, _ := initRun(t, "init", "-h")
	for _, k := range kinds() {
		if !strings.Contains(help, k.name) {
			t.Errorf("the help of init lacks %s:\n%s", k.name, help)
		}
		found, err := fs.Glob(teams.Files, path.Join(k.folder, "*_test.yaml"))
		if err != nil || len(found) == 0 {
			t.Errorf("%s has %d conversations (%v)", k.folder, len(found), err)
		}
		folders = slices.DeleteFunc(folders, func(d fs.DirEntry) bool { return d.Name() == k.folder })
	}
	if len(folders) > 0 {
		t.Errorf("these folders are no kind: %v", folders)
	}
}
