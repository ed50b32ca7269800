package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
)

// get asks for a plain answer of the thread routes into v.
func (w *world) get(path string, v any) {
	w.t.Helper()
	status, body := w.call(http.MethodGet, pages+path, "")
	if status != http.StatusOK {
		w.t.Fatalf("%s = %d %s", path, status, body)
	}
	if err := json.Unmarshal([]byte(body), v); err != nil {
		w.t.Fatalf("%s = %s: %v", path, body, err)
	}
}

func TestPageListsThreads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	type list struct {
		Threads []struct {
			ID, AgentID, OrganizationID, CreatedByID, CreatedAt, UpdatedAt string
			Name                                                           *string
			Archived                                                       *bool
		}
		NextCursor *string
	}
	for i := range 5 {
		w.post("echo", input(fmt.Sprintf("t%d", i), "r1", []string{fmt.Sprintf("u1:Hi %d", i)}))
		w.clock.Move(1e9)
	}
	w.post("ask", input("other", "r1", []string{"u1:Hi"}))
	var all list
	w.get("/threads?agentId=echo&includeArchived=true&limit=none", &all)
	if len(all.Threads) != 5 || all.NextCursor != nil {
		t.Fatalf("%+v", all)
	}
	if one := all.Threads[0]; one.ID != "t4" || one.AgentID != "echo" || one.Name == nil || *one.Name != "Hi 4" || one.Archived == nil || *one.Archived || one.CreatedAt == "" {
		t.Errorf("the newest is %+v", one)
	}
	var ids []string
	for path := "/threads?agentId=echo&limit=2"; len(ids) < 10; {
		var page list
		w.get(path, &page)
		for _, one := range page.Threads {
			ids = append(ids, one.ID)
		}
		if page.NextCursor == nil {
			break
		}
		path = "/threads?agentId=echo&limit=2&cursor=" + url.QueryEscape(*page.NextCursor)
	}
	if diff := cmp.Diff([]string{"t4", "t3", "t2", "t1", "t0"}, ids); diff != "" {
		t.Error(diff)
	}
	var both list
	if w.get("/threads", &both); len(both.Threads) != 6 {
		t.Errorf("%d threads of all agents", len(both.Threads))
	}
	if status, body := w.call("GET", pages+"/threads?cursor=bad", ""); status != 400 || !strings.HasPrefix(body, `{"code":"invalid_input"`) {
		t.Errorf("a cursor of somebody else's = %d %s", status, body)
	}
}

func TestPageInspectsAThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var m struct{ Messages []json.RawMessage }
	var s struct{ State json.RawMessage }
	var e struct{ Events []json.RawMessage }
	show := func(thread string) {
		t.Helper()
		w.get("/threads/"+thread+"/messages", &m)
		w.get("/threads/"+thread+"/state", &s)
		w.get("/threads/"+thread+"/events", &e)
	}
	show("nobody")
	if len(m.Messages) != 0 || m.Messages == nil || string(s.State) != "null" || len(e.Events) != 0 || e.Events == nil {
		t.Errorf("a thread nobody knows: %v %s %v", m, s.State, e)
	}
	p := tab{w, transports["rest"]}
	question := p.whole("run", "ask", pageInput("t", "r1", []string{"u1:Hi"})).interrupts()[0]
	p.whole("run", "ask", pageInput("t", "r1", []string{"u1:Hi"}, answerTo(question.ID, "M")))
	show("t")
	d := w.thread("t")
	if canonical(t, s.State) != canonical(t, d.State) {
		t.Errorf("state %s, want %s", s.State, d.State)
	}
	if diff := cmp.Diff(textOf(t, d.Messages), textOf(t, messagesOf(t, m.Messages))); diff != "" {
		t.Error(diff)
	}
	fold := newFold(t, "")
	for _, raw := range e.Events {
		event, err := agui.Decode(raw, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := fold.verifier.Next(event); err != nil {
			t.Fatal(err)
		}
		if err := fold.view.Apply(event); err != nil {
			t.Fatal(err)
		}
	}
	fold.equals(d)

	// A call is shown in fewer words, and a live thread as far as it is.
	w.post("approve", input("c", "r1", []string{"u1:Hi"}))
	show("c")
	if last := string(m.Messages[len(m.Messages)-1]); !strings.Contains(last, `"toolCalls":[{"id":"book-1","name":"book","args":"{\"what\":\"it\"}"}]`) {
		t.Errorf("a call is shown as %s", last)
	}
	run := p.open("run", "slow", pageInput("l", "r1", []string{"u1:Hi"}))
	run.until(agui.TypeCustom)
	if show("l"); len(e.Events) == 0 {
		t.Error("a live thread has no events")
	}
	w.release()
	run.rest()

	// Two agents may have a thread of one id: the newest is meant, unless the page says which.
	w.clock.Move(1e9)
	w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	if w.get("/threads/t/messages", &m); len(m.Messages) != 2 {
		t.Errorf("the newest has %d messages", len(m.Messages))
	}
	if w.get("/threads/t/messages?agentId=ask", &m); len(m.Messages) != len(d.Messages) {
		t.Errorf("the agent's has %d messages", len(m.Messages))
	}
}
