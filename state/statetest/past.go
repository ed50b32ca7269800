package statetest

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

// past is what a thread keeps of what it was: earlier runs, and the states and conversations that frames of its log
// name.
var past = []sentence{
	{"the conversation of any revision that frames of the log name can be shown", func(w *world) {
		l := w.start("u1")
		first := w.succeed(l, 1, assistant("a1"))
		second := w.succeed(w.start("u2"), 1, assistant("a2"))
		r := w.request(user("u1"))
		r.Regenerate = true
		b := w.means(r, state.Repeat, 13)
		changed := assistant("a3")
		w.commit(b.Lease, state.Commit{Messages: []agui.Message{changed}, Checkpoint: json.RawMessage(`{}`)})
		changed.Content = agui.TextContent("better")
		third := w.succeed(b.Lease, 1, changed)
		changed.Content = agui.TextContent("best")
		w.commit(w.start("u3"), state.Commit{Messages: []agui.Message{changed}, Checkpoint: json.RawMessage(`{}`)})
		w.equal("at the first end", w.messages(first.Rev), []string{"u1", "a1"})
		w.equal("at the second end", w.messages(second.Rev), []string{"u1", "a1", "u2", "a2"})
		w.equal("when it was cut", w.messages(b.Thread.Rev), []string{"u1"})
		w.equal("at the third end", w.messages(third.Rev), []string{"u1", "a3"})
		w.equal("now", w.messages(-1), []string{"u1", "a3", "u3"})
		for rev, want := range map[int64]string{third.Rev: "better", -1: "best"} {
			list, err := w.store.Messages(w.Context(), key, rev)
			if err != nil {
				w.Fatal(err)
			}
			m, err := list[1].Message()
			if err != nil {
				w.Fatal(err)
			}
			w.equal("a3", m.Content.Text(), want)
		}
	}},
	{"what left a conversation stays known, and is shown as long as frames of the log name it", func(w *world) {
		first := w.succeed(w.start("u1"), 1, assistant("a1"))
		second := w.succeed(w.start("u2"), 1, assistant("a2"))
		r := w.request(user("u1"))
		r.Regenerate = true
		b := w.means(r, state.Repeat, 13)
		w.succeed(b.Lease, 1, assistant("a3"))
		w.clock.Move(LogTTL)
		w.holds(second.Last, false)
		for _, rev := range []int64{first.Rev, second.Rev} {
			if _, err := w.store.Messages(w.Context(), key, rev); !errors.Is(err, state.ErrRevision) {
				w.Fatalf("Messages(%d) = %v, want ErrRevision", rev, err)
			}
		}
		w.equal("now", w.messages(-1), []string{"u1", "a3"})
		w.equal("as the thread says it is now", w.messages(w.load().Rev), []string{"u1", "a3"})
		w.means(w.request(user("u1"), user("u2")), state.Show, 14) // it is never appended again
		t := w.begin(w.request(user("u1"), assistant("a3"), user("u4"))).Thread
		w.equal("count", []any{t.Count, t.LastMessage, t.LastUser}, []any{3, "u4", "u4"})
		size := 0
		list, err := w.store.Messages(w.Context(), key, -1)
		for _, m := range list {
			size += len(m.Raw)
		}
		w.equal("size", []any{t.Size, err}, []any{size, nil})
	}},
	{"what a state was found to have holds until there is another state", func(w *world) {
		l := w.start("u1")
		w.commit(l, state.Commit{State: json.RawMessage(`{"n":1}`), End: &state.End{Status: state.RunSuccess}})
		found := func() state.Commit {
			return state.Commit{Initial: "members", End: &state.End{Status: state.RunSuccess}}
		}
		w.commit(w.start("u2"), found())
		w.equal("found", w.load().Initial, "members")
		w.commit(w.start("u3"), state.Commit{End: &state.End{Status: state.RunSuccess}})
		w.equal("still", w.load().Initial, "members")
		w.commit(w.start("u4"), state.Commit{State: json.RawMessage(`{}`), End: &state.End{Status: state.RunSuccess}})
		w.equal("of another state", w.load().Initial, "")
	}},
	{"a thread remembers its last 50 runs", func(w *world) {
		for range state.MaxRuns + 2 {
			w.succeed(w.start(w.id()), 1)
		}
		runs := w.snapshot(key).Runs
		w.equal("runs", len(runs), state.MaxRuns)
		alone, err := w.store.Runs(w.Context(), key)
		w.equal("Runs()", []any{alone, err}, []any{runs, nil})
		for i, r := range runs[1:] {
			if r.Origin >= runs[i].Origin {
				w.Fatalf("run %d began at %d, the one after it at %d", i+1, r.Origin, runs[i].Origin)
			}
		}
	}},
	{"the states that frames of the log name can be shown, as long as they are kept", func(w *world) {
		end := func(l *state.Lease, s string) *state.Thread {
			return w.commit(l, state.Commit{State: json.RawMessage(s), Frames: frames(l, 1, 1),
				End: &state.End{Status: state.RunSuccess}})
		}
		began := w.begin(w.request(user("u1")))
		first := end(began.Lease, `{"n":1}`)
		r := w.request(user("u2"))
		r.State = json.RawMessage(`{"n":1,"m":1}`)
		merged := w.begin(r)
		w.commit(merged.Lease, state.Commit{State: json.RawMessage(`{"n":2}`), Checkpoint: json.RawMessage(`{}`)})
		w.commit(merged.Lease, state.Commit{State: json.RawMessage(`{"n":3}`), Checkpoint: json.RawMessage(`{}`)})
		last := end(merged.Lease, `{"n":4}`)
		for rev, want := range map[int64]string{
			began.Thread.Rev: `null`, first.Rev: `{"n":1}`, merged.Thread.Rev: `{"m":1,"n":1}`, last.Rev: `{"n":4}`,
			-1: `{"n":4}`,
		} {
			w.equal("state", w.state(rev), json.RawMessage(want))
		}
		w.clock.Move(LogTTL - 1)
		end(w.start("u3"), `{"n":5}`)
		w.equal("at the first end", w.state(first.Rev), json.RawMessage(`{"n":1}`))
		w.clock.Move(1)
		w.holds(first.Last, false)
		for _, rev := range []int64{first.Rev, merged.Thread.Rev} {
			if _, err := w.store.State(w.Context(), key, rev); !errors.Is(err, state.ErrRevision) {
				w.Fatalf("State(%d) = %v, want ErrRevision", rev, err)
			}
		}
		w.equal("now", w.state(-1), json.RawMessage(`{"n":5}`))
	}},
	{"states that were replaced are bounded, and cost the log its oldest runs", func(w *world) {
		large := func(i int) json.RawMessage {
			return json.RawMessage(`{"n":` + strconv.Itoa(i) + `,"text":"` + strings.Repeat("x", 1<<20) + `"}`)
		}
		var ends []*state.Thread
		for i := range 12 {
			l := w.start(w.id())
			ends = append(ends, w.commit(l,
				state.Commit{State: large(i), Frames: frames(l, 1, 1), End: &state.End{Status: state.RunSuccess}}))
		}
		for i, end := range ends {
			kept, err := w.store.Holds(w.Context(), key, end.Last)
			if err != nil {
				w.Fatal(err)
			}
			got, err := w.store.State(w.Context(), key, end.Rev)
			if kept && (err != nil || !slices.Equal(got, large(i))) || !kept && err == nil && i < 4 {
				w.Errorf("run %d: the log has it: %v; State() has %d bytes, %v", i, kept, len(got), err)
			}
			if want := i >= 5; kept != want {
				w.Errorf("run %d: the log has it: %v, want %v", i, kept, want)
			}
		}
	}},
	{"a regenerated turn starts from the state it started from", func(w *world) {
		l := w.start("u1")
		w.commit(l, state.Commit{State: json.RawMessage(`{"n":1}`), End: &state.End{Status: state.RunSuccess}})
		l = w.start("u2")
		w.commit(l, state.Commit{State: json.RawMessage(`{"n":2}`), Messages: []agui.Message{assistant("a2")},
			End: &state.End{Status: state.RunSuccess}})
		r := w.request(user("u1"), user("u2"))
		r.Regenerate = true
		b := w.means(r, state.Repeat, 13)
		w.equal("state", w.state(b.Thread.Rev), json.RawMessage(`{"n":1}`))
	}},
	{"turns that run again and again use up the room of a thread", func(w *world) {
		w.succeed(w.start("u1"), 1, assistant("a0"))
		for n := 1; ; n++ {
			r := w.request(user("u1"))
			r.Regenerate, r.MaxThread = true, 2000
			b := w.begin(r)
			if b.Verdict.Code == errcode.TooLarge {
				break
			}
			if n > 100 || b.Verdict.Meaning != state.Repeat {
				w.Fatalf("turn %d is %s (%s), want a refusal before long", n, b.Verdict.Meaning, b.Verdict.Code)
			}
			w.succeed(b.Lease, 1, assistant("a"+strconv.Itoa(n)))
		}
		w.means(w.request(user("u1")), state.Show, 14) // it can be read
	}},
}

var forks = []sentence{
	{"a fork has the conversation up to a message and the state that belongs to it", func(w *world) {
		l := w.start("u1")
		w.commit(l, state.Commit{State: json.RawMessage(`{"n":1}`),
			Messages: []agui.Message{assistant("a1"), assistant("b1")}, End: &state.End{Status: state.RunSuccess}})
		l = w.start("u2")
		w.commit(l, state.Commit{State: json.RawMessage(`{"n":2}`), Messages: []agui.Message{assistant("a2")},
			End: &state.End{Status: state.RunSuccess}})
		for _, test := range []struct{ at, state, last string }{
			{"a2", `{"n":2}`, "a2"}, {"u2", `{"n":1}`, "u2"}, {"b1", `{"n":1}`, "b1"}, {"a1", `{}`, "a1"},
			{"u1", `{}`, "u1"},
		} {
			t, err := w.store.Fork(w.Context(), key, test.at, "fork-"+test.at, 0)
			if err != nil {
				w.Fatalf("Fork() = %v", err)
			}
			w.equal("state at "+test.at, w.snapshot(t.Key).State, json.RawMessage(test.state))
			w.equal("last message, title", []string{t.LastMessage, t.Title}, []string{test.last, "say u1"})
			r := w.request(user("u9"))
			r.Key = t.Key
			w.means(r, state.Start, 11)
		}
		if _, err := w.store.Fork(w.Context(), key, "nope", "f", 0); !errors.Is(err, state.ErrUnknownMessage) {
			w.Fatalf("Fork() = %v", err)
		}
		if _, err := w.store.Fork(w.Context(), key, "a1", "t1", 0); !errors.Is(err, state.ErrThreadExists) {
			w.Fatalf("Fork() = %v", err)
		}
		if _, err := w.store.Fork(w.Context(), state.Key{Principal: "eve", Agent: "travel", ID: "t1"}, "a1", "f",
			0); !errors.Is(err, state.ErrUnknownThread) {
			w.Fatalf("Fork() = %v", err)
		}
	}},
	{"the notes of agents stay until there are others, and a fork has them too", func(w *world) {
		end := &state.End{Status: state.RunSuccess}
		w.commit(w.start("u1"),
			state.Commit{Messages: []agui.Message{assistant("a1")}, Notes: json.RawMessage(`{"n":1}`), End: end})
		t := w.commit(w.start("u2"), state.Commit{Messages: []agui.Message{assistant("a2")}, End: end})
		w.equal("notes", string(t.Notes), `{"n":1}`)
		fork, err := w.store.Fork(w.Context(), key, "a1", "f", 0)
		if err != nil {
			w.Fatalf("Fork() = %v", err)
		}
		w.equal("the fork's notes", string(fork.Notes), `{"n":1}`)
		w.commit(w.start("u3"), state.Commit{Notes: json.RawMessage(`{"n":2}`), End: end})
		s, err := w.store.Snapshot(w.Context(), key)
		if err != nil {
			w.Fatalf("Snapshot() = %v", err)
		}
		w.equal("notes", string(s.Thread.Notes), `{"n":2}`)
	}},
	{"a fork carries no question and no open call", func(w *world) {
		l := w.start("u1")
		call := agui.Message{ID: "a1", Role: agui.RoleAssistant,
			ToolCalls: []agui.ToolCall{{ID: "c1", Type: "function"}, {ID: "c2", Type: "function"}}}
		w.commit(l, state.Commit{
			Messages: []agui.Message{call, result("r2", "c2", "two")}, Checkpoint: json.RawMessage(`{}`),
			Tokens: []state.Token{w.token("int1", day)},
			Calls:  []state.Call{{ID: "c1"}}, End: &state.End{Status: state.RunInterrupt},
		})
		t, err := w.store.Fork(w.Context(), key, "a1", "t2", 0)
		if err != nil {
			w.Fatalf("Fork() = %v", err)
		}
		w.equal("open", []int{len(t.Open), len(t.Calls), len(t.Checkpoint)}, []int{0, 0, 0})
		conversation, err := w.store.Messages(w.Context(), t.Key, -1)
		if err != nil {
			w.Fatal(err)
		}
		list, err := conversation.Messages()
		if err != nil {
			w.Fatal(err)
		}
		var calls []string
		for _, m := range list[2:] {
			calls = append(calls, m.ToolCallID+" "+m.Content.Text())
		}
		w.equal("results", calls, []string{"c2 two", "c1 " + state.NotAnswered})
	}},
	{"a fork at an answer that came behind the run has the state the run ended with", func(w *world) {
		l := w.start("u1")
		call := agui.Message{ID: "a1", Role: agui.RoleAssistant,
			ToolCalls: []agui.ToolCall{{ID: "c1", Type: "function"}, {ID: "c2", Type: "function"}}}
		w.commit(l, state.Commit{
			Messages: []agui.Message{call}, State: json.RawMessage(`{"n":1}`), Checkpoint: json.RawMessage(`{}`),
			Calls: []state.Call{{ID: "c1"}, {ID: "c2"}}, End: &state.End{Status: state.RunInterrupt},
		})
		w.begin(w.request(result("r1", "c1", "one")))
		t, err := w.store.Fork(w.Context(), key, "r1", "t2", 0)
		if err != nil {
			w.Fatalf("Fork() = %v", err)
		}
		w.equal("state", w.snapshot(t.Key).State, json.RawMessage(`{"n":1}`))
	}},
}
