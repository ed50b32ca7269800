package upgrades_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A condition is a thread as an operator's stop finds it.
type condition struct {
	id     string // of the thread
	user   principal
	live   bool // a run is
	asks   bool // a notice of its questions waits for the webhook's receiver
	make   func(w *world)
	goOn   func(w *world)
	before time.Duration // passes before it is made
}

// conditions are all of them, in the order in which they are made.
var conditions = []condition{
	{id: "trimmed", make: func(w *world) { w.run("", "echo", "trimmed", "r1", "One") }, goOn: func(w *world) {
		w.run("", "echo", "trimmed", "r3", "Three")
		w.has("", "trimmed", "turns", 3.0)
	}},
	{ // the log of its first run is not kept any more when the second is
		id: "trimmed", before: 2 * time.Hour, make: func(w *world) { w.run("", "echo", "trimmed", "r2", "Two") },
	},
	{id: "idle", make: func(w *world) {
		w.run("", "echo", "idle", "r1", "One")
		w.run("", "echo", "idle", "r2", "Two")
	}, goOn: func(w *world) {
		w.run("", "echo", "idle", "r2", "Two") // sent again: it shows the thread
		w.has("", "idle", "turns", 2.0)
		w.run("", "echo", "idle", "r3", "Three")
		w.has("", "idle", "turns", 3.0)
	}},
	{id: "fork of idle", make: func(w *world) {
		w.must("", http.MethodPost, "/threads/idle/fork", `{"messageId":"`+w.thread("", "idle").Messages[1].ID+`"}`)
	}, goOn: func(w *world) {
		id := w.forkOfIdle()
		w.run("", "echo", id, "r3", "Another")
		w.has("", id, "turns", 2.0)
	}},
	{id: "renamed", make: func(w *world) {
		w.run("", "echo", "renamed", "r1", "One")
		w.must("", http.MethodPatch, "/threads/renamed", `{"title":"A name of its own"}`)
	}, goOn: func(w *world) {
		w.run("", "echo", "renamed", "r2", "Two")
		if title := w.thread("", "renamed").Title; title != "A name of its own" {
			w.Errorf("its title is %q", title)
		}
	}},
	{id: "theirs", user: "ada", make: func(w *world) { w.run("ada", "echo", "theirs", "r1", "One") }, goOn: func(w *world) {
		if status, _ := w.call("", http.MethodGet, "/threads/theirs", ""); status != http.StatusNotFound {
			w.Errorf("somebody else's GET = %d", status)
		}
		w.run("ada", "echo", "theirs", "r2", "Two")
		w.has("ada", "theirs", "turns", 2.0)
	}},
	{id: "failed", make: func(w *world) { w.run("", "fails", "failed", "r1", "Go") }, goOn: func(w *world) {
		w.run("", "fails", "failed", "r2", "Again")
		w.has("", "failed", "tried", true)
	}},
	{id: "asked", asks: true, make: func(w *world) { w.run("", "ask", "asked", "r1", "Go") }, goOn: func(w *world) {
		w.answer("asked", `"S"`)
		w.has("", "asked", "size", "S")
	}},
	{id: "asked-as-before-1.0", asks: true, make: func(w *world) {
		body := strings.Replace(post("asked-as-before-1.0", "r1", "Go"), `"protocolVersion":"1.0"`, `"state":{}`, 1)
		if stream := w.must("", http.MethodPost, "/agents/ask?interrupts=legacy", body); !strings.Contains(stream, "on_interrupt") {
			w.Errorf("it does not ask in the legacy dialect:\n%s", stream)
		}
	}, goOn: func(w *world) {
		stream := w.must("", http.MethodGet, "/threads/asked-as-before-1.0/events?interrupts=legacy", "", "Last-Event-ID", "0-0")
		w.must("", http.MethodPost, "/agents/ask?interrupts=legacy", legacyAnswer(w, "asked-as-before-1.0", stream, "L"))
		w.has("", "asked-as-before-1.0", "size", "L")
	}},
	{id: "asked-by-two", asks: true, make: func(w *world) { w.run("", "both", "asked-by-two", "r1", "Go") }, goOn: func(w *world) {
		w.answer("asked-by-two", `"L"`)
		w.has("", "asked-by-two", "size", "L", "colour", "L")
	}},
	{id: "handed-over", asks: true, make: func(w *world) { w.run("", "desk", "handed-over", "r1", "Go") }, goOn: func(w *world) {
		w.answer("handed-over", `"S"`)
		w.has("", "handed-over", "size", "S")
	}},
	{id: "to-approve", asks: true, make: func(w *world) { w.run("", "till", "to-approve", "r1", "Go") }, goOn: func(w *world) {
		before := w.effects.Load()
		w.answer("to-approve", `{"approved":true}`)
		if n := w.effects.Load() - before; n != 1 {
			w.Errorf("the approved call was made %d times", n)
		}
		w.has("", "to-approve")
	}},
	{id: "called", make: func(w *world) { w.run("", "shows", "called", "r1", "Go") }, goOn: func(w *world) {
		d := w.thread("", "called")
		w.must("", http.MethodPost, "/agents/shows", `{"protocolVersion":"1.0","threadId":"called","runId":"r2","messages":[`+
			`{"id":"t1","role":"tool","toolCallId":"`+d.OpenCalls[0].ID+`","content":"a river"}]}`)
		w.has("", "called", "seen", "a river")
	}},
	{id: "answered-and-failed", asks: true, make: func(w *world) {
		w.run("", "orders", "answered-and-failed", "r1", "Go")
		w.answer("answered-and-failed", `"S"`)
	}, goOn: func(w *world) { // the order is not repeated
		before := w.effects.Load()
		w.answer("answered-and-failed", `"S"`)
		if n := w.effects.Load() - before; n != 0 {
			w.Errorf("the order was executed %d times more", n)
		}
		w.has("", "answered-and-failed", "size", "S", "ordered", 1.0)
	}},
	{id: "queue", live: true, make: func(w *world) {
		w.open("", "queue", "queue", "r1")
		go func() { // it waits until the gateway ends
			if response, err := w.client.Post(w.url+"/agents/queue", "application/json", strings.NewReader(post("queue", "r2", "Me too"))); err == nil {
				_ = response.Body.Close()
			}
		}()
	}, goOn: func(w *world) {
		w.queue <- struct{}{}
		w.atRest("", "queue")
		w.queue <- struct{}{}
		w.run("", "queue", "queue", "r3", "And I")
		w.has("", "queue")
	}},
	{id: "for-an-editor", user: "ada", live: true, make: func(w *world) { w.open("ada", "clerk", "for-an-editor", "r1") }, goOn: func(w *world) {
		w.clerk <- struct{}{}
		w.atRest("ada", "for-an-editor")
		w.has("ada", "for-an-editor", "roles", "editor reader") // those of who asked, and not of who takes the run over
	}},
	{id: "live", live: true, make: func(w *world) {
		w.open("", "story", "live", "r1")
		w.must("", http.MethodPatch, "/threads/live/state", `{"paid":true}`, "Content-Type", "application/merge-patch+json", "Prefer", "wait=0")
	}, goOn: func(w *world) {
		w.story <- struct{}{}
		w.atRest("", "live")
		w.has("", "live", "opened", true, "booked", 2.0, "paid", true)
	}},
}

// atRest waits until nothing runs on a thread.
func (w *world) atRest(user principal, id string) {
	w.Helper()
	redistest.Until(w, "the end of the run of "+id, func() bool { return w.thread(user, id).Status != "running" })
}

// forkOfIdle is the id of the copy of the thread idle.
func (w *world) forkOfIdle() string {
	w.Helper()
	var list struct {
		Threads []struct{ ID, Agent, Title string }
	}
	if err := json.Unmarshal([]byte(w.must("", http.MethodGet, "/threads?agent=echo&limit=100", "")), &list); err != nil {
		w.Fatal(err)
	}
	for _, t := range list.Threads {
		if t.ID != "idle" && t.ID != "renamed" && t.ID != "trimmed" {
			return t.ID
		}
	}
	w.Fatal("there is no fork")
	return ""
}

// legacyAnswer is a request that answers the question of a stream as clients before 1.0 do.
func legacyAnswer(w *world, thread, stream, value string) string {
	w.Helper()
	for record, err := range agui.ReadStream(strings.NewReader(stream), 1<<20) {
		var e struct {
			Name  string
			Value json.RawMessage
		}
		if err := errors.Join(err, json.Unmarshal(record.Data, &e)); err != nil {
			w.Fatal(err)
		}
		if e.Name != "on_interrupt" {
			continue
		}
		command, err := json.Marshal(map[string]any{"resume": value, "interruptEvent": e.Value})
		if err != nil {
			w.Fatal(err)
		}
		return `{"threadId":"` + thread + `","runId":"r2","messages":[],"tools":[],"context":[],"state":{},"forwardedProps":{"command":` + string(command) + `}}`
	}
	w.Fatalf("nothing was asked:\n%s", stream)
	return ""
}
