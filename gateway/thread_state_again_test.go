package gateway_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A request with a lost response is sent again with its key, to another replica where there is one.
func TestAStatePatchThatIsSentAgainIsAppliedOnce(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T, func(*gateway.Options)) (a, b *world){
		"memory": func(t *testing.T, change func(*gateway.Options)) (a, b *world) {
			w := newWorld(t, change)
			return w, w
		},
		"file": func(t *testing.T, change func(*gateway.Options)) (a, b *world) {
			store, err := filestore.Open(filepath.Join(t.TempDir(), "threads.db"), filestore.Options{Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			closeLast(t, store)
			w := newWorld(t, func(o *gateway.Options) { o.Store, o.Shared, o.Now = store, true, nil }, change)
			return w, w
		},
		"two replicas": func(t *testing.T, change func(*gateway.Options)) (a, b *world) {
			return twins(t, redistest.Start(t).URL(), change)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := make(chan struct{}, 2)
			a, b := open(t, func(o *gateway.Options) { o.Agents["counters"] = counters(gate) })
			sentAgainWhereNothingRuns(t, a, b)
			sentAgainDuringARun(t, a, b, gate)
		})
	}
}

// patchID is the patch that an answer is about.
func patchID(t *testing.T, answer string) string {
	t.Helper()
	var body struct{ Patch string }
	if err := json.Unmarshal([]byte(answer), &body); err != nil || body.Patch == "" {
		t.Fatalf("the answer %s names no patch", answer)
	}
	return body.Patch
}

func sentAgainWhereNothingRuns(t *testing.T, a, b *world) {
	t.Helper()
	a.post("echo", input("idle", "r1", []string{"u1:Hi"}))
	for _, step := range []struct {
		w               *world
		key, media, ops string
		status          int
		state           string
	}{
		{a, `"list"`, jsonPatch, `[{"op":"add","path":"/list","value":[]}]`, 200, `{"list":[],"turns":1}`},
		{a, `"one"`, jsonPatch, `[{"op":"add","path":"/list/-","value":1}]`, 200, `{"list":[1],"turns":1}`},
		{b, `"one"`, jsonPatch, `[{"op":"add","path":"/list/-","value":1}]`, 200, `{"list":[1],"turns":1}`},
		{b, `one`, jsonPatch, `[{"op":"add","path":"/list/-","value":1}]`, 200, `{"list":[1],"turns":1}`},
		{b, `"one"`, jsonPatch, `[{"op":"add","path":"/list/-","value":2}]`, 422, `{"list":[1],"turns":1}`},
		{b, `"one"`, mergePatch, `{"list":null}`, 422, `{"list":[1],"turns":1}`},
		{b, `"two"`, jsonPatch, `[{"op":"add","path":"/list/-","value":1}]`, 200, `{"list":[1,1],"turns":1}`},
		{a, `"same"`, mergePatch, `{"turns":1}`, 200, `{"list":[1,1],"turns":1}`},
		{a, `"new"`, mergePatch, `{"turns":7}`, 200, `{"list":[1,1],"turns":7}`},
		{b, `"same"`, mergePatch, `{"turns":1}`, 200, `{"list":[1,1],"turns":7}`},
		{b, `"later"`, jsonPatch, `[{"op":"remove","path":"/later"}]`, 409, `{"list":[1,1],"turns":7}`},
		{a, `"sooner"`, mergePatch, `{"later":1}`, 200, `{"later":1,"list":[1,1],"turns":7}`},
		{b, `"later"`, jsonPatch, `[{"op":"remove","path":"/later"}]`, 200, `{"list":[1,1],"turns":7}`},
		{a, `""`, mergePatch, `{"turns":8}`, 400, `{"list":[1,1],"turns":7}`},
		{a, `"open`, mergePatch, `{"turns":7}`, 200, `{"list":[1,1],"turns":7}`},
		{a, `"in"side"`, mergePatch, `{"turns":8}`, 400, `{"list":[1,1],"turns":7}`},
		{a, strings.Repeat("x", 256), mergePatch, `{"turns":8}`, 400, `{"list":[1,1],"turns":7}`},
		{a, strings.Repeat("x", 255), mergePatch, `{"turns":8}`, 200, `{"list":[1,1],"turns":8}`},
	} {
		status, tag, answer := step.w.patchState("idle", step.media, step.ops, "Idempotency-Key", step.key)
		raw, now := step.w.state("idle")
		if status != step.status || raw != step.state {
			t.Errorf("%s with %.20s = %d %s, the state is %s; want %d and %s", step.ops, step.key, status, answer, raw, step.status, step.state)
		}
		if step.status == http.StatusUnprocessableEntity && !strings.Contains(answer, `"code":"idempotency_key_reused"`) {
			t.Errorf("a key of another patch is answered %s", answer)
		}
		if step.key == `"two"` && tag != now {
			t.Errorf("the answer is about the state %s, which is %s", tag, now)
		}
	}
	_, _, first := a.patchState("idle", jsonPatch, `[{"op":"add","path":"/list/-","value":1}]`, "Idempotency-Key", `"one"`)
	a.post("echo", input("other", "r1", []string{"u1:Hi"}))
	_, _, other := b.patchState("other", jsonPatch, `[{"op":"add","path":"/list","value":1}]`, "Idempotency-Key", `"one"`)
	if raw, _ := a.state("other"); raw != `{"list":1,"turns":1}` || patchID(t, first) == patchID(t, other) {
		t.Errorf("the key means a patch of another thread too: %s, %s", other, raw)
	}
}

func sentAgainDuringARun(t *testing.T, a, b *world, gate chan struct{}) {
	t.Helper()
	r := a.open(http.MethodPost, "/agents/counters", input("live", "r1", []string{"u1:Hi"}))
	r.until(agui.TypeCustom)
	send := func(w *world, body string) (int, string) {
		status, _, answer := w.patchState("live", jsonPatch, body, "Idempotency-Key", `"k"`, "Prefer", "wait=0")
		return status, answer
	}
	const body = `[{"op":"test","path":"/turns","value":1},{"op":"add","path":"/paid","value":true}]`
	status, first := send(a, body)
	again, second := send(b, body)
	if status != http.StatusAccepted || again != http.StatusAccepted || patchID(t, first) != patchID(t, second) {
		t.Errorf("PATCH = %d %s, and again %d %s", status, first, again, second)
	}
	if status, answer := send(b, `[]`); status != http.StatusUnprocessableEntity {
		t.Errorf("another patch with the key of one that waits = %d %s", status, answer)
	}
	gate <- struct{}{}
	eventually(t, "the patch is applied", func() bool {
		status, _ := b.call("GET", "/threads/live/state/patches/"+patchID(t, first), "")
		return status == http.StatusOK
	})
	if status, answer := send(b, body); status != http.StatusOK || patchID(t, answer) != patchID(t, first) {
		t.Errorf("PATCH again = %d %s", status, answer)
	}
	gate <- struct{}{}
	r.rest()
	told := 0
	for _, e := range r.events {
		if delta, ok := e.(*agui.StateDelta); ok && delta.Delta[0].Path == "/paid" {
			told++
		}
	}
	a.idle("live")
	if raw, _ := b.state("live"); told != 1 || raw != `{"paid":true,"turns":1}` {
		t.Errorf("readers were told %d times, and the state is %s", told, raw)
	}
}
