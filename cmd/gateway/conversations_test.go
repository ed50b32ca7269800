package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway/teamfile/teamtest"
)

// exampleTeams has the teams of the examples, each with its golden conversations.
const exampleTeams = "../../examples/teams"

// play runs `gateway test` without an environment.
func play(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"test"}, args...), func(string) (string, bool) { return "", false }, &out, &errs)
	return code, out.String(), errs.String()
}

// TestConversationsOfTheExamples plays what each example team is held to, and wants one from each.
func TestConversationsOfTheExamples(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := play(t, exampleTeams)
	if code != exitOK || stderr != "" || strings.Contains(stdout, "FAIL") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	teams, err := filepath.Glob(exampleTeams + "/*/team.yaml")
	if err != nil || len(teams) == 0 {
		t.Fatalf("%d teams, %v", len(teams), err)
	}
	for _, team := range teams {
		if dir := filepath.Base(filepath.Dir(team)); !strings.Contains(stdout, "/"+dir+"/") {
			t.Errorf("the example %s has no conversation", dir)
		}
	}
}

// expectedText is a text that an example expects somebody to say.
var expectedText = regexp.MustCompile(`(speaker: "[a-z_]+", text: )"[^"\n]*"`)

// TestConversationsOfTheExamplesCanFail expects other words of each example, one after the other.
func TestConversationsOfTheExamplesCanFail(t *testing.T) {
	t.Parallel()
	_, stdout, _ := play(t, exampleTeams, "-json")
	var results []teamtest.Result
	if err := json.Unmarshal([]byte(stdout), &results); err != nil || len(results) < 6 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for _, r := range results {
		t.Run(filepath.Base(filepath.Dir(r.File))+"/"+filepath.Base(r.File), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Dir(r.File))); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, filepath.Base(r.File))
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			changed := expectedText.ReplaceAllString(string(raw), `$1"Something else."`)
			if changed == string(raw) {
				t.Fatal("the conversation expects nobody to say anything")
			}
			if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := play(t, file)
			if code != exitError || !strings.Contains(stderr, "1 of 1 conversations come to something else") {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			place := regexp.MustCompile(regexp.QuoteMeta(file) + `:\d+:\d+: other things are said\n +- expected, \+ what came\n`)
			if !place.MatchString(stdout) || !strings.Contains(stdout, ": Something else.\n") || !strings.Contains(stdout, "      + ") {
				t.Errorf("people are told\n%s", stdout)
			}
		})
	}
}

func TestConversationsCommandLine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"without a path":     {nil, exitUsage, "write `gateway test PATH`"},
		"no such path":       {[]string{"/does/not/exist"}, exitError, "no such file"},
		"nothing to play":    {[]string{exampleTeams, "-run", "nothing"}, exitError, "there is no conversation"},
		"no expression":      {[]string{exampleTeams, "-run", "("}, exitError, "-run: no regular expression"},
		"a flag of serve's":  {[]string{exampleTeams, "-store", "memory"}, exitUsage, "-store"},
		"what -v shows":      {[]string{exampleTeams, "-run", "assistant", "-v"}, exitOK, "> user: What is the capital of Peru?"},
		"without -v":         {[]string{exampleTeams, "-run", "assistant"}, exitOK, "hello_test.yaml (2 runs)\n"},
		"a team for all":     {[]string{writeFile(t, "x_test.yaml", "conversation:\n  - user: Hi\n  - expect: { says: Hello }\n"), "-config", writeFile(t, "team.yaml", "version: 1\nagents: { a: { type: script, steps: [ { say: Hello } ] } }")}, exitOK, "(1 runs)"},
		"the built-in team":  {[]string{writeFile(t, "x_test.yaml", "conversation:\n  - user: Plan my trip\n  - expect: { speaker: supervisor, ends: asks }\n")}, exitOK, "(1 runs)"},
		"a mistake, by line": {[]string{writeFile(t, "x_test.yaml", "conversation:\n  - usr: Hi\n")}, exitError, "x_test.yaml:2:5: unknown key \"usr\""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := play(t, tt.args...)
			if code != tt.code || !strings.Contains(stdout+stderr, tt.want) {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, tt.code, tt.want, stdout, stderr)
			}
			if name == "without -v" && strings.Contains(stdout, "Peru") {
				t.Errorf("it shows what is said:\n%s", stdout)
			}
		})
	}
}
