package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"text/tabwriter"
	"time"
)

// calibrations are what unit costs are computed from: each does something that the others do not. Before them the
// shards are looked at without any gateway.
var calibrations = []mix{
	{name: "nothing"}, {name: "short runs", short: 16}, {name: "long runs", long: 16}, {name: "fast runs", fast: 4},
	{name: "followed runs", followed: 12}, {name: "questions", questions: 8}, {name: "unread runs", unread: 300},
	{name: "read runs", read: 300},
	{name: "tabs", tabs: 300},
}

// predicted is a mix that is none of them.
var predicted = mix{name: "everything", short: 6, long: 14, fast: 1, followed: 4, questions: 2, unread: 150, read: 350,
	tabs: 400}

func simulateCommand(ctx context.Context, args []string) (err error) {
	s := simulation{lease: 6 * time.Second}
	var record string
	var judge float64
	flags := flag.NewFlagSet("bench simulate", flag.ContinueOnError)
	flags.StringVar(&s.gateway, "gateway", "bin/gateway", "the gateway's program")
	flags.DurationVar(&s.during, "during", 6*time.Second, "how long each mix works")
	flags.Float64Var(&s.times, "times", 1, "how many times as much is asked for in what is predicted")
	flags.StringVar(&record, "record", "", "file to which the unit costs are written, such as bench/units.json")
	flags.Float64Var(&judge, "judge", 0,
		"fail if a prediction is wrong by more than this factor, twice; 0 judges nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.start(ctx); err != nil {
		return err
	}
	for again := true; ; again = false {
		worst, err := s.compare(ctx, record)
		if err != nil || judge == 0 || worst <= judge {
			return err
		}
		if !again {
			return fmt.Errorf("a prediction was wrong by a factor of %.1f", worst)
		}
		fmt.Println("Once more, for something may have disturbed it.")
	}
}

// compare measures unit costs, predicts with them what another mix costs, measures that too, and returns how wrong the
// worst prediction was.
func (s *simulation) compare(ctx context.Context, record string) (worst float64, err error) {
	units, err := s.units(ctx)
	if err != nil {
		return 0, err
	}
	if record != "" {
		kept := maps.Clone(units)
		delete(kept, "pool") // as many as were needed at once, which is no cost
		data, err := json.MarshalIndent(kept, "", "  ")
		if err != nil {
			return 0, err
		}
		if err := os.WriteFile(record, append(data, '\n'), 0o600); err != nil {
			return 0, err
		}
	}
	r, err := s.measure(ctx, predicted.scaled(s.times))
	if err != nil {
		return 0, err
	}
	values, err := evaluate(r.inputs(units), results)
	if err != nil {
		return 0, err
	}
	return report(units, values, r)
}

// units measures what each activity costs: as many mixes as there are activities make as many equations.
func (s *simulation) units(ctx context.Context) (map[string]float64, error) {
	if s.bare == nil {
		var err error
		if s.bare, err = s.measure(ctx, mix{}); err != nil {
			return nil, err
		}
		if err = s.startReplicas(ctx); err != nil {
			return nil, err
		}
		// not counted: all that is made once is made
		if _, err = s.measure(ctx, mix{short: 8, fast: 2, followed: 2}); err != nil {
			return nil, err
		}
	}
	rows := []*measured{s.bare}
	units := map[string]float64{}
	for _, m := range calibrations {
		r, err := s.measure(ctx, m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		rows = append(rows, r)
		if m.tabs == 0 {
			units["pool"] = max(units["pool"], r.connections()/float64(len(s.shards)*len(s.replicas)))
		}
	}
	for c, cost := range costs {
		for i, x := range solve(rows, func(r *measured) []float64 { return append(slices.Clone(r.work), r.cost[c]) }) {
			units[cost.name+activities[i].name] = x
		}
	}
	// in the order of calibrations, behind the bare shards
	short, long, asking, unread := rows[2], rows[3], rows[6], rows[7]
	for i, x := range solve([]*measured{short, long},
		func(r *measured) []float64 { return []float64{r.threads, r.work[events], r.packed} }) {
		units[[]string{"bytesLog", "bytesEvent"}[i]] = x
	}
	for i, x := range solve([]*measured{short, asking}, func(r *measured) []float64 {
		return []float64{r.threads - r.work[questions], r.work[questions], r.memory() - r.packed}
	}) {
		units[[]string{"bytesThread", "bytesQuestion"}[i]] = x
	}
	units["keysThread"] = short.keys() / short.threads
	units["bytesOpen"] = unread.held / float64(unread.unread)
	return units, s.singles(ctx, units)
}

// inputs returns the units, and the work of the mix instead of the formulas about people.
func (r *measured) inputs(units map[string]float64) map[string]float64 {
	known := map[string]float64{
		// nothing follows from them here
		"open": 0, "ends": 0, "lease": 1, "shardMemory": 1, "coreUse": 1, "replicaSize": 1, "elsewhere": 0,
		"threads": r.threads, "waiting": r.work[questions], "ended": r.threads, "logged": r.work[events],
		"replicas": float64(r.replicas),
	}
	for name, v := range units {
		known[name] = v
	}
	for i, a := range activities {
		known[a.rate] = r.work[i] / r.seconds
	}
	return known
}

// report prints measurements beside predictions, and returns the error of the worst prediction.
func report(units, values map[string]float64, r *measured) (worst float64, err error) {
	var rows []byte
	for _, c := range costs {
		rows = fmt.Appendf(rows, "\t%s", c.what)
	}
	rows = append(rows, '\n')
	for _, a := range activities {
		rows = append(rows, a.name...)
		for _, c := range costs {
			rows = fmt.Appendf(rows, "\t%.1f", units[c.name+a.name])
		}
		rows = append(rows, '\n')
	}
	rows = append(rows, "\nof the other mix\tpredicted\tmeasured\tratio\twithin 25 %\n"...)
	for _, q := range []struct {
		name     string
		measured float64
	}{
		{"redisCores", r.cost[0] / 1e6 / r.seconds}, {"gatewayCores", r.cost[1] / 1e6 / r.seconds},
		{"commands", r.cost[2] / r.seconds},
		{"inBytes", r.cost[3] / r.seconds}, {"outBytes", r.cost[4] / r.seconds}, {"keys", r.keys()},
		{"memory", r.memory()},
		{"connections", r.connections()},
	} {
		ratio := values[q.name] / q.measured
		off := max(ratio, 1/ratio)
		worst = max(worst, off)
		rows = fmt.Appendf(rows, "%s\t%.4g\t%.4g\t%.2f\t%v\n", q.name, values[q.name], q.measured, ratio, off <= 1.25)
	}
	rows = append(rows, "\nshard\tkeys\tµs of Redis\tcommands\tbytes in\tbytes out\tconnections\n"...)
	for i, u := range r.shards {
		rows = fmt.Appendf(rows, "%d\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\n", i+1, u.keys, u.cpu, u.commands, u.in,
			u.out, u.connections)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, err = w.Write(rows)
	return worst, errors.Join(err, w.Flush())
}

// solve solves the linear equations that mixes make, each with its right side behind, by Gauss' elimination with the
// largest pivots. What measurements make less than nothing is nothing.
func solve(rows []*measured, equation func(*measured) []float64) []float64 {
	var a [][]float64
	for _, r := range rows {
		a = append(a, equation(r))
	}
	for i := range a {
		for j := i + 1; j < len(a); j++ {
			if math.Abs(a[j][i]) > math.Abs(a[i][i]) {
				a[i], a[j] = a[j], a[i]
			}
		}
		for j := range a {
			if j == i || a[i][i] == 0 {
				continue
			}
			f := a[j][i] / a[i][i]
			for k := range a[j] {
				a[j][k] -= f * a[i][k]
			}
		}
	}
	x := make([]float64, len(a))
	for i := range a {
		x[i] = max(0, a[i][len(a)]/a[i][i])
	}
	return x
}
