package statetest

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

var answered = []sentence{
	{"an answered question is shown where it was asked, from the answer on, also behind later messages",
		func(w *world) {
			w.asks(w.start("u1"), assistant("a1"), "int1", "int2")
			w.equal("before the answer", len(w.snapshot(key).Answered), 0)
			w.clock.Move(time.Minute)
			b := w.means(w.resume(resolved("int1", `"KLM"`), state.Answer{ID: "int2", Status: agui.ResumeCancelled}),
				state.Resume, 1)
			want := []string{`int1 "KLM" behind a1`, "int2 cancelled behind a1"}
			w.equal("while the run goes on", w.answered(key), want)
			w.equal("when", w.snapshot(key).Answered[0].AnsweredAt.Equal(w.clock.Now()), true)
			w.succeed(b.Lease, 1, assistant("a2"))
			w.succeed(w.start("u2"), 1, assistant("a3"))
			w.equal("later", w.answered(key), want)
		}},
	{"an answer whose turn failed is none, and a message is one when it is known what it means", func(w *world) {
		w.asks(w.start("u1"), assistant("a1"), "int1")
		b := w.means(w.resume(resolved("int1", `1`)), state.Resume, 1)
		w.commit(b.Lease, state.Commit{KeepCheckpoint: true,
			End: &state.End{Status: state.RunError, Code: errcode.AgentFailed, Reopen: true}})
		w.equal("after the failure", len(w.answered(key)), 0)
		b = w.means(w.types("the second one"), state.Resume, 6)
		w.equal("while it is read", len(w.answered(key)), 0)
		w.commit(b.Lease, state.Commit{Answers: []state.Answer{resolved("int1", `2`)},
			Messages: []agui.Message{assistant("a2")}, End: &state.End{Status: state.RunSuccess}})
		w.equal("once it was", w.answered(key), []string{"int1 2 behind a1"})
	}},
	{"a question that expired and that nobody answered is shown once another message was sent", func(w *world) {
		w.asks(w.start("u1"), assistant("a1"), "int1")
		w.clock.Move(25 * time.Hour)
		w.equal("before", len(w.answered(key)), 0)
		w.succeed(w.start("u2"), 1)
		w.equal("after", w.answered(key), []string{"int1 expired behind a1"})
	}},
	{"answers leave the conversation with the messages that they stand behind, and with a turn that runs again",
		func(w *world) {
			turn := func(i string) {
				w.Helper()
				w.asks(w.start("u"+i), assistant("a"+i), "int"+i)
				w.succeed(w.means(w.resume(resolved("int"+i, i)), state.Resume, 1).Lease, 1, assistant("b"+i))
			}
			turn("1")
			turn("2")
			w.equal("at first", w.answered(key), []string{"int1 1 behind a1", "int2 2 behind a2"})
			r := w.request(user("u1"), assistant("a1"), assistant("b1"), user("v2"))
			r.Edit = true
			w.succeed(w.begin(r).Lease, 1, assistant("c2"))
			w.equal("after an edit of the second message", w.answered(key), []string{"int1 1 behind a1"})
			r = w.request(user("u1"))
			r.Regenerate = true
			w.asks(w.means(r, state.Repeat, 13).Lease, agui.Message{}, "int3")
			w.equal("after the first turn ran again", len(w.answered(key)), 0)
			w.succeed(w.means(w.resume(resolved("int3", `3`)), state.Resume, 1).Lease, 1, assistant("d1"))
			w.equal("an answer behind the first message", w.answered(key), []string{"int3 3 behind u1"})
			r = w.request(user("u1"))
			r.Regenerate = true
			w.succeed(w.means(r, state.Repeat, 13).Lease, 1)
			w.equal("after it ran again once more", len(w.answered(key)), 0)
		}},
	{"a fork has the answers that stand before its end", func(w *world) {
		w.asks(w.start("u1"), assistant("a1"), "int1")
		w.succeed(w.means(w.resume(resolved("int1", `1`)), state.Resume, 1).Lease, 1, assistant("b1"))
		w.asks(w.start("u2"), assistant("a2"), "int2")
		w.succeed(w.means(w.resume(resolved("int2", `2`)), state.Resume, 1).Lease, 1)
		for at, want := range map[string][]string{"u1": nil, "a1": nil, "b1": {"int1 1 behind a1"},
			"a2": {"int1 1 behind a1"}} {
			fork, err := w.store.Fork(w.Context(), key, at, "fork-"+at, 0)
			if err != nil {
				w.Fatalf("Fork() = %v", err)
			}
			w.equal("at "+at, w.answered(fork.Key), want)
		}
	}},
	{"of answered questions the newest are shown, so many and so many bytes of them", func(w *world) {
		for i := range state.MaxAnswered + 1 {
			n := strconv.Itoa(i)
			w.asks(w.start("u"+n), agui.Message{}, "int"+n)
			w.succeed(w.means(w.resume(resolved("int"+n, n)), state.Resume, 1).Lease, 1)
		}
		all := w.answered(key)
		w.equal("number, and the oldest", []any{len(all), all[0]}, []any{state.MaxAnswered, "int1 1 behind u1"})
		b := w.begin(w.resume(resolved("int0", "0")))
		w.equal("the answer that is not shown, once more", b.Verdict.Code, errcode.InterruptAlreadyResolved)
		w.means(w.resume(resolved("int1", "1")), state.Show, 2)
		l := w.start("large")
		token := w.token("int-large", time.Hour)
		token.Interrupt.Message = strings.Repeat("x", state.MaxAnsweredBytes/2)
		w.commit(l, state.Commit{Checkpoint: json.RawMessage(`{}`), Tokens: []state.Token{token},
			End: &state.End{Status: state.RunInterrupt}})
		answer := strings.Repeat("y", state.MaxAnsweredBytes/2-2000)
		w.succeed(w.means(w.resume(resolved("int-large", strconv.Quote(answer))), state.Resume, 1).Lease, 1)
		if all := w.answered(key); len(all) > 20 || !strings.HasPrefix(all[len(all)-1], "int-large") {
			w.Errorf("%d answers are shown beside a large one, want few", len(all))
		}
	}},
	{"of questions that are closed and not shown the newest are kept, and so many of them", func(w *world) {
		const more = 3
		last := state.MaxAnswered + state.MaxSettled + more
		for i := range last {
			n := strconv.Itoa(i)
			w.asks(w.start("u"+n), agui.Message{}, "int"+n)
			w.succeed(w.means(w.resume(resolved("int"+n, n)), state.Resume, 1).Lease, 1)
		}
		code := func(i int) errcode.Code {
			return w.begin(w.resume(resolved("int"+strconv.Itoa(i), "0"))).Verdict.Code
		}
		for i := range more {
			w.equal("an answer to an evicted question", code(i), errcode.InterruptNotFound)
		}
		w.equal("the oldest kept one", code(more), errcode.InterruptAlreadyResolved)
		w.equal("shown", len(w.answered(key)), state.MaxAnswered)
		w.equal("listed", len(w.load().Settled), state.MaxSettled)
		again := "int" + strconv.Itoa(more)
		w.asks(w.start("again"), agui.Message{}, again)
		w.succeed(w.means(w.resume(resolved(again, "1")), state.Resume, 1).Lease, 1)
		r := w.request(user("edit"))
		r.Edit = true
		w.succeed(w.begin(r).Lease, 1)
		w.equal("shown after an edit of everything", len(w.answered(key)), 0)
		w.equal("listed after it", len(w.load().Settled), state.MaxSettled)
		w.equal("one that the edit evicted", code(last-state.MaxSettled-1), errcode.InterruptNotFound)
		w.equal("the newest", code(last-1), errcode.InterruptAlreadyResolved)
	}},
	{"a run knows the message that it began behind", func(w *world) {
		w.asks(w.start("u1"), assistant("a1"), "int1")
		w.succeed(w.means(w.resume(resolved("int1", `1`)), state.Resume, 1).Lease, 1, assistant("b1"))
		runs, err := w.store.Runs(w.Context(), key)
		if err != nil || len(runs) != 2 {
			w.Fatalf("Runs() = %v, %v", runs, err)
		}
		w.equal("behind", []string{runs[1].After, runs[0].After}, []string{"u1", "a1"})
	}},
}

// asks ends the run of l with a message, if it has an id, and open questions.
func (w *world) asks(l *state.Lease, said agui.Message, ids ...string) {
	w.Helper()
	c := state.Commit{Checkpoint: json.RawMessage(`{"v":1}`), Frames: frames(l, 1, 1),
		End: &state.End{Status: state.RunInterrupt}}
	if said.ID != "" {
		c.Messages = []agui.Message{said}
	}
	for _, id := range ids {
		c.Tokens = append(c.Tokens, w.token(id, 24*time.Hour))
	}
	w.commit(l, c)
}

// answered are the answered questions of a thread, each in a line.
func (w *world) answered(key state.Key) (lines []string) {
	w.Helper()
	for _, a := range w.snapshot(key).Answered {
		what := "expired"
		switch {
		case a.Answer != nil && a.Answer.Payload != nil:
			what = string(a.Answer.Payload)
		case a.Answer != nil:
			what = string(a.Answer.Status)
		}
		lines = append(lines, a.Interrupt.ID+" "+what+" behind "+a.After)
	}
	return lines
}
