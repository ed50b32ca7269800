package gateway_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// An askingStore calls a function before it stores a question; an error of it is the result.
type askingStore struct {
	state.Store
	before func(state.Key) error
}

// Commit stores a turn boundary.
func (s *askingStore) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	if len(c.Tokens) > 0 {
		if err := s.before(l.Key); err != nil {
			return nil, err
		}
	}
	return s.Store.Commit(ctx, l, c)
}

// I1: a question is stored before any client can see that it was asked: a reader of the run, a joining reader, one that
// loads the thread or lists it.
func TestAQuestionIsStoredBeforeItIsSeen(t *testing.T) {
	t.Parallel()
	arrived, stores := make(chan struct{}), make(chan struct{})
	store := &askingStore{Store: memstore.New(memstore.Options{}), before: func(state.Key) error {
		close(arrived)
		<-stores
		return nil
	}}
	closeLast(t, store)
	w := newWorld(t, func(o *gateway.Options) { o.Store, o.Now = store, nil })
	r := w.open("POST", "/agents/queue-ask?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
	r.until(agui.TypeCustom)
	w.release()
	receive(t, "the run asks", arrived) // all that the run may show without it is in the log

	unseen := func(what, text string) {
		t.Helper()
		if strings.Contains(text, "Which size?") || strings.Contains(text, "interrupt") && !strings.Contains(text, `"interrupts":[]`) {
			t.Errorf("%s shows a question that is not stored: %s", what, text)
		}
	}
	key := state.Key{Principal: "local", Agent: "queue-ask", ID: "t"}
	log, err := firstBatch(t, store, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range log {
		unseen("the log", string(f.Data))
	}
	_, doc := w.call("GET", "/threads/t", "")
	unseen("the thread", doc)
	_, list := w.call("GET", "/threads", "")
	unseen("the list", list)
	late := w.open("GET", "/threads/t/events?protocolVersion=1.0", "")
	late.until(agui.TypeRunStarted)

	close(stores)
	for name, r := range map[string]*reader{"who posted": r, "who came late": late} {
		r.rest()
		asked := r.interrupts()
		_, open, err := store.Load(t.Context(), key)
		if err != nil || len(open) != 1 || len(asked) != 1 || open[0].ID != asked[0].ID {
			t.Errorf("%s is asked %+v, stored are %+v, %v", name, asked, open, err)
		}
	}
}

// A question that could not be stored was never asked.
func TestAQuestionThatIsNotStoredIsNotSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesktop(t, func(o *gateway.Options) {
			o.Store = &askingStore{Store: o.Store, before: func(state.Key) error { return state.ErrLeaseLost }}
		})
		defer d.close()
		reader := newSink()
		defer d.serve(reader, "POST", "/agents/ask?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))()
		time.Sleep(time.Hour) // other attempts end no better
		if reader.count("run_lost") != 1 || reader.count("Which size?") != 0 {
			t.Errorf("the reader is sent %s", &reader.data)
		}
	})
}

// firstBatch is what the log of a thread has.
func firstBatch(t *testing.T, store state.Store, key state.Key) ([]state.Frame, error) {
	t.Helper()
	for batch, err := range store.Tail(t.Context(), key, state.FrameID{}) {
		return batch, err
	}
	return nil, nil
}

// I2: the right to answer is an id that cannot be guessed from anything else.
func TestAnAnswerCannotBeGuessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) { o.NewID = nil })
	const threads = 64
	var seen []map[byte]bool // the characters in each place of an id
	ids := map[string]bool{}
	question := ""
	for i := range threads {
		question = w.post("ask", input(fmt.Sprint("t", i), "r1", []string{"u1:Hi"})).interrupts()[0].ID
		ids[question] = true
		for at := range len(question) {
			if at == len(seen) {
				seen = append(seen, map[byte]bool{})
			}
			seen[at][question[at]] = true
		}
	}
	bits := 0.0
	for _, characters := range seen {
		bits += math.Log2(float64(len(characters)))
	}
	if len(ids) != threads || bits < 100 {
		t.Errorf("%d ids of %d are different, with %.0f bits in them, want 100; one is %s", len(ids), threads, bits, question)
	}

	last, thread := question, fmt.Sprint("t", threads-1)
	other := "0"
	if strings.HasSuffix(last, other) {
		other = "1"
	}
	guesses := []string{last[:len(last)-1], last + "0", last[:len(last)-1] + other, strings.ToUpper(last), strings.TrimPrefix(last, "int_"), " " + last, last + "\n", "*", "t0"}
	for id := range ids {
		if id != last {
			guesses = append(guesses, id) // the right to answer another thread's
		}
	}
	for _, guess := range guesses {
		if code := w.post("ask", input(thread, "r2", []string{"u1:Hi"}, answerTo(guess, "M"))).code(); code != "interrupt_not_found" {
			t.Errorf("%q comes to %s", guess, code)
		}
		if status, body := w.call("POST", "/threads/"+thread+"/resume", "{"+answerTo(guess, "M")+"}"); status != http.StatusConflict || !strings.Contains(body, "interrupt_not_found") {
			t.Errorf("%q by /resume = %d %s", guess, status, body)
		}
	}
	if d := w.thread(thread); len(d.Interrupts) != 1 || len(d.Runs) != 1 {
		t.Errorf("guessing has changed the thread: %+v", d)
	}
	w.post("ask", input(thread, "r3", []string{"u1:Hi"}, answerTo(last, "M"))).finished()
}
