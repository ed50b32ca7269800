package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A target is what a figure of a benchmark is to be at most.
type target struct {
	what string
	// benchmark matches the names of the benchmarks, and metric is the unit of the figure. The worst benchmark decides;
	// of several measurements of one the median counts.
	benchmark *regexp.Regexp
	metric    string
	// per, if set, is a benchmark that divides the figures of the others.
	per  *figure
	most float64
	// recorded is what docs/performance.md says that it was: twice that is a regression. 0 is not judged.
	recorded float64
}

// A figure is one that a benchmark reports.
type figure struct{ benchmark, metric string }

// targets are those of docs/performance.md, in its order.
var targets = []target{
	{what: "CPU of an event, memory, times the floor", benchmark: benchmarkNamed(`Compare/server=gateway-memory`),
		metric: "times-floor", most: 2.5, recorded: 2.2},
	{what: "CPU of an event, Redis, times the floor", benchmark: benchmarkNamed(`Compare/server=gateway-Redis`),
		metric: "times-floor", most: 4, recorded: 3.8},
	{
		what: "a model's chunk, parts of the floor's event", benchmark: benchmarkNamed(`Chunk/plain`), metric: "ns/op",
		per: &figure{"Compare/server=floor", "ns/event"}, most: 0.7, recorded: 0.1,
	},
	{what: "heap of an open run with a reader, of 1,000, KB", benchmark: benchmarkNamed(`Hold/store=memory/open`),
		metric: "KB/run", most: 40, recorded: 56.5},
	{what: "stacks of its goroutines, KB", benchmark: benchmarkNamed(`Hold/store=memory/open`), metric: "KB-stacks/run",
		most: 50, recorded: 46},
	{what: "goroutines of one, 2 of them the model's connection's", benchmark: benchmarkNamed(`Hold/store=memory/open`),
		metric: "goroutines/run", most: 6, recorded: 6},
	{what: "first event with 1,000 open runs, ms", benchmark: benchmarkNamed(`Hold/store=memory/open`),
		metric: "ms-first-event", most: 1},
	{what: "kept of a finished run of 200 words, KB", benchmark: benchmarkNamed(`Hold/store=memory/finished`),
		metric: "KB/run", most: 12, recorded: 10.7},
	{what: "connections to Redis with 1,000 readers", benchmark: benchmarkNamed(`Hold/store=redis/open`),
		metric: "connections", most: 10},
	{what: "a run on 2,000 messages, times one on none",
		benchmark: benchmarkNamed(`LongThread/store=\w+/messages=2000/unread`), metric: "times-cpu", most: 2,
		recorded: 1.1},
	{what: "the same, its snapshots read", benchmark: benchmarkNamed(`LongThread/store=\w+/messages=2000/read`),
		metric: "times-cpu", most: 2, recorded: 11},
	{what: "the same, all messages sent with the request",
		benchmark: benchmarkNamed(`LongThread/store=\w+/messages=2000/echoed`), metric: "times-cpu", most: 2,
		recorded: 11},
	{what: "a run with a state of 1 MB, times one with none",
		benchmark: benchmarkNamed(`LongThread/store=\w+/state=1MB/unread`), metric: "times-cpu", most: 1.2,
		recorded: 1},
	{what: "a reader joins after 20,000 events, ms", benchmark: benchmarkNamed(`Join/store=\w+/events=20000`),
		metric: "ms-least", most: 10},
	{what: "a page of 50,000 threads, first or middle, ms",
		benchmark: benchmarkNamed(`List/store=\w+/page=(first|middle|agent)`), metric: "ms-least", most: 5},
	{what: "the same, of a status or with a word",
		benchmark: benchmarkNamed(`List/store=\w+/page=(status|rare|search)`), metric: "ms-least", most: 5},
}

// benchmarkNamed matches the name of a benchmark behind the word that all begin with.
func benchmarkNamed(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`^Benchmark` + pattern + `$`)
}

// Figures are those that benchmarks reported, as often as each was measured.
type figures map[figure][]float64

// value is the middle one, between the least and the most.
func (m figures) value(f figure) spread {
	values := slices.Sorted(slices.Values(m[f]))
	return spread{values[len(values)/2], values[0], values[len(values)-1]}
}

// A spread is a figure that was measured several times.
type spread struct{ middle, least, most float64 }

// processors is what the testing package writes behind names.
var processors = regexp.MustCompile(`-\d+$`)

// readFigures reads lines of benchmarks, and passes over all others.
func readFigures(r io.Reader) (figures, error) {
	m := figures{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := processors.ReplaceAllString(fields[0], "")
		for i := 2; i+1 < len(fields); i += 2 {
			if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
				f := figure{name, fields[i+1]}
				m[f] = append(m[f], value)
			}
		}
	}
	return m, lines.Err()
}

// of returns the worst figure that counts for t, and whether there is any.
func (m figures) of(t target) (worst spread, ok bool) {
	divisor := 1.0
	if t.per != nil {
		per := figure{"Benchmark" + t.per.benchmark, t.per.metric}
		if len(m[per]) == 0 {
			return worst, false
		}
		divisor = m.value(per).middle
	}
	for f := range m {
		if f.metric == t.metric && t.benchmark.MatchString(f.benchmark) {
			if v := m.value(f); !ok || v.middle/divisor > worst.middle {
				worst, ok = spread{v.middle / divisor, v.least / divisor, v.most / divisor}, true
			}
		}
	}
	return worst, ok
}

// targetsCommand prints each target with its figure from the output of benchmarks on the standard input.
func targetsCommand(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("bench targets", flag.ContinueOnError)
	judge := flags.Bool("judge", false, "fail if a ratio is twice what docs/performance.md says")
	if err := flags.Parse(args); err != nil {
		return err
	}
	m, err := readFigures(os.Stdin)
	if err != nil {
		return err
	}
	return m.report(os.Stdout, *judge)
}

// report writes the table, and returns an error if a target was not measured, or judge is set and a figure is twice the
// recorded one.
func (m figures) report(out io.Writer, judge bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, err := fmt.Fprintln(w, "target\tat most\tmeasured\t")
	for _, t := range targets {
		if judge && t.recorded == 0 {
			continue // a short measurement, or a busy machine, says nothing of times
		}
		value, ok := m.of(t)
		verdict := "reached"
		switch {
		case !ok:
			verdict = "not measured"
			err = errors.Join(err, fmt.Errorf("%s: not measured", t.what))
		case value.middle > t.most:
			verdict = "missed"
		}
		if judge && t.recorded > 0 && value.middle > 2*t.recorded {
			err = errors.Join(err, fmt.Errorf("%s: %.2f, and %.2f is recorded", t.what, value.middle, t.recorded))
		}
		_, writeErr := fmt.Fprintf(w, "%s\t%g\t%.2f (%.2f to %.2f)\t%s\n", t.what, t.most, value.middle, value.least,
			value.most, verdict)
		err = errors.Join(err, writeErr)
	}
	return errors.Join(err, w.Flush())
}
