package state

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state/document"
)

func patchOf(id, ops string) *PatchRequest {
	return &PatchRequest{ID: id, Patch: document.OutsidePatch{Body: json.RawMessage(ops)}}
}

// patch makes PlanPatch come true in f.
func (f *fixture) patch(t *testing.T, r *PatchRequest) (*Transition, PatchResult) {
	t.Helper()
	s, result, err := PlanPatch(&f.Thread, f, r, NextFence(&f.Thread, noon), noon)
	if err != nil {
		t.Fatal(err)
	}
	if s != nil {
		f.apply(s)
	}
	return s, result
}

// running makes a live run of f, its third.
func (f *fixture) running() *fixture {
	f.Thread.Live = &Live{Attempt: "attempt", Fence: 30, StartRev: f.Thread.StateRev, Intent: Intent{Origin: 30}}
	f.Thread.Run = &Run{RunID: "run3", Origin: 30, Status: RunRunning}
	f.Thread.Fence = 30
	return f
}

func (f *fixture) commits(t *testing.T, c Commit) {
	t.Helper()
	s, err := PlanCommit(&f.Thread, f, c, noon)
	if err != nil {
		t.Fatal(err)
	}
	f.apply(s)
}

func typesOf(frames []Frame) string {
	var types []string
	for _, f := range frames {
		types = append(types, string(f.Type))
	}
	return strings.Join(types, " ")
}

func TestPatchIsMadeAtOnceWhereNothingRuns(t *testing.T) {
	t.Parallel()
	f := thread("u1 a1", "u2 a2").in(`{"a":1}`)
	before := f.Thread.StateTag()
	r := patchOf("p", `[{"op":"add","path":"/paid","value":true}]`)
	r.IfMatch = []string{"other", before}
	s, result := f.patch(t, r)
	if f.state() != `{"a":1,"paid":true}` || result.Status != PatchApplied || result.Tag != f.Thread.StateTag() || result.Tag == before {
		t.Errorf("state %s, result %+v", f.state(), result)
	}
	if got := typesOf(s.Frames); got != "RUN_STARTED STATE_DELTA RUN_FINISHED" || f.Thread.Last != s.Frames[2].ID || f.Thread.Fence != s.Frames[0].ID.Fence {
		t.Errorf("frames %s, the last is %s", got, f.Thread.Last)
	}
	e, err := agui.Decode(s.Frames[1].Data, nil)
	if delta, ok := e.(*agui.StateDelta); err != nil || !ok || len(delta.Delta) != 1 || delta.Delta[0].Path != "/paid" {
		t.Errorf("told %s, %v", s.Frames[1].Data, err)
	}
	if again, known := f.patch(t, r); again != nil || known != result {
		t.Errorf("made again: %+v, %+v", again, known)
	}
	if f.Thread.Run.RunID != "run2" || len(f.Earlier) != 1 {
		t.Error("the patch is a run of the thread")
	}
}

func TestRefusedPatchChangesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(r *PatchRequest)
		ops    string
		code   errcode.Code
		op     int
	}{
		{func(r *PatchRequest) { r.IfMatch = []string{"old"} }, `[]`, errcode.StateChanged, -1},
		{func(*PatchRequest) {}, `[{"op":"add","path":"/b","value":1},{"op":"remove","path":"/c"}]`, errcode.PatchFailed, 1},
		{func(r *PatchRequest) { r.Writable = []string{"/b"} }, `[{"op":"add","path":"/b","value":1},{"op":"remove","path":"/a"}]`, errcode.Forbidden, 1},
		{func(r *PatchRequest) { r.MaxState = 20 }, `[{"op":"add","path":"/b","value":"a long text that is too long"}]`, errcode.TooLarge, -1},
		{func(*PatchRequest) {}, `{`, errcode.InvalidInput, -1},
		{func(r *PatchRequest) { r.Known = true }, `[{"op":"add","path":"/b","value":1}]`, "", 0},
	} {
		f := thread("u1 a1").in(`{"a":1}`)
		r := patchOf("p", c.ops)
		c.change(r)
		s, result := f.patch(t, r)
		if s != nil || f.state() != `{"a":1}` || result.Code != c.code || result.Op != c.op || (result.Status == PatchUnknown) != r.Known {
			t.Errorf("%s: %+v, state %s, want %s at %d", c.ops, result, f.state(), c.code, c.op)
		}
	}
}

func TestPatchOfAWaitingThreadKeepsItsQuestions(t *testing.T) {
	t.Parallel()
	f := thread("u1 a1").in(`{}`)
	f.Thread.Open = []string{"i1"}
	f.Tokens = []Token{{Interrupt: agui.Interrupt{ID: "i1", Reason: "confirmation"}, Status: TokenOpen}}
	f.Thread.Checkpoint = json.RawMessage(`"here"`)
	s, _ := f.patch(t, patchOf("p", `[{"op":"add","path":"/a","value":1}]`))
	e, err := agui.Decode(s.Frames[2].Data, nil)
	if err != nil {
		t.Fatal(err)
	}
	outcome := e.(*agui.RunFinished).Outcome
	if outcome.Type != agui.OutcomeInterrupt || len(outcome.Interrupts) != 1 || len(s.Frames[2].Ending.Open) != 1 {
		t.Errorf("readers are told %s", s.Frames[2].Data)
	}
	if StatusOf(&f.Thread, f, noon) != StatusInterrupted || string(f.Thread.Checkpoint) != `"here"` {
		t.Error("the thread waits no more")
	}
}

func TestPatchOfALiveThreadWaitsForACommit(t *testing.T) {
	t.Parallel()
	f := thread("u1 a1", "u2 a2").in(`{"a":1}`).running()
	s, result := f.patch(t, patchOf("p1", `[{"op":"add","path":"/b","value":1}]`))
	if result.Status != PatchPending || s.State != nil || len(s.Frames) > 0 || f.state() != `{"a":1}` || f.Thread.Last != (FrameID{}) {
		t.Fatalf("%+v, %+v", result, s)
	}
	if again, result := f.patch(t, patchOf("p1", `[]`)); again != nil || result.Status != PatchPending {
		t.Errorf("asked again: %+v", result)
	}
	f.patch(t, patchOf("p2", `[{"op":"remove","path":"/x"}]`))
	stale := patchOf("p3", `[]`)
	stale.IfMatch = []string{"stale"}
	if s, result := f.patch(t, stale); s != nil || result.Code != errcode.StateChanged {
		t.Errorf("a patch of another state: %+v", result)
	}

	doc, err := document.New(f.State(f.Thread.StateRev), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var results []PatchResult
	for _, r := range f.Thread.Pending {
		result, err := r.Apply(doc, f.Thread.StateTag())
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, result)
	}
	f.commits(t, Commit{State: doc.JSON(), Patched: results})
	if f.state() != `{"a":1,"b":1}` || len(f.Thread.Pending) != 0 {
		t.Errorf("state %s, pending %v", f.state(), f.Thread.Pending)
	}
	if _, result := f.patch(t, patchOf("p1", ``)); result.Status != PatchApplied || result.Tag != f.Thread.StateTag() {
		t.Errorf("the first: %+v", result)
	}
	if _, result := f.patch(t, patchOf("p2", ``)); result.Code != errcode.PatchFailed || result.Op != 0 || result.Pointer != "/x" {
		t.Errorf("the second: %+v", result)
	}
}

func TestPatchThatARunLeftWaitingIsMadeAfterIt(t *testing.T) {
	t.Parallel()
	for _, status := range []RunStatus{RunSuccess, RunCancelled, RunError} {
		f := thread("u1 a1", "u2 a2").in(`{"a":1}`).running()
		f.patch(t, patchOf("p1", `[{"op":"add","path":"/b","value":1}]`))
		f.apply(PlanTake(&f.Thread, Claim{Attempt: "other", Fence: 31}, noon))
		f.commits(t, Commit{State: json.RawMessage(`{"a":2}`), End: &End{Status: status}})
		if s, err := PlanSettle(&f.Thread, f, NextFence(&f.Thread, noon), noon); err != nil || typesOf(s.Frames) != "RUN_STARTED STATE_DELTA RUN_FINISHED" {
			t.Fatalf("%+v, %v", s, err)
		}
		s, result := f.patch(t, patchOf("p2", `[{"op":"test","path":"/b","value":1},{"op":"replace","path":"/b","value":2}]`))
		if result.Status != PatchApplied || f.state() != `{"a":2,"b":2}` || strings.Count(typesOf(s.Frames), "STATE_DELTA") != 2 {
			t.Errorf("after %s: %+v, state %s, frames %s", status, result, f.state(), typesOf(s.Frames))
		}
		if s, err := PlanSettle(&f.Thread, f, 99, noon); s != nil || err != nil {
			t.Errorf("nothing waits any more: %+v, %v", s, err)
		}
	}
}

func TestPendingPatchesAreBounded(t *testing.T) {
	t.Parallel()
	f := thread("u1 a1").in(`{}`).running()
	if _, result := f.patch(t, patchOf("big", `[{"op":"add","path":"/a","value":"`+strings.Repeat("x", maxPendingBytes)+`"}]`)); result.Code != errcode.PatchQueueFull {
		t.Errorf("a patch of a megabyte: %+v", result)
	}
	for i := range maxPendingPatches {
		if _, result := f.patch(t, patchOf(fmt.Sprint(i), `[]`)); result.Status != PatchPending {
			t.Fatalf("patch %d: %+v", i, result)
		}
	}
	if _, result := f.patch(t, patchOf("more", `[]`)); result.Code != errcode.PatchQueueFull || result.Status != PatchRefused {
		t.Errorf("one more: %+v", result)
	}
	f.Thread.Live, f.Thread.Pending = nil, nil
	for i := range maxPatchResults + 5 {
		f.patch(t, patchOf(fmt.Sprint("later", i), fmt.Sprintf(`[{"op":"add","path":"/a","value":%d}]`, i)))
	}
	if len(f.Thread.Patched) != maxPatchResults {
		t.Errorf("%d results are kept", len(f.Thread.Patched))
	}
	known := patchOf("later0", `[]`)
	known.Known = true
	if s, result := f.patch(t, known); s != nil || result.Status != PatchUnknown {
		t.Errorf("a forgotten one: %+v", result)
	}
}

// A page that did not get a patch sends the state that it knows; that takes nothing back. One that got it may change
// what the patch brought.
func TestClientsStateCountsFromWhatItWasTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ client, want string }{
		"not told":             {`{"n":1,"items":["a"]}`, `{"items":["a","b"],"n":1,"paid":true}`},
		"not told, and edited": {`{"n":2,"items":["a"]}`, `{"items":["a","b"],"n":2,"paid":true}`},
		"told":                 {`{"n":1.0,"items":["a","b"],"paid":true}`, `{"items":["a","b"],"n":1,"paid":true}`},
		"told, and edited":     {`{"n":2,"items":["a","b","c"],"paid":true}`, `{"items":["a","b","c"],"n":2,"paid":true}`},
		"told, and removed":    {`{"items":["a","b"],"paid":true}`, `{"items":["a","b"],"paid":true}`},
		"no way to know":       {`{"n":1,"items":["a","b"]}`, `{"items":["a","b"],"n":1,"paid":true}`},
	} {
		f := thread("u1 a1", "u2 a2").in(`{"n":1,"items":["a"]}`)
		f.patch(t, patchOf("p1", `[{"op":"add","path":"/items/-","value":"b"}]`))
		f.patch(t, patchOf("p2", `[{"op":"add","path":"/paid","value":true}]`))
		r := &Request{Key: f.Thread.Key, RunID: "run3", Messages: messages("u1 a1 u2 a2 u3"), State: json.RawMessage(c.client)}
		v, s, err := Plan(&f.Thread, f, r, Claim{Attempt: "a", Fence: NextFence(&f.Thread, noon), TTL: time.Minute}, noon)
		if err != nil || !v.Meaning.Runs() {
			t.Fatalf("%s: %+v, %v", name, v, err)
		}
		f.apply(s)
		if f.state() != c.want {
			t.Errorf("%s: %s, want %s", name, f.state(), c.want)
		}
		if at, err := f.Back.Oldest(f.State(f.Thread.StateRev), endMark(20)); err != nil || f.Back.Index(endMark(20)) < 0 || string(at) != `{"items":["a"],"n":1}` {
			t.Errorf("%s: the run before ended with %s (%v, %v)", name, at, f.Back.Index(endMark(20)) >= 0, err)
		}
	}
}

func TestRegeneratedTurnKeepsPatchesSinceItsEnd(t *testing.T) {
	t.Parallel()
	f := thread("u1 a1", "u2 a2").in(`{"n":2}`)
	f.Back = f.Back.With(startMark(20), agui.Patch{{Op: "replace", Path: "/n", Value: json.RawMessage("1")}})
	f.patch(t, patchOf("p", `[{"op":"add","path":"/paid","value":true}]`))
	s := newTransition(&f.Thread, noon)
	r := &Request{Key: f.Thread.Key, Messages: messages("u1 a1 u2")}
	if err := s.startState(&f.Thread, f, r, Verdict{Restore: startMark(20)}); err != nil {
		t.Fatal(err)
	}
	f.apply(s)
	if f.state() != `{"n":1,"paid":true}` {
		t.Errorf("the turn begins with %s", f.state())
	}
}
