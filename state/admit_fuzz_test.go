package state

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// dice makes choices from bytes; when they are used up, every choice is the first.
type dice []byte

func (d *dice) roll(sides int) int {
	if len(*d) == 0 {
		return 0
	}
	n := int((*d)[0]) % sides
	*d = (*d)[1:]
	return n
}

// pick is roll for names.
func (d *dice) pick(names ...string) string { return names[d.roll(len(names))] }

func (d *dice) thread() *fixture {
	f := thread()
	if d.roll(8) == 0 {
		return f
	}
	f = thread("u1 a1", d.pick("u2", "u2 a2", "u2 a2(c1,c2)", "u2 a2(c1,b1)"))
	for range d.roll(4) {
		spec := d.pick("q1", "q2", "q3") + d.pick("", "-", "!", "!-")
		if !slices.ContainsFunc(f.Tokens, func(t Token) bool { return t.Interrupt.ID == spec[:2] }) {
			f.asking(spec + d.pick("", `~{"v":"x"}`, `={"v":"x"}`, "=cancelled") + d.pick("", "/b1", "/c1"))
		}
	}
	switch d.roll(4) {
	case 1:
		f.calling("c1", "c2")
	case 2:
		f.calling("c1=t1", "c2")
	}
	switch d.roll(5) {
	case 1:
		f.failed(d.roll(2) == 0)
	case 2:
		f.live()
	case 3:
		f.tied(d.roll(2) == 0)
	}
	if d.roll(4) == 0 {
		f.left("a1", "u2")
	}
	for _, id := range []string{"w1", "w2", "w3"} {
		if d.roll(3) == 0 {
			f.queue(id + d.pick("", "-"))
		}
	}
	return f
}

func (d *dice) request() *Request {
	specs := ""
	for range d.roll(6) {
		specs += d.pick("u1", "a1", "u2", "a2", "u3", "u4", "s5", "a6(c9)", "t1>c1", "t2>c2", "t7>b1", "t8>c9", "x9", "r1") + " "
	}
	r := ask(specs)
	for range d.roll(4) {
		answer(d.pick("q1", "q2", "q3", "q9", "") + d.pick(`={"v":"x"}`, `={"v":"y"}`, `="x"`, "=7", "=null", "!"))(r)
	}
	r.Edit, r.Regenerate = d.roll(3) == 1, d.roll(3) == 1
	r.ListEdits, r.ListRegenerates = d.roll(3) == 1, d.roll(3) == 1
	r.Era = agui.Era(d.roll(2))
	r.TypedAnswers = d.roll(2) == 1
	if d.roll(4) == 1 {
		retry(1 + d.roll(2))(r)
	}
	if d.roll(6) == 1 {
		r.MaxThread = 1 + d.roll(200)
	}
	if d.roll(2) == 0 {
		waiting(d.pick("w1", "w3", "w9"))(r)
	}
	n := 0
	r.NewID = func() string { n++; return fmt.Sprintf("new%d", n) }
	return r
}

// FuzzAdmit holds admission to what must be true of every verdict, and the transitions to carrying it out.
func FuzzAdmit(f *testing.F) {
	for seed := range 64 {
		b := make([]byte, 40)
		for i := range b {
			b[i] = byte(seed*31 + i*i*7 + i*seed)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := dice(data)
		thread, r := d.thread(), d.request()
		v := admit(&thread.Thread, thread, r, noon)
		checkVerdict(t, thread, r, v)
		again := admit(&thread.Thread, thread, r, noon)
		if brief(again) != brief(v) {
			t.Fatalf("admit() = %s, then %s", brief(v), brief(again))
		}
		if v.Meaning.Runs() {
			checkBegin(t, thread, r, v)
		}
	})
}

func checkVerdict(t *testing.T, f *fixture, r *Request, v Verdict) {
	t.Helper()
	if v.Meaning.Runs() == (f.Thread.Live != nil) && f.Thread.Live != nil {
		t.Fatalf("%s while a run is live", brief(v))
	}
	if (v.Meaning == Join || v.Meaning == Preempt) && f.Thread.Live == nil {
		t.Fatalf("%s where nothing is live", brief(v))
	}
	checkTurn(t, f, r, v)
	if !v.Meaning.Runs() && (len(v.Append)+len(v.Claims)+len(v.NotAnswered) > 0 || v.CutAfter != "" || v.CutAll || v.Forget || v.Restore != "") {
		t.Fatalf("%s changes the thread", brief(v))
	}
	if v.Meaning != Show && !v.Meaning.Runs() && len(v.CallAnswers) > 0 {
		t.Fatalf("%s records answers", brief(v))
	}
	if (v.Meaning == Refuse || v.Meaning == Busy) != (v.Code != "") {
		t.Fatalf("%s has code %q", v.Meaning, v.Code)
	}
	checkCut(t, f, r, v)
	seen := map[string]bool{}
	for _, m := range v.Append {
		if _, known := f.Known(m.ID); known || seen[m.ID] {
			t.Fatalf("%s appends %s again", brief(v), m.ID)
		}
		seen[m.ID] = true
	}
	claimed := map[string]bool{}
	for _, c := range v.Claims {
		if token, ok := f.Token(c.ID); !ok || token.Status != TokenOpen || claimed[c.ID] {
			t.Fatalf("%s claims %s, which does not wait", brief(v), c.ID)
		}
		claimed[c.ID] = true
	}
	if len(v.Claims) > 0 {
		for _, id := range f.Thread.Open {
			if token, _ := f.Token(id); token.Status == TokenOpen && !claimed[id] {
				t.Fatalf("%s leaves %s without an answer", brief(v), id)
			}
		}
	}
}

// checkTurn holds a request that may wait to waiting for its turn, and for nothing else.
func checkTurn(t *testing.T, f *fixture, r *Request, v Verdict) {
	t.Helper()
	behind := r.Wait != nil && f.Thread.behind(r.Wait.Ticket, noon)
	if (v.Meaning == Busy || v.Meaning == Queued) && f.Thread.Live == nil && !behind {
		t.Fatalf("%s where nothing is in the way", brief(v))
	}
	if (v.Meaning == Start || v.Meaning == Repeat) && behind {
		t.Fatalf("%s before others who wait", brief(v))
	}
	if v.Meaning == Queued && r.Wait == nil {
		t.Fatalf("%s of a request that may not wait", brief(v))
	}
}

// checkCut holds a verdict to cutting nothing that the request names, and nothing at all unless the request asks for it
// in words or by a list with the preceding message.
func checkCut(t *testing.T, f *fixture, r *Request, v Verdict) {
	t.Helper()
	if v.CutAfter == "" && !v.CutAll {
		return
	}
	named := map[string]bool{}
	for _, m := range r.Messages {
		named[m.ID] = true
	}
	cut := v.CutAll
	for _, m := range NewConversation(f.inSlots()) {
		if cut && named[m.ID] {
			t.Fatalf("%s cuts %s, which the request names", brief(v), m.ID)
		}
		if !cut && !named[m.ID] && !r.Edit && !r.Regenerate {
			t.Fatalf("%s, and nothing is said of %s", brief(v), m.ID)
		}
		cut = cut || m.ID == v.CutAfter
	}
}

// checkBegin holds the transition to what its verdict says, and the run that follows to closing everything.
func checkBegin(t *testing.T, f *fixture, r *Request, v Verdict) {
	t.Helper()
	waited := map[string]bool{}
	for _, c := range f.Thread.OpenCalls() {
		waited[c.ID] = true
	}
	s, err := planBegin(&f.Thread, f, r, v, Claim{Attempt: "x", TTL: time.Second, Fence: 100}, noon)
	if err != nil {
		t.Fatalf("planBegin() = %v", err)
	}
	f.apply(s)
	if f.Thread.Live == nil || f.Thread.Fence != 100 || f.Thread.Run.Origin != 100 {
		t.Fatalf("%s does not take the lease", brief(v))
	}
	list := NewConversation(f.inSlots())
	if len(list) != f.Thread.Count {
		t.Fatalf("count = %d, conversation has %d", f.Thread.Count, len(list))
	}
	ids := map[string]bool{}
	answered := map[string]bool{}
	for _, m := range list {
		if ids[m.ID] {
			t.Fatalf("%s is there twice after %s", m.ID, brief(v))
		}
		ids[m.ID] = true
		answered[m.ToolCallID] = true
	}
	for _, m := range list {
		for _, call := range m.Calls {
			if waited[call] && !answered[call] {
				t.Fatalf("call %s has no result after %s", call, brief(v))
			}
		}
	}
	if len(f.Thread.OpenCalls()) > 0 {
		t.Fatalf("calls are open after %s", brief(v))
	}
	if v.Forget && (f.Thread.Checkpoint != nil || len(f.Thread.Open) > 0) {
		t.Fatalf("%s does not forget", brief(v))
	}
	if second := admit(&f.Thread, f, r, noon); second.Meaning.Runs() {
		t.Fatalf("%s, and the same request %s beside it", brief(v), brief(second))
	}
}
