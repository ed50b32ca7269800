package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A contender is a server that is compared with the floor.
type contender struct {
	name string
	// most is how many times the floor's CPU time it may use for an event, and recorded how many docs/performance.md
	// says that it used: 0 is not judged.
	most, recorded float64
	process        *process
	url            string // of its agent
	rounds         []*result
}

// team is the gateway's: one agent that says what the model says.
const team = `version: 1
models: { default: { base_url: "%s", api_key: none, model: bench-1 } }
agents: { bench: { type: llm, instructions: Answer. } }
`

// A comparison is what compare measures.
type comparison struct {
	gateway      string
	rounds, runs int
	open         int
	contenders   []*contender
	judge        bool // fail if a server costs twice the recorded figure
	words        string
	servers
}

func compareCommand(ctx context.Context, args []string) (err error) {
	c := comparison{}
	flags := flag.NewFlagSet("bench compare", flag.ContinueOnError)
	flags.StringVar(&c.gateway, "gateway", "bin/gateway", "the gateway's program")
	flags.IntVar(&c.rounds, "rounds", 5, "how often each server is measured")
	flags.IntVar(&c.runs, "runs", 1500, "runs of a round")
	flags.IntVar(&c.open, "open", 16, "runs that are open at a time")
	flags.StringVar(&c.words, "words", "200", "words of the model's answer")
	flags.BoolVar(&c.judge, "judge", false, "fail if a server costs twice what docs/performance.md says")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if err := c.prepare(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	if err := c.start(ctx); err != nil {
		return err
	}
	if err := c.play(ctx); err != nil {
		return err
	}
	return c.report()
}

// start starts all servers; each is there for the whole time, and works only when it is its turn.
func (c *comparison) start(ctx context.Context) error {
	model, err := c.started(start(ctx, listening, c.program, "model", "-words", c.words))
	if err != nil {
		return err
	}
	file := filepath.Join(c.dir, "team.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, team, model.url+"/v1"), 0o600); err != nil {
		return err
	}
	redis, err := c.started(startRedis(ctx, c.dir))
	if err != nil {
		return err
	}
	add := func(name string, most, recorded float64, agent, program string, args ...string) {
		if err != nil {
			return
		}
		var p *process
		if p, err = c.started(start(ctx, listening, program, args...)); err == nil {
			c.contenders = append(c.contenders,
				&contender{name: name, most: most, recorded: recorded, process: p, url: p.url + agent})
		}
	}
	gateway := []string{"serve", "-addr", "127.0.0.1:0", "-config", file, "-store"}
	add("floor", 0, 0, "/", c.program, "floor", "-model", model.url+"/v1")
	add("floor, flushes together", 0, 0, "/", c.program, "floor", "-coalesce", "-model", model.url+"/v1")
	add("gateway, memory", 2.5, 2.2, "/agents/bench", c.gateway, append(gateway, "memory")...)
	add("gateway, file", 0, 4.4, "/agents/bench", c.gateway,
		append(gateway, "file:"+filepath.Join(c.dir, "threads.db"))...)
	add("gateway, Redis", 4, 3.8, "/agents/bench", c.gateway, append(gateway, redis.url)...)
	return err
}

// play measures all by turns, after a short round that is not counted.
func (c *comparison) play(ctx context.Context) error {
	for round := range c.rounds + 1 {
		for _, one := range c.contenders {
			l := load{url: one.url, runs: c.runs, open: c.open, pid: one.process.cmd.Process.Pid}
			if round == 0 {
				l.runs = max(c.open, c.runs/5)
			}
			r, err := l.play(ctx)
			switch {
			case err != nil:
				return err
			case r.failed > 0:
				said, tailErr := one.process.tail()
				return errors.Join(fmt.Errorf("%s: %d of %d runs failed: %w\n%s", one.name, r.failed, r.runs, r.err,
					said), tailErr)
			case round > 0:
				one.rounds = append(one.rounds, r)
			}
		}
	}
	return nil
}

// ratios are what an event costs by rounds, against the floor of the same round, in order.
func (c *comparison) ratios(one *contender) []float64 {
	var ratios []float64
	for i, r := range one.rounds {
		ratios = append(ratios, float64(r.perEvent())/float64(max(1, c.contenders[0].rounds[i].perEvent())))
	}
	slices.Sort(ratios)
	return ratios
}

// report prints the measurements, with the verdicts, and fails if one is too bad.
func (c *comparison) report() error {
	rows := []byte("server\tCPU an event\ttimes the floor\ttarget\tfirst event p50, p99\tfirst text p50, " +
		"p99\tresident\n")
	var tooBad []string
	for _, one := range c.contenders {
		ratios := c.ratios(one)
		middle, target := ratios[len(ratios)/2], "none"
		if one.most > 0 {
			verdict := "reached"
			if middle > one.most {
				verdict = "missed"
			}
			target = fmt.Sprintf("%.1f, %s", one.most, verdict)
		}
		if c.judge && one.recorded > 0 && middle > 2*one.recorded {
			tooBad = append(tooBad,
				fmt.Sprintf("%s: %.1f times the floor, and %.1f is recorded", one.name, middle, one.recorded))
		}
		var cpu, event50, event99, text50, text99 []time.Duration
		var memory int64
		for _, r := range one.rounds {
			cpu = append(cpu, r.perEvent())
			event50, event99 = append(event50, percentile(r.firstEvent, .5)),
				append(event99, percentile(r.firstEvent, .99))
			text50, text99 = append(text50, percentile(r.firstText, .5)), append(text99, percentile(r.firstText, .99))
			memory = max(memory, r.memory)
		}
		for i, r := range one.rounds { // for bench targets, and for benchstat
			times := float64(r.perEvent()) / float64(max(1, c.contenders[0].rounds[i].perEvent()))
			fmt.Printf("BenchmarkCompare/server=%s 1 %d ns/event %.3f times-floor\n",
				strings.NewReplacer(", ", "-", " ", "-").Replace(one.name), r.perEvent(), times)
		}
		rows = fmt.Appendf(rows, "%s\t%v\t%.2f (%.2f to %.2f)\t%s\t%v, %v\t%v, %v\t%d MB\n", one.name, median(cpu),
			middle, ratios[0], ratios[len(ratios)-1], target,
			median(event50), median(event99), median(text50), median(text99), memory>>20)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	if _, err := w.Write(rows); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(tooBad) > 0 {
		return errors.New(strings.Join(tooBad, "\n"))
	}
	return nil
}

// median is the middle one of some times, to hundredths of a microsecond.
func median(times []time.Duration) time.Duration {
	times = slices.Sorted(slices.Values(times))
	return times[len(times)/2].Round(10 * time.Nanosecond)
}
