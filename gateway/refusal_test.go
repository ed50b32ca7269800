package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// resumed starts a run of slow-answer, answers it, and returns the resumed run in the middle of its work, with a page
// that connected to it, and the question.
func (p tab) resumed(thread string) (run, watcher *reader, question agui.Interrupt) {
	p.t.Helper()
	question = p.whole("run", "slow-answer", pageInput(thread, "r1", []string{"u1:Hi"})).interrupts()[0]
	run = p.open("run", "slow-answer", pageInput(thread, "r1", []string{"u1:Hi"}, answerTo(question.ID, "M")))
	run.until(agui.TypeCustom)
	watcher = p.open("connect", "slow-answer", pageInput(thread, "c1", nil))
	watcher.until(agui.TypeTextMessageContent)
	return run, watcher, question
}

// cutShort lets a gateway end without time for its runs.
func (w *world) cutShort() {
	ctx, cancel := context.WithCancel(w.t.Context())
	cancel()
	_ = w.g.Drain(ctx) // that there was no time is the point
}

// A server that ends takes its runs with it if it has the store alone: their answers are open again.
func TestPageOfAServerThatEnds(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		run, watcher, question := p.resumed("t")
		p.cutShort()
		for _, r := range []*reader{run, watcher} {
			r.rest()
			if v := r.custom(wire.CustomFailed); v.Code != "draining" {
				t.Errorf("told %q", v.Code)
			}
			if again := r.interrupts()[0]; again.ID != question.ID {
				t.Errorf("asked %s, want %s again", again.ID, question.ID)
			}
			r.equals(p.thread("t"))
		}
		// It starts no runs any more. An answer makes it ask again, everything else comes too late.
		refused := p.whole("run", "slow-answer", pageInput("t", "r1", []string{"u1:Hi"}, answerTo(question.ID, "M")))
		if v := refused.custom(wire.CustomRefused); v.Code != "draining" {
			t.Errorf("refused with %q", v.Code)
		}
		if again := refused.interrupts()[0]; again.ID != question.ID {
			t.Errorf("asked %s, want %s again", again.ID, question.ID)
		}
		path, sent := p.at("run", "echo", "", pageInput("new", "r1", []string{"u1:Hi"}))
		status, body := p.call(http.MethodPost, path, sent)
		if status != http.StatusServiceUnavailable || !strings.HasPrefix(body, `{"code":"draining","error":"draining"`) {
			t.Errorf("a run = %d %s", status, body)
		}
		shown := p.whole("connect", "slow-answer", pageInput("t", "c2", nil))
		if again := shown.interrupts()[0]; again.ID != question.ID {
			t.Errorf("a connect shows %s", again.ID)
		}
	})
}

// A server that hands its runs over is left without an error, in a stream that is whole: the page may connect again.
func TestPageOfARunThatIsHandedOver(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		run, watcher, _ := p.resumed("t")
		p.cutShort()
		for _, r := range []*reader{run, watcher} {
			r.rest()
			if v := r.custom(wire.CustomFailed); v.Code != "draining" {
				t.Errorf("told %q", v.Code)
			}
			if o := r.finished().Outcome; o == nil || o.Type != agui.OutcomeSuccess {
				t.Errorf("a run that goes on elsewhere ends as %+v", o)
			}
		}
	}, func(o *gateway.Options) { o.Shared = true })
}

// A store that stays away ends nothing with an error either.
func TestPageOfAStoreThatStaysAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, pageOfAStoreThatStaysAway)
}

func pageOfAStoreThatStaysAway(t *testing.T) {
	store := &distantStore{Store: memstore.New(memstore.Options{})}
	closeLast(t, store)
	w := newBubbleWorld(t, func(o *gateway.Options) { o.Store, o.Shared, o.Now = store, true, nil })
	p := tab{w, transports["rest"]}
	run, watcher, _ := p.resumed("t")
	store.away.Store(true)
	for _, r := range []*reader{run, watcher} {
		r.rest()
		if v := r.custom(wire.CustomFailed); v.Code != "store_unavailable" {
			t.Errorf("told %q", v.Code)
		}
		r.finished()
	}
	store.away.Store(false)
	w.release()
	w.release()
}

// A thread that is forgotten under a resumed run leaves its page a whole stream.
func TestPageOfAThreadThatIsForgotten(t *testing.T) {
	t.Parallel()
	store := closeLast(t, memstore.New(memstore.Options{}))
	w := newWorld(t, func(o *gateway.Options) { o.Store, o.Now = store, nil })
	p := tab{w, transports["rest"]}
	run, _, _ := p.resumed("t")
	key := state.Key{Principal: "local", Agent: "slow-answer", ID: "t"}
	if err := store.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	run.rest()
	if v := run.custom(wire.CustomFailed); v.Code != "cancelled" {
		t.Errorf("told %q", v.Code)
	}
	run.finished()
}
