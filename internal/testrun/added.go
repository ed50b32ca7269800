package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// addedTimes returns how often each of n added tests runs: ten times, or as often as makes 1,000 runs, at least three.
func addedTimes(n int) int { return max(3, min(10, 1000/max(n, 1))) }

// An addedTest is a test that a diff adds.
type addedTest struct {
	file string
	// pattern matches the name of the test.
	pattern string
}

var (
	goTestAdded   = regexp.MustCompile(`^func (Test\w+)\(t \*testing\.T\)`)
	nodeTestAdded = regexp.MustCompile("^\\s*(?:test|it|nightly|describe|nightly\\.describe|pushed\\(.*\\))" +
		"\\(([\"`])([^\"`]+)[\"`], ")
	computed = regexp.MustCompile(`\\\$\\\{.*?\\\}`) // part of a quoted name in Node
)

// runAdded runs each test that was added since base several times, two commands at a time. It must run at the root of
// the checkout. No failed test runs again. The tests of a file that was only renamed do not count.
func runAdded(ctx context.Context, base string, l ledger, out *log.Logger) (int, error) {
	args := []string{"diff", "--unified=0", "--find-renames", "--no-color", base, "HEAD"}
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // its caller names a commit
	cmd.Stderr = os.Stderr
	diff, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("git diff: %w", err)
	}
	tests := addedTests(string(diff))
	out.Printf("%d tests were added since %s; each runs %d times", len(tests), base, addedTimes(len(tests)))
	commands := addedCommands(tests)
	results := make([]chan result, len(commands))
	slots := make(chan struct{}, 2)
	for i, command := range commands {
		results[i] = make(chan result, 1)
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i] <- runCommand(ctx, command)
		}()
	}
	failed := 0
	for i, command := range commands {
		r := <-results[i]
		out.Printf("--- %s: %s\n%s", command.Dir, strings.Join(command.Args, " "), r.output)
		if _, ok := errors.AsType[*exec.ExitError](r.err); r.err != nil && !ok {
			return 0, r.err
		}
		if r.err != nil {
			failed++
			name := command.Dir + ": " + command.Args[len(command.Args)-1]
			if err := l.addFailed(failure{name: name, output: r.output}); err != nil {
				return 0, err
			}
		}
	}
	out.Printf("%d passed, %d failed", len(tests)-min(failed, len(tests)), failed)
	return min(failed, 1), nil
}

// A result is the outcome of a command.
type result struct {
	output string
	err    error
}

func runCommand(ctx context.Context, command exec.Cmd) result {
	run := exec.CommandContext(ctx, command.Args[0], command.Args[1:]...) //nolint:gosec // tests of this checkout
	run.Dir, run.Env = command.Dir, append(os.Environ(), "CI_NIGHTLY=1", "CGO_ENABLED=1")
	output, err := run.CombinedOutput()
	return result{string(output), err}
}

// addedTests returns the tests in the added lines of a diff.
func addedTests(diff string) []addedTest {
	var tests []addedTest
	file := ""
	lines := bufio.NewScanner(strings.NewReader(diff))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
			file = name
			continue
		}
		line, ok := strings.CutPrefix(line, "+")
		if !ok {
			continue
		}
		switch {
		case strings.HasSuffix(file, "_test.go"):
			if m := goTestAdded.FindStringSubmatch(line); m != nil && m[1] != "TestMain" {
				tests = append(tests, addedTest{file, m[1]})
			}
		case strings.HasSuffix(file, ".test.mjs") || strings.Contains(file, ".test.ts"):
			if m := nodeTestAdded.FindStringSubmatch(line); m != nil {
				tests = append(tests, addedTest{file, computed.ReplaceAllString(regexp.QuoteMeta(m[2]), ".*")})
			}
		}
	}
	return tests
}

// addedCommands returns the commands that run added tests: one for each package of Go, and for each run of a file in
// Node.
func addedCommands(tests []addedTest) []exec.Cmd {
	times := addedTimes(len(tests))
	groups := map[string][]string{}
	var order []string
	for _, t := range tests {
		key := t.file
		if strings.HasSuffix(key, ".go") {
			key = path.Dir(key)
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		if !slices.Contains(groups[key], t.pattern) {
			groups[key] = append(groups[key], t.pattern)
		}
	}
	var commands []exec.Cmd
	for _, key := range order {
		pattern := "^(" + strings.Join(groups[key], "|") + ")$"
		switch {
		case strings.HasSuffix(key, ".mjs"):
			for range times {
				commands = append(commands, exec.Cmd{Dir: path.Dir(key), Args: []string{"node", "--test",
					"--test-timeout=200000", "--test-name-pattern=" + pattern, path.Base(key)}})
			}
		case strings.Contains(key, ".test.ts"):
			for range times {
				commands = append(commands, exec.Cmd{Dir: "web", Args: []string{"node_modules/.bin/vitest", "run",
					"--reporter=dot", "-t", pattern, strings.TrimPrefix(key, "web/")}})
			}
		default:
			commands = append(commands, exec.Cmd{Dir: key, Args: []string{"go", "test", "-race", "-vet=off",
				fmt.Sprintf("-count=%d", times), "-timeout=10m", "-run", pattern}})
		}
	}
	return commands
}
