package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
)

// scaleCommand prints what follows from the recorded unit costs and from one's own numbers.
func scaleCommand(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("bench scale", flag.ContinueOnError)
	flags.Usage = func() {
		_, _ = fmt.Fprintln(flags.Output(),
			"usage: bench scale open=10000 [name=value …]: the names are those of docs/scaling.md")
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	known, err := recorded()
	if err != nil {
		return err
	}
	known["open"] = 10_000
	for _, arg := range flags.Args() {
		name, text, _ := strings.Cut(arg, "=")
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%s is not name=value: %w", arg, err)
		}
		if !named(name) {
			return fmt.Errorf("%s is the name of no quantity", name)
		}
		known[name] = value
	}
	values, err := evaluate(known, choices, results, asQuantities(limits))
	if err != nil {
		return err
	}
	rows := fmt.Appendf(nil, "open\t\t%s\n", amount(known["open"]))
	for _, q := range append(choices, results...) {
		rows = fmt.Appendf(rows, "%s\t%s\t%s %s\t%s\n", q.name, q.formula, amount(values[q.name]), q.unit, q.what)
	}
	for _, l := range limits {
		rows = fmt.Appendf(rows, "%s\t%s\t%s %s, at most %s\t%s\n", l.name, l.formula, amount(values[l.name]), l.unit,
			amount(l.most), l.what)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, err = w.Write(rows)
	return errors.Join(err, w.Flush())
}

// named reports whether a quantity has this name, however it is known.
func named(name string) bool {
	units, err := recorded()
	_, unit := units[name]
	for _, q := range append(append(choices, results...), asQuantities(limits)...) {
		unit = unit || q.name == name
	}
	return err == nil && (unit || name == "open")
}

func asQuantities(limits []limit) (quantities []quantity) {
	for _, l := range limits {
		quantities = append(quantities, l.quantity)
	}
	return quantities
}

// breaksAt is for how many open threads a limit is reached, infinity if it never is.
func breaksAt(units map[string]float64, l limit) (open float64, err error) {
	low, high := 0.0, 15.0 // powers of ten
	for range 60 {
		known := maps.Clone(units)
		known["open"] = math.Pow(10, (low+high)/2)
		values, err := evaluate(known, choices, results, asQuantities(limits))
		if err != nil {
			return 0, err
		}
		if values[l.name] > l.most {
			high = (low + high) / 2
		} else {
			low = (low + high) / 2
		}
	}
	if high == 15 {
		return math.Inf(1), nil
	}
	return math.Pow(10, high), nil
}

// amount writes a number with two or three digits that count, as people read it.
func amount(v float64) string {
	if math.IsInf(v, 1) {
		return "never"
	}
	for _, unit := range []struct {
		from, size float64
		name       string
	}{{1e15, 1e15, " P"}, {1e12, 1e12, " T"}, {1e9, 1e9, " G"}, {1e6, 1e6, " M"}, {1e4, 1e3, " k"}} {
		if v >= unit.from {
			return digits(v/unit.size) + unit.name
		}
	}
	return digits(v)
}

func digits(v float64) string {
	switch {
	case v >= 100 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}
