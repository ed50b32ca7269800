package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// vitestTests runs tests by vitest, which has to be installed in the folder.
type vitestTests struct{ args []string }

// A vitestResult is the part of vitest's JSON report that testrun needs.
type vitestResult struct {
	TestResults []struct {
		Name             string // the file
		Status           string
		Message          string
		AssertionResults []struct {
			FullName        string
			Status          string
			FailureMessages []string
		}
	}
}

func (v vitestTests) run(ctx context.Context, out *log.Logger) (outcome, error) {
	return vitest(ctx, out, v.args, false)
}

func (v vitestTests) again(ctx context.Context, out *log.Logger, f failure) (bool, error) {
	o, err := vitest(ctx, out, append(append([]string{}, v.args...), f.pkg, "-t", "^"+regexp.QuoteMeta(f.test)+"$"),
		true)
	return o.passed > 0 && len(o.failures) == 0, err
}

// vitest runs vitest with args. Tests that do not match the pattern of a second run count as skipped there.
func vitest(ctx context.Context, out *log.Logger, args []string, second bool) (o outcome, err error) {
	dir, err := os.MkdirTemp("", "testrun-")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the system removes what this cannot
	report := filepath.Join(dir, "report.json")
	flags := []string{"run", "--reporter=default", "--reporter=json", "--outputFile=" + report}
	cmd := exec.CommandContext(ctx, filepath.Join("node_modules", ".bin", "vitest"),
		append(flags, args...)...) //nolint:gosec // its caller says which tests
	cmd.Stdout, cmd.Stderr, cmd.Env = out.Writer(), out.Writer(), append(os.Environ(), "NO_COLOR=1")
	runErr := cmd.Run()
	data, err := os.ReadFile(report)
	if err != nil {
		return o, errors.Join(runErr, err)
	}
	var result vitestResult
	if err := json.Unmarshal(data, &result); err != nil {
		return o, err
	}
	o = result.outcome(second)
	var exit *exec.ExitError
	if runErr != nil && (!errors.As(runErr, &exit) || len(o.failures) == 0) {
		return o, fmt.Errorf("vitest: %w", runErr) // for example an error outside tests
	}
	return o, nil
}

// outcome counts the tests of a report.
func (r vitestResult) outcome(second bool) outcome {
	var o outcome
	for _, file := range r.TestResults {
		failed := false
		for _, test := range file.AssertionResults {
			f := failure{name: filepath.Base(file.Name) + ": " + test.FullName, pkg: file.Name, test: test.FullName,
				output: strings.Join(test.FailureMessages, "\n")}
			switch {
			case test.Status == "passed":
				o.passed++
				continue
			case test.Status == "failed":
				failed = true
				f.judge(f.output)
			case second:
				continue
			default:
				f.final = "skipped"
			}
			o.failures = append(o.failures, f)
		}
		if file.Status == "failed" && !failed {
			o.failures = append(o.failures,
				failure{name: filepath.Base(file.Name), pkg: file.Name, output: file.Message, final: "crash"})
		}
	}
	return o
}
