package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// goTests runs tests by go test.
type goTests struct{ args []string }

// A goEvent is a line of go test -json.
type goEvent struct {
	Action      string
	Package     string
	ImportPath  string // of a build event
	Test        string
	Output      string
	Elapsed     float64 // seconds
	FailedBuild string
}

func (g goTests) run(ctx context.Context, out *log.Logger) (outcome, error) {
	return goTest(ctx, out, g.args)
}

func (g goTests) again(ctx context.Context, out *log.Logger, f failure) (bool, error) {
	args := []string{"-run", "^" + regexp.QuoteMeta(f.test) + "$"}
	for i := 0; i < len(g.args); i++ {
		if arg := g.args[i]; arg == "-run" || arg == "-skip" {
			i++
		} else if strings.HasPrefix(arg, "-") {
			args = append(args, arg)
			if valued(arg) && i+1 < len(g.args) {
				i++
				args = append(args, g.args[i])
			}
		}
	}
	o, err := goTest(ctx, out, append(args, f.pkg))
	return o.passed > 0 && len(o.failures) == 0, err
}

// valued reports whether the value of a flag is the next argument.
func valued(flag string) bool {
	return !strings.Contains(flag, "=") &&
		slices.Contains([]string{"-p", "-count", "-timeout", "-parallel", "-shuffle", "-vet", "-tags"}, flag)
}

// goTest runs go test with args.
func goTest(ctx context.Context, out *log.Logger, args []string) (outcome, error) {
	cmd := exec.CommandContext(ctx, "go",
		append([]string{"test", "-json"}, args...)...) //nolint:gosec // its caller says which tests
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return outcome{}, err
	}
	if err := cmd.Start(); err != nil {
		return outcome{}, err
	}
	o, readErr := readGo(events, out)
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case readErr != nil:
		return o, readErr
	case errors.As(err, &exit) && len(o.failures) > 0:
		return o, nil
	case err == nil && len(o.failures) > 0: // tests that were skipped
		return o, nil
	}
	return o, err
}

// A goPackage collects the events of a package while its tests run.
type goPackage struct {
	output map[string]*strings.Builder // by test, "" has the package's own
	failed []string                    // names of top-level tests
	open   map[string]bool             // top-level tests that have not ended
	passed int
}

// readGo reads the output of go test -json, and prints a line for each package and the output of failed tests.
func readGo(r io.Reader, out *log.Logger) (outcome, error) {
	var o outcome
	packages := map[string]*goPackage{}
	builds := map[string]*strings.Builder{}
	var slow []goEvent
	lines := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e goEvent
			if json.Unmarshal(line, &e) != nil {
				out.Printf("%s", bytes.TrimSpace(line)) // go itself, for example about a module
			} else if e.ImportPath != "" {
				if builds[e.ImportPath] == nil {
					builds[e.ImportPath] = &strings.Builder{}
				}
				builds[e.ImportPath].WriteString(e.Output)
			} else {
				if packages[e.Package] == nil {
					packages[e.Package] = &goPackage{output: map[string]*strings.Builder{}, open: map[string]bool{}}
				}
				if e.Test != "" && e.Elapsed >= 3 && !strings.Contains(e.Test, "/") {
					slow = append(slow, e)
				}
				packages[e.Package].add(e, builds, &o, out)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return o, err
		}
	}
	slices.SortFunc(slow, func(a, b goEvent) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	for _, e := range slow[:min(len(slow), 10)] {
		out.Printf("slow: %6.1fs %s.%s", e.Elapsed, path.Base(e.Package), e.Test)
	}
	return o, nil
}

// add applies an event of the package's tests.
func (p *goPackage) add(e goEvent, builds map[string]*strings.Builder, o *outcome, out *log.Logger) {
	top, _, sub := strings.Cut(e.Test, "/")
	switch {
	case e.Action == "output" && strings.HasPrefix(e.Output, "=== "): // which test began, paused or went on
	case e.Action == "output":
		if p.output[top] == nil {
			p.output[top] = &strings.Builder{}
		}
		p.output[top].WriteString(e.Output)
	case e.Action == "run" && !sub && top != "":
		p.open[top] = true
	case e.Action == "skip" && top != "":
		delete(p.open, e.Test)
		o.failures = append(o.failures,
			failure{name: goName(e.Package, e.Test), pkg: e.Package, test: top, output: p.text(top), final: "skipped"})
	case e.Action == "pass" && top != "" && !sub:
		delete(p.open, top)
		delete(p.output, top)
		p.passed++
	case e.Action == "fail" && top != "" && !sub:
		delete(p.open, top)
		p.failed = append(p.failed, top)
	case e.Test == "" && (e.Action == "pass" || e.Action == "fail"):
		o.passed += p.passed
		if e.Action == "pass" {
			out.Printf("ok    %s  %.1fs  %d tests", e.Package, e.Elapsed, p.passed)
			return
		}
		out.Printf("FAIL  %s  %.1fs", e.Package, e.Elapsed)
		p.fail(e, builds, o, out)
	}
}

// fail collects the failures of a package that failed.
func (p *goPackage) fail(e goEvent, builds map[string]*strings.Builder, o *outcome, out *log.Logger) {
	var found []failure
	for _, test := range p.failed {
		found = append(found, failure{name: goName(e.Package, test), pkg: e.Package, test: test, output: p.text(test)})
	}
	ended := len(found)
	for test := range p.open { // the process ended while it ran
		found = append(found, failure{name: goName(e.Package, test), pkg: e.Package, test: test, output: p.text(test)})
	}
	if len(found) == 0 {
		f := failure{name: e.Package, pkg: e.Package, output: p.text(""), final: "crash"}
		if build := builds[e.FailedBuild]; build != nil {
			f.output, f.final = build.String(), "does not build"
		}
		found = append(found, f)
	}
	for i, f := range found {
		f.judge(f.output)
		f.judge(p.text(""))
		if i >= ended && f.final == "" {
			f.final = "crash"
		}
		out.Printf("%s", strings.TrimRight(f.output, "\n"))
		o.failures = append(o.failures, f)
	}
}

// text returns the output of a test, or of the package.
func (p *goPackage) text(test string) string {
	if p.output[test] == nil {
		return ""
	}
	return p.output[test].String()
}

// goName returns the name of a test, with the path of its package below the module's.
func goName(pkg, test string) string {
	return strings.TrimPrefix(pkg, "github.com/agui-gateway/gateway/") + "." + test
}
