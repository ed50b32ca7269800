package gateway_test

import (
	"strconv"
	"sync"
	"testing"
)

// TestOneTypesAndOneClicks at the same moment: one of them answers, and the other gets an error.
func TestOneTypesAndOneClicks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 20 {
		thread := "t" + strconv.Itoa(i)
		first := w.post("typed", input(thread, "r1", []string{"u1:hi"}))
		first.rest()
		first.hangUp()
		open := w.thread(thread)
		said, question := open.Messages[1].ID, open.Interrupts[0].ID
		history := `[{"id":"u1","role":"user","content":"hi"},{"id":` + quote(said) + `,"role":"assistant","content":"x"}`
		bodies := []string{
			`{"protocolVersion":"1.0","threadId":` + quote(thread) + `,"runId":"typed","messages":` + history + `,{"id":"u2","role":"user","content":"the second one"}]}`,
			`{"protocolVersion":"1.0","threadId":` + quote(thread) + `,"runId":"clicked","messages":` + history + `],"resume":[{"interruptId":` + quote(question) +
				`,"status":"resolved","payload":{"value":"S"}}]}`,
			`{"protocolVersion":"1.0","threadId":` + quote(thread) + `,"runId":"vague","messages":` + history + `,{"id":"u3","role":"user","content":"hm"}]}`,
		}
		var wait sync.WaitGroup
		for _, body := range bodies {
			wait.Go(func() {
				r := w.post("typed", body)
				defer r.hangUp()
				r.rest()
			})
		}
		wait.Wait()
		d := w.idle(thread)
		answers := 0
		for _, m := range d.Messages {
			if text := m.Content.Text(); text == "Taking M." || text == "Taking S." {
				answers++
			}
		}
		asks := d.Status == "interrupted" && d.Interrupts[0].ID == question
		if answers > 1 || asks == (answers == 1) { // the message after the answer was a separate one, and asked again
			t.Errorf("thread %d is %s with %d answers", i, d.Status, answers)
		}
	}
}
