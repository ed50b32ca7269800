package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	travellers = 100
	// attackers is how many send headers that never end, and how many bodies that stall; silent is how many never read.
	attackers, silent = 100, 10
	// stalledBody is how much of a body comes before it stalls. As many as there are would take 790 MiB.
	stalledBody = 8<<20 - 100<<10
	// bodiesRoom is -max-bodies, and memoryRoom the process' memory bound with it: the bodies are copied as they grow,
	// and garbage may be as large as the live heap.
	bodiesRoom = 64 << 20
	memoryRoom = 400 << 20
)

// TestTravellersBesideAttackers has a hundred people plan a trip, alone and beside clients that hold connections by
// endless headers, request streams without reading them, and send endless bodies. Every trip is planned, and memory
// stays bounded. The durations of the trips are printed and not judged.
func TestTravellersBesideAttackers(t *testing.T) { //nolint:paralleltest // it measures
	binary := builtGateway(t)
	var keys strings.Builder
	for i := range travellers {
		keys.WriteString(keyLine("traveller-" + strconv.Itoa(i)))
	}
	keys.WriteString(keyLine("eve"))
	for name, args := range map[string][]string{
		"without authentication": nil,
		"with keys":              {"-auth", "keys", "-keys-file", writeFile(t, "keys", keys.String())},
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // it measures
			p := startProcess(t, binary, append(args, "-max-bodies", strconv.Itoa(bodiesRoom))...)
			p.travel(t, "first") // a process that has just started takes longer
			alone := p.travel(t, "alone")
			quiet := p.memory(t, "VmHWM")
			stop := p.attack(t)
			beside := p.travel(t, "beside")
			loud := p.memory(t, "VmHWM")
			stop()
			t.Logf("%d travellers alone: %s; beside %d slow headers, %d silent readers and %d stalled bodies: %s; p99 %.1f times as long; memory at most %d MiB, then %d MiB",
				travellers, alone, attackers, silent, attackers, beside, float64(beside.p99)/float64(alone.p99), quiet>>20, loud>>20)
			if loud > memoryRoom {
				t.Errorf("the process took %d MiB, want at most %d", loud>>20, memoryRoom>>20)
			}
			p.signal(t, syscall.SIGTERM)
			receive(t, "the server ends", p.ended)
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("the process ended with %v; its log:\n%s", err, &p.log)
			}
		})
	}
}

// keyOf is the API key of a name.
func keyOf(name string) string { return strings.Repeat(name+"-", 8) }

// keyLine is the line of a keys file for a name.
func keyLine(name string) string {
	hash := sha256.Sum256([]byte(keyOf(name)))
	return name + ":" + hex.EncodeToString(hash[:]) + "\n"
}

// memory returns a figure of the process' memory in bytes.
func (p *process) memory(t *testing.T, figure string) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(figure + `:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("the process has no %s:\n%s", figure, status)
	}
	kibibytes, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kibibytes << 10
}

// times are how long trips took.
type times struct{ p50, p99 time.Duration }

// String returns both.
func (d times) String() string {
	return fmt.Sprintf("p50 %v, p99 %v", d.p50.Round(time.Millisecond), d.p99.Round(time.Millisecond))
}

// travel has all travellers plan a trip at once.
func (p *process) travel(t *testing.T, prefix string) times {
	t.Helper()
	took, failed := make([]time.Duration, travellers), make([]error, travellers)
	var all sync.WaitGroup
	for i := range travellers {
		all.Go(func() {
			started := time.Now()
			failed[i] = p.trip(t.Context(), "traveller-"+strconv.Itoa(i), prefix+strconv.Itoa(i))
			took[i] = time.Since(started)
		})
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Fatalf("not every trip was planned: %v", err)
	}
	slices.Sort(took)
	return times{took[travellers/2], took[travellers*99/100]}
}

// trip plans a trip: it answers every question with its first option until the run ends with a plan.
func (p *process) trip(ctx context.Context, who, thread string) error {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	message, resume := `{"id":"u1","role":"user","content":"Plan my trip"}`, `[]`
	for run := range 10 {
		body := fmt.Sprintf(`{"protocolVersion":"1.0","threadId":%q,"runId":"r%d","messages":[%s],"resume":%s}`, thread, run, message, resume)
		outcome, err := p.runTo(ctx, client, who, body)
		if err != nil {
			return fmt.Errorf("%s, run %d: %w", thread, run, err)
		}
		if outcome.Type == "success" && run >= 2 {
			return nil
		}
		if len(outcome.Interrupts) != 1 || len(outcome.Interrupts[0].Metadata.Value.Options) == 0 {
			return fmt.Errorf("%s, run %d ended with %+v", thread, run, outcome)
		}
		question := outcome.Interrupts[0]
		message, resume = "", fmt.Sprintf(`[{"interruptId":%q,"status":"resolved","payload":%s}]`, question.ID, question.Metadata.Value.Options[0])
	}
	return fmt.Errorf("%s: no plan after 10 runs", thread)
}

// outcome is how a run has ended.
type outcome struct {
	Type       string
	Interrupts []struct {
		ID       string
		Metadata struct {
			Value struct{ Options []json.RawMessage }
		}
	}
}

// runTo posts a run and reads its stream to the end.
func (p *process) runTo(ctx context.Context, client *http.Client, who, body string) (outcome, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/agents/travel", strings.NewReader(body))
	if err != nil {
		return outcome{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+keyOf(who))
	response, err := client.Do(r)
	if err != nil {
		return outcome{}, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return outcome{}, fmt.Errorf("%s: %.300s, %w", response.Status, data, err)
	}
	var last struct {
		Type    string
		Outcome outcome
	}
	for line := range strings.Lines(string(data)) {
		if event, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(event), &last); err != nil {
				return outcome{}, err
			}
		}
	}
	if last.Type != "RUN_FINISHED" {
		return outcome{}, fmt.Errorf("the stream ends with %s", last.Type)
	}
	return last.Outcome, nil
}

// attack starts the attackers, who are one principal with authentication, and returns when each has completed one
// attack. stop ends them.
func (p *process) attack(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	address := strings.TrimPrefix(p.url, "http://")
	big := `{"protocolVersion":"1.0","threadId":"eves","runId":"r","messages":[{"id":"u1","role":"user","content":"` + strings.Repeat("x", 4<<20) + `"}]}`
	if _, err := p.runTo(ctx, http.DefaultClient, "eve", big); err != nil {
		t.Fatal(err)
	}
	request := func(line, more string) string {
		return line + " HTTP/1.1\r\nHost: " + address + "\r\nAuthorization: Bearer " + keyOf("eve") + "\r\n" + more
	}
	var running, first sync.WaitGroup
	start := func(n int, attack func(c *net.TCPConn, begun func()) error) {
		for range n {
			first.Add(1)
			running.Go(func() { again(ctx, address, attack, sync.OnceFunc(first.Done)) })
		}
	}
	start(attackers, func(c *net.TCPConn, begun func()) error { // headers that never end
		_, err := io.WriteString(c, request("GET /threads", ""))
		begun()
		for tick := time.Tick(200 * time.Millisecond); err == nil; <-tick {
			_, err = io.WriteString(c, "X-More: and more\r\n")
		}
		return err
	})
	start(silent, func(c *net.TCPConn, begun func()) error { // a stream that is not read
		if err := c.SetReadBuffer(4 << 10); err != nil {
			return err
		}
		_, err := io.WriteString(c, request("GET /threads/eves/events?follow=1", "\r\n"))
		begun()
		<-ctx.Done()
		return err
	})
	body := make([]byte, stalledBody)
	start(attackers, func(c *net.TCPConn, begun func()) error { // a body that stalls
		_, err := io.WriteString(c, request("POST /agents/travel", "Content-Type: application/json\r\nContent-Length: 8388608\r\n\r\n"))
		if err == nil {
			_, err = c.Write(body)
		}
		begun()
		if err == nil {
			_, err = io.Copy(io.Discard, c)
		}
		return err
	})
	first.Wait()
	return func() {
		cancel()
		running.Wait()
	}
}

// again attacks until ctx is done, on a new connection when one was closed, at most once a second. An attack ends with
// its connection, and calls begun when it is complete.
func again(ctx context.Context, address string, attack func(*net.TCPConn, func()) error, begun func()) {
	defer begun()
	for tick := time.NewTicker(time.Second); ctx.Err() == nil; {
		if conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address); err == nil {
			stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // which ends what waits on it
			_ = attack(conn.(*net.TCPConn), begun)                      // the gateway has closed it
			begun()
			stop()
			_ = conn.Close() // it may be closed already
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}
