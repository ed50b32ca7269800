package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A span is the length of a soak: rounds of visits, each followed by a sample.
type span struct {
	rounds int           // at least
	lasts  time.Duration // at least
	warm   time.Duration // samples that were taken before are not judged, nor is the first
	each   int           // visits of each kind, at each site, in a round
	limit  time.Duration // for everything
}

var (
	shortSpan = span{rounds: 6, each: 3, limit: 3 * time.Minute}
	longSpan  = span{rounds: 12, lasts: 15 * time.Minute, warm: 2 * time.Minute, each: 4, limit: 25 * time.Minute}
)

// visitors is how many visit a site at a time.
const visitors = 8

// expectedCodes are the allowed errors instead of a stream, and for how many of a hundred streams. The ends of runs are
// each visit's to judge.
var expectedCodes = map[string]int{
	"204 ":                  100, // who comes back has read all
	"404 not_found":         2,   // the thread was deleted while the reader's replica was away
	"503 draining":          100,
	"503 store_unavailable": 2, // the machine stood still for longer than a call of a store may take
}

// A soak is a town that is visited, round after round.
type soak struct {
	*town
	span
	trend         trend
	visits, void  atomic.Int64 // void: they failed, and took so long that their thread may have expired meanwhile
	killed, ended int          // restarts of the replica
	profiled      bool
}

// endure plays a soak and returns its report.
func endure(ctx context.Context, span span, binary, dir string) (report string, ok bool, err error) {
	t, err := startTown(ctx, binary, dir)
	if err != nil {
		return "", false, err
	}
	defer t.end()
	s := &soak{town: t, span: span}
	began := time.Now()
	for n := 0; n < span.rounds || time.Since(began) < span.lasts; n++ {
		if err := s.round(ctx, n); err != nil {
			return strings.Join(s.problems(), "\n"), false, errors.Join(err, s.profiles(ctx, "last"))
		}
		if n == 0 || time.Since(began) < span.warm {
			continue
		}
		if err := s.sample(ctx, &s.trend); err != nil {
			return "", false, err
		}
		if span.warm > time.Minute {
			if err := s.sampleFile(&s.trend); err != nil {
				return "", false, err
			}
		}
		if !s.profiled {
			s.profiled = true
			if err := s.profiles(ctx, "first"); err != nil {
				return "", false, err
			}
		}
	}
	report, problems := s.report(time.Since(began)), s.problems()
	for _, p := range problems {
		report += fmt.Sprintf("\nFAILED: %.1500s\n", p)
	}
	return report, len(problems) == 0, s.profiles(ctx, "last")
}

// profiles keeps what the servers hold.
func (s *soak) profiles(ctx context.Context, when string) error {
	for _, site := range s.sites() {
		for _, server := range site.servers {
			if err := server.keep(ctx, when); err != nil {
				return err
			}
		}
	}
	return nil
}

// round has every site visited while a replica is stopped and started again, and waits for rest.
func (s *soak) round(ctx context.Context, n int) error {
	var all sync.WaitGroup
	midst := make(chan struct{})
	for _, site := range s.sites() {
		reached := func() {}
		if site == s.shared {
			reached = func() { close(midst) }
		}
		all.Go(func() { s.visit(ctx, site, n, reached) })
	}
	<-midst
	again := s.shared.servers[1]
	if n%2 == 0 {
		again.kill()
		s.killed++
	} else {
		again.drain()
		s.ended++
	}
	err := again.start(ctx)
	all.Wait()
	return errors.Join(err, s.calm(ctx))
}

// visit has a site visited in all ways, in any order; reached is called when half of the visits have begun.
func (s *soak) visit(ctx context.Context, at *site, round int, reached func()) {
	var kinds []int
	for i := range len(pastimes) * s.each {
		kinds = append(kinds, i)
	}
	rand.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	turns := make(chan int)
	var all sync.WaitGroup
	most := visitors
	if round == 0 {
		most *= 3 // so that pools are as large at the first sample as they will be
	}
	for range most {
		all.Go(func() {
			for i := range turns {
				s.play(ctx, at, round, i)
			}
		})
	}
	for i, kind := range kinds {
		if i == len(kinds)/2 {
			reached()
		}
		turns <- kind
	}
	close(turns)
	all.Wait()
}

// play plays one visit. Every other thread is deleted afterwards, the rest are left to expire.
func (s *soak) play(ctx context.Context, at *site, round, n int) {
	kind := pastimes[n%len(pastimes)]
	thread := fmt.Sprintf("%s-%d", kind.name, n/len(pastimes))
	if !at.again {
		thread = fmt.Sprintf("%s-in-%d", thread, round)
	}
	v := &visit{at.reader(kind.agent, thread), at}
	began := time.Now()
	err := kind.play(v, ctx)
	if err == nil && (kind.asks || n%2 == 0) {
		err = v.ask(ctx, "DELETE", "", "", nil)
	}
	s.visits.Add(1)
	switch {
	case err == nil:
	case time.Since(began) > threadTTL && !errors.Is(err, errInvalid):
		s.void.Add(1)
	default:
		at.stats.problem("%s: %v", thread, err)
	}
}

// problems returns failures, and series that grow.
func (s *soak) problems() (found []string) {
	for _, site := range s.sites() {
		found = append(found, site.stats.problems...)
		for code, n := range site.stats.errors {
			if n*100 > expectedCodes[code]*site.stats.streams {
				found = append(found, fmt.Sprintf("%s: %q was answered %d times", site.name, code, n))
			}
		}
		if site.stats.hung > 0 {
			found = append(found, fmt.Sprintf("%s: %d streams hung", site.name, site.stats.hung))
		}
		for _, server := range site.servers {
			found = append(found, server.logFaults()...)
		}
	}
	if v, n := s.void.Load(), s.visits.Load(); v*10 > n {
		found = append(found, fmt.Sprintf("%d of %d visits were too slow to tell anything", v, n))
	}
	for _, series := range s.trend {
		if series.grows() {
			found = append(found, fmt.Sprintf("%s: %s grows: %.0f", series.of, series.what, series.values))
		}
	}
	return found
}

// report returns the work and its results as text.
func (s *soak) report(took time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%.0f s on %s/%s with %d processors, %s; %d samples.\n\n", took.Seconds(), runtime.GOOS,
		runtime.GOARCH, runtime.NumCPU(), runtime.Version(), len(s.trend[0].values))
	fmt.Fprintf(&b,
		"%s\nvisits %d, of which %d were too slow to tell anything; a replica killed %d times and drained %d times, "+
			"takeovers %d\n",
		s.trend.table(), s.visits.Load(), s.void.Load(), s.killed, s.ended, s.takeovers())
	for _, site := range s.sites() {
		fmt.Fprintf(&b, "\n%s: %s\n", site.name, strings.Join(site.stats.figures(), "; "))
	}
	return b.String()
}

func (s *soak) takeovers() (n int64) {
	for _, server := range s.shared.servers {
		n += server.takeovers.Load()
	}
	return n
}

// logFaults returns the faults in the log.
func (s *server) logFaults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults[:min(3, len(s.faults))])
}

// soakPage is what the page of the docs says before the figures.
const soakPage = `# Soak

Whether anything grows while gateways are used: the figures of the last ` + "`make soak`" + `, which writes this file.
` + "`make nightly`" + ` plays eight minutes of the same.

Four gateways serve one team: one has its threads in memory, one in a file, and two share a Redis. Round after round,
each store is visited by four principals: trips are planned and patched; questions are left, or answered too late;
runs are stopped, read along by somebody who leaves and comes back, hung up on, and deleted in the middle; threads are
forked; files are uploaded; agents speak through a model and through another server. A webhook gets questions, and
refuses one in sixteen at first. Every other thread is deleted, the others expire. Meanwhile one of the two replicas
is killed, or drained in the next round, and started again. Every stream is held to the protocol's order, and to the
thread.

After each round nothing runs and nothing is kept: no run and no reader is open, every thread has expired, connections
are closed. Then garbage is collected, and everything is counted. The counts in the last third of the samples may not
have grown beyond the last column but one; medians are compared, so that no single sample counts. The first two
minutes are not judged.

In Redis the threads of a round have the ids of the round before, because a thread that has expired leaves its keys
for a day, and one that was deleted a mark for an hour and its log for a minute. Those of forks and notices are left
out of the figures. Figures in bytes are of what such a server holds with nothing to do: most of it is its program and
its pools.

`
