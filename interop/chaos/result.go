package main

import (
	"fmt"
	"net/http"
)

// A result is the report of a scenario: lines of figures, and problems.
type result struct {
	lines []string
	stats stats
}

func (r *result) add(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// checkBookings reads the ledger and compares it with the requests.
func (r *result) checkBookings(f *fleet, check func(*ledger) (duplicates, missing int)) {
	l, err := readLedger(f.ledger)
	if err != nil {
		r.stats.problem("%v", err)
		return
	}
	duplicates, missing := check(l)
	duplicates += len(l.broken)
	r.add("bookings executed %d, of them repeated under their key %d; duplicate bookings %d, lost answers %d",
		l.executed, l.repeated, duplicates, missing)
	for _, broken := range l.broken {
		r.stats.problem("one key, two bookings: %s", broken)
	}
	if duplicates > 0 || missing > 0 {
		r.stats.problem("%d duplicate bookings, %d lost answers", duplicates, missing)
	}
}

// readers makes readers that tell this result what they see.
func (r *result) readers() *readers {
	return &readers{stats: &r.stats, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}}
}

// readers are readers of one scenario.
type readers struct {
	stats  *stats
	client *http.Client
}

// reader is one that speaks to any server.
func (rs *readers) reader(f *fleet, agent, thread string) *reader {
	return &reader{stats: rs.stats, client: rs.client, where: f.any, agent: agent, thread: thread}
}

// at is one that speaks to a server, whatever becomes of it.
func (rs *readers) at(server *replica, agent, thread string) *reader {
	where := func() string { return server.serving.Load().url }
	return &reader{stats: rs.stats, client: rs.client, where: where, agent: agent, thread: thread}
}
