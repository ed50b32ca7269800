package gateway_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
)

// eventsPage is what GET /threads/{id}/runs/{n}/events answers.
type eventsPage struct {
	Events []struct {
		ID    string
		Event json.RawMessage
	}
	Next string
}

// pages reads a run's events page by page, as a reader's lines.
func (w *world) pages(path, query string, most int) (lines string) {
	w.t.Helper()
	for after, n := "", 0; ; n++ {
		status, body := w.call("GET", path+"?after="+after+query, "")
		var page eventsPage
		if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK || n > 100 {
			w.t.Fatalf("page %d = %d %s: %v", n, status, body, err)
		}
		if len(page.Events) > most || len(page.Events) == 0 && page.Next != "" {
			w.t.Errorf("a page has %d events, want %d at most, and some: %s", len(page.Events), most, body)
		}
		for _, e := range page.Events {
			lines += frameOf(w.t, e.ID).String() + " " + string(e.Event) + "\n"
		}
		if page.Next == "" {
			return lines
		}
		after = url.QueryEscape(page.Next)
	}
}

// Pages of any size add up to what a reader of the whole log is sent, the first event included.
func TestTheEventsOfARunPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) { o.Agents["trip"] = trip() })
	w.post("echo", input("other", "r0", []string{"u1:Hi"}))
	asked := w.post("trip", input("t", "r1", []string{"u1:Hi"})).interrupts()[0]
	first := w.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", "0-0")
	first.rest()
	w.post("trip", input("t", "r2", []string{"u1:Hi"}, answerTo(asked.ID, "M"))).finished()
	both := w.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", "0-0")
	both.rest()
	for _, limit := range []int{1, 2, 7, 500} {
		query := "&limit=" + strconv.Itoa(limit)
		if limit == 500 { // which is so without a word
			query = ""
		}
		one := w.pages("/threads/t/runs/1/events", query, limit)
		if diff := cmp.Diff(first.lines(0), one); diff != "" {
			t.Errorf("pages of %d have of the first run (-log +pages):\n%s", limit, diff)
		}
		if diff := cmp.Diff(both.lines(0), one+w.pages("/threads/t/runs/2/events", query, limit)); diff != "" {
			t.Errorf("pages of %d have of both (-log +pages):\n%s", limit, diff)
		}
	}
	traced := w.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0&trace=1", "", "Last-Event-ID", "0-0")
	traced.rest()
	if diff := cmp.Diff(traced.lines(0), w.pages("/threads/t/runs/1/events", "&trace=1", 500)+w.pages("/threads/t/runs/2/events", "&trace=1", 500)); diff != "" {
		t.Errorf("pages with steps have (-log +pages):\n%s", diff)
	}
	last := url.QueryEscape(both.records[len(both.records)-1].ID)
	if status, body := w.call("GET", "/threads/t/runs/1/events?after="+last, ""); status != http.StatusOK || strings.TrimSpace(body) != `{"events":[]}` {
		t.Errorf("behind another run's event there is %d %s, want nothing", status, body)
	}
	for _, query := range []string{"after=x", "after=1-1-1", "limit=0", "trace=x"} {
		if status, body := w.call("GET", "/threads/t/runs/1/events?"+query, ""); status != http.StatusBadRequest {
			t.Errorf("%s = %d %s", query, status, body)
		}
	}
}

// While a run is live its pages have the events so far, and a reader continues after them.
func TestTheEventsOfALiveRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.open(http.MethodPost, "/agents/slow?disconnect=detach", input("t", "r", []string{"u1:Hi"}, `"context":[{"description":"where","value":"Ulm"}]`))
	owner.until(agui.TypeCustom)
	_, run := w.call("GET", "/threads/t/runs/1", "")
	if !strings.Contains(run, `"status":"running"`) || !strings.Contains(run, `"value":"Ulm"`) || !strings.Contains(run, `"content":"Hi"`) {
		t.Errorf("the live run is %s", run)
	}
	if got := w.pages("/threads/t/runs/1/events", "", 500); got == "" || !strings.Contains(got, "RUN_STARTED") || strings.Contains(got, "RUN_FINISHED") {
		t.Errorf("of the live run there is\n%s", got)
	}
	w.release()
	owner.rest()
	_, run = w.call("GET", "/threads/t/runs/1", "")
	if !strings.Contains(run, `"status":"success"`) || strings.Contains(run, "Ulm") || !strings.Contains(run, `"content":"Hi"`) {
		t.Errorf("when it is over it is %s", run)
	}
}
