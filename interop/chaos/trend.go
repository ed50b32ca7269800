package main

import (
	"fmt"
	"slices"
	"strings"
)

// An allowance is how much a series may grow without having grown: a share of what it was, and so much more.
type allowance struct{ share, plus float64 }

// A series is the measurements of one quantity at quiet points, when nothing runs.
type series struct {
	of, what string
	allow    allowance
	values   []float64
}

// leastSamples is how many values a series needs to be judged.
const leastSamples = 3

// begin and end are the medians of the first and the last third: a single value that is high or low counts for nothing.
func (s *series) begin() float64 { return median(s.values[:s.third()]) }
func (s *series) end() float64   { return median(s.values[len(s.values)-s.third():]) }
func (s *series) third() int     { return (len(s.values) + 2) / 3 }

// most is what the end may be.
func (s *series) most() float64 { return s.begin()*(1+s.allow.share) + s.allow.plus }

// grows reports whether the end is beyond what the beginning allows, or there is too little to know.
func (s *series) grows() bool { return len(s.values) < leastSamples || s.end() > s.most() }

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// The units of series.
const (
	bytesOf = "MB"
	number  = ""
)

// measures has the unit of each kind of series, and its allowed growth. Counts return to the same value, except
// connections that pools keep, each with two goroutines at most; resident memory has garbage in it, which the gateway
// lets lie up to 64 MiB.
var measures = map[string]struct {
	unit  string
	allow allowance
}{
	"heap":             {bytesOf, allowance{share: .05, plus: 256 << 10}},
	"young heap":       {bytesOf, allowance{share: .1, plus: 1 << 20}}, // of a process that has served half of a round
	"resident memory":  {bytesOf, allowance{share: .1, plus: 64 << 20}},
	"goroutines":       {number, allowance{share: .1, plus: 8}},
	"file descriptors": {number, allowance{share: .25, plus: 8}},
	"connections":      {number, allowance{share: .25, plus: 8}},
	"keys":             {number, allowance{share: .1, plus: 16}},
	"size":             {bytesOf, allowance{share: 1}}, // a file doubles at a time
	"bytes":            {bytesOf, allowance{share: .1, plus: 256 << 10}},
}

// A trend is all series, in the order in which they were begun.
type trend []*series

// add adds a value to the series of something.
func (t *trend) add(of, what string, value float64) {
	i := slices.IndexFunc(*t, func(s *series) bool { return s.of == of && s.what == what })
	if i < 0 {
		i = len(*t)
		*t = append(*t, &series{of: of, what: what, allow: measures[what].allow})
	}
	(*t)[i].values = append((*t)[i].values, value)
}

// table is the verdict as a table of Markdown.
func (t trend) table() string {
	var b strings.Builder
	b.WriteString("| of | what | first third | last third | least | most | the last third may have | |\n| --- | --- " +
		"| --- | --- | --- | --- | --- | --- |\n")
	for _, s := range t {
		unit, verdict := measures[s.what].unit, "flat"
		if s.grows() {
			verdict = "**grows**"
		}
		fmt.Fprintf(&b, "| %s | %s |", s.of, s.what)
		for _, v := range []float64{s.begin(), s.end(), slices.Min(s.values), slices.Max(s.values), s.most()} {
			if unit == bytesOf {
				fmt.Fprintf(&b, " %.2f %s |", v/(1<<20), unit)
			} else {
				fmt.Fprintf(&b, " %.0f |", v)
			}
		}
		fmt.Fprintf(&b, " %s |\n", verdict)
	}
	return b.String()
}
