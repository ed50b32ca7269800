package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A holding is what hold measures: what a gateway holds for runs that are open and for runs that are over.
type holding struct {
	servers
	gateway, team string
	open, runs    int
}

func holdCommand(ctx context.Context, args []string) (err error) {
	h := holding{}
	flags := flag.NewFlagSet("bench hold", flag.ContinueOnError)
	flags.StringVar(&h.gateway, "gateway", "bin/gateway", "the gateway's program")
	flags.IntVar(&h.open, "open", 1000, "runs that are open, of which nothing comes")
	flags.IntVar(&h.runs, "runs", 2000, "runs that are carried to their end")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	if err := h.prepare(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.stop()) }()
	model, err := h.started(start(ctx, listening, h.program, "model"))
	if err != nil {
		return err
	}
	h.team = filepath.Join(h.dir, "team.yaml")
	if err := os.WriteFile(h.team, fmt.Appendf(nil, team, model.url+"/v1"), 0o600); err != nil {
		return err
	}
	return errors.Join(h.memory(ctx), h.redis(ctx))
}

// serve starts a gateway on a store, and returns where operators ask it.
func (h *holding) serve(ctx context.Context, store string) (gateway *process, admin string, err error) {
	gateway, err = h.started(start(ctx, listening, h.gateway, "serve", "-addr", "127.0.0.1:0", "-admin-addr",
		"127.0.0.1:0", "-config", h.team, "-store", store))
	if err != nil {
		return nil, "", err
	}
	admin, err = gateway.admin()
	return gateway, admin, err
}

// memory measures the heap of a gateway with its threads in memory.
func (h *holding) memory(ctx context.Context) error {
	gateway, admin, err := h.serve(ctx, "memory")
	if err != nil {
		return err
	}
	url := gateway.url + "/agents/bench"
	if _, err := (load{url: url, runs: 100, open: 16}).play(ctx); err != nil { // fills pools
		return err
	}
	before, err := heldBy(ctx, admin)
	if err != nil {
		return err
	}
	if _, err := (load{url: url, runs: h.runs, open: 16}).play(ctx); err != nil {
		return err
	}
	kept, err := heldBy(ctx, admin)
	if err != nil {
		return err
	}
	fmt.Printf("BenchmarkHold/store=memory/finished 1 %.2f KB/run\n", (kept.heap-before.heap)/1024/float64(h.runs))
	end, err := load{url: url, idle: h.open}.openIdle(ctx, &http.Client{Transport: &http.Transport{}})
	defer end()
	if err != nil {
		return err
	}
	held, err := heldBy(ctx, admin)
	if err != nil {
		return err
	}
	r, err := load{url: url, runs: 200, open: 1}.play(ctx)
	if err != nil {
		return errors.Join(err, r.err)
	}
	fmt.Printf("BenchmarkHold/store=memory/open 1 %.2f KB/run %.2f KB-stacks/run %.2f goroutines/run %.3f "+
		"ms-first-event\n",
		(held.heap-kept.heap)/1024/float64(h.open), (held.stacks-kept.stacks)/1024/float64(h.open),
		(held.goroutines-kept.goroutines)/float64(h.open),
		float64(percentile(r.firstEvent, .5).Microseconds())/1000)
	return nil
}

// redis measures how many connections a gateway has to Redis while many read runs of which nothing comes.
func (h *holding) redis(ctx context.Context) error {
	redis, err := h.started(startRedis(ctx, h.dir))
	if err != nil {
		return err
	}
	gateway, _, err := h.serve(ctx, redis.url)
	if err != nil {
		return err
	}
	end, err := load{url: gateway.url + "/agents/bench", idle: h.open}.openIdle(ctx,
		&http.Client{Transport: &http.Transport{}})
	defer end()
	if err != nil {
		return err
	}
	n, err := clientsOf(ctx, strings.TrimPrefix(redis.url, "redis://"))
	if err == nil {
		fmt.Printf("BenchmarkHold/store=redis/open 1 %d connections\n", n)
	}
	return err
}

// A hold is what a gateway's process holds.
type hold struct{ heap, stacks, goroutines float64 }

// heldBy asks a gateway what it holds, behind a collection of garbage.
func heldBy(ctx context.Context, admin string) (hold, error) {
	var h hold
	for range 2 { // pools are emptied by the second
		if _, err := get(ctx, admin+"/debug/pprof/heap?gc=1"); err != nil {
			return h, err
		}
	}
	metrics, err := get(ctx, admin+"/metrics")
	for name, value := range map[string]*float64{
		"go_memstats_heap_alloc_bytes": &h.heap, "go_memstats_stack_inuse_bytes": &h.stacks,
		"go_goroutines": &h.goroutines,
	} {
		found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(metrics)
		if found == nil {
			return h, errors.Join(err, fmt.Errorf("%s/metrics has no %s", admin, name))
		}
		var parseErr error
		*value, parseErr = strconv.ParseFloat(found[1], 64)
		err = errors.Join(err, parseErr)
	}
	return h, err
}

func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }() // read to its end
	said, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, response.Status)
	}
	return string(said), err
}

// clientsOf is how many connections a Redis has beside the one that asks it.
func clientsOf(ctx context.Context, addr string) (int, error) {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return 0, err
	}
	defer func() { _ = c.Close() }() // it has answered
	if err := errors.Join(c.SetDeadline(time.Now().Add(10*time.Second)), writeAll(c, "INFO clients\r\n")); err != nil {
		return 0, err
	}
	lines := bufio.NewReader(c)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return 0, err
		}
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "connected_clients:"); ok {
			all, err := strconv.Atoi(n)
			return all - 1, err
		}
	}
}

func writeAll(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
