package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

const (
	jsonPatch  = "application/json-patch+json"
	mergePatch = "application/merge-patch+json"
)

// counters takes two turns: the first counts at its beginning and waits, the second tells what the state has by then.
func counters(gate chan struct{}) groupchat.Agent {
	return &groupchat.Chat{
		Description: "Counters", Manager: groupchat.Sequential(),
		Participants: []groupchat.Participant{
			{Name: "first", Agent: groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
				if err := await(ctx, t, gate); err != nil {
					return err
				}
				return counts(ctx, t)
			})},
			{Name: "second", Agent: groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
				paid := false
				if _, err := t.State().Get("/paid", &paid); err != nil {
					return err
				}
				if err := await(ctx, t, gate); err != nil {
					return err
				}
				return groupchat.SayOnce(t, "seen", fmt.Sprintf("Paid: %v.", paid))
			})},
		},
	}
}

// patchState sends a patch of a thread's state.
func (w *world) patchState(thread, media, body string, header ...string) (status int, tag, answer string) {
	w.t.Helper()
	response := w.request(w.t.Context(), http.MethodPatch, "/threads/"+thread+"/state", body, append([]string{"Content-Type", media}, header...)...)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("ETag"), string(data)
}

// state is the state of a thread with its tag.
func (w *world) state(thread string) (raw, tag string) {
	w.t.Helper()
	response := w.request(w.t.Context(), http.MethodGet, "/threads/"+thread+"/state", "")
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		w.t.Fatalf("GET state = %d %s %v", response.StatusCode, data, err)
	}
	return strings.TrimSpace(string(data)), response.Header.Get("ETag")
}

func TestStateIsPatchedWhereNothingRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	_, tag := w.state("t")
	follower := w.open(http.MethodGet, "/threads/t/events?follow=1&protocolVersion=1.0", "", "Last-Event-ID", first.cursorID())
	follower.goOnFrom(first)
	status, newTag, body := w.patchState("t", jsonPatch, `[{"op":"test","path":"/turns","value":1.0},{"op":"add","path":"/paid","value":true}]`, "If-Match", `"other", `+tag)
	if raw, now := w.state("t"); status != http.StatusOK || raw != `{"paid":true,"turns":1}` || newTag != now || now == tag {
		t.Fatalf("PATCH = %d %s %s, the state is %s %s", status, newTag, body, raw, now)
	}
	delta := follower.until(agui.TypeStateDelta).(*agui.StateDelta)
	if len(delta.Delta) != 1 || delta.Delta[0].Path != "/paid" {
		t.Errorf("readers are told %+v", delta.Delta)
	}
	follower.until(agui.TypeRunFinished)
	late := w.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", first.cursorID())
	late.goOnFrom(first)
	late.rest()
	if got := types(late.events); len(got) != 3 || got[1] != agui.TypeStateDelta || late.cursorID() != follower.cursorID() {
		t.Errorf("who comes back is told %v up to %s, want the patch up to %s", got, late.cursorID(), follower.cursorID())
	}
	// A page without news of the change sends the state it has.
	next := w.post("echo", input("t", "r2", []string{"u1:Hi", "u2:Again"}, `"state":{"turns":1}`))
	if raw, _ := w.state("t"); raw != `{"paid":true,"turns":2}` || next.finished() == nil {
		t.Errorf("after the next run the state is %s", raw)
	}
	w.shows("t")
	if status, _, body := w.patchState("t", mergePatch, `{"paid":null,"order":{"id":7}}`); status != http.StatusOK {
		t.Errorf("a merge patch = %d %s", status, body)
	}
	if raw, _ := w.state("t"); raw != `{"order":{"id":7},"turns":2}` {
		t.Errorf("state = %s", raw)
	}
	if d := w.thread("t"); len(d.Runs) != 2 {
		t.Errorf("the thread has the runs %+v", d.Runs)
	}
}

func TestRefusedStatePatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) {
		o.Limits.State, o.Limits.PatchOps, o.Limits.Body = 100, 3, 1000
	})
	w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	before, tag := w.state("t")
	for _, c := range []struct {
		media, body, match string
		status             int
		want               string // in the answer
	}{
		{"application/json", `[]`, "", 415, `"unsupported_media_type"`},
		{"", `[]`, "", 415, `"unsupported_media_type"`},
		{jsonPatch, `{`, "", 400, `"invalid_input"`},
		{jsonPatch, `[{"op":"add","path":"/a","value":1},{"op":"add","path":"b","value":1}]`, "", 400, `"operation":1,"pointer":"b"`},
		{mergePatch, `[]`, "", 400, `"invalid_input"`},
		{jsonPatch, `[{"op":"add","path":"/a","value":1},{"op":"remove","path":"/b"}]`, "", 409, `"code":"patch_failed"`},
		{jsonPatch, `[{"op":"add","path":"/a","value":1},{"op":"remove","path":"/b"}]`, "", 409, `"operation":1,"pointer":"/b"`},
		{jsonPatch, `[{"op":"test","path":"/turns","value":[null]}]`, "", 409, `"operation":0,"pointer":"/turns"`},
		{jsonPatch, `[]`, `"stale"`, 412, `"state_changed"`},
		{jsonPatch, `[]`, `W/` + tag, 412, `"state_changed"`},
		{jsonPatch, `[]`, `stale`, 400, `"invalid_input"`},
		{jsonPatch, `[{"op":"add","path":"/a","value":"` + strings.Repeat("x", 100) + `"}]`, "", 413, `"too_large"`},
		{jsonPatch, `[` + strings.Repeat(`{"op":"remove","path":"/a"},`, 3) + `{"op":"remove","path":"/a"}]`, "", 413, `"too_large"`},
		{jsonPatch, `[{"op":"add","path":"/a","value":"` + strings.Repeat("x", 1000) + `"}]`, "", 413, `"too_large"`},
	} {
		if status, _, body := w.patchState("t", c.media, c.body, "If-Match", c.match); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %.80s = %d %s, want %d with %s", c.media, c.body, status, body, c.status, c.want)
		}
	}
	if after, now := w.state("t"); after != before || now != tag {
		t.Errorf("the state is %s %s, was %s %s", after, now, before, tag)
	}
	if status, _, body := w.patchState("t", jsonPatch, `[]`, "If-Match", "*"); status != http.StatusOK {
		t.Errorf("If-Match: * = %d %s", status, body)
	}
	if status, _, _ := w.patchState("nobody", jsonPatch, `[]`); status != http.StatusNotFound {
		t.Errorf("PATCH of no thread = %d", status)
	}
	if status, _ := w.call("GET", "/threads/t/state/patches/nothing", ""); status != http.StatusNotFound {
		t.Errorf("GET of no patch = %d", status)
	}
}

func TestStatePatchWritesWhereClientsMay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents["shop"] = &groupchat.Chat{
			Description: "A shop", Manager: groupchat.Sequential(),
			Participants: []groupchat.Participant{{Name: "clerk", Agent: groupchat.AgentFunc(counts)}},
			State:        groupchat.StateSpec{Client: []string{"/order"}},
		}
	})
	w.post("shop", input("t", "r1", []string{"u1:Hi"}))
	if status, _, body := w.patchState("t", mergePatch, `{"order":1,"turns":9}`); status != http.StatusForbidden || !strings.Contains(body, `"pointer":"/turns"`) {
		t.Errorf("PATCH = %d %s", status, body)
	}
	if status, _, body := w.patchState("t", mergePatch, `{"order":1}`); status != http.StatusOK {
		t.Errorf("PATCH = %d %s", status, body)
	}
}

func TestStatePatchOfAThreadThatWaitsForAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := w.post("ask", input("t", "r1", []string{"u1:Hi"}))
	if status, _, body := w.patchState("t", mergePatch, `{"paid":true}`); status != http.StatusOK {
		t.Fatalf("PATCH = %d %s", status, body)
	}
	back := w.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", asked.cursorID())
	back.goOnFrom(asked)
	back.rest()
	if got := back.interrupts(); len(got) != 1 || got[0].ID != asked.interrupts()[0].ID {
		t.Errorf("who comes back is asked %+v", got)
	}
	answer := `"resume":[{"interruptId":` + quote(asked.interrupts()[0].ID) + `,"status":"resolved","payload":{"value":"L"}}]`
	w.post("ask", input("t", "r2", []string{"u1:Hi"}, answer))
	if raw, _ := w.state("t"); raw != `{"paid":true,"size":"L"}` {
		t.Errorf("state = %s", raw)
	}
}

func TestStatePatchOfALiveRunIsTakenUpBetweenTurns(t *testing.T) {
	t.Parallel()
	var gate chan struct{}
	w := newWorld(t, func(o *gateway.Options) {
		gate = make(chan struct{}, 2)
		o.Agents["counters"] = counters(gate)
	})
	r := w.open(http.MethodPost, "/agents/counters", input("t", "r1", []string{"u1:Hi"}))
	r.until(agui.TypeCustom)
	status, _, body := w.patchState("t", jsonPatch, `[{"op":"add","path":"/paid","value":true}]`, "Prefer", "wait=0")
	var pending struct{ Patch, Status string }
	if err := json.Unmarshal([]byte(body), &pending); err != nil || status != http.StatusAccepted || pending.Status != "pending" {
		t.Fatalf("PATCH = %d %s", status, body)
	}
	if status, body := w.call("GET", "/threads/t/state/patches/"+pending.Patch, ""); status != http.StatusAccepted {
		t.Errorf("GET of the patch = %d %s", status, body)
	}
	var refused struct{ Patch string }
	_, _, body = w.patchState("t", jsonPatch, `[{"op":"remove","path":"/nothing"}]`, "Prefer", "respond-async, wait=0")
	if err := json.Unmarshal([]byte(body), &refused); err != nil {
		t.Fatal(err)
	}
	gate <- struct{}{}
	eventually(t, "the patch that does not apply is refused", func() bool {
		status, body := w.call("GET", "/threads/t/state/patches/"+refused.Patch, "")
		return status == http.StatusConflict && strings.Contains(body, `"pointer":"/nothing"`)
	})
	if status, body := w.call("GET", "/threads/t/state/patches/"+pending.Patch, ""); status != http.StatusOK || !strings.Contains(body, "applied") {
		t.Errorf("GET of the patch = %d %s", status, body)
	}
	if raw, _ := w.state("t"); raw != `{"paid":true,"turns":1}` {
		t.Errorf("the state between the turns is %s", raw)
	}
	answered := make(chan int, 1)
	go func() {
		status, _, _ := w.patchState("t", mergePatch, `{"shipped":true}`)
		answered <- status
	}()
	gate <- struct{}{}
	r.rest()
	if status := receive(t, "the patch is answered", answered); status != http.StatusOK {
		t.Errorf("who waits for the patch is answered with %d", status)
	}
	told := 0
	for _, e := range r.events {
		if delta, ok := e.(*agui.StateDelta); ok && delta.Delta[0].Path == "/paid" {
			told++
		}
	}
	d := w.idle("t")
	if said := strings.Join(textOf(t, d.Messages), " "); told != 1 || !strings.Contains(said, "Paid: true.") {
		t.Errorf("readers were told %d times, and the second turn said %s", told, said)
	}
	if raw, _ := w.state("t"); raw != `{"paid":true,"shipped":true,"turns":1}` {
		t.Errorf("the state in the end is %s", raw)
	}
}

func TestStatePatchOfARunOnAnotherReplica(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{}, 2)
	a, b := twins(t, redistest.Start(t).URL(), func(o *gateway.Options) { o.Agents["counters"] = counters(gate) })
	r := a.open(http.MethodPost, "/agents/counters", input("t", "r1", []string{"u1:Hi"}))
	r.until(agui.TypeCustom)
	status, _, body := b.patchState("t", mergePatch, `{"paid":true}`, "Prefer", "wait=0")
	if status != http.StatusAccepted {
		t.Fatalf("PATCH = %d %s", status, body)
	}
	gate <- struct{}{}
	eventually(t, "the patch is made", func() bool {
		raw, _ := b.state("t")
		return raw == `{"paid":true,"turns":1}`
	})
	gate <- struct{}{}
	r.rest()
	said := strings.Join(textOf(t, b.idle("t").Messages), " ")
	if !strings.Contains(said, "Paid: true.") {
		t.Errorf("the second turn said %s", said)
	}
	follower := a.open(http.MethodGet, "/threads/t/events?follow=1&protocolVersion=1.0", "", "Last-Event-ID", r.cursorID())
	follower.goOnFrom(r)
	if status, _, body := b.patchState("t", mergePatch, `{"paid":null}`); status != http.StatusOK {
		t.Fatalf("PATCH = %d %s", status, body)
	}
	if delta := follower.until(agui.TypeStateDelta).(*agui.StateDelta); delta.Delta[0].Op != "remove" {
		t.Errorf("readers of the other replica are told %+v", delta.Delta)
	}
}

func TestStatePatchOfARunWithoutBoundariesIsMadeAtItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, end := range map[string]func(){
		"by itself": w.release,
		"stopped":   func() { w.call("POST", "/threads/stopped/stop", "") },
	} {
		thread := strings.ReplaceAll(name, " ", "-")
		r := w.open(http.MethodPost, "/agents/quiet", input(thread, "r1", []string{"u1:Hi"}))
		r.until(agui.TypeCustom)
		if status, _, body := w.patchState(thread, mergePatch, `{"paid":true}`, "Prefer", "wait=0"); status != http.StatusAccepted {
			t.Fatalf("%s: PATCH = %d %s", name, status, body)
		}
		end()
		r.rest()
		eventually(t, "the patch is made", func() bool {
			raw, _ := w.state(thread)
			return raw == `{"paid":true,"turns":1}`
		})
		back := w.open(http.MethodGet, "/threads/"+thread+"/events?protocolVersion=1.0", "", "Last-Event-ID", r.cursorID())
		back.goOnFrom(r)
		back.rest()
		if got := types(back.events); len(got) != 3 || got[1] != agui.TypeStateDelta {
			t.Errorf("%s: who comes back is told %v", name, got)
		}
	}
}

// A run that pauses with a question while a patch waits leaves both: the patch is applied, and the question stays open.
func TestStatePatchOfARunThatPauses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(http.MethodPost, "/agents/queue-ask", input("t", "r1", []string{"u1:Hi"}))
	r.until(agui.TypeCustom)
	if status, _, body := w.patchState("t", mergePatch, `{"paid":true}`, "Prefer", "wait=0"); status != http.StatusAccepted {
		t.Fatalf("PATCH = %d %s", status, body)
	}
	w.release()
	r.rest()
	asked := r.interrupts()
	if len(asked) != 1 {
		t.Fatalf("the run ends with the questions %+v", asked)
	}
	eventually(t, "the patch is applied", func() bool {
		raw, _ := w.state("t")
		return strings.Contains(raw, `"paid":true`)
	})
	back := w.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", r.cursorID())
	back.goOnFrom(r)
	back.rest()
	if got := back.interrupts(); len(got) != 1 || got[0].ID != asked[0].ID || types(back.events)[1] != agui.TypeStateDelta {
		t.Errorf("who comes back is told %v, and asked %+v", types(back.events), got)
	}
	answer := `"resume":[{"interruptId":` + quote(asked[0].ID) + `,"status":"resolved","payload":{"value":"L"}}]`
	if end := w.post("queue-ask", input("t", "r2", []string{"u1:Hi"}, answer)).finished(); end == nil {
		t.Error("the answer is not accepted")
	}
	if raw, _ := w.state("t"); !strings.Contains(raw, `"paid":true`) || !strings.Contains(raw, `"size":"L"`) {
		t.Errorf("after the answer the state is %s", raw)
	}
}
