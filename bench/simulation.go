package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// agents are those of the simulated gateways.
const agents = `version: 1
models:
  short: { base_url: "%[1]s/short", api_key: none, model: bench-1 }
  long: { base_url: "%[1]s/long", api_key: none, model: bench-1 }
  fast: { base_url: "%[1]s/fast", api_key: none, model: bench-1 }
  quiet: { base_url: "%[1]s/quiet", api_key: none, model: bench-1, timeout: 1h }
agents:
  short: { type: llm, model: short, instructions: Answer. }
  long: { type: llm, model: long, instructions: Answer. }
  fast: { type: llm, model: fast, instructions: Answer. }
  quiet: { type: llm, model: quiet, instructions: Answer. }
  asks: { type: script, steps: [ { ask: { key: size, message: "Which size?" } } ] }
`

// packed is when the logs of the last runs are packed, for which gateways wait a second.
const packed = 1500 * time.Millisecond

// A simulation is some replicas before a Redis Cluster.
type simulation struct {
	gateway       string
	during, lease time.Duration
	times         float64

	dir      string
	shards   []*shard
	replicas []*replica
	driver   driver
	serve    []string  // how a replica is started
	bare     *measured // the shards before there was any
	stops    []func() error
}

// A replica is one gateway.
type replica struct {
	*process
	admin string // where its metrics are
}

// start starts everything but the replicas.
func (s *simulation) start(ctx context.Context) (err error) {
	if s.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	s.shards, err = startShards(ctx, s.dir, 3)
	for _, one := range s.shards {
		s.stops = append(s.stops, one.stop)
	}
	if err != nil {
		return err
	}
	const pace = 10 * time.Millisecond
	mux := http.NewServeMux()
	mux.Handle("/short/", newModel(10, pace))
	mux.Handle("/long/", newModel(200, pace))
	mux.Handle("/fast/", newModel(200, 0))
	mux.Handle("/quiet/", newModel(1, time.Hour))
	model := httptest.NewServer(mux)
	s.stops = append(s.stops, func() error { model.CloseClientConnections(); model.Close(); return nil })
	file := filepath.Join(s.dir, "team.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, agents, model.URL), 0o600); err != nil {
		return err
	}
	s.driver.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	var addrs []string
	for _, one := range s.shards {
		addrs = append(addrs, strings.TrimPrefix(one.process.url, "redis://"))
	}
	s.serve = []string{
		"serve", "-addr", "127.0.0.1:0", "-config", file, "-store", "redis+cluster://" + strings.Join(addrs, ","),
		"-lease", s.lease.String(),
		"-auth", "header", "-auth-header", "X-Caller", "-auth-proxies", "127.0.0.1", "-rate", "0",
		"-max-runs-per-principal", "0",
		"-max-readers-per-principal", "0", "-model-timeout", "1h", "-admin-addr", "127.0.0.1:0",
	}
	return nil
}

func (s *simulation) startReplicas(ctx context.Context) error {
	for range 2 {
		p, err := start(ctx, listening, s.gateway, s.serve...)
		if err != nil {
			return err
		}
		s.stops = append(s.stops, p.stop)
		admin, err := p.admin()
		if err != nil {
			return err
		}
		s.replicas = append(s.replicas, &replica{p, admin + "/metrics"})
		s.driver.replicas = append(s.driver.replicas, p.url)
	}
	return nil
}

func (s *simulation) stop() (err error) {
	for _, stop := range slices.Backward(s.stops) {
		err = errors.Join(err, stop())
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// calls are how often a replica called its store, by operation.
func (r *replica) calls(ctx context.Context, into map[string]float64) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.admin, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // read to its end
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		rest, ok := strings.CutPrefix(lines.Text(), `gateway_store_duration_seconds_count{operation="`)
		if operation, count, is := strings.Cut(rest, `"} `); ok && is {
			n, err := strconv.ParseFloat(count, 64)
			if err != nil {
				return err
			}
			into[operation] += n
		}
	}
	return lines.Err()
}

// A sample is what everything has used so far, and what there is.
type sample struct {
	at      time.Time
	shards  []shardUsage
	gateway float64            // microseconds of all replicas
	calls   map[string]float64 // of the store, of all replicas
}

func (s *simulation) sample(ctx context.Context) (sample, error) {
	n := sample{at: time.Now(), calls: map[string]float64{}}
	for _, one := range s.shards {
		u, err := one.usage(ctx)
		if err != nil {
			return n, err
		}
		n.shards = append(n.shards, u)
	}
	for _, r := range s.replicas {
		u, err := usageOf(r.cmd.Process.Pid)
		if err != nil {
			return n, err
		}
		n.gateway += float64(u.cpu.Microseconds())
		if err := r.calls(ctx, n.calls); err != nil {
			return n, err
		}
	}
	return n, nil
}

// settle waits until all runs have ended.
func (s *simulation) settle(ctx context.Context) (sample, error) {
	const idle = 150 // commands that a few questions and sweeps are
	for before := -1.0; ; time.Sleep(300 * time.Millisecond) {
		now, err := s.sample(ctx)
		if err != nil {
			return now, err
		}
		commands := 0.0
		for _, u := range now.shards {
			commands += u.commands
		}
		if before >= 0 && commands-before < idle {
			return now, nil
		}
		before = commands
	}
}

// A measured mix is what it did, and what that cost.
type measured struct {
	mix
	seconds  float64
	replicas int
	work     []float64    // of each activity
	cost     []float64    // of each cost
	threads  float64      // that it made
	held     float64      // bytes of memory for what it holds
	packed   float64      // bytes of the logs that are left of it
	shards   []shardUsage // used while it worked; keys and memory that are left of it; connections that were open
}

// measure plays a mix.
func (s *simulation) measure(ctx context.Context, m mix) (*measured, error) {
	first, err := s.settle(ctx)
	if err != nil {
		return nil, err
	}
	packedBefore, err := s.packs(ctx)
	if err != nil {
		return nil, err
	}
	release, err := s.driver.hold(ctx, m)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	if m.unread+m.read+m.tabs > 0 {
		time.Sleep(1500 * time.Millisecond) // until new connections have settled
	}
	before, err := s.sample(ctx)
	var p *played
	if err == nil {
		p, err = s.driver.play(ctx, m, s.during)
	}
	time.Sleep(packed)
	after, afterErr := s.sample(ctx)
	heldErr := release()
	last, lastErr := s.settle(ctx)
	packedAfter, packsErr := s.packs(ctx)
	if err := errors.Join(err, afterErr, heldErr, lastErr, packsErr); err != nil {
		return nil, err
	}
	r := &measured{mix: m, seconds: after.at.Sub(before.at).Seconds(), replicas: len(s.replicas),
		cost: make([]float64, len(costs))}
	called := func(operation string) float64 { return after.calls[operation] - before.calls[operation] }
	r.work = []float64{
		float64(p.runs.Load() - p.questions.Load()), called("append"), float64(p.events.Load()),
		float64(p.copied.Load()), float64(p.questions.Load()),
		called("renew"), float64(m.read) * r.seconds, float64(m.tabs) * r.seconds,
		float64(len(s.replicas)) * r.seconds / (s.lease.Seconds() / 2), float64(len(s.shards)) * r.seconds,
	}
	r.threads = float64(p.runs.Load()) + float64(m.unread+m.read)
	r.packed = packedAfter - packedBefore
	r.cost[1] = after.gateway - before.gateway
	for i, b := range before.shards {
		a := after.shards[i]
		for c, used := range map[int]float64{0: a.cpu - b.cpu, 2: a.commands - b.commands, 3: a.in - b.in,
			4: a.out - b.out} {
			r.cost[c] += used
		}
		r.held += b.memory - first.shards[i].memory
		r.shards = append(r.shards, shardUsage{
			a.cpu - b.cpu, a.commands - b.commands, a.in - b.in, a.out - b.out,
			last.shards[i].keys - first.shards[i].keys, last.shards[i].memory - first.shards[i].memory, a.connections,
		})
	}
	return r, nil
}

func (r *measured) total(of func(shardUsage) float64) (sum float64) {
	for _, u := range r.shards {
		sum += of(u)
	}
	return sum
}

func (r *measured) keys() float64   { return r.total(func(u shardUsage) float64 { return u.keys }) }
func (r *measured) memory() float64 { return r.total(func(u shardUsage) float64 { return u.memory }) }
func (r *measured) connections() float64 {
	return r.total(func(u shardUsage) float64 { return u.connections })
}
