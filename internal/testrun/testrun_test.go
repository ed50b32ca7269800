package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write writes files into a new folder and changes to it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := writeFiles(t, files)
	t.Chdir(dir)
	return dir
}

// writeFiles writes files into a new folder.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A verdict is what a call of testrun comes to.
type verdict struct {
	code          int
	err           string
	flaky, failed string // files of the ledger
}

func judge(t *testing.T, l ledger, args ...string) verdict {
	t.Helper()
	var out strings.Builder
	code, err := run(t.Context(), args, l, log.New(&out, "", 0))
	v := verdict{code: code}
	if err != nil {
		v.err = err.Error()
	}
	for file, text := range map[string]*string{"flaky": &v.flaky, "failed": &v.failed} {
		data, err := os.ReadFile(filepath.Join(l.dir, file))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		*text = string(data)
	}
	t.Logf("%s", out.String())
	return v
}

// check compares a verdict with the exit code and with words of the ledger's files. No words mean an empty file.
func check(t *testing.T, v verdict, code int, flaky, failed string) {
	t.Helper()
	same := func(text, words string) bool {
		return text == "" && words == "" || words != "" && strings.Contains(text, words)
	}
	if v.code != code || v.err != "" || !same(v.flaky, flaky) || !same(v.failed, failed) {
		t.Errorf("got %+v, want code %d, flaky %q, failed %q", v, code, flaky, failed)
	}
}

const goHead = "package p\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Args\n\n"

// goFlaky is a test that fails if the file of its name is missing, and makes it.
func goFlaky(name string) string {
	return fmt.Sprintf("func %[1]s(t *testing.T) {\n\tif _, err := os.Stat(%[1]q); err != nil {\n\t\tos.WriteFile(%[1]q, nil, 0o600)\n\t\tt.Fatal(\"not yet\")\n\t}\n}\n", name)
}

// TestGoFailures has a package for each way to fail. None has a second run: some failures allow none, and together they
// are too many.
func TestGoFailures(t *testing.T) {
	files := map[string]string{"go.mod": "module p\n"}
	want := map[string]string{}
	for name, tt := range map[string]struct{ source, failed string }{
		"green":     {"func TestA(t *testing.T) {}\n", ""},
		"failure":   {"func TestA(t *testing.T) { t.Error(\"one is not two\") }\n", ".TestA\n    a_test.go:10: one is not two\n"},
		"subtest":   {"func TestA(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Error(\"no\") }) }\n", ".TestA\n"},
		"panics":    {"func TestA(t *testing.T) { panic(1) }\n", ".TestA (panic)\n"},
		"goroutine": {"func TestA(t *testing.T) { go func() { panic(1) }(); select {} }\n", ".TestA (panic)\n"},
		"hangs":     {"func TestA(t *testing.T) { select {} }\n", ".TestA (timeout)\n"},
		"exits":     {"func TestA(t *testing.T) { os.Exit(3) }\n", ".TestA (crash)\n"},
		"skips":     {"func TestA(t *testing.T) { t.Skip(\"not today\") }\n", ".TestA (skipped)\n"},
		"unbuilt":   {"func TestA(t *testing.T) { undefined() }\n", " (does not build)\n"},
	} {
		files[name+"/a_test.go"] = goHead + tt.source
		if want[name] = ""; tt.failed != "" {
			want[name] = "p/" + name + tt.failed
		}
	}
	write(t, files)
	v := judge(t, ledger{t.TempDir()}, "go", "-count=1", "-timeout", "3s", "./...")
	if v.code != 1 || v.err != "" || v.flaky != "" {
		t.Errorf("got %+v, want failures alone", v)
	}
	for name, failed := range want {
		if failed == "" && strings.Contains(v.failed, name) || !strings.Contains(v.failed, failed) {
			t.Errorf("%s: got %s, want %q in it", name, v.failed, failed)
		}
	}
}

// TestGoFinal has one failure that a second run would hide.
func TestGoFinal(t *testing.T) {
	write(t, map[string]string{"go.mod": "module p\n", "a_test.go": goHead + "func TestA(t *testing.T) {" + goPanics + "}\n"})
	check(t, judge(t, ledger{t.TempDir()}, "go", "-count=1", "./..."), 1, "", "p.TestA (panic)\n")
}

// goPanics panics once: a second run would pass.
const goPanics = `if _, err := os.Stat("seen"); err != nil { os.WriteFile("seen", nil, 0o600); panic("seen") }`

// TestGoRace has a race, which has no second run.
func TestGoRace(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1")
	write(t, map[string]string{"go.mod": "module p\n", "a_test.go": goHead +
		"func TestA(t *testing.T) { n := 0; done := make(chan bool); go func() { n++; close(done) }(); n++; <-done }\n"})
	check(t, judge(t, ledger{t.TempDir()}, "go", "-race", "-count=1", "./..."), 1, "", "p.TestA (race)\n")
}

// TestThreeFlakyTests are too many for a second run.
func TestThreeFlakyTests(t *testing.T) {
	write(t, map[string]string{"go.mod": "module p\n", "a_test.go": goHead + goFlaky("TestA") + goFlaky("TestB") + goFlaky("TestC")})
	check(t, judge(t, ledger{t.TempDir()}, "go", "-count=1", "./..."), 1, "", "p.TestC\n    a_test.go:")
}

// TestFlakyTestsAddUp has two flaky tests in one call, and a third in the next call of the same run.
func TestFlakyTestsAddUp(t *testing.T) {
	l := ledger{t.TempDir()}
	write(t, map[string]string{"go.mod": "module p\n", "a_test.go": goHead + goFlaky("TestA") + goFlaky("TestB")})
	check(t, judge(t, l, "go", "-count=1", "./..."), 0, "p.TestB", "")
	write(t, map[string]string{"go.mod": "module p\n", "a_test.go": goHead + goFlaky("TestC")})
	check(t, judge(t, l, "go", "-count=1", "./..."), 1, "p.TestB", "p.TestC")
}

func TestNothingRan(t *testing.T) {
	write(t, map[string]string{"go.mod": "module p\n", "a_test.go": goHead + "func TestA(t *testing.T) {}\n"})
	if v := judge(t, ledger{t.TempDir()}, "go", "-run=TestB", "./..."); v.err != "no test ran" {
		t.Errorf("got %+v, want an error", v)
	}
}

const (
	nodeHead = "import { after, describe, test } from \"node:test\";\nimport { existsSync, writeFileSync } from \"node:fs\";\n"
	// Node reports tests of this function as tests of this file.
	nodeLib   = "import { test } from \"node:test\";\nexport const wrapped = (...args) => test(...args);\n"
	nodeFlaky = "(name) => { if (!existsSync(name)) { writeFileSync(name, \"\"); throw new Error(\"not yet\"); } }"
)

func TestNode(t *testing.T) {
	for _, tt := range []struct {
		name, source  string
		code          int
		flaky, failed string
	}{
		{"green", `test("a", () => {}); describe("s", () => { test("b", () => {}); });`, 0, "", ""},
		{"a flaky test in a suite", `const once = ` + nodeFlaky + `; describe("s (1)", () => { test("b [x]", () => once("b")); test("c", () => {}); });`, 0, "a.test.mjs: s (1) > b [x]\n", ""},
		{"a flaky subtest", `const once = ` + nodeFlaky + `; test("top", async (t) => { await t.test("sub", () => once("b")); });`, 0, "a.test.mjs: top\n", ""},
		{"a failure", `test("a", () => { throw new Error("one is not two"); });`, 1, "", "a.test.mjs: a\n    Error: one is not two\n"},
		{"a timeout", `test("a", { timeout: 50 }, () => new Promise((resolve) => setTimeout(resolve, 1000)));`, 1, "", "a.test.mjs: a (timeout)\n"},
		{"an error at load", `throw new Error("early");`, 1, "", "a.test.mjs (crash)\n"},
		{"a hook fails", `test("a", () => {}); after(() => { throw new Error("late"); });`, 1, "", "a.test.mjs (crash)\n    Error: late\n"},
		{"a file without the failed test", `import { wrapped } from "./lib.mjs"; const once = ` + nodeFlaky + `; wrapped("a", () => once("a"));`, 1, "", "lib.mjs: a\n    Error: not yet\n"},
		{"a skip", `test.skip("a", () => {});`, 1, "", "a.test.mjs: a (skipped)\n"},
		{"a todo", `test.todo("a");`, 1, "", "a.test.mjs: a (skipped)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(t, map[string]string{"a.test.mjs": nodeHead + tt.source + "\n", "lib.mjs": nodeLib})
			check(t, judge(t, ledger{t.TempDir()}, "node", "--test-timeout=20000", "a.test.mjs"), tt.code, tt.flaky, tt.failed)
		})
	}
}

func TestVitest(t *testing.T) {
	modules, err := filepath.Abs("../../web/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, ".bin", "vitest")); err != nil {
		t.Fatalf("the page's packages are not installed (bash .ci/run install): %v", err)
	}
	for _, tt := range []struct {
		name, source  string
		code          int
		flaky, failed string
	}{
		{"a flaky test", `test("a", () => {}); describe("s", () => { test("b (x)", () => (` + nodeFlaky + `)("b")); });`, 0, "a.test.mjs: s b (x)\n", ""},
		{"a failure", `test("a", () => { expect(1).toBe(2); });`, 1, "", "a.test.mjs: a\n    AssertionError: expected 1 to be 2"},
		{"an error at load", `throw new Error("early");`, 1, "", "a.test.mjs (crash)\n    early\n"},
		{"a skip", `test.skip("a", () => {}); test("b", () => {});`, 1, "", "a.test.mjs: a (skipped)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(t, map[string]string{"package.json": `{"type": "module"}`,
				"a.test.mjs": "import { describe, expect, test } from \"vitest\";\nimport { existsSync, writeFileSync } from \"node:fs\";\n" + tt.source + "\n"})
			if err := os.Symlink(modules, "node_modules"); err != nil {
				t.Fatal(err)
			}
			check(t, judge(t, ledger{t.TempDir()}, "vitest"), tt.code, tt.flaky, tt.failed)
		})
	}
}

// TestAdded adds tests to a checkout. One of them fails once in ten runs.
func TestAdded(t *testing.T) {
	write(t, map[string]string{"go.mod": "module p\n", "sub/a_test.go": goHead + "func TestOld(t *testing.T) { t.Error(\"old\") }\n"})
	git := func(args ...string) {
		args = append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	commit := func(file, text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-q", "-m", file)
	}
	git("init", "-q")
	commit("b.test.mjs", nodeHead+"test(\"old\", () => { throw new Error(\"old\"); });\n")
	commit("sub/b_test.go", goHead+"func TestNew(t *testing.T) {}\n")
	commit("c.test.mjs", nodeHead+"for (const n of [1, 2]) test(`new (${n})`, () => {});\ndescribe(\"s\", () => {\n  test(\"in\", () => {});\n});\n")
	t.Setenv("CGO_ENABLED", "1")
	l := ledger{t.TempDir()}
	check(t, judge(t, l, "added", "HEAD~2"), 0, "", "")
	commit("sub/c_test.go", goHead+goFlaky("TestFlaky"))
	check(t, judge(t, l, "added", "HEAD~1"), 1, "", "sub: ^(TestFlaky)$\n    --- FAIL: TestFlaky")
	git("mv", "b.test.mjs", "moved.test.mjs") // its test, which fails, is not new
	git("commit", "-q", "-m", "move")
	check(t, judge(t, ledger{t.TempDir()}, "added", "HEAD~1"), 0, "", "")
}

func TestAddedTests(t *testing.T) {
	diff := "+++ b/x/a_test.go\n+func TestA(t *testing.T) {\n-func TestGone(t *testing.T) {\n+func TestMain(m *testing.M) {\n" +
		"+++ b/i/a.test.mjs\n+  test(`${look}: a (b)`, async (t) => {\n+test(\"plain\", () => {\n+pushed(look === \"light\")(`${look}: b`, () => {\n+equal(\"a\", \"b\");\n" +
		"+++ b/x/a.go\n+func TestNot(t *testing.T) {\n"
	got := addedTests(diff)
	want := []addedTest{{"x/a_test.go", "TestA"}, {"i/a.test.mjs", `.*: a \(b\)`}, {"i/a.test.mjs", "plain"}, {"i/a.test.mjs", ".*: b"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnknownKind(t *testing.T) {
	if v := judge(t, ledger{t.TempDir()}, "rust"); v.err == "" {
		t.Errorf("got %+v, want an error", v)
	}
	if v := judge(t, ledger{t.TempDir()}); v.err == "" {
		t.Errorf("got %+v, want an error", v)
	}
}

// TestCommand runs the command itself: its exit code and its ledger.
func TestCommand(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "testrun")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	results := t.TempDir()
	write(t, map[string]string{"a.test.mjs": nodeHead + `test("a", () => { throw new Error("no"); });` + "\n"})
	cmd := exec.CommandContext(t.Context(), binary, "node", "a.test.mjs")
	cmd.Env = append(os.Environ(), "CI_RESULTS="+results)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	if data, err := os.ReadFile(filepath.Join(results, "failed")); err != nil || !strings.HasPrefix(string(data), "a.test.mjs: a\n") {
		t.Errorf("failed has %q, %v", data, err)
	}
}
