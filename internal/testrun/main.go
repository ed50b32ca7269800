package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
)

// mostFlaky is how many tests may fail and pass by themselves in one run of CI.
const mostFlaky = 2

// A runner runs the tests of one kind.
type runner interface {
	// run runs all tests and prints the output of those that fail.
	run(ctx context.Context, out *log.Logger) (outcome, error)
	// again runs one failed test by itself. It reports whether the test ran and passed.
	again(ctx context.Context, out *log.Logger, f failure) (bool, error)
}

// An outcome is what one run of tests comes to.
type outcome struct {
	passed   int
	failures []failure
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, os.Args[1:], ledger{dir: os.Getenv("CI_RESULTS")}, log.New(os.Stdout, "", 0))
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "testrun: %v\n", err)
		code = 2
	}
	os.Exit(code)
}

// run runs the tests that args name and returns the exit code.
func run(ctx context.Context, args []string, l ledger, out *log.Logger) (int, error) {
	if len(args) == 0 {
		return 0, fmt.Errorf("name a kind of tests: go, node, vitest or added")
	}
	var r runner
	switch args[0] {
	case "added":
		if len(args) != 2 {
			return 0, fmt.Errorf("write testrun added COMMIT")
		}
		return runAdded(ctx, args[1], l, out)
	case "go":
		r = goTests{args: args[1:]}
	case "node":
		r = nodeTests{args: args[1:]}
	case "vitest":
		r = vitestTests{args: args[1:]}
	default:
		return 0, fmt.Errorf("unknown kind of tests: %q", args[0])
	}
	o, err := r.run(ctx, out)
	if err != nil {
		return 0, err
	}
	if o.passed == 0 && len(o.failures) == 0 {
		return 0, fmt.Errorf("no test ran")
	}
	return settle(ctx, r, o, l, out)
}

// settle runs the failed tests of o once more if that can make the run green, and records the result.
func settle(ctx context.Context, r runner, o outcome, l ledger, out *log.Logger) (int, error) {
	before, err := l.flaky()
	if err != nil {
		return 0, err
	}
	worth := before+len(o.failures) <= mostFlaky
	for _, f := range o.failures {
		worth = worth && f.final == ""
	}
	failed := 0
	for _, f := range o.failures {
		if worth {
			out.Printf("--- once more: %s", f.name)
			passed, err := r.again(ctx, out, f)
			if err != nil {
				return 0, err
			}
			if passed {
				if err := l.addFlaky(f); err != nil {
					return 0, err
				}
				out.Printf("FLAKY: %s", f.name)
				continue
			}
		}
		failed++
		if err := l.addFailed(f); err != nil {
			return 0, err
		}
	}
	out.Printf("%d passed, %d failed", o.passed+len(o.failures)-failed, failed)
	if failed > 0 {
		return 1, nil
	}
	return 0, nil
}
