package state

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state/document"
)

// chat is an idle thread of two runs.
func chat() *fixture { return thread("u1 a1", "u2 a2") }

// asked returns a thread with a question of its second run.
// trying returns a thread with a live run that tries u3 as the answer.
func trying() *fixture {
	f := thread("u1 a1", "u2 a2(b1)", "u3").asking(`q1~"u3"`).live()
	f.Thread.Live.Intent.Meaning, f.Thread.Live.Intent.Row = Resume, rowTyped
	f.Thread.Live.Intent.Claims = []Answer{*f.Tokens[0].Answer}
	return f
}

func asked(specs ...string) *fixture { return thread("u1 a1", "u2 a2(b1)").asking(specs...) }

// called returns a thread with frontend calls of its second run.
func called(specs ...string) *fixture { return thread("u1 a1", "u2 a2(c1,c2)").calling(specs...) }

// left is a chat of which the messages that left take some bytes.
func left(size int) *fixture {
	f := chat()
	f.Thread.Left = size
	return f
}

func TestAdmit(t *testing.T) {
	t.Parallel()
	const v1 = `{"v":"x"}`
	u3, err := NewStoredMessage(message("u3"))
	if err != nil {
		t.Fatal(err)
	}
	room := func(left int) func(*Request) {
		return func(r *Request) { r.MaxThread = chat().Thread.Size + len(u3.Raw) + left }
	}
	tests := []struct {
		name string
		f    *fixture
		r    *Request
		want string
	}{
		// Row 1: answers to every open question.
		{"1 one", asked("q1"), ask("", answer("q1="+v1)), `resume 1 claim=q1:{"v":"x"}`},
		{"1 several", asked("q1", "q2"), ask("", answer("q2="+v1, "q1!")), `resume 1 claim=q1:cancelled claim=q2:{"v":"x"}`},
		{"1 text of an object", asked("q1"), ask("", answer(`q1="{\"v\":\"x\"}"`)), `resume 1 claim=q1:{"v":"x"}`},
		{"1 bare value", asked("q1"), ask("", answer(`q1="x"`)), `resume 1 claim=q1:{"v":"x"}`},
		{"1 text of a value", asked("q1"), ask("", answer(`q1="\"x\""`)), `resume 1 claim=q1:{"v":"x"}`},
		{"1 text that spells a number stays text", asked("q1"), ask("", answer(`q1="7"`)), `resume 1 claim=q1:{"v":"7"}`},
		{"1 legacy, bare", asked("q1"), ask("", old, answer(`=`+v1)), `resume 1 claim=q1:{"v":"x"}`},
		{"1 legacy, empty text is an answer", asked("q1"), ask("", old, answer(`=""`)), `resume 1 claim=q1:{"v":""}`},
		{"1 legacy, by id", asked("q1", "q2"), ask("", old, answer("q1="+v1, "q2="+v1)), `resume 1 claim=q1:{"v":"x"} claim=q2:{"v":"x"}`},
		{"1 unknown ids are dropped", asked("q1"), ask("", answer("q1="+v1, "q9="+v1)), `resume 1 claim=q1:{"v":"x"} warnings=1`},
		{"1 an older answer beside it", asked("q0="+v1, "q1"), ask("", answer("q0="+v1, "q1="+v1)), `resume 1 claim=q1:{"v":"x"}`},
		{"1 all cancelled", asked("q1", "q2"), ask("", answer("q1!", "q2!")), "resume 1 claim=q1:cancelled claim=q2:cancelled"},
		{"1 new messages come along", asked("q1"), ask("u1 a1 u2 u3 s1", answer("q1="+v1)), `resume 1 append=u3,s1 claim=q1:{"v":"x"}`},
		{"1 a made-up result of a bound call is not stored", asked("q1/b1"), ask("u2 t1>b1", answer("q1="+v1)), `resume 1 claim=q1:{"v":"x"} warnings=1`},
		{"1 expired ones left out are cancelled", asked("q1", "q2-"), ask("", answer("q1="+v1)), `resume 1 claim=q1:{"v":"x"} claim=q2:cancelled`},
		{"1 expired and cancelled", asked("q1-"), ask("", answer("q1!")), "resume 1 claim=q1:cancelled"},
		{"1 expired, resolved by an old caller", asked("q1-"), ask("", old, answer("q1="+v1)), "resume 1 claim=q1:cancelled:timedout"},
		{"1 bare, one open and one expired", asked("q1", "q2-"), ask("", old, answer("="+v1)), `resume 1 claim=q1:{"v":"x"} claim=q2:cancelled`},
		{"1 calls of the same pause", called("c1", "c2").asking("q1"), ask("t1>c1", answer("q1="+v1)), `resume 1 claim=q1:{"v":"x"} call=t1>c1 unanswered=c2`},

		// Row 2: the same answer again.
		{"2 while it runs", asked("q1~" + v1).live(), ask("", answer("q1="+v1)), "join 2"},
		{"2 while it runs, bare", asked("q1~" + v1).live(), ask("", old, answer("="+v1)), "join 2"},
		{"2 in another spelling", asked("q1~" + v1).live(), ask("", answer(`q1="x"`)), "join 2"},
		{"2 with a new message, joined all the same", asked("q1~" + v1).live(), ask("u9", answer("q1="+v1)), "join 2"},
		{"2 while another run lives", asked("q1=" + v1).live(), ask("", answer("q1="+v1)), "join 2"},
		{"2 when it is over", asked("q1=" + v1), ask("u9", answer("q1="+v1)), "show 2"},
		{"2 while the next question is open", asked("q1="+v1, "q2"), ask("", answer("q1="+v1)), "show 2"},
		{"2 cancelled again", asked("q1=cancelled"), ask("", answer("q1!")), "show 2"},
		{"2 cancelled, dropped since", asked("q1!"), ask("", answer("q1!")), "show 2"},

		// Row 3: answers that are refused.
		{"3 another answer, claimed", asked("q1~" + v1).live(), ask("u9", answer(`q1={"v":"y"}`)), "refuse 3 code=interrupt_already_resolved show=u9"},
		{"3 another answer, used", asked("q1=" + v1), ask("", answer(`q1={"v":"y"}`)), "refuse 3 code=interrupt_already_resolved"},
		{"3 cancelled after it was answered", asked("q1=" + v1), ask("", answer("q1!")), "refuse 3 code=interrupt_already_resolved"},
		{"3 another answer to an old one beside a good one", asked("q0="+v1, "q1"), ask("", answer(`q0={"v":"y"}`, "q1="+v1)), "refuse 3 code=interrupt_already_resolved"},
		{"3 only unknown", asked("q1"), ask("", answer("q9="+v1)), "refuse 3 code=interrupt_not_found"},
		{"3 unknown, idle", chat(), ask("u1 a1 u9", answer("q9="+v1)), "refuse 3 code=interrupt_not_found show=u9"},
		{"3 unknown, running", chat().live(), ask("", answer("q9="+v1)), "refuse 3 code=interrupt_not_found"},
		{"3 no thread", thread(), ask("", answer("q9="+v1)), "refuse 3 code=interrupt_not_found"},
		{"3 partial", asked("q1", "q2"), ask("", answer("q1="+v1)), "refuse 3 code=resume_incomplete"},
		{"3 doubled", asked("q1"), ask("", answer("q1="+v1, "q1="+v1)), "refuse 3 code=resume_invalid"},
		{"3 breaks the schema", asked("q1"), ask("", answer(`q1={"v":7}`)), "refuse 3 code=resume_invalid"},
		{"3 lacks the member", asked("q1"), ask("", answer(`q1={}`)), "refuse 3 code=resume_invalid"},
		{"3 a number where text is wanted", asked("q1"), ask("", answer(`q1=7`)), "refuse 3 code=resume_invalid"},
		{"3 null is no answer", asked("q1"), ask("", answer(`q1=null`)), "refuse 3 code=resume_invalid"},
		{"3 expired", asked("q1-"), ask("", answer("q1="+v1)), "refuse 3 code=interrupt_expired"},
		{"3 expired and open ones", asked("q1", "q2-"), ask("", answer("q1="+v1, "q2="+v1)), "refuse 3 code=interrupt_expired"},
		{"3 expired and dropped since", asked("q1!-"), ask("", answer("q1="+v1)), "refuse 3 code=interrupt_expired"},
		{"3 bare, several open", asked("q1", "q2"), ask("", old, answer("="+v1)), "refuse 3 code=resume_ambiguous"},
		{"3 bare, several claimed", asked("q1~"+v1, "q2~"+v1).live(), ask("", old, answer("="+v1)), "refuse 3 code=resume_ambiguous"},
		{"3 bare, several bare", asked("q1"), ask("", old, answer("="+v1, "="+v1)), "refuse 3 code=resume_ambiguous"},
		{"3 bare, none open", asked("q1=" + v1), ask("", old, answer("="+v1)), "refuse 3 code=interrupt_not_found"},
		{"3 refused, the messages are shown", asked("q1"), ask("u1 u9 a9 s9", answer("q9="+v1)), "refuse 3 code=interrupt_not_found show=u9,s9"},

		// Rows 4 and 5: running.
		{"4 nothing new", chat().live(), ask("u1 a1 u2"), "join 4"},
		{"4 nothing at all", chat().live(), ask(""), "join 4"},
		{"4 only what it may not bring", chat().live(), ask("u1 a9 x9 t9>zz"), "join 4 warnings=1"},
		{"4 tied and hung up, but the same request", chat().tied(true), ask("u1 a1 u2"), "join 4"},
		{"4 the owner's lease is over", func() *fixture { f := chat().live(); f.Thread.Live.Until = noon; return f }(), ask("u1 a1 u2"), "join 4"},
		{"5 a new message", chat().live(), ask("u1 a1 u2 u3"), "busy 5 code=run_in_progress"},
		{"5 a system message", chat().live(), ask("d1 u1"), "busy 5 code=run_in_progress"},
		{"5 an answer to a call", called("c1").live(), ask("t1>c1"), "busy 5 code=run_in_progress"},
		{"5 tied", chat().tied(false), ask("u3"), "busy 5 code=run_in_progress"},
		{"5 tied and hung up", chat().tied(true), ask("u3"), "preempt 5"},
		{"5 hung up, and not tied any more", func() *fixture { f := chat().tied(true); f.Thread.Live.Tied = false; return f }(), ask("u3"), "busy 5 code=run_in_progress"},

		{"5 a new message that may wait", chat().live(), ask("u3", waiting("w1")), "queued 5"},
		{"5 behind others", chat().live().queue("w2"), ask("u3", waiting("w1")), "queued 5"},
		{"5 it waits already", chat().live().queue("w1", "w2", "w3"), ask("u3", waiting("w1")), "queued 5"},
		{"5 no room", chat().live().queue("w2", "w3", "w4"), ask("u3", waiting("w1")), "busy 5 code=queue_full"},
		{"5 a place that expired makes room", chat().live().queue("w2", "w3-", "w4"), ask("u3", waiting("w1")), "queued 5"},
		{"5 nothing runs, and others wait", chat().queue("w2"), ask("u3", waiting("w1")), "queued 5"},
		{"5 nothing runs, and others wait behind it", chat().queue("w1", "w2"), ask("u3", waiting("w1")), "start 11 append=u3"},
		{"5 nothing runs, and the place before it expired", chat().queue("w2-", "w1"), ask("u3", waiting("w1")), "start 11 append=u3"},
		{"5 nothing runs, others wait: a turn once more", chat().queue("w2"), ask("u1", regenerate, waiting("w1")), "queued 5"},
		{"5 nothing runs, others wait: a failed turn", chat().failed(true).queue("w2"), ask("u2", waiting("w1")), "queued 5"},
		{"5 nothing runs, others wait: shown", chat().queue("w2"), ask("u1 a1", waiting("w1")), "show 14"},
		{"5 nothing runs, others wait: an answer", asked("q1").queue("w2"), ask("", answer("q1="+v1), waiting("w1")), `resume 1 claim=q1:{"v":"x"}`},
		{"5 nothing runs, others wait: the result of a call", called("c1").queue("w2"), ask("t1>c1", waiting("w1")), "resume 8 call=t1>c1"},
		{"5 it may not wait, and others do", chat().queue("w2"), ask("u3"), "start 11 append=u3"},
		{"5 its thread was deleted", thread(), ask("u3", waiting("w1"), since(noon)), "refuse 5 code=cancelled show=u3"},
		{"5 its thread was made anew", chat(), ask("u3", waiting("w1"), since(noon)), "refuse 5 code=cancelled show=u3"},
		{"5 its thread is the one", chat(), ask("u3", waiting("w1"), since(noon.Add(-time.Hour))), "start 11 append=u3"},

		// Rows 6 and 7: interrupted.
		{"6 a new message", asked("q1"), ask("u1 a1 u2 u3"), "refuse 6 code=interrupt_pending show=u3"},
		{"6 one of two expired", asked("q1", "q2-"), ask("u3"), "refuse 6 code=interrupt_pending show=u3"},
		{"6 an edit", asked("q1"), ask("u1 a1 u3", editing), "refuse 6 code=interrupt_pending show=u3"},
		{"6 typed", asked("q1"), ask("u1 a1 u2 a2 u3", typing), `resume 6 append=u3 claim=q1:"u3"`},
		{"6 typed, only the newest message is named", asked("q1"), ask("a2 u3", typing), `resume 6 append=u3 claim=q1:"u3"`},
		{"6 typed, about a call", asked("q1/b1"), ask("u1 a1 u2 a2 u3", typing), `resume 6 append=u3 claim=q1:"u3"`},
		{"6 typed, its author has not seen the question", asked("q1"), ask("u1 a1 u2 u3", typing), "refuse 6 code=interrupt_pending show=u3"},
		{"6 typed, several are open", asked("q1", "q2"), ask("a2 u3", typing), "refuse 6 code=interrupt_pending show=u3"},
		{"6 typed, one of two expired", asked("q1", "q2-"), ask("a2 u3", typing), "refuse 6 code=interrupt_pending show=u3"},
		{"6 typed, a call is open too", called("c1").asking("q1"), ask("a2 u3", typing), "refuse 6 code=interrupt_pending show=u3"},
		{"6 typed, two messages", asked("q1"), ask("a2 u3 u4", typing), "refuse 6 code=interrupt_pending show=u3,u4"},
		{"6 typed, not by a user", asked("q1"), ask("a2 s3", typing), "refuse 6 code=interrupt_pending show=s3"},
		{"6 typed, and not the last", asked("q1"), ask("u3 a2", typing), "refuse 6 code=interrupt_pending show=u3"},
		{"6 typed, an edit", asked("q1"), ask("u1 a1 u2 a2 u3", typing, editing), "refuse 6 code=interrupt_pending show=u3"},
		{"6 typed, before the question was asked", asked("q1"), ask("a2 u3", typing, since(noon.Add(-time.Hour))), "refuse 6 code=interrupt_pending show=u3"},
		{"6 typed, again while it is tried", trying(), ask("u1 a1 u2 a2 u3", typing, retry(3)), "join 4"},
		{"6 typed, again when it was not understood", asked("q1").saying("u3 a3"), ask("u1 a1 u2 a2 u3", typing, retry(3)), "show 7"},
		{"6 typed, another while one is tried", trying(), ask("a2 u4", typing), "busy 5 code=run_in_progress"},
		{"6 an answer while a message is tried", trying(), ask("", answer("q1="+v1)), "busy 5 code=run_in_progress"},
		{"6 calling off while a message is tried", trying(), ask("", answer("q1!")), "busy 5 code=run_in_progress"},
		{"6 all expired: reads as idle", asked("q1-/b1"), ask("u1 a1 u2 u3"), "start 11 append=u3 unanswered=b1 forget"},
		{"7 nothing new", asked("q1"), ask("u1 a1 u2"), "show 7"},
		{"7 regenerate", asked("q1"), ask("u1", regenerate), "show 7"},
		{"7 the same request again", asked("q1"), ask("u2", retry(2)), "show 7"},
		{"7 a bound call's made-up result", asked("q1/b1"), ask("u2 t1>b1"), "show 7 warnings=1"},
		{"7 a frontend call of the same pause", called("c1").asking("q1"), ask("u2 t1>c1"), "show 7 call=t1>c1"},
		{"7 a frontend call that a question is bound to", called("c1").asking("q1/c1"), ask("u2 t1>c1"), "show 7"},

		// Rows 8 and 9: frontend calls open.
		{"8 the only one", called("c1"), ask("u1 a1 u2 a2 t1>c1"), "resume 8 call=t1>c1"},
		{"8 all of them", called("c1", "c2"), ask("t2>c2 t1>c1"), "resume 8 call=t2>c2 call=t1>c1"},
		{"8 the last one", called("c1=t1", "c2"), ask("t1>c1 t2>c2"), "resume 8 call=t2>c2"},
		{"8 with a new message", called("c1"), ask("t1>c1 u3"), "resume 8 append=u3 call=t1>c1"},
		{"8 one is missing", called("c1", "c2"), ask("t1>c1"), "show 8 call=t1>c1"},
		{"8 the first answer wins", called("c1=t1", "c2"), ask("t9>c1"), "show 8"},
		{"8 the first of two wins", called("c1"), ask("t1>c1 t9>c1"), "resume 8 call=t1>c1"},
		{"8 nothing", called("c1"), ask("u1 a1 u2"), "show 8"},
		{"8 an unknown call", called("c1"), ask("t1>zz"), "show 8 warnings=1"},
		{"9 a new message", called("c1", "c2"), ask("u1 a1 u2 a2 u3"), "start 9 append=u3 unanswered=c1,c2 forget"},
		{"9 with some answers", called("c1", "c2"), ask("t1>c1 u3"), "start 9 append=u3 call=t1>c1 unanswered=c2 forget"},
		{"9 an edit", called("c1"), ask("u1 a1 u3", editing), "start 9 append=u3 cut=a1 unanswered=c1 forget restore=start:20"},
		{"9 questions expired, calls open", called("c1", "c2").asking("q1-"), ask("t1>c1 u3"), "start 11 append=u3 call=t1>c1 unanswered=c2 forget"},

		// Row 10: the same request again.
		{"10 succeeded", chat(), ask("u1 a1 u2", retry(2)), "show 10"},
		{"10 failed, something was kept", chat().failed(true), ask("u1 a1 u2", retry(2)), "show 10 failed=agent_failed"},
		{"10 failed, nothing was kept", thread("u1 a1", "u2").failed(false), ask("u1 a1 u2", retry(2)), "repeat 10"},
		{"10 failed while it went on from calls", called("c1=t1").failed(false), ask("t1>c1", retry(2)), "resume 10"},
		{"10 failed while it went on from calls, questions expired", called("c1=t1").asking("q1-").failed(false), ask("t1>c1", retry(2)), "repeat 10 forget"},
		{"10 an older run", chat(), ask("u1", retry(1)), "show 14"},
		{"10 the same run id, another request", chat(), ask("u1 a1 u2 a2 u3", func(r *Request) { r.RunID = "run2" }), "start 11 append=u3"},

		// Row 11: a new message.
		{"11 the first", thread(), ask("u1"), "start 11 append=u1"},
		{"11 the first, with a conversation from elsewhere", thread(), ask("s1 u1 r1 a1(c1) t1>c1 t2>zz x1 u2"), "start 11 append=s1,u1,r1,a1,t1,u2 warnings=1"},
		{"11 the next", chat(), ask("u1 a1 u2 a2 u3"), "start 11 append=u3"},
		{"11 a system message", chat(), ask("u1 s1"), "start 11 append=s1"},
		{"11 from a stale tab", chat(), ask("u1 a1 u3"), "start 11 append=u3"},
		{"11 alone", chat(), ask("u3"), "start 11 append=u3"},
		{"11 what agents said is not the client's to say", chat(), ask("u1 a9 u3 r9 x9"), "start 11 append=u3 warnings=1"},
		{"11 with one missed in the middle", chat(), ask("u1 d1 a1 u3"), "start 11 append=d1,u3"},
		{"11 ids twice", chat(), ask("u3 u3"), "start 11 append=u3"},
		{"11 failed", chat().failed(true), ask("u1 a1 u2 u3"), "start 11 append=u3"},
		{"11 edit", chat(), ask("u1 a1 u3", editing), "start 11 append=u3 cut=a1 restore=start:20"},
		{"11 edit of the end cuts nothing", chat(), ask("u1 a1 u2 a2 u3", editing), "start 11 append=u3"},
		{"11 edit of the first", chat(), ask("u3", editing), "start 11 append=u3 cut=all restore=start:10"},
		{"11 edit behind what left", thread("u1 a1", "u2 a2", "u3 a3").left("u2", "a2"), ask("u1 a1 u2 u4", editing), "start 11 append=u4 cut=a1 restore=start:30"},
		{"11 edit that names what follows", chat(), ask("u2 a2 u1 u3", editing), "start 11 append=u3"},
		{"11 list edits: a changed message", chat(), ask("u1 a1 u3", listEdits), "start 11 append=u3 cut=a1 restore=start:20"},
		{"11 list edits: an edit in words", chat(), ask("u3", listEdits, editing), "start 11 append=u3 cut=all restore=start:10"},
		{"11 list edits: nothing left out", chat(), ask("u1 a1 u2 a2 u3", listEdits), "start 11 append=u3"},
		{"11 list edits: names nothing", chat(), ask("u3", listEdits), "start 11 append=u3"},
		{"11 list edits: a hole", chat(), ask("u1 u2 u3", listEdits), "start 11 append=u3"},
		{"11 list edits: not from the first", chat(), ask("u2 u3", listEdits), "start 11 append=u3"},
		{"11 list edits: another order", chat(), ask("u2 a2 u1 u3", listEdits), "start 11 append=u3"},
		{"11 list edits: breaks off before an answer", chat(), ask("u1 a1 u2 u3", listEdits), "start 11 append=u3"},
		{"11 list edits: names what left", thread("u1 a1", "u2 a2", "u3 a3").left("u2", "a2"), ask("u1 a1 u2 u4", listEdits), "refuse 11 code=branch_changed show=u4"},
		{"11 list edits: breaks off, not from the first", thread("u1 a1", "u2 a2", "u3 a3"), ask("u2 a2 u4", listEdits), "start 11 append=u4"},
		{"11 list edits: breaks off behind a hole", thread("u1 a1", "u2 a2", "u3 a3"), ask("u1 u2 a2 u4", listEdits), "start 11 append=u4"},
		{"11 list edits: a system message", thread("s1 u1 a1", "u2 a2"), ask("s1 u3", listEdits), "start 11 append=u3"},
		{"11 list edits: a developer message", thread("d1 u1 a1", "u2 a2"), ask("d1 u3", listEdits), "start 11 append=u3"},
		{"11 list edits: behind a system message", thread("s1 u1 a1", "u2 a2"), ask("s1 u1 a1 u3", listEdits), "start 11 append=u3 cut=a1 restore=start:20"},
		{"11 behind an answer that left", thread("u1 a1", "u2 a2", "u3 a3").left("a1", "u2", "a2"), ask("u1 a1 u4"), "refuse 11 code=branch_changed show=u4"},
		{"11 behind the answer that replaced it", thread("u1 a1", "u2 a2", "u3 a3").left("u2", "a2"), ask("u1 a1 u3 a3 u4"), "start 11 append=u4"},
		{"11 with reasoning that left", thread("u1 a1", "u2 r2 a2", "u3 a3").left("u2", "r2", "a2"), ask("u1 a1 u3 a3 r2 u4"), "start 11 append=u4"},
		{"9 behind an answer that left", called("c1").left("a1"), ask("u1 a1 u3"), "refuse 9 code=branch_changed show=u3"},
		{"11 list edits: without reasoning", thread("u1 r1 a1", "u2 a2"), ask("u1 a1 u3", listEdits), "start 11 append=u3 cut=a1 restore=start:20"},
		{"11 edit of an empty thread", thread(), ask("u1", editing), "start 11 append=u1"},

		// Rows 12 and 13: a turn once more.
		{"12 failed", thread("u1 a1", "u2").failed(true), ask("u1 a1 u2"), "repeat 12"},
		{"12 failed, something said", chat().failed(true), ask("u1 a1 u2", regenerate), "repeat 12"},
		{"12 failed, checkpoint and calls left", called("c1=t1").failed(true), ask("u1 a1 u2"), "repeat 12 forget"},
		{"12 failed, calls left without a checkpoint", called("c1=t1").without().failed(true), ask("u1 a1 u2"), "repeat 12 forget"},
		{"12 failed, questions left without a checkpoint", asked("q1-").without().failed(true), ask("u1 a1 u2"), "repeat 12 forget"},
		{"12 failed, names nothing, and no user said anything", thread("s1").failed(true), ask(""), "show 14"},
		{"12 failed, ends elsewhere", chat().failed(true), ask("u1 a1 u2 a2"), "show 14"},
		{"12 stopped before the first word", thread("u1 a1", "u2").stopped(), ask("u1 a1 u2"), "repeat 12 restore=start:20"},
		{"12 stopped after the first word", chat().stopped(), ask("u1 a1 u2"), "show 14"},
		{"12 stopped before the first word, a system message", thread("u1 a1", "s2").stopped(), ask("s2"), "repeat 12 restore=start:20"},
		{"12 a question without a word, expired", thread("u1").asking("q1-/b1"), ask("u1"), "repeat 12 unanswered=b1 forget restore=start:10"},
		{"12 a fork that ends there", func() *fixture { f := thread("u1 a1 u2"); f.Thread.Run = nil; return f }(), ask("u2"), "repeat 12 restore=start:10"},
		{"12 success without a word", thread("u1 a1", "u2"), ask("u1 a1 u2"), "show 14"},
		{"12 success without a word, regenerated", thread("u1 a1", "u2"), ask("u1 a1 u2", regenerate), "repeat 12 restore=start:20"},
		{"12 success without a word, by its list", thread("u1 a1", "u2"), ask("u1 a1 u2", listRegenerates), "repeat 12 restore=start:20"},
		{"13 the last turn", chat(), ask("u1 a1 u2", regenerate), "repeat 13 cut=u2 restore=start:20"},
		{"13 an earlier turn", chat(), ask("u1", regenerate), "repeat 13 cut=u1 restore=start:10"},
		{"13 failed, an earlier turn", chat().failed(true), ask("u1", regenerate), "repeat 13 cut=u1 restore=start:10"},
		{"13 questions expired", asked("q1-/b1"), ask("u1 a1 u2", regenerate), "repeat 13 cut=u2 unanswered=b1 forget restore=start:20"},
		{"13 not asked for", chat(), ask("u1 a1 u2"), "show 14"},
		{"13 a system message", thread("s1 a1", "u2 a2"), ask("s1", regenerate), "repeat 13 cut=s1 restore=start:10"},
		{"13 a system message, by its list", thread("s1 a1", "u2 a2"), ask("s1", listRegenerates), "show 14"},
		{"13 in words, the last message alone", chat(), ask("u2", regenerate), "repeat 13 cut=u2 restore=start:20"},
		{"13 in words, with what follows", chat(), ask("u2 a2 u1", regenerate), "show 14"},
		{"13 by its list", chat(), ask("u1 a1 u2", listRegenerates), "repeat 13 cut=u2 restore=start:20"},
		{"13 by its list, with a hole", chat(), ask("u2", listRegenerates), "show 14"},
		{"13 by its list, in another order", chat(), ask("u2 a2 u1", listRegenerates), "show 14"},
		{"13 it left", chat().left("u2", "a2"), ask("u1 a1 u2", regenerate), "refuse 13 code=branch_changed"},
		{"13 it left, without being asked for", chat().left("u2", "a2"), ask("u1 a1 u2"), "show 14"},
		{"13 its answer left", chat().left("a2"), ask("u1 a1 u2 a2", editing), "refuse 13 code=branch_changed"},
		{"13 it left, and another branch asks", asked("q1-").left("a1"), ask("u1 a1", regenerate), "refuse 13 code=branch_changed"},
		{"13 ends with an assistant", chat(), ask("u1 a1", regenerate), "show 14"},

		// Row 14: everything else.
		{"14 no thread, no message", thread(), ask(""), "show 14"},
		{"14 only a greeting", thread(), ask("a1"), "show 14"},
		{"14 nothing new", chat(), ask("u1 a1 u2 a2"), "show 14"},
		{"14 a hole", chat(), ask("u1 a2"), "show 14"},
		{"14 the new one is not at the end", chat(), ask("u1 u9 a1"), "show 14"},
		{"14 an unknown assistant", chat(), ask("u1 a1 u2 a2 a9"), "show 14 warnings=1"},
		{"14 a result for no call", chat(), ask("u1 t9>zz"), "show 14 warnings=1"},
		{"14 questions expired", asked("q1-"), ask("u1 a1 u2"), "show 14"},
		{"14 questions expired, and a call is at the end", called().asking("q1-"), ask("u1 a1 u2 a2"), "show 14"},

		{"too large", chat(), ask("u3", func(r *Request) { r.MaxThread = 100 }), "refuse 11 code=too_large show=u3"},
		{"too large by a byte", chat(), ask("u3", room(-1)), "refuse 11 code=too_large show=u3"},
		{"as large as it may be", chat(), ask("u3", room(0)), "start 11 append=u3"},
		{"too large, but it brings nothing", asked("q1"), ask("", answer("q1="+v1), func(r *Request) { r.MaxThread = 1 }), `resume 1 claim=q1:{"v":"x"}`},
		{"too large, an edit that takes nothing away", chat(), ask("u1 a1 u2 a2 u3", editing, func(r *Request) { r.MaxThread = 100 }), "refuse 11 code=too_large show=u3"},
		{"too much left, and it cuts", left(100), ask("u1 u3", editing, func(r *Request) { r.MaxThread = 99 }), "refuse 11 code=too_large show=u3"},
		{"too much left, and a turn runs again", left(100), ask("u1", regenerate, func(r *Request) { r.MaxThread = 99 }), "refuse 13 code=too_large"},
		{"as much left as may be", left(100), ask("u1 u3", editing, func(r *Request) { r.MaxThread = 100 }), "start 11 append=u3 cut=u1 restore=start:10"},
		{"too much left for what it brings", left(100), ask("u3", room(99)), "refuse 11 code=too_large show=u3"},
		{"too large, but it cuts", chat(), ask("u1 u3", editing, func(r *Request) { r.MaxThread = 100 }), "start 11 append=u3 cut=u1 restore=start:10"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := brief(admit(&test.f.Thread, test.f, test.r, noon)); got != test.want {
				t.Errorf("admit() = %s\n              want %s", got, test.want)
			}
		})
	}
}

// TestAdmitRewrites takes messages that were edited in place: the id is known, and the text is another.
func TestAdmitRewrites(t *testing.T) {
	t.Parallel()
	const text = "another text"
	edit := func(specs string, with ...func(*Request)) *Request {
		r := ask(specs, with...)
		r.Messages[len(r.Messages)-1].Content = agui.TextContent(text)
		return r
	}
	id := func(of string) string { return "edit-" + Hash([]byte(of), []byte(text))[:24] }
	for _, tt := range []struct {
		name string
		f    *fixture
		r    *Request
		want string
	}{
		{"the last one", chat(), edit("u1 a1 u2", editing), "start 11 append=" + id("u2") + " cut=a1 restore=start:20"},
		{"the first one", chat(), edit("u1", editing), "start 11 append=" + id("u1") + " cut=all restore=start:10"},
		{"by regenerating", chat(), edit("u1 a1 u2", regenerate), "start 11 append=" + id("u2") + " cut=a1 restore=start:20"},
		{"by a page's list", chat(), edit("u1 a1 u2", listRegenerates), "start 11 append=" + id("u2") + " cut=a1 restore=start:20"},
		{"by a list", chat(), edit("u1", listEdits), "start 11 append=" + id("u1") + " cut=all restore=start:10"},
		{"while frontend calls are open", called("c1"), edit("u1", editing), "start 9 append=" + id("u1") + " cut=all unanswered=c1 forget restore=start:10"},
		{"after a failure", thread("u1 a1", "u2").failed(true), edit("u1 a1 u2", editing), "start 11 append=" + id("u2") + " cut=a1 restore=start:20"},
		{"without being asked for", chat(), edit("u1 a1 u2"), "show 14"},
		{"of a message that left", thread("u1 a1", "u2 a2", "u3 a3").left("u2", "a2"), edit("u1 a1 u2", editing), "refuse 13 code=branch_changed"},
		{"with what follows", chat(), edit("a2 u1 a1 u2", editing), "show 14"},
		{"the same text", chat(), ask("u1 a1 u2", editing), "show 14"},
		{"of what an agent said", chat(), edit("u1 a1", editing), "show 14"},
		{"while a question is open", asked("q1"), edit("u1 a1 u2", editing), "refuse 6 code=interrupt_pending show=" + id("u2")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := brief(admit(&tt.f.Thread, tt.f, tt.r, noon)); got != tt.want {
				t.Errorf("admit() = %s, want %s", got, tt.want)
			}
		})
	}
	// The same request again, during its run and after its end.
	f, r := chat(), edit("u1", editing)
	s, err := planBegin(&f.Thread, f, r, admit(&f.Thread, f, r, noon), Claim{Attempt: "x", TTL: time.Minute, Fence: 30}, noon)
	if err != nil {
		t.Fatal(err)
	}
	f.apply(s)
	if got := brief(admit(&f.Thread, f, edit("u1", editing), noon)); got != "join 4" {
		t.Errorf("again while the run goes on: %s", got)
	}
	f.Thread.Live, f.Thread.Run.Status = nil, RunSuccess
	if got := brief(admit(&f.Thread, f, edit("u1", editing), noon)); got != "show 10" {
		t.Errorf("again after its end: %s", got)
	}
}

// TestApproximateStates are those of turns without a kept beginning.
func TestApproximateStates(t *testing.T) {
	t.Parallel()
	undo := agui.Patch{{Op: "replace", Path: "/n", Value: json.RawMessage("0")}}
	for name, tt := range map[string]struct {
		marks []document.Mark
		want  bool
	}{
		"kept":                   {[]document.Mark{{Name: startMark(10), Undo: undo}, {Name: endMark(10)}, {Name: startMark(20), Undo: undo}}, false},
		"not kept":               {[]document.Mark{{Name: startMark(20), Undo: undo}}, true},
		"not kept, and the same": {[]document.Mark{{Name: startMark(20)}}, false},
	} {
		f := chat().in(`{"n":1}`)
		f.Back = document.History{Marks: tt.marks}
		r := ask("u3", editing)
		s, err := planBegin(&f.Thread, f, r, admit(&f.Thread, f, r, noon), Claim{Attempt: "x", TTL: time.Minute, Fence: 30}, noon)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Thread.Live.Intent.Approximate; got != tt.want {
			t.Errorf("%s: the run says approximate=%v", name, got)
		}
		fork, err := PlanFork(&f.Thread, f, "u1", Key{ID: "t2"}, noon)
		if err != nil {
			t.Fatal(err)
		}
		if got := fork.Thread.Approximate; got != tt.want {
			t.Errorf("%s: the fork says approximate=%v", name, got)
		}
	}
}
