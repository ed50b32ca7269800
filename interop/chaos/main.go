package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A size is how much is played.
type size struct {
	name       string
	threads    int           // of kills
	kills      time.Duration // how long they last
	interrupts int           // of races
	restarts   int           // kills of the gateway on a file
	cycles     int           // of a rolling start, from the older version to the newer and back
	limit      time.Duration // for everything
	beside     int           // how many scenarios are played beside each other: most of their time is waiting
}

var (
	short = size{name: "short", threads: 60, kills: 30 * time.Second, interrupts: 200, restarts: 12, cycles: 2,
		limit: 3 * time.Minute, beside: 5}
	long = size{name: "long", threads: 500, kills: 5 * time.Minute, interrupts: 500, restarts: 50, cycles: 10,
		limit: 20 * time.Minute, beside: 1}
)

// A scenario is a kind of failure. Each has a new fleet.
type scenario struct {
	name  string
	start func(ctx context.Context, binary, dir string) (*fleet, error)
	play  func(context.Context, *fleet, size) *result
}

var scenarios = []scenario{
	{"kills", startFleet, kills},
	{"races", startFleet, races},
	{"readers", startFleet, follows},
	{"outages", startFleet, outages},
	{"empty", startFleet, empty},
	{"frozen", startFleet, frozen},
	{"tails", startFleet, tails},
	{"restarts", startOnFile, restarts},
	{"rolling", startRolling, rolling},
}

func main() {
	big := flag.Bool("long", false, "play the long form: five minutes of kills")
	only := flag.String("only", "", "play this scenario alone")
	restarts := flag.Int("restarts", 0, "how often restarts kills the gateway on a file; 0 is what the form says")
	document := flag.String("write", "", "file that gets the figures")
	keep := flag.String("keep", "",
		"directory for logs and ledgers; empty is a temporary one, removed when all is well")
	endurance := flag.Bool("soak", false, "look whether anything grows, in place of the scenarios")
	lasts := flag.Duration("lasts", 0, "how long a soak lasts at least; 0 is the time of its form")
	flag.Parse()
	size, span := short, shortSpan
	if *big {
		size, span = long, longSpan
	}
	span.lasts = cmp.Or(*lasts, span.lasts)
	size.restarts = cmp.Or(*restarts, size.restarts)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := inWorkspace(*keep, func(dir string) error {
		if *endurance {
			return soakIn(ctx, span, *document, dir)
		}
		return play(ctx, size, *only, *document, dir)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

var errFailed = errors.New("something was wrong")

// inWorkspace calls play with a directory. A temporary one is removed when all is well.
func inWorkspace(dir string, play func(dir string) error) error {
	if dir != "" {
		return play(dir)
	}
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		return err
	}
	if err := play(dir); err != nil {
		return fmt.Errorf("%w; logs are in %s", err, dir)
	}
	return os.RemoveAll(dir)
}

// build builds a program of the module in a directory.
func build(ctx context.Context, dir, program string) (binary string, err error) {
	binary = filepath.Join(dir, filepath.Base(program))
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", "grpcnotrace", "-o", binary,
		"github.com/agui-gateway/gateway/"+program)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go build: %w", err)
	}
	return binary, nil
}

func play(ctx context.Context, size size, only, document, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, size.limit)
	defer cancel()
	binary, err := build(ctx, dir, "interop/chaos/replica")
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(scenarios), func(s scenario) bool { return only != "" && only != s.name })
	if len(chosen) == 0 {
		return fmt.Errorf("there is no scenario %q", only)
	}
	report, ok := playAll(ctx, chosen, size, binary, dir)
	if !ok {
		return errFailed
	}
	if document == "" {
		return nil
	}
	return write(document, size, report)
}

// soakIn plays a soak in a directory.
func soakIn(ctx context.Context, span span, document, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, span.limit)
	defer cancel()
	binary, err := build(ctx, dir, "cmd/gateway")
	if err != nil {
		return err
	}
	report, ok, err := endure(ctx, span, binary, dir)
	fmt.Print(report)
	switch {
	case err != nil:
		return err
	case !ok:
		return errFailed
	case document == "":
		return nil
	}
	return os.WriteFile(document, []byte(soakPage+report), 0o644)
}

// playAll plays scenarios, size.beside of them at a time, and returns their reports in their order.
func playAll(ctx context.Context, chosen []scenario, size size, binary, dir string) (report string, ok bool) {
	reports, oks := make([]string, len(chosen)), make([]bool, len(chosen))
	slots := make(chan struct{}, size.beside)
	var players sync.WaitGroup
	for i, s := range chosen {
		slots <- struct{}{}
		players.Go(func() {
			defer func() { <-slots }()
			reports[i], oks[i] = playOne(ctx, s, size, binary, filepath.Join(dir, s.name))
			fmt.Print(reports[i])
		})
	}
	players.Wait()
	return strings.Join(reports, ""), !slices.Contains(oks, false)
}

// playOne plays a scenario and returns its report.
func playOne(ctx context.Context, s scenario, size size, binary, dir string) (report string, ok bool) {
	started := time.Now()
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n", s.name)
	err := os.RemoveAll(dir) // files of the last run
	var f *fleet
	if err == nil {
		f, err = s.start(ctx, binary, dir)
	}
	if err != nil {
		fmt.Fprintf(&b, "FAILED: %v\n", err)
		return b.String(), false
	}
	defer f.end()
	r := s.play(ctx, f, size)
	r.compareLogs(ctx, f)
	for _, line := range append(r.lines, r.stats.figures()...) {
		fmt.Fprintln(&b, line)
	}
	for _, problem := range r.stats.problems {
		fmt.Fprintf(&b, "FAILED: %.1500s\n", problem)
	}
	fmt.Fprintf(&b, "(%.0f s)\n", time.Since(started).Seconds())
	return b.String(), len(r.stats.problems) == 0
}

// write writes the figures to a page of the docs.
func write(path string, size size, report string) error {
	text := fmt.Sprintf("# Chaos\n\nThe figures of the last run of `interop/chaos` in its %s form. `make chaos` "+
		"plays the long form and writes this file;\n"+
		"the program's doc.go says how the figures are counted.\n\n```\n%s```\n", size.name, report)
	return os.WriteFile(path, []byte(text), 0o644)
}
