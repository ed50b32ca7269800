package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// More answers than there are open questions are refused as such, on each route that takes answers.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("ask", input("t", "r1", []string{"u1:Hi"}))
	answers := strings.Repeat(`{"interruptId":"x","status":"cancelled"},`, 100) + `{"interruptId":"x","status":"cancelled"}`
	for path, body := range map[string]string{
		"/threads/t/resume": `{"resume":[` + answers + `]}`,
		"/agents/ask":       input("t", "r2", nil, `"resume":[`+answers+`]`),
		"/subgraphs":        input("t", "r3", nil, `"forwardedProps":{"command":{"resume":[`+answers+`]}}`),
	} {
		status, body := w.call(http.MethodPost, path, body)
		if status != http.StatusBadRequest || !strings.Contains(body, "resume: has 101 answers, more than there are open questions") {
			t.Errorf("POST %s = %d %s", path, status, body)
		}
	}
	if d := w.thread("t"); len(d.Interrupts) != 1 {
		t.Errorf("the thread asks %v", d.Interrupts)
	}
}

// A page of events with the last event of the run has no next page, even if the log has later frames that readers are
// not sent.
func TestTheLastPageOfEventsHasNoNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("ask", input("t", "r1", []string{"u1:Hi"}))
	page := func(limit int) (events int, next string) {
		_, body := w.call(http.MethodGet, fmt.Sprintf("/threads/t/runs/1/events?limit=%d", limit), "")
		var page struct {
			Events []json.RawMessage
			Next   string
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		return len(page.Events), page.Next
	}
	all, _ := page(1000)
	if n, next := page(all); n != all || next != "" {
		t.Errorf("a page of all %d events has %d, and names the next %q", all, n, next)
	}
	if n, next := page(all - 1); n != all-1 || next == "" {
		t.Errorf("a page of all but one has %d of %d events, and names the next %q", n, all, next)
	}
}
