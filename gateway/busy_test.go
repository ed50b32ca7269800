package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
)

// waiters opens n requests that wait for a thread's run, one after the other.
func waiters(w *world, n int) []*reader {
	list := make([]*reader, n)
	for i := range list {
		// The headers come at once, while the request waits.
		list[i] = w.open("POST", "/agents/slow-queue", input("t", fmt.Sprintf("w%d", i), []string{"u1:Hi", fmt.Sprintf("m%d:More", i)}))
	}
	return list
}

func TestTheQueueKeepsOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) { o.Limits.Queue, o.Heartbeat = 3, 5*time.Millisecond })
	first := w.open("POST", "/agents/slow-queue", input("t", "r1", []string{"u1:Hi"}))
	first.until(agui.TypeCustom)
	list := waiters(w, 3)
	if code := w.post("slow-queue", input("t", "r9", []string{"u1:Hi", "u9:One too many"})).code(); code != "queue_full" {
		t.Errorf("one too many ends with %s, want queue_full", code)
	}
	list[1].hangUp() // its place is free
	var late *http.Response
	eventually(t, "there is room for another", func() bool {
		late = w.request(t.Context(), "POST", "/agents/slow-queue", input("t", "r8", []string{"u1:Hi", "u8:Instead"})) //nolint:bodyclose // closed below, both ways
		line, err := bufio.NewReader(late.Body).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, ":") { // refused at once, no heartbeat
			late.Body.Close()
			return false
		}
		return true
	})
	defer late.Body.Close()
	for range 4 {
		w.release()
	}
	first.rest()
	list[0].rest()
	list[2].rest()
	eventually(t, "all are done", func() bool { return len(w.thread("t").Runs) == 4 && w.thread("t").Status == "idle" })
	var order []string
	for _, run := range w.thread("t").Runs {
		order = append(order, run.RunID+" "+run.Status)
	}
	if got := strings.Join(order, ", "); got != "r8 success, w2 success, w0 success, r1 success" {
		t.Errorf("runs, newest first: %s", got)
	}
}

func TestWaitingIsQuietButAlive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) { o.Heartbeat = 5 * time.Millisecond })
	first := w.open("POST", "/agents/slow-queue", input("t", "r1", []string{"u1:Hi"}))
	first.until(agui.TypeCustom)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	response := w.request(ctx, "POST", "/agents/slow-queue", input("t", "r2", []string{"u1:Hi", "u2:More"}))
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for range 3 {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), ":") && lines.Text() != "" {
			t.Fatalf("a waiting client was sent %q, want comments", lines.Text())
		}
	}
}

func TestDrainingEndsTheQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.open("POST", "/agents/slow-queue", input("t", "r1", []string{"u1:Hi"}))
	first.until(agui.TypeCustom)
	waiter := waiters(w, 1)[0]
	drained := make(chan error, 1)
	go func() { drained <- w.g.Drain(context.Background()) }()
	waiter.rest()
	if code := waiter.code(); code != "draining" {
		t.Errorf("the waiter ends with %s, want draining", code)
	}
	w.release() // the run may finish
	first.rest()
	first.finished()
	if err := receive(t, "the gateway has drained", drained); err != nil {
		t.Errorf("Drain() = %v", err)
	}
}

// Who leaves says so to probes, and runs what it is sent until it drains.
func TestLeavingServesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.g.Leave()
	if status, body := w.call("GET", "/readyz", ""); status != 503 || !strings.Contains(body, `"draining"`) {
		t.Errorf("GET /readyz while leaving = %d %s, want 503 draining", status, body)
	}
	w.post("echo", input("t", "r1", []string{"u1:Hi"})).finished()
}

func TestDrainLetsFollowersGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	follower := w.open("GET", "/threads/t/events?follow=1&protocolVersion=1.0", "")
	follower.until(agui.TypeRunFinished)
	if err := w.g.Drain(t.Context()); err != nil {
		t.Errorf("Drain() = %v", err)
	}
	if e, ok := follower.step(); ok {
		t.Errorf("the follower was sent %s, want the end", agui.TypeOf(e))
	}
}

// A supersede never touches a join or an identical resume.
func TestSupersedeSparesWhoAddsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) {
		o.Agent["slow-answer"] = gateway.AgentOptions{OnBusy: gateway.Supersede}
	})
	question := w.post("slow-answer", input("t", "r1", []string{"u1:Hi"})).interrupts()[0].ID
	answer := `"resume":[{"interruptId":` + quote(question) + `,"status":"resolved","payload":"M"}]`
	run := w.open("POST", "/agents/slow-answer", input("t", "r2", []string{"u1:Hi"}, answer))
	run.until(agui.TypeCustom)
	again := w.open("POST", "/agents/slow-answer", input("t", "r3", []string{"u1:Hi", "u2:And this"}, answer))
	again.until(agui.TypeTextMessageContent)
	joined := w.open("POST", "/agents/slow-answer", input("t", "r4", []string{"u1:Hi"}))
	joined.until(agui.TypeTextMessageContent)
	w.release()
	for _, r := range []*reader{run, again, joined} {
		r.rest()
		if o := r.finished().Outcome; o.Type != agui.OutcomeSuccess {
			t.Errorf("a run ended with %+v, want success", o)
		}
	}
}
