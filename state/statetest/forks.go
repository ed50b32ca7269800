package statetest

import (
	"encoding/json"
	"errors"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

var forks = []sentence{
	{"a fork has the conversation up to a message and the state that belongs to it", func(w *world) {
		l := w.start("u1")
		w.commit(l, state.Commit{State: json.RawMessage(`{"n":1}`), Messages: []agui.Message{assistant("a1"), assistant("b1")}, End: &state.End{Status: state.RunSuccess}})
		l = w.start("u2")
		w.commit(l, state.Commit{State: json.RawMessage(`{"n":2}`), Messages: []agui.Message{assistant("a2")}, End: &state.End{Status: state.RunSuccess}})
		for _, test := range []struct{ at, state, last string }{
			{"a2", `{"n":2}`, "a2"}, {"u2", `{"n":1}`, "u2"}, {"b1", `{"n":1}`, "b1"}, {"a1", `{}`, "a1"}, {"u1", `{}`, "u1"},
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
		if _, err := w.store.Fork(w.Context(), state.Key{Principal: "eve", Agent: "travel", ID: "t1"}, "a1", "f", 0); !errors.Is(err, state.ErrUnknownThread) {
			w.Fatalf("Fork() = %v", err)
		}
	}},
	{"the notes of agents stay until there are others, and a fork has them too", func(w *world) {
		end := &state.End{Status: state.RunSuccess}
		w.commit(w.start("u1"), state.Commit{Messages: []agui.Message{assistant("a1")}, Notes: json.RawMessage(`{"n":1}`), End: end})
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
		call := agui.Message{ID: "a1", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c1", Type: "function"}, {ID: "c2", Type: "function"}}}
		w.commit(l, state.Commit{
			Messages: []agui.Message{call, result("r2", "c2", "two")}, Checkpoint: json.RawMessage(`{}`), Tokens: []state.Token{w.token("int1", day)},
			Calls: []state.Call{{ID: "c1"}}, End: &state.End{Status: state.RunInterrupt},
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
		call := agui.Message{ID: "a1", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c1", Type: "function"}, {ID: "c2", Type: "function"}}}
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
