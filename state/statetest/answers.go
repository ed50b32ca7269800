package statetest

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

var answers = []sentence{
	{"of many identical answers one runs, and the others join or are told the outcome", func(w *world) {
		w.ask(w.start("u1"), "int1")
		var mu sync.Mutex
		count := map[state.Meaning]int{}
		var all sync.WaitGroup
		for range 32 {
			all.Go(func() {
				b, err := w.store.Begin(w.Context(), w.resume(resolved("int1", `"KLM"`)), w.lease())
				if err != nil {
					w.Errorf("Begin() = %v", err)
					return
				}
				mu.Lock()
				count[b.Verdict.Meaning]++
				mu.Unlock()
				if b.Lease != nil {
					w.succeed(b.Lease, 1)
				}
			})
		}
		all.Wait()
		w.equal("runs", count[state.Resume], 1)
		w.equal("others", count[state.Join]+count[state.Show], 31)
	}},
	{"a claimed answer survives a crash and is used once", func(w *world) {
		w.ask(w.start("u1"), "int1")
		answer := resolved("int1", `"KLM"`)
		w.means(w.resume(answer), state.Resume, 1)
		l := w.take()
		w.means(w.resume(answer), state.Join, 2)
		w.equal("claims", w.load().Live.Intent.Claims, []state.Answer{answer})
		t := w.commit(l,
			state.Commit{Checkpoint: json.RawMessage(`{"v":2}`), Messages: []agui.Message{assistant("a1")}})
		w.equal("claims after the commit", len(t.Live.Intent.Claims), 0)
		l = w.take()
		w.equal("claims of the takeover", len(w.load().Live.Intent.Claims), 0)
		w.succeed(l, 1)
		w.means(w.resume(answer), state.Show, 2)
		w.refused(w.resume(resolved("int1", `"United"`)), errcode.InterruptAlreadyResolved)
	}},
	{"a refused answer claims nothing", func(w *world) {
		w.ask(w.start("u1"), "int1", "int2")
		w.refused(w.resume(resolved("int1", `1`)), errcode.ResumeIncomplete)
		w.refused(w.resume(resolved("int1", `1`), resolved("int1", `1`), resolved("int2", `1`)), errcode.ResumeInvalid)
		w.refused(w.resume(resolved("int3", `1`)), errcode.InterruptNotFound)
		w.means(w.resume(resolved("int1", `1`), resolved("int2", `2`)), state.Resume, 1)
	}},
	{"answers whose turn failed are open again", func(w *world) {
		w.ask(w.start("u1"), "int1")
		b := w.means(w.resume(resolved("int1", `1`)), state.Resume, 1)
		t := w.commit(b.Lease, state.Commit{KeepCheckpoint: true,
			End: &state.End{Status: state.RunError, Code: errcode.AgentFailed, Reopen: true}})
		w.equal("checkpoint", string(t.Checkpoint), `{"v":1}`)
		_, open, err := w.store.Load(w.Context(), key)
		if err != nil || len(open) != 1 || open[0].ID != "int1" {
			w.Fatalf("open = %v, %v", open, err)
		}
		w.means(w.resume(resolved("int1", `2`)), state.Resume, 1)
	}},
	{"a message that is no answer leaves the question open", func(w *world) {
		w.ask(w.start("u1"), "int1")
		b := w.means(w.types("the second one"), state.Resume, 6)
		text, ok := w.load().Live.Intent.Typed()
		w.equal("what is tried", text, "the second one")
		w.equal("whether a message is tried", ok, true)
		w.means(w.resume(resolved("int1", `1`)), state.Busy, 5)
		w.commit(b.Lease, state.Commit{KeepCheckpoint: true, End: &state.End{Status: state.RunInterrupt, Reopen: true}})
		w.means(w.resume(resolved("int1", `1`)), state.Resume, 1)
	}},
	{"a message is the answer that its run takes it for", func(w *world) {
		w.ask(w.start("u1"), "int1")
		b := w.means(w.types("the second one"), state.Resume, 6)
		meant := resolved("int1", `2`)
		failed := state.Commit{KeepCheckpoint: true, Answers: []state.Answer{meant}, End: &state.End{
			Status: state.RunError, Code: errcode.AgentFailed, Reopen: true,
			Effects: map[string]json.RawMessage{"turn/book": json.RawMessage(`"booked"`)},
		}}
		w.commit(b.Lease, failed)
		b = w.means(w.types("number two"), state.Resume, 6)
		w.equal("effects before it is known what is meant", len(w.load().Live.Intent.Effects), 0)
		w.equal("effects of what is meant", len(w.load().Kept.For([]state.Answer{meant})), 1)
		w.commit(b.Lease, state.Commit{Answers: []state.Answer{meant}, End: &state.End{Status: state.RunSuccess}})
		w.means(w.resume(meant), state.Show, 2)
		w.refused(w.resume(resolved("int1", `1`)), errcode.InterruptAlreadyResolved)
	}},
	{"the same answers find what their turn had done, others do not", func(w *world) {
		w.ask(w.start("u1"), "int1")
		fail := func(b *state.Begun, effects map[string]json.RawMessage) {
			w.commit(b.Lease, state.Commit{KeepCheckpoint: true, End: &state.End{
				Status: state.RunError, Code: errcode.AgentFailed, Reopen: true, Effects: effects,
			}})
		}
		found := func(answer string) (*state.Begun, int) {
			b := w.means(w.resume(resolved("int1", answer)), state.Resume, 1)
			return b, len(w.load().Live.Intent.Effects)
		}
		b, n := found(`1`)
		w.equal("effects at first", n, 0)
		fail(b, map[string]json.RawMessage{"turn/book": json.RawMessage(`"booked"`)})
		b, n = found(`2`)
		w.equal("effects of another answer", n, 0)
		fail(b, nil)
		b, n = found(`1`)
		w.equal("effects of the same answer", n, 1)
		w.commit(b.Lease, state.Commit{Checkpoint: json.RawMessage(`{"v":2}`)})
		w.equal("effects once they are committed", len(w.load().Live.Intent.Effects), 0)
		w.equal("kept", w.load().Kept == nil, true)
	}},
	{"an expired question is not open", func(w *world) {
		w.ask(w.start("u1"), "int1")
		w.clock.Move(24 * time.Hour)
		_, open, err := w.store.Load(w.Context(), key)
		if err != nil || len(open) != 0 {
			w.Fatalf("open = %v, %v", open, err)
		}
		w.refused(w.resume(resolved("int1", `1`)), errcode.InterruptExpired)
		w.means(w.request(user("u1"), user("u2")), state.Start, 11)
	}},
	{"results of frontend calls are recorded, and the last one resumes", func(w *world) {
		l := w.start("u1")
		call := agui.Message{ID: "a1", Role: agui.RoleAssistant,
			ToolCalls: []agui.ToolCall{{ID: "c1", Type: "function"}, {ID: "c2", Type: "function"}}}
		w.commit(l, state.Commit{
			Messages: []agui.Message{call}, Checkpoint: json.RawMessage(`{"v":1}`),
			Calls: []state.Call{{ID: "c1"}, {ID: "c2"}},
			End:   &state.End{Status: state.RunSuccess},
		})
		waiting := func() int {
			page, err := w.store.List(w.Context(), state.Query{Principal: key.Principal})
			if err != nil || len(page.Threads) != 1 {
				w.Fatalf("the list is %+v, %v", page, err)
			}
			return page.Threads[0].Calls
		}
		w.equal("calls in the list", waiting(), 2)
		w.means(w.request(user("u1"), call, result("r1", "c1", "one")), state.Show, 8)
		w.equal("messages", w.messages(-1), []string{"u1", "a1", "r1"})
		w.equal("calls in the list", waiting(), 1)
		w.means(w.request(user("u1"), call, result("r9", "c1", "another")), state.Show, 8)
		b := w.means(w.request(user("u1"), call, result("r1", "c1", "one"), result("r2", "c2", "two")), state.Resume, 8)
		w.equal("messages", w.messages(-1), []string{"u1", "a1", "r1", "r2"})
		w.equal("open calls", len(b.Thread.OpenCalls()), 0)
		w.equal("checkpoint", string(b.Thread.Checkpoint), `{"v":1}`)
	}},
	{"a new message closes frontend calls that were not answered", func(w *world) {
		l := w.start("u1")
		call := agui.Message{ID: "a1", Role: agui.RoleAssistant,
			ToolCalls: []agui.ToolCall{{ID: "c1", Type: "function"}}}
		w.commit(l, state.Commit{
			Messages: []agui.Message{call}, Checkpoint: json.RawMessage(`{"v":1}`), Calls: []state.Call{{ID: "c1"}},
			End: &state.End{Status: state.RunSuccess},
		})
		r := w.request(user("u1"), call, user("u2"))
		r.NewID = func() string { return "made-up" }
		b := w.means(r, state.Start, 9)
		w.equal("messages", w.messages(-1), []string{"u1", "a1", "made-up", "u2"})
		if b.Thread.Checkpoint != nil || b.Thread.Calls != nil {
			w.Fatalf("checkpoint %s and calls %v are kept", b.Thread.Checkpoint, b.Thread.Calls)
		}
	}},
}

// refused begins r and holds the store to a refusal that changes nothing.
func (w *world) refused(r *state.Request, code errcode.Code) {
	w.Helper()
	before := w.load()
	b := w.begin(r)
	if b.Verdict.Meaning != state.Refuse || b.Verdict.Code != code || b.Lease != nil {
		w.Fatalf("Begin() = %s %s, want a refusal with %s", b.Verdict.Meaning, b.Verdict.Code, code)
	}
	w.equal("thread", w.load(), before)
}
