package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state/memstore"
)

// placed runs an agent as soon as there is a slot: a run's slot is free shortly after its end is sent.
func (w *world) placed(agent, body string) (r *reader) {
	w.t.Helper()
	eventually(w.t, "there is a place", func() bool {
		r = w.open("POST", "/agents/"+agent, body)
		return r.response.StatusCode == http.StatusOK
	})
	return r
}

// A gateway that can begin no run, because it is full or leaving, still does everything that begins none.
func TestWithoutAPlaceWhatRunsNothingWorks(t *testing.T) {
	t.Parallel()
	for name, closed := range map[string]struct {
		code string
		by   func(*world)
	}{
		"full": {"overloaded", func(*world) {}},
		"leaving": {"draining", func(w *world) {
			go func() { _ = w.g.Drain(context.Background()) }() // it ends with the run
			eventually(w.t, "it is not ready", func() bool {
				status, _ := w.call(http.MethodGet, "/readyz", "")
				return status != http.StatusOK
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *gateway.Options) { o.Limits.Runs = 1 })
			w.placed("echo", input("idle", "r1", []string{"u1:Hi"})).rest()
			w.placed("fails", input("failed", "r1", []string{"u1:coded"})).rest()
			w.placed("ask", input("asks", "r1", []string{"u1:Hi"})).rest()
			w.placed("ask", input("answered", "r1", []string{"u1:Hi"})).rest()
			question, answered := w.thread("asks").Interrupts[0].ID, w.thread("answered").Interrupts[0].ID
			w.placed("ask", input("answered", "r2", []string{"u1:Hi"}, answerTo(answered, "M"))).rest()
			first := w.placed("slow?disconnect=detach", input("live", "r1", []string{"u1:Hi"}))
			first.until(agui.TypeCustom)
			closed.by(w)

			joined := w.open("POST", "/agents/slow", input("live", "r2", []string{"u1:Hi"}))
			joined.until(agui.TypeTextMessageContent)
			attached := w.open("GET", "/threads/live/events?protocolVersion=1.0", "")
			attached.until(agui.TypeTextMessageContent)
			if code := w.post("slow", input("live", "r3", []string{"u1:Hi", "u2:More"})).code(); code != "run_in_progress" {
				t.Errorf("a message to the live run ends with %q", code)
			}
			w.post("echo", input("idle", "r2", nil)).equals(w.thread("idle"))
			w.post("ask", input("answered", "r3", []string{"u1:Hi"}, answerTo(answered, "M"))).equals(w.thread("answered"))
			if code := w.post("fails", input("failed", "r1", []string{"u1:coded"})).code(); code != "out_of_stock" {
				t.Errorf("a failed run that is asked for again ends with %q", code)
			}
			if code := w.post("ask", input("answered", "r4", []string{"u1:Hi"}, answerTo(answered, "L"))).code(); code != "interrupt_already_resolved" {
				t.Errorf("a second answer ends with %q", code)
			}
			if status, body := w.call("POST", "/threads/answered/resume", "{"+answerTo(answered, "M")+"}"); status != http.StatusOK {
				t.Errorf("the same answer by /resume = %d %s", status, body)
			}
			for what, request := range map[string][2]string{
				"a new thread":         {"/agents/echo", input("new", "r1", []string{"u1:Hi"})},
				"a new message":        {"/agents/echo", input("idle", "r3", []string{"u1:Hi", "u2:More"})},
				"an answer":            {"/agents/ask", input("asks", "r2", []string{"u1:Hi"}, answerTo(question, "M"))},
				"an answer to /resume": {"/threads/asks/resume", "{" + answerTo(question, "M") + "}"},
			} {
				if status, body := w.call("POST", request[0], request[1]); status != http.StatusServiceUnavailable || !strings.Contains(body, closed.code) {
					t.Errorf("%s = %d %s, want 503 %s", what, status, body, closed.code)
				}
			}
			if d := w.thread("asks"); d.Status != "interrupted" {
				t.Errorf("the thread whose answer was not taken is %s", d.Status)
			}
			if status, _ := w.call("GET", "/threads/new", ""); status != http.StatusNotFound {
				t.Errorf("the thread that did not begin = %d", status)
			}
			if status, body := w.call("POST", "/threads/live/stop", ""); status != http.StatusOK || body != "{\"stopped\":true}\n" {
				t.Errorf("stop = %d %s", status, body)
			}
			for _, r := range []*reader{first, joined, attached} {
				r.rest()
				if o := r.finished().Outcome; o.Type != agui.OutcomeCancelled {
					t.Errorf("a reader is told %+v", o)
				}
			}
		})
	}
}

// crowd lets others ask for the places of w until the returned function is called.
func (w *world) crowd() (stop func()) {
	over := make(chan struct{})
	var others sync.WaitGroup
	for i := range 4 {
		others.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-over:
					return
				default:
				}
				response, err := w.try(w.t.Context(), "POST", "/agents/echo", input(fmt.Sprintf("o%d-%d", i, n), "r", []string{"u1:Hi"}))
				if err != nil {
					w.t.Error(err)
					return
				}
				response.Body.Close()
			}
		})
	}
	return func() {
		close(over)
		others.Wait()
	}
}

// A request that replaces a run takes its place, however many others want one.
func TestWhoSupersedesTakesTheOthersPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quick, func(o *gateway.Options) { o.Limits.Runs = 1 })
	first := w.open("POST", "/agents/slow-supersede", input("t", "r0", []string{"u0:Hi"}))
	first.until(agui.TypeCustom)
	defer w.crowd()()
	own := []string{"u0:Hi"}
	for i := 1; i < 20; i++ {
		own = append(own, fmt.Sprintf("u%d:Rather this", i))
		next := w.open("POST", "/agents/slow-supersede", input("t", fmt.Sprintf("r%d", i), own))
		if next.response.StatusCode != http.StatusOK {
			t.Fatalf("request %d = %d", i, next.response.StatusCode)
		}
		next.until(agui.TypeCustom)
		first.rest()
		if o := first.finished().Outcome; o.Type != agui.OutcomeCancelled {
			t.Errorf("the run that was replaced ended as %+v", o)
		}
		first = next
	}
	w.release()
	first.rest()
	first.finished()
}

// So does the one that waits for it in the queue: it was taken, and is not refused after all.
func TestWhoWaitedTakesTheOthersPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) { o.Limits.Runs = 1 })
	first := w.open("POST", "/agents/slow-queue", input("t", "r0", []string{"u1:Hi"}))
	first.until(agui.TypeCustom)
	list := waiters(w, 3)
	defer w.crowd()()
	for range 4 {
		w.release()
	}
	for _, r := range append(list, first) {
		r.rest()
		r.finished()
	}
}

// A run of another replica's leaves no place here. A request that could not run when it has ended does not end it.
func TestNobodySupersedesInVain(t *testing.T) {
	t.Parallel()
	shared := closeLast(t, memstore.New(memstore.Options{}))
	here := func(o *gateway.Options) { o.Store, o.Shared, o.Now, o.NewID = shared, true, nil, nil }
	a, b := newWorld(t, here), newWorld(t, here, func(o *gateway.Options) { o.Limits.Runs = 1 })
	first := a.open("POST", "/agents/slow-supersede", input("t", "r1", []string{"u1:Hi"}))
	first.until(agui.TypeCustom)
	other := b.open("POST", "/agents/slow", input("other", "r1", []string{"u1:Hi"}))
	other.until(agui.TypeCustom)
	if status, body := b.call("POST", "/agents/slow-supersede", input("t", "r2", []string{"u1:Hi", "u2:Rather this"})); status != http.StatusServiceUnavailable {
		t.Errorf("a request without a place = %d %s", status, body)
	}
	a.release()
	first.rest()
	if o := first.finished().Outcome; o.Type != agui.OutcomeSuccess {
		t.Errorf("the first run ended as %+v", o)
	}
	b.release()
	other.rest()
	b.post("slow-supersede", input("t", "r3", nil)).equals(a.thread("t"))
}
