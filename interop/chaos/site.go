package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/internal/port"
)

// How long things are kept in a soak. A thread is gone soon after its last step, so that threads expire all the time;
// logs are kept for as short as may be, so that what they take is level after a minute, where a limit of the store does
// not see to that before.
const (
	threadTTL  = 4 * time.Second
	storeLimit = "1MiB"
)

// soakTeam is the team file of a soak: %s are the URLs of the model and of the server that another asks.
const soakTeam = `version: 1
models: { default: { base_url: "%s", model: mock } }
agents:
  travel: { type: travel, model: off }
  late: { type: script, interrupt_ttl: 1s, steps: [ { ask: { key: sure, message: "Sure?" } } ] }
  long:
    type: script
    steps:
      - each:
          in: [ a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t ]
          do: [ { say: "${each.item}" }, { set: { path: "/told/${each.item}", value: true } }, { sleep: 30ms } ]
  talker: { type: llm, instructions: Tell., serve: on, attachments: on }
  upstream: { type: agui, url: "%s/agents/talker", headers: { X-Visitor: upstream } }
`

// A site is the servers of one store, and their visitors: a few principals, each with separate connections.
type site struct {
	name       string
	servers    []*server
	again      bool // the same threads are visited in each round
	stats      stats
	principals []*http.Client
}

// principals is how many there are at each site.
const principals = 4

// A principal sends its name with each request.
type principal struct {
	name string
	*http.Transport
}

// RoundTrip sends a request.
func (p *principal) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Visitor", p.name)
	return p.Transport.RoundTrip(r)
}

func newSite(name string) *site {
	s := &site{name: name}
	for i := range principals {
		p := &principal{fmt.Sprintf("visitor-%d", i), &http.Transport{MaxIdleConnsPerHost: 64}}
		s.principals = append(s.principals, &http.Client{Transport: p})
	}
	return s
}

// any is the address of one of the servers, which may be away.
func (s *site) any() string { return *s.servers[rand.IntN(len(s.servers))].serving.Load() }

// reader is one for a thread, which is always the same principal's.
func (s *site) reader(agent, thread string) *reader {
	return &reader{stats: &s.stats, client: s.principals[sum(thread)%principals], where: s.any, agent: agent,
		thread: thread}
}

// add starts one more server, which is called what its store is.
func (s *site) add(ctx context.Context, name string, args []string, dir string) error {
	server := &server{name: name, args: args, dir: dir, young: name == restarted}
	if err := server.start(ctx); err != nil {
		return err
	}
	s.servers = append(s.servers, server)
	return nil
}

// The servers of a soak: one with its threads in memory, one with a file, and two with a Redis, of which one keeps
// running and the other is stopped and started again in each round.
type town struct {
	dir    string
	redis  *database
	memory *site
	file   *site
	shared *site
	mock   func()
	asked  *port.Reservation // of the server with its threads in memory, which the team file of all names
}

// startTown starts everything, in a directory.
func startTown(ctx context.Context, binary, dir string) (t *town, err error) {
	t = &town{dir: dir}
	defer func() {
		if err != nil {
			t.end()
		}
	}()
	mock, stop, err := startMock(ctx)
	if err != nil {
		return t, err
	}
	t.mock = stop
	if t.redis, err = startDatabase(ctx, dir); err != nil {
		return t, err
	}
	if t.asked, err = port.Reserve(); err != nil {
		return t, err
	}
	asked := t.asked.Addr()
	team := filepath.Join(dir, "team.yaml")
	if err := os.WriteFile(team, fmt.Appendf(nil, soakTeam, mock+"/v1", "http://"+asked), 0o600); err != nil {
		return t, err
	}
	args := func(more ...string) []string {
		return slices.Concat([]string{binary, "serve", "-config", team, "-voice-delay", "1ms", "-lease", lease.String(),
			"-rate", "0",
			"-auth", "header", "-auth-header", "X-Visitor", "-auth-proxies", "127.0.0.1", "-interrupt-webhook",
			mock + "/hook",
			"-thread-ttl", threadTTL.String(), "-interrupt-ttl", threadTTL.String(), "-log-ttl", "1m", "-drain", "1s"},
			more)
	}
	t.memory, t.file, t.shared = newSite("memory"), newSite("file"), newSite("redis")
	t.shared.again = true
	const here = "127.0.0.1:0"
	return t, errors.Join(
		t.memory.add(ctx, "memory", args("-addr", asked, "-store", "memory", "-store-limit", storeLimit), dir),
		t.file.add(ctx, "file",
			args("-addr", here, "-disconnect", "detach", "-store", "file:"+t.store(), "-store-limit", storeLimit), dir),
		t.shared.add(ctx, "redis", args("-addr", here, "-disconnect", "detach", "-store", t.redis.url()), dir),
		t.shared.add(ctx, restarted, args("-addr", here, "-disconnect", "detach", "-store", t.redis.url()), dir),
	)
}

// restarted is the name of the server that is stopped and started again.
const restarted = "redis, restarted"

// store is the file that has the threads of the site with one.
func (t *town) store() string { return filepath.Join(t.dir, "threads.db") }

func (t *town) sites() []*site { return []*site{t.memory, t.file, t.shared} }

// end ends all that was started.
func (t *town) end() {
	var all sync.WaitGroup
	for _, site := range t.sites() {
		if site == nil {
			continue
		}
		for _, s := range site.servers {
			all.Go(s.kill)
		}
	}
	all.Wait()
	if t.redis != nil {
		t.redis.stop()
	}
	if t.asked != nil {
		_ = t.asked.Close() // nothing is written to it
	}
	if t.mock != nil {
		t.mock()
	}
}
