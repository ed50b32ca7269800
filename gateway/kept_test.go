package gateway_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// A turn that failed after an effect, and is answered alike once more, finds the effect (I4). Another answer is another
// order.
func TestAFailedTurnsEffectsAreNotRepeated(t *testing.T) {
	t.Parallel()
	var bookings, failures atomic.Int32
	failures.Store(2)
	books := groupchat.AgentFunc(func(_ context.Context, turn *groupchat.Turn) error {
		answer, err := turn.Ask(sizes())
		if err != nil {
			return err
		}
		reference, err := groupchat.Once(turn, "book", func() (int32, error) { return bookings.Add(1), nil })
		if err != nil {
			return err
		}
		if failures.Add(-1) >= 0 {
			return errors.New("no printer")
		}
		if err := turn.State().Set("/reference", reference); err != nil {
			return err
		}
		return keepAnswer(turn, "size", answer)
	})
	w := newWorld(t, func(o *gateway.Options) { o.Agents["books"] = books })
	question := w.post("books", input("t", "r1", []string{"u1:Hi"})).interrupts()[0].ID
	for i, c := range []struct {
		answer   string
		fails    bool
		bookings int32
	}{{"M", true, 1}, {"M", true, 1}, {"M", false, 1}} {
		r := w.post("books", input("t", "r2", []string{"u1:Hi"}, answerTo(question, c.answer)))
		if c.fails {
			r.code()
		} else {
			r.finished()
		}
		if n := bookings.Load(); n != c.bookings {
			t.Fatalf("answer %d: %d bookings, want %d", i+1, n, c.bookings)
		}
	}
	if d := w.thread("t"); string(d.State) != `{"reference":1,"size":"M"}` {
		t.Errorf("state = %s", d.State)
	}

	failures.Store(1)
	question = w.post("books", input("s", "r1", []string{"u1:Hi"})).interrupts()[0].ID
	w.post("books", input("s", "r2", []string{"u1:Hi"}, answerTo(question, "M"))).code()
	w.post("books", input("s", "r3", []string{"u1:Hi"}, answerTo(question, "S"))).finished()
	if n := bookings.Load(); n != 3 {
		t.Errorf("%d bookings, want another one for another answer", n)
	}
}
