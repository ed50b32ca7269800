package gateway_test

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
)

// status is how the newest run of a thread stands.
func (d threadDoc) newest() string {
	if len(d.Runs) == 0 {
		return ""
	}
	return d.Runs[0].Status
}

func TestHangingUpStopsATiedRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, hangingUpStopsATiedRun)
}

func hangingUpStopsATiedRun(t *testing.T) {
	w := newBubbleWorld(t, quick)
	r := w.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
	r.until(agui.TypeCustom)
	r.hangUp()
	if d := w.idle("t"); d.newest() != "cancelled" {
		t.Errorf("the run is %s, want cancelled", d.newest())
	}
}

func TestWhatUnties(t *testing.T) {
	t.Parallel()
	short := func(o *gateway.Options) { o.HangUpGrace = soon }
	for _, test := range []struct {
		name, query string
		untie       func(*testing.T, *world)
		options     func(*gateway.Options)
	}{
		{"disconnect=detach", "?disconnect=detach", nil, short},
		{"option", "", nil, func(o *gateway.Options) { short(o); o.Disconnect = gateway.Detach }},
		{"attach", "", func(_ *testing.T, w *world) {
			r := w.open("GET", "/threads/t/events?protocolVersion=1.0", "")
			r.until(agui.TypeRunStarted)
			r.hangUp() // the first attach unties for good
		}, short},
		{"join", "", func(_ *testing.T, w *world) {
			r := w.open("POST", "/agents/slow", input("t", "r2", []string{"u1:Hi"}))
			r.until(agui.TypeRunStarted)
			r.hangUp()
		}, short},
		{"in the grace", "", nil, func(o *gateway.Options) { o.HangUpGrace = time.Minute }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newBubbleWorld(t, test.options)
				r := w.open("POST", "/agents/slow"+test.query, input("t", "r1", []string{"u1:Hi"}))
				r.until(agui.TypeCustom)
				if test.untie != nil {
					test.untie(t, w)
				}
				r.hangUp()
				time.Sleep(5 * soon) // what would stop it had its time
				if d := w.thread("t"); d.Status != "running" {
					t.Fatalf("the run was ended: %+v", d.Runs)
				}
				w.release()
				if d := w.idle("t"); d.newest() != "success" {
					t.Errorf("the run is %s, want success", d.newest())
				}
			})
		})
	}
}

func TestAReaderFromBeforeDoesNotUntie(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aReaderFromBeforeDoesNotUntie)
}

func aReaderFromBeforeDoesNotUntie(t *testing.T) {
	w := newBubbleWorld(t, quick)
	w.post("echo", input("t", "r0", []string{"u1:Hi"}))
	w.post("slow-queue", input("other", "r0", nil))
	w.gate <- struct{}{}
	w.post("slow", input("t", "r0", []string{"u1:Hi"}))
	follower := w.open("GET", "/threads/t/events?follow=1&protocolVersion=1.0&agent=slow", "")
	follower.until(agui.TypeRunFinished)
	r := w.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi", "u2:More"}))
	r.until(agui.TypeCustom)
	r.hangUp()
	end, ok := follower.until(agui.TypeRunFinished).(*agui.RunFinished)
	if !ok || end.Outcome == nil || end.Outcome.Type != agui.OutcomeCancelled {
		t.Errorf("the run ended with %+v, want cancelled", end)
	}
	follower.hangUp()
}

func TestAHangUpIsNeverInTheWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aHangUpIsNeverInTheWay)
}

func aHangUpIsNeverInTheWay(t *testing.T) {
	w := newBubbleWorld(t, func(o *gateway.Options) { o.HangUpGrace = time.Hour })
	r := w.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
	r.until(agui.TypeCustom)
	r.hangUp()
	next := w.open("POST", "/agents/slow", input("t", "r2", []string{"u1:Hi", "u2:Rather this"}))
	next.until(agui.TypeCustom)
	w.release()
	next.rest()
	next.finished()
	d := w.shows("t")
	if len(d.Runs) != 2 || d.Runs[1].Status != "cancelled" {
		t.Errorf("runs = %+v, want the first one cancelled", d.Runs)
	}
}

func TestDetachGrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const grace = time.Minute
		w := newBubbleWorld(t, func(o *gateway.Options) { o.Now, o.DetachGrace = nil, grace })
		r := w.open("POST", "/agents/slow?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
		r.until(agui.TypeCustom)
		go func() { _, _ = io.Copy(io.Discard, r.response.Body) }() // who does not take the heartbeats is cut off
		time.Sleep(3 * grace)
		if d := w.thread("t"); d.Status != "running" {
			t.Fatalf("the run was ended although it is read: %+v", d.Runs)
		}
		r.hangUp()
		time.Sleep(grace / 2)
		if d := w.thread("t"); d.Status != "running" {
			t.Fatalf("the run was ended before its time: %+v", d.Runs)
		}
		time.Sleep(grace)
		if d := w.idle("t"); d.newest() != "cancelled" {
			t.Errorf("a run that nobody reads is %s, want cancelled", d.newest())
		}
	})
}

// Stop ends the stream of every reader at once, also if the agent does not listen.
func TestStopDoesNotWaitForTheDeaf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, stopDoesNotWaitForTheDeaf)
}

func stopDoesNotWaitForTheDeaf(t *testing.T) {
	w := newBubbleWorld(t, func(o *gateway.Options) { o.StopGrace = soon })
	r := w.open("POST", "/agents/deaf", input("t", "r1", []string{"u1:Hi"}))
	r.until(agui.TypeCustom)
	if status, body := w.call("POST", "/threads/t/stop", ""); status != 200 || body != "{\"stopped\":true}\n" {
		t.Errorf("stop = %d %s", status, body)
	}
	r.rest()
	if r.finished().Outcome.Type != agui.OutcomeCancelled {
		t.Errorf("the run ended as %+v", r.finished().Outcome)
	}
	next := w.open("POST", "/agents/deaf", input("t", "r2", []string{"u1:Hi", "u2:More"}))
	next.until(agui.TypeCustom)
	w.release() // both continue: all actions of the first one are refused
	w.release()
	next.rest()
	w.shows("t")
}
