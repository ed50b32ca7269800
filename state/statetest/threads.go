package statetest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

var threads = []sentence{
	{"a commit that has an id twice has one message, the newer one at the place of the older, and it can be edited " +
		"away", func(w *world) {
		newer := assistant("a1")
		newer.Content = agui.TextContent("newer")
		w.succeed(w.start("u1"), 1, assistant("a1"), assistant("a2"), newer)
		w.equal("messages", w.messages(-1), []string{"u1", "a1", "a2"})
		list, err := w.snapshot(key).Messages.Messages()
		if err != nil || list[1].Content.Text() != "newer" || w.load().Count != 3 {
			w.Fatalf("Messages() = %+v, %v", list, err)
		}
		edit := w.request(user("u2"))
		edit.Edit = true
		w.means(edit, state.Start, 11)
		w.equal("messages after the edit", w.messages(-1), []string{"u2"})
		w.equal("size", w.load().Size > 0, true)
	}},
	{"the runs of a thread are counted, and each keeps its number", func(w *world) {
		numbers := func() (numbers []int) {
			runs, err := w.store.Runs(w.Context(), key)
			if err != nil {
				w.Fatalf("Runs() = %v", err)
			}
			for _, r := range runs {
				numbers = append(numbers, r.Number)
			}
			return numbers
		}
		w.succeed(w.start("u1"), 1)
		w.equal("numbers", numbers(), []int{1})
		for i := range state.MaxRuns + 1 {
			w.succeed(w.start("v"+strconv.Itoa(i)), 1)
		}
		all := numbers()
		w.equal("remembered", len(all), state.MaxRuns)
		w.equal("newest and oldest", []int{all[0], all[len(all)-1]}, []int{state.MaxRuns + 2, 3})
	}},
	{"only what runs creates a thread", func(w *world) {
		for _, r := range []*state.Request{w.request(), w.resume(resolved("int1", `1`))} {
			if b := w.begin(r); b.Exists || b.Verdict.Meaning.Runs() {
				w.Fatalf("Begin() = %+v", b)
			}
		}
		w.unknown(key)
		if b := w.begin(w.request(user("u1"))); !b.Exists || !b.Verdict.Meaning.Runs() {
			w.Fatalf("Begin() = %+v", b)
		}
	}},
	{"what would run, where nothing may, changes nothing", func(w *world) {
		r := w.request(user("u1"))
		r.NoRun = true
		w.means(r, state.Full, 11)
		w.unknown(key)
		l := w.start("u1")
		for id, want := range map[string]state.Meaning{"u1": state.Join, "u2": state.Busy} {
			r := w.request(user(id))
			r.NoRun = true
			if b := w.begin(r); b.Verdict.Meaning != want || b.Lease != nil {
				w.Fatalf("Begin() = %+v, want %s", b, want)
			}
		}
		t := w.succeed(l, 1)
		r = w.request(user("u1"), user("u2"))
		r.NoRun = true
		w.means(r, state.Full, 11)
		w.equal("thread", w.load(), t)
		r.NoRun = false
		w.means(r, state.Start, 11)
	}},
	{"another principal's or agent's thread is another thread", func(w *world) {
		w.succeed(w.start("u1"), 1)
		for _, other := range []state.Key{{Principal: "eve", Agent: "travel", ID: "t1"},
			{Principal: "local", Agent: "desk", ID: "t1"}} {
			w.unknown(other)
			r := w.request(user("u1"))
			r.Key = other
			b := w.means(r, state.Start, 11)
			w.equal("count", b.Thread.Count, 1)
		}
		keys, err := w.store.Find(w.Context(), "local", "t1")
		w.equal("Find()", []any{keys, err}, []any{[]state.Key{{Principal: "local", Agent: "desk", ID: "t1"}, key}, nil})
		keys, err = w.store.Find(w.Context(), "mallory", "t1")
		w.equal("Find()", []any{len(keys), err}, []any{0, nil})
	}},
	{"threads of different keys do not wait for each other", func(w *world) {
		l := w.start("u1")
		w.commit(l, state.Commit{
			Messages: []agui.Message{{ID: "a1", Role: agui.RoleAssistant,
				ToolCalls: []agui.ToolCall{{ID: "c1", Type: "function"}}}},
			Checkpoint: json.RawMessage(`{}`), Calls: []state.Call{{ID: "c1"}},
			End: &state.End{Status: state.RunSuccess},
		})
		r := w.request(user("u2"))
		inside, done := false, make(chan *state.Begun, 1)
		r.NewID = func() string { // called in the middle of the transition
			if !inside {
				inside = true
				other := w.request(user("u1"))
				other.Key.ID = "t2"
				go func() {
					b, err := w.store.Begin(w.Context(), other, w.lease())
					if err != nil {
						w.Errorf("Begin() = %v", err)
					}
					done <- b
				}()
				if b := <-done; b == nil || !b.Verdict.Meaning.Runs() {
					w.Errorf("Begin() = %+v", b)
				}
			}
			return w.id()
		}
		w.means(r, state.Start, 9)
		w.equal("inside", inside, true)
	}},
	{"a snapshot shows a thread with all that is kept beside it", func(w *world) {
		l := w.start("u1")
		w.commit(l, state.Commit{State: json.RawMessage(`{"n":1}`), Messages: []agui.Message{assistant("a1")},
			Frames: frames(l, 1, 1), End: &state.End{Status: state.RunSuccess}})
		w.ask(w.start("u2"), "int1")
		s := w.snapshot(key)
		var ids, runs []string
		for _, m := range s.Messages {
			ids = append(ids, m.ID)
		}
		for _, r := range s.Runs {
			runs = append(runs, string(r.Status))
		}
		w.equal("thread", s.Thread.Rev, w.load().Rev)
		w.equal("questions", s.Interrupts[0].ID, "int1")
		w.equal("state", s.State, json.RawMessage(`{"n":1}`))
		w.equal("messages, runs", [][]string{ids, runs}, [][]string{{"u1", "a1", "u2"}, {"interrupt", "success"}})
	}},
	{"a thread lives as long as it is used, and a day longer than its questions", func(w *world) {
		w.succeed(w.start("u1"), 1)
		w.clock.Move(ThreadTTL - 1)
		l := w.start("u2")
		w.clock.Move(2 * ThreadTTL) // it is live
		w.load()
		w.commit(l, state.Commit{
			Checkpoint: json.RawMessage(`{}`), Tokens: []state.Token{w.token("int1", 2*ThreadTTL)},
			End: &state.End{Status: state.RunInterrupt},
		})
		w.clock.Move(2*ThreadTTL + day - 1)
		w.load()
		w.clock.Move(1)
		w.unknown(key)
		b := w.means(w.request(user("u1")), state.Start, 11)
		w.equal("count, runs", []int{b.Thread.Count, len(w.snapshot(key).Runs)}, []int{1, 1})
	}},
	{"the answer to a question is remembered as long as its thread", func(w *world) {
		w.ask(w.start("u1"), "int1")
		w.succeed(w.means(w.resume(resolved("int1", `1`)), state.Resume, 1).Lease, 1)
		w.clock.Move(ThreadTTL - 1)
		w.means(w.resume(resolved("int1", `1`)), state.Show, 2)
	}},
	{"a deleted thread is unknown, its run is told to stop and writes nothing more", func(w *world) {
		l := w.start("u1")
		if err := w.store.Delete(w.Context(), key); err != nil {
			w.Fatalf("Delete() = %v", err)
		}
		w.equal("signal", w.nextSignal(l), state.SignalStop)
		w.unknown(key)
		w.lost(l)
		w.start("u1")
		w.lost(l)
		w.equal("messages", w.messages(-1), []string{"u1"})
	}},
	{"a thread that is made anew while it is deleted is found", func(w *world) {
		for range 100 {
			w.begin(w.request(user(w.id())))
			var both sync.WaitGroup
			both.Go(func() {
				if err := w.store.Delete(w.Context(), key); err != nil {
					w.Errorf("Delete() = %v", err)
				}
			})
			both.Go(func() {
				for { // until it is not the old run that it meets
					b, err := w.store.Begin(w.Context(), w.request(user(w.id())), w.lease())
					if err != nil || b.Lease != nil {
						if err != nil {
							w.Errorf("Begin() = %v", err)
						}
						return
					}
				}
			})
			both.Wait()
			w.load()
			keys, err := w.store.Find(w.Context(), key.Principal, key.ID)
			w.equal("Find()", []any{keys, err}, []any{[]state.Key{key}, nil})
			page, err := w.store.List(w.Context(), state.Query{Principal: key.Principal})
			w.equal("List()", []any{len(page.Threads), err}, []any{1, nil})
			if err := w.store.Delete(w.Context(), key); err != nil {
				w.Fatalf("Delete() = %v", err)
			}
		}
	}},
	{"a title is the first user message until it is set", func(w *world) {
		r := w.request(agui.Message{ID: "s", Role: agui.RoleSystem, Content: agui.TextContent("rules")}, user("u1"))
		w.succeed(w.begin(r).Lease, 1)
		w.equal("title", w.load().Title, "say u1")
		if err := w.store.Rename(w.Context(), key, "Trip"); err != nil {
			w.Fatalf("Rename() = %v", err)
		}
		w.succeed(w.start("u2"), 1)
		w.equal("title", w.load().Title, "Trip")
	}},
	{"a listing shows a principal's threads, newest first, page by page", func(w *world) {
		for i, agent := range []string{"travel", "desk", "travel", "desk", "travel"} {
			w.clock.Move(time.Second)
			r := w.request(user("u1"))
			r.Key = state.Key{Principal: "local", Agent: agent, ID: strconv.Itoa(i)}
			b := w.begin(r)
			if i != 4 {
				w.commit(b.Lease,
					state.Commit{End: &state.End{Status: []state.RunStatus{state.RunSuccess, state.RunError}[i%2]}})
			}
		}
		list := func(q state.Query) (ids []string) {
			w.Helper()
			for {
				page, err := w.store.List(w.Context(), q)
				if err != nil {
					w.Fatalf("List() = %v", err)
				}
				if q.Limit > 0 && len(page.Threads) > q.Limit {
					w.Fatalf("List() has %d threads, want at most %d", len(page.Threads), q.Limit)
				}
				for _, s := range page.Threads {
					ids = append(ids, s.Key.ID)
				}
				if q.Cursor = page.Next; q.Cursor == "" {
					return ids
				}
			}
		}
		w.equal("all", list(state.Query{Principal: "local", Limit: 2}), []string{"4", "3", "2", "1", "0"})
		w.equal("of desk", list(state.Query{Principal: "local", Agent: "desk", Limit: 1}), []string{"3", "1"})
		w.equal("of all but desk", list(state.Query{Principal: "local", Without: []string{"other", "desk"}, Limit: 1}),
			[]string{"4", "2", "0"})
		w.equal("of desk but desk",
			len(list(state.Query{Principal: "local", Agent: "desk", Without: []string{"desk"}})), 0)
		w.equal("failed", list(state.Query{Principal: "local", Status: state.StatusFailed}), []string{"3", "1"})
		w.equal("running", list(state.Query{Principal: "local", Status: state.StatusRunning}), []string{"4"})
		w.equal("idle", list(state.Query{Principal: "local", Status: state.StatusIdle, Limit: 1}), []string{"2", "0"})
		w.equal("of somebody else", len(list(state.Query{Principal: "eve"})), 0)
		if _, err := w.store.List(w.Context(), state.Query{Principal: "local", Cursor: "!"}); !errors.Is(err,
			state.ErrCursor) {
			w.Fatalf("List() = %v", err)
		}
	}},
	{"a search finds words in titles and names of agents, and looks at no more threads at once than it may",
		func(w *world) {
			for i, title := range []string{"Ein Zug nach ÖSTERREICH", "Paris in May", "paris  in June", "Rome",
				"A refund"} {
				w.clock.Move(time.Second)
				r := w.request(agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent(title)})
				r.Key = state.Key{Principal: "local", Agent: []string{"travel", "desk"}[i/4], ID: strconv.Itoa(i)}
				w.succeed(w.begin(r).Lease, 1)
			}
			pages := func(q state.Query) (pages [][]string) {
				w.Helper()
				for q.Principal = "local"; ; {
					page, err := w.store.List(w.Context(), q)
					if err != nil {
						w.Fatalf("List() = %v", err)
					}
					ids := []string{}
					for _, s := range page.Threads {
						ids = append(ids, s.Key.ID)
					}
					pages = append(pages, ids)
					if q.Cursor = page.Next; q.Cursor == "" {
						return pages
					}
				}
			}
			w.equal("a word", pages(state.Query{Text: "PARIS"}), [][]string{{"2", "1"}})
			w.equal("a word that has letters beyond ASCII", pages(state.Query{Text: "österreich"}), [][]string{{"0"}})
			w.equal("several words, in any order", pages(state.Query{Text: " june   par"}), [][]string{{"2"}})
			w.equal("the name of an agent", pages(state.Query{Text: "desk"}), [][]string{{"4"}})
			w.equal("words of both", pages(state.Query{Text: "travel rome"}), [][]string{{"3"}})
			w.equal("nothing but blanks", pages(state.Query{Text: "  "}), [][]string{{"4", "3", "2", "1", "0"}})
			w.equal("with a limit", pages(state.Query{Text: "paris", Limit: 1}), [][]string{{"2"}, {"1"}})
			w.equal("two at a time", pages(state.Query{Text: "paris", Look: 2}), [][]string{{}, {"2", "1"}, {}})
			w.equal("one at a time", pages(state.Query{Status: state.StatusFailed, Look: 1}),
				[][]string{{}, {}, {}, {}, {}})
			w.equal("one of two at a "+
				"time", pages(state.Query{Text: "paris", Limit: 1, Look: 4}), [][]string{{"2"}, {"1"}})
			w.equal("all at once", pages(state.Query{Look: 5}), [][]string{{"4", "3", "2", "1", "0"}})
			w.equal("none", pages(state.Query{Text: "paris refund"}), [][]string{{}})
		}},
	{"a client's state is merged into a new turn, and ignored on a resume", func(w *world) {
		r := w.request(user("u1"))
		r.State = json.RawMessage(`{"origin":"Paris","secret":1}`)
		r.Writable = []string{"/origin"}
		b := w.begin(r)
		w.equal("state", w.state(b.Thread.Rev), json.RawMessage(`{"origin":"Paris"}`))
		w.equal("warnings", b.Verdict.Warnings, []string{`the caller may not write to the state at "/secret"`})
		w.ask(b.Lease, "int1")
		r = w.resume(resolved("int1", `1`))
		r.State = json.RawMessage(`{"origin":"Rome"}`)
		w.equal("state", w.state(w.means(r, state.Resume, 1).Thread.Rev), json.RawMessage(`{"origin":"Paris"}`))
	}},
	{"what has no room is refused before it runs", func(w *world) {
		r := w.request(user("u1"))
		r.MaxThread = 10
		b := w.begin(r)
		w.equal("verdict", []any{b.Verdict.Meaning, b.Verdict.Code, b.Exists},
			[]any{state.Refuse, errcode.TooLarge, false})
		r.MaxThread, r.MaxState, r.State = 1000, 10, json.RawMessage(`{"long":"long enough"}`)
		b = w.begin(r)
		w.equal("verdict", []any{b.Verdict.Meaning, b.Verdict.Code, b.Exists},
			[]any{state.Refuse, errcode.TooLarge, false})
	}},
	{"a call whose context is done does nothing", func(w *world) {
		ctx, cancel := context.WithCancel(w.Context())
		cancel()
		if _, err := w.store.Begin(ctx, w.request(user("u1")), w.lease()); !errors.Is(err, context.Canceled) {
			w.Fatalf("Begin() = %v", err)
		}
		w.unknown(key)
	}},
}

// unknown holds every way to look at a thread to finding none.
func (w *world) unknown(key state.Key) {
	w.Helper()
	ctx := w.Context()
	_, _, load := w.store.Load(ctx, key)
	_, messages := w.store.Messages(ctx, key, -1)
	_, present := w.store.State(ctx, key, -1)
	_, snapshot := w.store.Snapshot(ctx, key)
	_, runs := w.store.Runs(ctx, key)
	_, holds := w.store.Holds(ctx, key, state.FrameID{})
	_, fork := w.store.Fork(ctx, key, "u1", "f", 0)
	_, signal := w.store.Signal(ctx, key, 0, state.SignalStop)
	for name, err := range map[string]error{
		"Load": load, "Messages": messages, "State": present, "Snapshot": snapshot, "Runs": runs, "Holds": holds,
		"Fork": fork, "Signal": signal,
		"Rename": w.store.Rename(ctx, key, "x"), "Delete": w.store.Delete(ctx, key),
	} {
		if !errors.Is(err, state.ErrUnknownThread) {
			w.Errorf("%s() = %v, want ErrUnknownThread", name, err)
		}
	}
	keys, err := w.store.Find(ctx, key.Principal, key.ID)
	if err != nil || slices.Contains(keys, key) {
		w.Errorf("Find() = %v, %v", keys, err)
	}
}
