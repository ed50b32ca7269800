package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// reporter writes the results of node --test as lines of JSON.
//
//go:embed reporter.mjs
var reporter []byte

// nodeTests runs tests by node --test.
type nodeTests struct{ args []string }

// A nodeEvent is a line of the reporter: a test or a suite that ended.
type nodeEvent struct {
	Name    string
	File    string
	Nesting int
	Passed  bool
	Suite   bool
	Skipped bool
	Seconds float64
	// Failure is node's kind of failure, Error the error with its stack.
	Failure, Error string
	children       []nodeEvent
}

func (n nodeTests) run(ctx context.Context, out *log.Logger) (outcome, error) {
	return nodeTest(ctx, out, n.args, false)
}

func (n nodeTests) again(ctx context.Context, out *log.Logger, f failure) (bool, error) {
	var args []string
	for _, arg := range n.args {
		if strings.HasPrefix(arg, "-") {
			args = append(args, arg)
		}
	}
	o, err := nodeTest(ctx, out, append(args, "--test-name-pattern=^"+regexp.QuoteMeta(f.test)+"$", f.pkg), true)
	return o.passed > 0 && len(o.failures) == 0, err
}

// nodeTest runs node --test with args. Tests that do not match the pattern of a second run count as skipped there.
func nodeTest(ctx context.Context, out *log.Logger, args []string, second bool) (o outcome, err error) {
	dir, err := os.MkdirTemp("", "testrun-")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the system removes what this cannot
	script, results := filepath.Join(dir, "reporter.mjs"), filepath.Join(dir, "results")
	if err := os.WriteFile(script, reporter, 0o600); err != nil {
		return o, err
	}
	flags := []string{"--test", "--test-reporter=" + script, "--test-reporter-destination=" + results,
		"--test-reporter=spec", "--test-reporter-destination=stdout"}
	cmd := exec.CommandContext(ctx, "node", append(flags, args...)...) //nolint:gosec // its caller says which tests
	cmd.Stdout, cmd.Stderr, cmd.Env = out.Writer(), out.Writer(), append(os.Environ(), "NO_COLOR=1")
	runErr := cmd.Run()
	data, err := os.Open(results)
	if err != nil {
		return o, errors.Join(runErr, err)
	}
	defer data.Close() //nolint:errcheck // it is only read
	if o, err = readNode(data, second); err != nil {
		return o, err
	}
	var exit *exec.ExitError
	if runErr != nil && (!errors.As(runErr, &exit) || len(o.failures) == 0) {
		return o, fmt.Errorf("node --test: %w", runErr)
	}
	return o, nil
}

// readNode reads the lines of the reporter. A test comes after the tests that it contains.
func readNode(r io.Reader, second bool) (outcome, error) {
	var o outcome
	open := map[string][][]nodeEvent{} // by file and nesting: tests without a parent so far
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e nodeEvent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return o, err
		}
		levels := open[e.File]
		for len(levels) < e.Nesting+2 {
			levels = append(levels, nil)
		}
		e.children, levels[e.Nesting+1] = levels[e.Nesting+1], nil
		levels[e.Nesting] = append(levels[e.Nesting], e)
		open[e.File] = levels
	}
	if err := lines.Err(); err != nil {
		return o, err
	}
	var files []string
	for file := range open {
		files = append(files, file)
	}
	slices.Sort(files)
	for _, file := range files {
		for _, e := range open[file][0] {
			e.count(&o, "", second)
		}
	}
	return o, nil
}

// count adds the tests of e to an outcome. A test with subtests is one test.
func (e nodeEvent) count(o *outcome, suite string, second bool) {
	name := strings.TrimPrefix(suite+" > "+e.Name, " > ")
	if e.Suite && len(e.children) > 0 && (e.Passed || e.Failure == "subtestsFailed") {
		for _, child := range e.children {
			child.count(o, name, second)
		}
		return
	}
	f := failure{name: filepath.Base(e.File) + ": " + name, pkg: e.File, test: e.Name, output: e.text()}
	switch {
	case e.Skipped && second, e.Suite && e.Passed, e.Passed && e.Name == e.File: // the last is a file without tests
		return
	case e.Skipped:
		f.final = "skipped"
	case e.Passed:
		o.passed++
		return
	case e.Name == e.File:
		f.name, f.final = filepath.Base(e.File), "crash"
	case e.Failure == "testTimeoutFailure" || e.Failure == "cancelledByParent":
		f.final = "timeout"
	case e.Failure == "uncaughtException" || e.Failure == "unhandledRejection":
		f.final = "panic"
	}
	f.judge(f.output)
	o.failures = append(o.failures, f)
}

// text returns the errors of e and of the tests in it.
func (e nodeEvent) text() string {
	var b strings.Builder
	if e.Failure != "subtestsFailed" {
		b.WriteString(e.Error + "\n")
	}
	for _, child := range e.children {
		if !child.Passed {
			b.WriteString(child.Name + "\n" + child.text())
		}
	}
	return b.String()
}
