package main

import (
	"os"
	"strings"
	"testing"
)

// block returns the text between fences below a mark in docs/get-started.md.
func block(t *testing.T, mark, language string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/get-started.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(page), "<!-- tested: "+mark+" -->\n```"+language+"\n")
	text, _, closed := strings.Cut(text, "```")
	if !found || !closed {
		t.Fatalf("docs/get-started.md has no block %q", mark)
	}
	return text
}

// draw runs the command.
func draw(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(t.Context(), append([]string{"graph"}, args...), environment(env), &out, &errs)
	return code, out.String(), errs.String()
}

func TestTheGraphOfTheDocs(t *testing.T) {
	t.Parallel()
	file := writeFile(t, "team.yaml", block(t, "team", "yaml"))
	env := map[string]string{"OPENAI_API_KEY": "key"}
	code, stdout, stderr := draw(t, env, "-config", file, "-agent", "desk")
	if want := block(t, "graph", "mermaid"); code != exitOK || stdout != want {
		t.Errorf("exit %d, %s\n got %s\nwant %s", code, stderr, stdout, want)
	}
}

func TestGraph(t *testing.T) {
	t.Parallel()
	two := writeFile(t, "team.yaml", "version: 1\nagents:\n  b: { type: script, steps: [ { say: Hi. } ] }\n  a: { type: script, steps: [ { say: Hi. } ] }\n")
	bad := writeFile(t, "bad.yaml", "version: 1\nagents:\n  a: { type: nothing }\n")
	for name, test := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"the built-in team":            {nil, exitOK, []string{`"travel"`, "flights_agent"}},
		"all agents, in their order":   {[]string{"-config", two}, exitOK, []string{`a1("a<br/>script")`, `a2("b<br/>script")`}},
		"one agent":                    {[]string{"-config", two, "-agent", "b"}, exitOK, []string{`a1("b<br/>script")`}},
		"an agent that is not there":   {[]string{"-config", two, "-agent", "c"}, exitError, []string{`there is no agent "c"; there are a, b`}},
		"a file with mistakes":         {[]string{"-config", bad}, exitError, []string{"bad.yaml:3:"}},
		"a setting of the server only": {[]string{"-addr", "127.0.0.1:0"}, exitUsage, []string{"-addr"}},
	} {
		code, stdout, stderr := draw(t, nil, test.args...)
		if code != test.code {
			t.Errorf("%s: exit %d, want %d: %s", name, code, test.code, stderr)
		}
		for _, want := range test.want {
			if !strings.Contains(stdout+stderr, want) {
				t.Errorf("%s: no %s in %s%s", name, want, stdout, stderr)
			}
		}
	}
}
