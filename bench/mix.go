package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A mix is the concurrent load on gateways. Workers ask for one run after the other, each on a new thread; held
// connections last for the whole time.
type mix struct {
	name string
	// short and long are workers with short and long runs at the pace of a model, and fast those with a model without
	// pauses; followed have long runs with a second reader at another replica; questions have runs that end with an
	// unanswered question.
	short, long, fast, followed, questions int
	// unread and read are runs of which nothing comes, without and with a reader; tabs are readers of threads where
	// nothing runs.
	unread, read, tabs int
}

// scaled is a mix of so many times as much.
func (m mix) scaled(n float64) mix {
	for _, count := range []*int{&m.short, &m.long, &m.fast, &m.followed, &m.questions, &m.unread, &m.read, &m.tabs} {
		*count = int(float64(*count) * n)
	}
	return m
}

// A thread is where its owner finds it.
type thread struct{ id, principal string }

// A driver plays mixes to replicas.
type driver struct {
	replicas []string // their URLs
	client   *http.Client
	turn     atomic.Uint64

	mu      sync.Mutex
	threads []thread // that are idle
	err     error    // the first failure
}

// A played mix counts the work that was done.
type played struct{ runs, events, copied, questions atomic.Int64 }

// request asks a replica, and fails if it does not answer with a stream.
func (d *driver) request(ctx context.Context, method, url string, t thread, body any) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Caller", t.principal)
	answer, err := d.client.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		said, readErr := io.ReadAll(io.LimitReader(answer.Body, 300))
		return nil,
			errors.Join(fmt.Errorf("%s %s: %s: %s", method, url, answer.Status, said), readErr, answer.Body.Close())
	}
	return answer, nil
}

// begin asks the next replica for a run on a new thread, and returns its number.
func (d *driver) begin(ctx context.Context, agent string) (thread, int, *http.Response, error) {
	n := d.turn.Add(1)
	at, t := int(n)%len(d.replicas), thread{id: rand.Text(), principal: fmt.Sprintf("caller-%d", n%97)}
	answer, err := d.request(ctx, http.MethodPost, d.replicas[at]+"/agents/"+agent, t, map[string]any{
		"threadId": t.id, "runId": "r", "state": map[string]any{}, "tools": []any{}, "context": []any{},
		"forwardedProps":  map[string]any{},
		"messages":        []any{map[string]string{"id": "u1", "role": "user", "content": "Tell me about it."}},
		"protocolVersion": "1.0",
	})
	return t, at, answer, err
}

// run asks for a run and reads it to its end.
func (d *driver) run(ctx context.Context, agent string, followed bool, p *played) error {
	t, at, answer, err := d.begin(ctx, agent)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // read to its end, or given up
	var second sync.WaitGroup
	var secondErr error
	s, err := readStream(answer.Body, func(text bool) {
		if text || !followed {
			return
		}
		second.Go(func() {
			events, err := d.follow(ctx, d.replicas[(at+1)%len(d.replicas)], t, "")
			p.copied.Add(int64(events))
			secondErr = err
		})
	})
	second.Wait()
	if err := errors.Join(err, secondErr); err != nil {
		return err
	}
	p.runs.Add(1)
	p.events.Add(int64(s.events))
	d.mu.Lock()
	d.threads = append(d.threads, t)
	d.mu.Unlock()
	return nil
}

// follow reads a thread's events to the end of the stream, and counts them.
func (d *driver) follow(ctx context.Context, replica string, t thread, query string) (events int, err error) {
	answer, err := d.request(ctx, http.MethodGet, replica+"/threads/"+t.id+"/events"+query, t, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }() // read to its end, or given up
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if bytes.HasPrefix(lines.Bytes(), dataStart) {
			events++
		}
	}
	return events, lines.Err()
}

func (d *driver) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = err
	}
}

// together does something so many times, some at a time, and returns what failed.
func together(times int, do func(n int) error) error {
	const atOnce = 16
	var workers sync.WaitGroup
	var errs [atOnce]error
	for w := range atOnce {
		workers.Go(func() {
			for n := w; n < times && errs[w] == nil; n += atOnce {
				errs[w] = do(n)
			}
		})
	}
	workers.Wait()
	return errors.Join(errs[:]...)
}

// hold opens what a mix holds, and returns how to let go of it.
func (d *driver) hold(ctx context.Context, m mix) (release func() error, err error) {
	reading, cancel := context.WithCancel(ctx)
	var held sync.WaitGroup
	live := make([]thread, m.unread+m.read)
	release = func() error {
		err := together(len(live), func(n int) error {
			answer, err := d.request(ctx, http.MethodPost, d.replicas[0]+"/threads/"+live[n].id+"/stop", live[n], nil)
			if err != nil {
				return err
			}
			return answer.Body.Close()
		})
		cancel()
		held.Wait()
		return err
	}
	err = together(len(live), func(n int) error {
		agent := "quiet?disconnect=detach"
		if n >= m.unread {
			agent = "quiet"
		}
		t, _, answer, err := d.begin(reading, agent)
		if err != nil {
			return err
		}
		live[n] = t
		if _, err = bufio.NewReader(answer.Body).ReadBytes('\n'); n < m.unread || err != nil {
			return errors.Join(err, answer.Body.Close())
		}
		held.Go(func() {
			_, _ = io.Copy(io.Discard, answer.Body) // until it is stopped
			_ = answer.Body.Close()
		})
		return nil
	})
	for i := range m.tabs {
		t := d.threads[i%len(d.threads)]
		replica := d.replicas[i/len(d.threads)%len(d.replicas)]
		held.Go(func() {
			if _, err := d.follow(reading, replica, t, "?follow=1"); err != nil && reading.Err() == nil {
				d.fail(err)
			}
		})
	}
	return release, err
}

// play lets the workers of a mix work for so long, and waits until all that they began has ended.
func (d *driver) play(ctx context.Context, m mix, during time.Duration) (*played, error) {
	var p played
	var workers sync.WaitGroup
	until := time.Now().Add(during)
	work := func(n int, agent string, followed bool, ended *atomic.Int64) {
		for range n {
			workers.Go(func() {
				for time.Now().Before(until) {
					if err := d.run(ctx, agent, followed, &p); err != nil {
						d.fail(fmt.Errorf("a run of %s: %w", agent, err))
						return
					}
					ended.Add(1)
				}
			})
		}
	}
	var other atomic.Int64
	work(m.short, "short", false, &other)
	work(m.long, "long", false, &other)
	work(m.fast, "fast", false, &other)
	work(m.followed, "long", true, &other)
	work(m.questions, "asks", false, &p.questions)
	workers.Wait()
	select {
	case <-time.After(time.Until(until)):
	case <-ctx.Done():
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return &p, errors.Join(d.err, ctx.Err())
}
