package gateway_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// without removes the counts of events.
func without(lines []string, prefixes ...string) []string {
	return slices.DeleteFunc(lines, func(line string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(line, p) })
	})
}

// meteredReplica is replica with a meter.
func meteredReplica(t *testing.T, store state.Store, paid *atomic.Int64) (*world, *meter) {
	m := newMeter(t)
	gate := make(chan struct{}, 1)
	w := newBubbleWorld(t, func(o *gateway.Options) {
		o.Store, o.Shared, o.Now, o.NewID, o.Agent, o.Legacy = store, true, nil, nil, nil, "crew"
		o.Agents = map[string]groupchat.Agent{"crew": crew(gate, paid, nil)}
		m.options(o)
	})
	w.gate = gate
	return w, m
}

// TestATakeoverIsCountedOnce lets a replica die in the second turn of a run. The replica that takes over counts the
// takeover and the end; both together count each turn and question once.
func TestATakeoverIsCountedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := closeLast(t, memstore.New(memstore.Options{}))
		var paid atomic.Int64
		door := newMortal(shared)
		defer close(door.buried)
		a, dead := meteredReplica(t, door, &paid)
		b, alive := meteredReplica(t, shared, &paid)
		owner := a.begin(http.MethodPost, "/agents/crew?disconnect=detach", input("t", "r", []string{"u1:go"}))
		defer owner.hangUp()
		owner.hears("I paid ")
		close(door.dead)
		b.gate <- struct{}{}
		eventually(t, "the run ends", func() bool { return b.thread("t").Status == "idle" })
		alive.settled(b)
		want := []string{
			"run.duration{agent=crew,outcome=success} 1", "runs{agent=crew,outcome=success} 1", "takeovers{agent=crew} 1",
			"turn.duration{agent=crew,participant=second} 1", "turns{agent=crew,outcome=ok,participant=second} 1",
		}
		if diff := cmp.Diff(want, without(alive.moved(), "log.", "sent.")); diff != "" {
			t.Errorf("who goes on has counted (-want +got):\n%s", diff)
		}
		want = []string{
			"first_event{agent=crew} 1", "first_text{agent=crew} 1",
			"turn.duration{agent=crew,participant=first} 1", "turns{agent=crew,outcome=ok,participant=first} 1",
		}
		// of the dead replica
		second := []string{"turn.duration{agent=crew,participant=second}", "turns{agent=crew,outcome=run_moved,participant=second}"}
		if diff := cmp.Diff(want, without(dead.moved(), append(second, "log.", "sent.")...)); diff != "" {
			t.Errorf("who died has counted (-want +got):\n%s", diff)
		}
	})
}

// TestAHandoverIsCountedByBoth drains a replica with a run that another continues.
func TestAHandoverIsCountedByBoth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := closeLast(t, memstore.New(memstore.Options{}))
		var paid atomic.Int64
		a, leaves := meteredReplica(t, shared, &paid)
		b, stays := meteredReplica(t, shared, &paid)
		owner := a.begin(http.MethodPost, "/agents/crew?disconnect=detach", input("t", "r", []string{"u1:go"}))
		defer owner.hangUp()
		owner.hears("I paid ")
		synctest.Wait() // what the owner hears is counted a moment later
		leaves.moved()
		a.cutShort()
		b.gate <- struct{}{}
		eventually(t, "the run ends", func() bool { return b.thread("t").Status == "idle" })
		stays.settled(b)
		want := []string{
			"runs{agent=crew,outcome=handed_over} 1",
			"turn.duration{agent=crew,participant=second} 1", "turns{agent=crew,outcome=run_moved,participant=second} 1",
		}
		if diff := cmp.Diff(want, without(leaves.moved(), "log.", "sent.")); diff != "" {
			t.Errorf("who has left has counted (-want +got):\n%s", diff)
		}
		got := without(stays.moved(), "log.", "sent.", "turn")
		want = []string{"run.duration{agent=crew,outcome=success} 1", "runs{agent=crew,outcome=success} 1", "takeovers{agent=crew} 1"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("who goes on has counted (-want +got):\n%s", diff)
		}
	})
}

// TestAQuestionThatExpiresIsCountedOnce lets a question of one replica expire, while another serves the same threads. A
// late answer counts nothing more, and an answered question never expires.
func TestAQuestionThatExpiresIsCountedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := closeLast(t, memstore.New(memstore.Options{}))
		start := func() (*world, *meter) {
			m := newMeter(t)
			return newBubbleWorld(t, func(o *gateway.Options) {
				o.Store, o.Shared, o.Now, o.NewID, o.InterruptTTL = shared, true, nil, nil, time.Hour
				m.options(o)
			}), m
		}
		a, asks := start()
		b, other := start()
		asked := a.post("ask", input("t", "r1", []string{"u1:Hi"})).interrupts()[0].ID
		answered := a.post("ask", input("answered", "r1", []string{"u1:Hi"})).interrupts()[0].ID
		time.Sleep(20 * time.Minute)
		b.post("ask", strings.Replace(resumed("r2", answered, answerM), `"t"`, `"answered"`, 1)).finished()
		other.settled(b)
		want := []string{
			"first_event{agent=ask} 1", "first_text{agent=ask} 1", "interrupt.wait{agent=ask} 1", "interrupts{agent=ask,event=answered} 1",
			"run.duration{agent=ask,outcome=success} 1", "runs{agent=ask,outcome=success} 1",
		}
		if diff := cmp.Diff(want, without(other.moved(), "log.", "sent.")); diff != "" {
			t.Errorf("who took the answer has counted (-want +got):\n%s", diff)
		}
		if sum := other.sum("interrupt.wait"); sum < 1200 || sum > 1201 {
			t.Errorf("the answer took %v seconds, want 20 minutes", sum)
		}
		asks.moved()
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		want = []string{"interrupts{agent=ask,event=expired} 1"}
		if diff := cmp.Diff(want, without(asks.moved(), "log.", "sent.")); diff != "" {
			t.Errorf("who asked has counted (-want +got):\n%s", diff)
		}
		late := b.post("ask", resumed("r2", asked, answerM))
		if _, refused := late.last().(*agui.RunError); !refused {
			t.Errorf("a late answer was taken: %v", types(late.events))
		}
		other.settled(b)
		if got := without(other.moved(), "log.", "sent."); len(got) != 0 {
			t.Errorf("the other replica has counted %v", got)
		}
	})
}

// TestDeliveriesAreCounted has a receiver that takes a notice at the third attempt.
func TestDeliveriesAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, deliveriesAreCounted)
}

func deliveriesAreCounted(t *testing.T) {
	r := newBubbleReceiver(t, func(attempt int, _ *http.Request) int {
		if attempt < 3 {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
	m := newMeter(t)
	w := newBubbleWorld(t, withReceiver(r), m.options)
	w.post("ask", input("t", "r", []string{"u1:hi"})).interrupts()
	<-r.got
	var got []string
	eventually(t, "all is counted", func() bool {
		m.before = nil
		got = slices.DeleteFunc(m.moved(), func(line string) bool { return !strings.HasPrefix(line, "webhook.") })
		return len(got) == 2
	})
	if want := []string{"webhook.deliveries{outcome=delivered} 1", "webhook.deliveries{outcome=failed} 2"}; !slices.Equal(got, want) {
		t.Errorf("counted %q, want %q", got, want)
	}
}

// TestNothingThatAClientSendsIsALabel sends unknown names of agents, tools, models, threads, hosts and methods, and
// checks that there are no more series afterwards than after one of each.
func TestNothingThatAClientSendsIsALabel(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	w := newWorld(t, m.options)
	send := func(word string) {
		for _, request := range []struct{ method, path, body string }{
			{http.MethodPost, "/agents/" + word, input(word, word, []string{word + ":" + word})},
			{http.MethodPost, "/agents/echo", input(word, word, []string{word + ":" + word}, `"forwardedProps":{"model":`+quote(word)+`}`)},
			{http.MethodPost, "/agents/map", input("map-"+word, word, []string{word + ":" + word},
				`"tools":[{"name":`+quote(word)+`,"description":"","parameters":{}}]`)},
			{http.MethodGet, "/threads/" + word, ""},
			{http.MethodGet, "/threads?agent=" + word, ""},
			{http.MethodDelete, "/threads/" + word + "?agent=" + word, ""},
			{http.MethodPost, "/threads/" + word + "/resume", resumed(word, word, answerM)},
			{http.MethodGet, "/" + word, ""},
			{word, "/" + word, ""},
		} {
			w.call(request.method, request.path, request.body, "X-"+word, word, "User-Agent", word, "X-Request-Id", word, "Origin", "http://"+word+".example",
				"Traceparent", word, "Baggage", word+"="+word)
		}
	}
	count := func() int { m.settled(w); return len(m.read()) }
	for _, word := range []string{"FIRST", "SECOND"} {
		send(word)
	}
	before := count()
	for i := range 60 {
		send("HOSTILE" + strings.Repeat("X", i))
	}
	if after := count(); after != before {
		t.Errorf("%d series before, %d after", before, after)
	}
	for name := range m.read() {
		if strings.Contains(strings.ToUpper(name), "HOSTILE") || strings.Contains(name, "FIRST") {
			t.Errorf("series %s has a client's word", name)
		}
	}
}
