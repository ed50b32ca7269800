package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A narrowModel takes 4,000 tokens. It counts what it is asked, over all replicas.
type narrowModel struct {
	mu        sync.Mutex
	replies   int
	summaries int
	refused   int
	longest   int // tokens of a request it took

	holdAt string        // words of the user at which the first reply does not come until its run has ended
	held   chan struct{} // closed then
}

func (m *narrowModel) Stream(ctx context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
	tokens := 0
	for _, message := range r.Messages {
		tokens += len(message.Text)/4 + 3
	}
	last := r.Messages[len(r.Messages)-1].Text
	m.mu.Lock()
	if tokens > 4000 {
		m.refused++
		m.mu.Unlock()
		return model.Reply{}, &errcode.Error{Code: errcode.ModelContextLength, Err: errors.New("too long")}
	}
	m.longest = max(m.longest, tokens)
	if strings.HasPrefix(r.Messages[0].Text, "You write down") {
		m.summaries++
		text := fmt.Sprintf("It is said %d times.", m.summaries)
		m.mu.Unlock()
		return model.Reply{Text: text}, nil
	}
	hold := m.holdAt != "" && strings.HasPrefix(last, m.holdAt)
	if hold {
		m.holdAt = ""
	} else {
		m.replies++
	}
	m.mu.Unlock()
	if hold {
		close(m.held)
		<-ctx.Done()
		return model.Reply{}, context.Cause(ctx)
	}
	return model.Reply{Text: "You said: " + last}, nil
}

// TestAThreadWithoutEndIsTakenOver runs 200 turns with a model of 4,000 tokens, enough for 45 turns. In the middle,
// between a summary and the reply, the replica dies. The other one makes no second summary, and continues.
func TestAThreadWithoutEndIsTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := closeLast(t, memstore.New(memstore.Options{}))
		door := newMortal(shared)
		defer close(door.buried)
		// After 20 turns the oldest leave, in steps of six: 20, 26, … 98.
		m := &narrowModel{holdAt: "Question 98 ", held: make(chan struct{})}
		agent := &groupchat.LLM{Model: m, History: &history.Policy{Turns: 20, Tokens: 3500, Strategy: history.Summarise}}
		replica := func(store state.Store) *world {
			return newBubbleWorld(t, func(o *gateway.Options) {
				o.Store, o.Shared, o.Now, o.RunAttempts, o.NewID = store, true, nil, 3, nil
				o.Agents, o.Agent, o.Legacy = map[string]groupchat.Agent{"desk": agent}, nil, "desk"
			})
		}
		a, b := replica(door), replica(shared)
		talk(t, a, m, 0, 98)
		owner := a.begin(http.MethodPost, "/agents/desk?disconnect=detach", input("t", "r98", []string{question(98)}))
		<-m.held
		made := m.summaries
		close(door.dead)
		owner.hangUp()
		watcher := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
		watcher.rest()
		if watcher.finished().Outcome.Type != agui.OutcomeSuccess {
			t.Fatalf("outcome = %+v", watcher.finished().Outcome)
		}
		if m.summaries != made {
			t.Errorf("%d summaries were made after the takeover of a turn that had one", m.summaries-made)
		}
		talk(t, b, m, 99, 200)
		if m.refused > 0 || m.summaries < 25 || m.summaries > 35 {
			t.Errorf("%d requests were refused, and %d summaries made", m.refused, m.summaries)
		}
		notesAreHidden(t, b)
	})
}

// TestAThreadWithoutEndMoves is the same with replicas on Redis, the first of which ends.
func TestAThreadWithoutEndMoves(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t).URL()
	m := &narrowModel{holdAt: "Question 26 ", held: make(chan struct{})}
	agent := &groupchat.LLM{Model: m, History: &history.Policy{Turns: 20, Strategy: history.Summarise}}
	replica := func() *world {
		store, err := redisstore.Open(t.Context(), url, redisstore.Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		closeLast(t, store)
		return newWorld(t, func(o *gateway.Options) {
			o.Store, o.Shared, o.Now, o.NewID = store, true, nil, nil
			o.Agents, o.Agent, o.Legacy = map[string]groupchat.Agent{"desk": agent}, nil, "desk"
		})
	}
	a, b := replica(), replica()
	talk(t, a, m, 0, 26)
	owner := a.begin(http.MethodPost, "/agents/desk?disconnect=detach", input("t", "r26", []string{question(26)}))
	receive(t, "the model is asked", m.held)
	made := m.summaries
	ending, end := context.WithCancel(t.Context())
	end() // at once
	_ = a.g.Drain(ending)
	owner.hangUp()
	watcher := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	watcher.rest()
	if watcher.finished().Outcome.Type != agui.OutcomeSuccess || m.summaries != made || made != 2 {
		t.Fatalf("outcome = %+v with %d summaries, %d before it", watcher.finished().Outcome, m.summaries, made)
	}
	talk(t, b, m, 27, 40)
	notesAreHidden(t, b)
}

func question(i int) string {
	return fmt.Sprintf("u%d:Question %d %s", i, i, strings.Repeat("why ", 30))
}

// talk takes turns. Each costs at most one summary beside the reply, and no request is longer than those before.
func talk(t *testing.T, w *world, m *narrowModel, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		replies, made := m.replies, m.summaries
		r := w.post("desk", input("t", fmt.Sprint("r", i), []string{question(i)}))
		if r.finished().Outcome.Type != agui.OutcomeSuccess {
			t.Fatalf("turn %d: %+v", i, r.finished().Outcome)
		}
		if m.replies != replies+1 || m.summaries > made+1 {
			t.Errorf("turn %d takes %d replies and %d summaries", i, m.replies-replies, m.summaries-made)
		}
	}
	if m.longest > 2600 {
		t.Errorf("the longest request has %d tokens, want no more than 20 turns take", m.longest)
	}
}

// notesAreHidden looks for a summary: it is in the principal's export, in no public document, and deleted with the
// thread.
func notesAreHidden(t *testing.T, w *world) {
	t.Helper()
	const summary = "It is said"
	for _, path := range []string{"/threads/t", "/threads", "/threads/t/state", "/threads/t/events?protocolVersion=1.0"} {
		if _, body := w.call(http.MethodGet, path, ""); strings.Contains(body, summary) {
			t.Errorf("GET %s shows the summary", path)
		}
	}
	if _, body := w.call(http.MethodGet, "/me/export", ""); !strings.Contains(body, summary) {
		t.Errorf("the summary is not exported: %.300s", body)
	}
	if status, body := w.call(http.MethodDelete, "/threads/t", ""); status != http.StatusNoContent {
		t.Fatalf("DELETE = %d %s", status, body)
	}
	if _, body := w.call(http.MethodGet, "/me/export", ""); strings.Contains(body, summary) {
		t.Errorf("the summary is exported after the thread is gone")
	}
}
