package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/statetest"
)

// page is an answer of GET /threads.
type page struct {
	Threads []struct {
		ID, Agent, Status, Title string
		CreatedAt, UpdatedAt     time.Time
	}
	NextCursor string
}

func (w *world) list(query string) page {
	w.t.Helper()
	status, body := w.call("GET", "/threads"+query, "")
	var p page
	if err := json.Unmarshal([]byte(body), &p); err != nil || status != http.StatusOK {
		w.t.Fatalf("GET /threads%s = %d %s", query, status, body)
	}
	return p
}

func TestListingGoesPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if p := w.list(""); p.Threads == nil || len(p.Threads) != 0 {
		t.Errorf("an empty listing is %+v", p)
	}
	for i := range 7 {
		agent := []string{"echo", "ask"}[i%2]
		w.post(agent, input(fmt.Sprintf("t%d", i), "r", []string{"u1:Hello " + strings.Repeat("long ", 30)}))
		w.clock.Move(time.Minute)
	}
	var ids []string
	cursor := ""
	for len(ids) < 10 {
		p := w.list("?limit=3&cursor=" + cursor)
		for _, entry := range p.Threads {
			ids = append(ids, entry.ID)
			if n := len([]rune(entry.Title)); n != 80 {
				t.Errorf("title of %s has %d characters, want 80", entry.ID, n)
			}
		}
		if cursor = p.NextCursor; cursor == "" {
			break
		}
		if len(p.Threads) != 3 {
			t.Errorf("a page of %d, want 3", len(p.Threads))
		}
	}
	if got := strings.Join(ids, " "); got != "t6 t5 t4 t3 t2 t1 t0" {
		t.Errorf("listed %s, want newest first", got)
	}
	if p := w.list("?agent=ask&status=interrupted"); len(p.Threads) != 3 {
		t.Errorf("%d interrupted threads of ask, want 3", len(p.Threads))
	}
	if p := w.list("?status=failed"); len(p.Threads) != 0 {
		t.Errorf("%d failed threads, want none", len(p.Threads))
	}
}

func TestASearchFindsTitlesAndAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, text := range []string{"A week in Paris", "Rome", "PARIS again"} {
		w.post([]string{"echo", "ask"}[i%2], input(fmt.Sprintf("t%d", i), "r", []string{"u1:" + text}))
		w.clock.Move(time.Minute)
	}
	for query, want := range map[string]string{
		"?q=paris": "t2 t0", "?q=paris+week": "t0", "?q=echo": "t2 t0", "?q=ASK": "t1", "?q=nowhere": "", "?q=": "t2 t1 t0",
		"?q=paris&status=interrupted": "", "?q=rome&status=interrupted&agent=ask": "t1",
	} {
		var ids []string
		for _, entry := range w.list(query).Threads {
			ids = append(ids, entry.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("GET /threads%s has %q, want %q", query, got, want)
		}
	}
}

func TestARequestForAListLooksAtABoundedNumberOfThreads(t *testing.T) {
	t.Parallel()
	clock := statetest.NewClock()
	store := closeLast(t, memstore.New(memstore.Options{Now: clock.Now}))
	for i := range 1001 {
		_, err := store.Begin(t.Context(), &state.Request{
			Key: state.Key{Principal: "local", Agent: "silent", ID: fmt.Sprintf("t%04d", i)}, RunID: "r", Hash: "h",
			Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent([]string{"old", "new"}[min(i, 1)])}},
		}, state.LeaseOptions{Attempt: "a", TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		clock.Move(time.Millisecond)
	}
	w := newWorld(t, func(o *gateway.Options) { o.Store, o.Now = store, clock.Now })
	first := w.list("?q=old")
	if len(first.Threads) != 0 || first.NextCursor == "" {
		t.Fatalf("the first page has %d threads and the cursor %q, want none and a cursor", len(first.Threads), first.NextCursor)
	}
	if next := w.list("?q=old&cursor=" + first.NextCursor); len(next.Threads) != 1 || next.NextCursor != "" {
		t.Errorf("the next page has %d threads and the cursor %q, want the old one and none", len(next.Threads), next.NextCursor)
	}
}

func TestTheSameIDUnderTwoAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	w.post("ask", input("t", "r1", []string{"u1:Hi"}))
	for method, path := range map[string]string{
		"GET": "/threads/t", "DELETE": "/threads/t", "PATCH": "/threads/t", "POST": "/threads/t/stop",
	} {
		status, body := w.call(method, path, `{"title":"x"}`)
		if status != http.StatusConflict || !strings.Contains(body, "ambiguous_thread") {
			t.Errorf("%s %s = %d %s, want 409 ambiguous_thread", method, path, status, body)
		}
	}
	if status, body := w.call("GET", "/threads/t?agent=ask", ""); status != http.StatusOK || !strings.Contains(body, `"interrupted"`) {
		t.Errorf("GET with agent=ask = %d %s", status, body)
	}
	if status, _ := w.call("DELETE", "/threads/t?agent=ask", ""); status != http.StatusNoContent {
		t.Errorf("DELETE with agent=ask = %d, want 204", status)
	}
	if d := w.thread("t"); d.Agent != "echo" {
		t.Errorf("what is left is %+v, want the thread of echo", d)
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("echo", input("t", "r1", []string{"u1:First words"}))
	if d := w.thread("t"); d.Title != "First words" {
		t.Errorf("title = %q", d.Title)
	}
	status, body := w.call("PATCH", "/threads/t", `{"title":"Mine","other":1}`)
	if status != http.StatusOK || !strings.Contains(body, `"title":"Mine"`) {
		t.Errorf("PATCH = %d %s", status, body)
	}
	w.post("echo", input("t", "r2", []string{"u1:First words", "u2:More"}))
	if d := w.thread("t"); d.Title != "Mine" {
		t.Errorf("title = %q, want the one that was set", d.Title)
	}
	if status, _ := w.call("PATCH", "/threads/t", `{"title":`+quote(strings.Repeat("x", 501))+`}`); status != http.StatusBadRequest {
		t.Errorf("a title of 501 bytes: %d, want 400", status)
	}
}

func TestMessagesComeByWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("echo", input("t", "r1", []string{"u1:One"}))
	w.post("echo", input("t", "r2", []string{"u1:One", "u2:Two"}))
	ids := func(query string) string {
		_, body := w.call("GET", "/threads/t"+query, "")
		var d struct{ Messages []struct{ ID string } }
		if err := json.Unmarshal([]byte(body), &d); err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, m := range d.Messages {
			out = append(out, m.ID)
		}
		return strings.Join(out, " ")
	}
	for query, want := range map[string]string{
		"":                   "u1 id1 u2 id2",
		"?limit=2":           "u2 id2",
		"?limit=1&before=u2": "id1",
		"?before=u1":         "",
		"?limit=99":          "u1 id1 u2 id2",
	} {
		if got := ids(query); got != want {
			t.Errorf("GET /threads/t%s has %q, want %q", query, got, want)
		}
	}
}

func TestForkHasStateAndConversationOfItsMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("echo", input("t", "r1", []string{"u1:One"}))
	w.post("echo", input("t", "r2", []string{"u1:One", "u2:Two"}))
	for message, want := range map[string]struct {
		messages int
		state    string
	}{
		"id1": {2, `{"turns":1}`}, // the last message of its run: the state at the run's end
		"u2":  {3, `{"turns":1}`}, // else at its start
		"id2": {4, `{"turns":2}`},
		"u1":  {1, `{}`},
	} {
		status, body := w.call("POST", "/threads/t/fork", `{"messageId":`+quote(message)+`}`)
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(body), &made); err != nil || status != http.StatusCreated {
			t.Fatalf("fork at %s = %d %s", message, status, body)
		}
		d := w.thread(made.ID)
		if len(d.Messages) != want.messages || string(d.State) != want.state || d.Status != "idle" {
			t.Errorf("fork at %s has %d messages and state %s, want %d and %s", message, len(d.Messages), d.State, want.messages, want.state)
		}
		w.post("echo", input(made.ID, "r1", []string{"u9:On"})).finished()
		w.shows(made.ID)
	}
	if d := w.thread("t"); len(d.Messages) != 4 {
		t.Errorf("the thread that was forked has %d messages now", len(d.Messages))
	}
}

func TestDeletingARunningThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, deletingARunningThread)
}

func deletingARunningThread(t *testing.T) {
	w := newBubbleWorld(t, quick)
	for _, agent := range []string{"slow", "deaf"} {
		w.post("echo", input(agent, "r0", []string{"u1:Hi"})) // another agent's, which stays
		r := w.open("POST", "/agents/"+agent+"?disconnect=detach", input(agent, "r1", []string{"u1:Hi"}))
		r.until(agui.TypeCustom)
		follower := w.open("GET", "/threads/"+agent+"/events?follow=1&protocolVersion=1.0&agent="+agent, "")
		follower.until(agui.TypeRunStarted)
		if status, body := w.call("DELETE", "/threads/"+agent+"?agent="+agent, ""); status != http.StatusNoContent {
			t.Fatalf("DELETE = %d %s", status, body)
		}
		r.rest()
		follower.rest()
		if status, _ := w.call("GET", "/threads/"+agent+"?agent="+agent, ""); status != http.StatusNotFound {
			t.Errorf("the deleted thread answers %d", status)
		}
		if d := w.thread(agent); d.Agent != "echo" {
			t.Errorf("the other agent's thread is %+v", d)
		}
	}
}

func TestResumeForScripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answer := func(id, value string) string {
		return `{"resume":[{"interruptId":` + quote(id) + `,"status":"resolved","payload":` + quote(value) + `}]}`
	}
	question := w.post("slow-answer", input("t", "r1", []string{"u1:Hi"})).interrupts()[0].ID
	if status, body := w.call("POST", "/threads/t/resume", answer(question, "XXL")); status != http.StatusConflict || !strings.Contains(body, "resume_invalid") ||
		!strings.Contains(body, `"details":[{"interruptId":`+quote(question)+`,"path":"/value","problem":"is none of the choices"}]`) {
		t.Errorf("an answer that does not fit = %d %s", status, body)
	}
	started, body := w.call("POST", "/threads/t/resume", answer(question, "M"))
	if started != http.StatusAccepted {
		t.Fatalf("resume = %d %s, want 202", started, body)
	}
	joined, again := w.call("POST", "/threads/t/resume", answer(question, "M"))
	if joined != http.StatusAccepted || again != body {
		t.Errorf("the same again = %d %s, want 202 %s", joined, again, body)
	}
	w.release()
	w.idle("t")
	if status, body := w.call("POST", "/threads/t/resume", answer(question, "M")); status != http.StatusOK || strings.TrimSpace(body) != `{"status":"idle"}` {
		t.Errorf("the same when it is over = %d %s", status, body)
	}
	if status, body := w.call("POST", "/threads/t/resume", answer(question, "S")); status != http.StatusConflict || !strings.Contains(body, "interrupt_already_resolved") {
		t.Errorf("another answer = %d %s", status, body)
	}

	question = w.post("ask", input("s", "r1", []string{"u1:Hi"})).interrupts()[0].ID
	r := w.open("POST", "/threads/s/resume?protocolVersion=1.0", answer(question, "M"), "Accept", "text/event-stream")
	r.rest()
	r.finished()
	r.equals(w.thread("s"))
}

func TestShowingNothingLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("echo", input("t", "r1", nil))
	w.open("POST", "/subgraphs", input("t", "r1", nil)).rest()
	w.post("ask", input("t", "r1", nil, `"resume":[{"interruptId":"x","status":"cancelled"}]`)).code()
	if p := w.list(""); len(p.Threads) != 0 {
		t.Errorf("there are threads now: %+v", p)
	}
}

// An answer that has a name twice says two things: it is refused on each route, and its question stays open.
func TestAnAnswerHasEachNameOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const twice = `{"value":"XXL","value":"M"}`
	resume := func(question, payload string) string {
		return `"resume":[{"interruptId":` + quote(question) + `,"status":"resolved","payload":` + payload + `}]`
	}
	for name, send := range map[string]func(thread, question, payload string) string{
		"resume": func(thread, question, payload string) string {
			_, body := w.call("POST", "/threads/"+thread+"/resume", "{"+resume(question, payload)+"}")
			return body
		},
		"run": func(thread, question, payload string) string {
			return w.post("ask", input(thread, "r2", nil, resume(question, payload))).code()
		},
		"legacy": func(thread, _, payload string) string {
			return w.post("ask", input(thread, "r2", nil, `"forwardedProps":{"command":{"resume":`+payload+`}}`)).code()
		},
	} {
		for kind, payload := range map[string]string{"object": twice, "text": quote(twice)} {
			thread := name + "-" + kind
			question := w.post("ask", input(thread, "r1", []string{"u1:Hi"})).interrupts()[0].ID
			if got := send(thread, question, payload); !strings.Contains(got, "resume_invalid") {
				t.Errorf("%s, %s: %s, want resume_invalid", name, kind, got)
			}
			if open := w.thread(thread).Interrupts; len(open) != 1 || open[0].ID != question {
				t.Errorf("%s, %s: open questions are %v", name, kind, open)
			}
		}
	}
}

// The reason of a failure is with the failed run, in the words that its readers got.
func TestAFailedRunSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for text, want := range map[string]string{
		"coded": `"code":"out_of_stock","message":"Sold out, sorry."`,
		"other": `"code":"agent_failed","message":` + quote(errcode.AgentFailed.Message()),
		"works": `"status":"success","startedAt"`,
	} {
		w.post("fails", input("t-"+text, "r1", []string{"u1:" + text}))
		if _, body := w.call("GET", "/threads/t-"+text, ""); !strings.Contains(body, want) {
			t.Errorf("GET /threads/t-%s = %s, want %s in it", text, body, want)
		}
	}
}
