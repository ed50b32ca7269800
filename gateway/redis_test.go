package gateway_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// twins are two replicas on one Redis. Their leases are so long that no loaded machine loses one: only a test that
// waits for the end of a lease makes them shorter.
func twins(t *testing.T, address string, change ...func(*gateway.Options)) (a, b *world) {
	t.Helper()
	prefix := rand.Text()
	list := make([]*world, 2)
	for i := range list {
		store, err := redisstore.Open(t.Context(), address, redisstore.Options{Prefix: prefix, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		closeLast(t, store)
		list[i] = newWorld(t, append([]func(*gateway.Options){func(o *gateway.Options) {
			o.Store, o.Shared, o.Now, o.NewID = store, true, nil, nil
			o.Lease, o.StoreBuffer = 5*time.Second, patience
			o.Log = slog.New(slog.DiscardHandler)
		}}, change...)...)
	}
	return list[0], list[1]
}

// ready waits until a replica serves again.
func (w *world) ready() {
	w.t.Helper()
	eventually(w.t, "the replica is ready", func() bool {
		status, _ := w.call("GET", "/readyz", "")
		return status == http.StatusOK
	})
}

// A Redis that lost everything ends its runs for all readers, and works immediately like a new one: no reader is shown
// anything of a lost thread.
func TestARedisThatCameBackEmpty(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	stopped := make(chan struct{})
	a, b := twins(t, server.URL(), func(o *gateway.Options) {
		o.Agents["patient"] = groupchat.AgentFunc(func(ctx context.Context, turn *groupchat.Turn) error {
			defer close(stopped)
			return await(ctx, turn, nil)
		})
	})
	old := a.post("echo", input("idle", "r1", []string{"u1:Before"}))
	question := a.post("ask", input("asks", "r1", []string{"u1:Hi"})).interrupts()[0].ID
	idler := b.open("GET", "/threads/idle/events?follow=1&protocolVersion=1.0", "")
	idler.until(agui.TypeRunFinished)
	poster := a.open("POST", "/agents/patient", input("live", "r1", []string{"u1:Before"}))
	poster.until(agui.TypeCustom)
	watcher := b.open("GET", "/threads/live/events?protocolVersion=1.0", "")
	watcher.until(agui.TypeRunStarted)
	follower := b.open("GET", "/threads/live/events?follow=1&protocolVersion=1.0", "")
	follower.until(agui.TypeRunStarted)
	beside := a.open("GET", "/threads/live/events?protocolVersion=1.0", "")
	beside.until(agui.TypeRunStarted)

	server.Kill()
	server.Restart()

	for name, r := range map[string]*reader{"who posted": poster, "who watches": watcher, "who follows": follower, "who watches here": beside} {
		r.rest()
		if code := r.code(); code != "run_lost" {
			t.Errorf("%s is told %q, want run_lost", name, code)
		}
	}
	idler.rest()
	idler.finished()
	receive(t, "the agent ends", stopped)
	for _, w := range []*world{a, b} {
		w.ready()
		if status, body := w.call("GET", "/threads", ""); status != http.StatusOK || body != "{\"threads\":[]}\n" {
			t.Errorf("GET /threads = %d %s", status, body)
		}
		for _, thread := range []string{"idle", "live", "asks"} {
			if status, body := w.call("GET", "/threads/"+thread+"/events", "", "Last-Event-ID", old.cursorID()); status != http.StatusNotFound {
				t.Errorf("a cursor of %s, which is no more = %d %s", thread, status, body)
			}
		}
		answer := `"resume":[{"interruptId":` + quote(question) + `,"status":"resolved","payload":"M"}]`
		if code := w.post("ask", input("asks", "r2", []string{"u1:Hi"}, answer)).code(); code != "interrupt_not_found" {
			t.Errorf("an answer to a question that is no more ends with %q", code)
		}
		if status, body := w.call("POST", "/threads/asks/resume", "{"+answer+"}"); status != http.StatusNotFound {
			t.Errorf("POST resume = %d %s", status, body)
		}
	}

	b.post("echo", input("idle", "r2", []string{"u2:After"})).finished()
	again := b.open("POST", "/agents/slow", input("live", "r2", []string{"u2:After"}))
	again.until(agui.TypeCustom)
	for _, r := range []*reader{
		a.open("GET", "/threads/idle/events?protocolVersion=1.0", "", "Last-Event-ID", old.cursorID()),
		a.open("GET", "/threads/live/events?agent=slow&protocolVersion=1.0", "", "Last-Event-ID", poster.cursorID()),
	} {
		if e, ok := r.step(); !ok || agui.TypeOf(e) != agui.TypeRunStarted || r.records[0].ID != "" {
			t.Errorf("an old cursor gets %+v, want a prelude", r.records)
		}
		if len(r.events) > 0 && r.events[0].(*agui.RunStarted).ThreadID == "live" {
			b.release()
		}
		r.rest()
		r.finished()
		for _, record := range r.records {
			if strings.Contains(string(record.Data), "Before") {
				t.Errorf("an old cursor is told what is no more: %s", record.Data)
			}
			if record.ID != "" && !newer(t, record.ID, poster.cursorID()) {
				t.Errorf("id %s is not behind %s", record.ID, poster.cursorID())
			}
		}
	}
	again.rest()
	again.finished()
}

func newer(t *testing.T, id, than string) bool {
	t.Helper()
	return frameOf(t, than).Less(frameOf(t, id))
}

// A thread that is created again before its loss was noticed is another one: readers of the old one get nothing of it,
// and its old owner writes nothing to it.
func TestAThreadThatIsMadeAnewAtOnce(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	a, b := twins(t, server.URL())
	poster := a.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Before"}))
	poster.until(agui.TypeCustom)
	watcher := b.open("GET", "/threads/t/events?follow=1&protocolVersion=1.0", "")
	watcher.until(agui.TypeRunStarted)
	server.Kill()
	server.Restart()
	var next *reader
	eventually(t, "a new run", func() bool {
		r := a.open("POST", "/agents/slow", input("t", "r2", []string{"u2:After"}))
		next = r
		return r.response.StatusCode == http.StatusOK
	})
	next.until(agui.TypeCustom)
	a.release()
	a.release() // the old one's agent may be the first to hear it
	for name, r := range map[string]*reader{"who posted": poster, "who follows": watcher} {
		r.rest()
		if code := r.code(); code != "run_lost" {
			t.Errorf("%s is told %q, want run_lost", name, code)
		}
		for _, record := range r.records {
			if strings.Contains(string(record.Data), "After") {
				t.Errorf("%s is told of another thread: %s", name, record.Data)
			}
		}
	}
	next.rest()
	next.finished()
	if d := a.shows("t"); len(d.Messages) != 2 || len(d.Runs) != 1 {
		t.Errorf("the thread has %d messages and the runs %+v", len(d.Messages), d.Runs)
	}
}

// refused sends a new run to a replica while its Redis hangs.
func (w *world) refused() {
	w.t.Helper()
	response := w.open("POST", "/agents/echo", input("new", "r1", []string{"u1:Hi"})).response
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		w.t.Errorf("a new run while Redis hangs = %d, Retry-After %q", response.StatusCode, response.Header.Get("Retry-After"))
	}
	if status, body := w.call("GET", "/readyz", ""); status != http.StatusServiceUnavailable {
		w.t.Errorf("/readyz while Redis hangs = %d %s", status, body)
	}
}

// A Redis that hangs for less than -store-buffer only delays runs, and new ones do not wait for as long: they are
// refused as if it were gone.
func TestARedisThatHangsForAMoment(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	a, b := twins(t, server.URL(), func(o *gateway.Options) { o.Lease, o.StoreBuffer = time.Hour, time.Hour })
	poster := a.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
	poster.until(agui.TypeCustom)
	watcher := b.open("GET", "/threads/t/events?protocolVersion=1.0", "")
	watcher.until(agui.TypeRunStarted)
	server.Freeze()
	a.release() // what it says now is written later
	a.refused()
	b.refused()
	server.Thaw()
	for _, r := range []*reader{poster, watcher} {
		r.rest()
		r.finished()
	}
	a.ready()
	a.post("echo", input("new", "r2", []string{"u1:Hi"})).finished()
	if d := b.shows("t"); len(d.Messages) != 2 || d.newest() != "success" {
		t.Errorf("the thread has %d messages and the runs %+v", len(d.Messages), d.Runs)
	}
}

// If it hangs for longer, runs end for their readers, and work again when it does.
func TestARedisThatHangsForTooLong(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	a, b := twins(t, server.URL(), func(o *gateway.Options) { o.Lease, o.StoreBuffer = 3*time.Second, 4*time.Second })
	poster := a.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
	poster.until(agui.TypeCustom)
	watcher := b.open("GET", "/threads/t/events?protocolVersion=1.0", "")
	watcher.until(agui.TypeRunStarted)
	server.Freeze()
	a.release()
	for name, r := range map[string]*reader{"who posted": poster, "who watches": watcher} {
		r.rest()
		if code := r.code(); code != "store_unavailable" {
			t.Errorf("%s is told %q, want store_unavailable", name, code)
		}
	}
	a.refused()
	server.Thaw()
	a.ready()
	b.ready()
	a.post("echo", input("new", "r2", []string{"u1:Hi"})).finished()
	a.release() // it was taken over, by either
	b.release()
	if d := b.idle("t"); len(d.Messages) != 2 || d.newest() != "success" {
		t.Errorf("the thread has %d messages and the runs %+v", len(d.Messages), d.Runs)
	}
	b.shows("t")
}

// A Redis that evicted a part of a thread has damaged it: readers of its run get an error, the run ends, and later
// requests for the thread get the error immediately and on every route, until it is deleted.
func TestAThreadThatLostAPart(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	stopped := make(chan struct{})
	a, b := twins(t, server.URL(), func(o *gateway.Options) {
		o.Agents["patient"] = groupchat.AgentFunc(func(ctx context.Context, turn *groupchat.Turn) error {
			defer close(stopped)
			return await(ctx, turn, nil)
		})
	})
	poster := a.open("POST", "/agents/patient", input("live", "r1", []string{"u1:Before"}))
	poster.until(agui.TypeCustom)
	watcher := b.open("GET", "/threads/live/events?protocolVersion=1.0", "")
	watcher.until(agui.TypeRunStarted)
	client := server.Client()
	for _, part := range []string{"msgs", "ints"} {
		keys, err := client.Keys(t.Context(), "*}:"+part).Result()
		if err != nil || len(keys) != 1 {
			t.Fatalf("Keys() = %v, %v", keys, err)
		}
		if err := client.Del(t.Context(), keys[0]).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if status, body := b.call("GET", "/threads/live", ""); status != http.StatusInternalServerError || !strings.Contains(body, `"thread_damaged"`) {
		t.Errorf("GET /threads/live = %d %s", status, body)
	}
	for name, r := range map[string]*reader{"who posted": poster, "who watches": watcher} {
		r.rest()
		if code := r.code(); code != "thread_damaged" {
			t.Errorf("%s is told %q, want thread_damaged", name, code)
		}
	}
	receive(t, "the agent ends", stopped)
	r := a.post("echo", input("other", "r1", []string{"u1:Hi"}))
	r.finished()
	for name, request := range map[string][3]string{
		"POST":   {"POST", "/agents/patient", input("live", "r2", []string{"u2:Again"})},
		"attach": {"GET", "/threads/live/events", ""},
		"fork":   {"POST", "/threads/live/fork", `{"messageId":"u1"}`},
		"rename": {"PATCH", "/threads/live", `{"title":"t"}`},
	} {
		if status, body := b.call(request[0], request[1], request[2]); status != http.StatusInternalServerError || !strings.Contains(body, `"thread_damaged"`) {
			t.Errorf("%s = %d %s", name, status, body)
		}
	}
	if status, body := a.call("DELETE", "/threads/live", ""); status != http.StatusNoContent {
		t.Errorf("DELETE /threads/live = %d %s", status, body)
	}
	b.post("echo", input("live", "r3", []string{"u1:Hi"})).finished()
}

// A thread that cannot be decoded any more is listed with the time of its last change, exported as damaged together
// with the threads before it, and deleted with the rest of its principal's data.
func TestAThreadThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	a, b := twins(t, server.URL())
	client := server.Client()
	var keys []string
	for _, id := range []string{"older", "broken", "newer"} {
		a.post("echo", input(id, "r1", []string{"u1:Hi"})).finished()
		found, err := client.Keys(t.Context(), "*}:thread").Result()
		if err != nil {
			t.Fatal(err)
		}
		if id == "broken" {
			for _, key := range found {
				if !slices.Contains(keys, key) {
					client.HSet(t.Context(), key, "doc", "{")
				}
			}
		}
		keys = found
	}
	for name, w := range map[string]*world{"a": a, "b": b} {
		_, body := w.call("GET", "/threads", "")
		var page struct {
			Threads []struct {
				ID, Status           string
				CreatedAt, UpdatedAt time.Time
			}
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil || len(page.Threads) != 3 {
			t.Fatalf("%s: GET /threads = %s, %v", name, body, err)
		}
		is := page.Threads[1]
		if is.ID != "broken" || is.Status != "failed" || is.UpdatedAt.Before(page.Threads[2].UpdatedAt) || is.CreatedAt.IsZero() {
			t.Errorf("%s: it is listed as %+v", name, is)
		}
		_, export := w.call("GET", "/me/export", "")
		for _, want := range []string{`{"threads":3}`, `"thread_damaged"`, `"id":"older"`} {
			if !strings.Contains(export, want) {
				t.Errorf("%s: the export has no %s: %s", name, want, export)
			}
		}
	}
	if status, body := b.call("DELETE", "/me", ""); status != http.StatusNoContent && status != http.StatusOK {
		t.Errorf("DELETE /me = %d %s", status, body)
	}
	if _, body := a.call("GET", "/threads", ""); strings.Contains(body, "broken") {
		t.Errorf("GET /threads = %s", body)
	}
}
