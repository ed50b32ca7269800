package gateway_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/wire"
)

const pages = "/api/copilotkit"

// pageInput is the body of a page's request: complete, and of the client before 1.0. Messages and extra are those of
// input.
func pageInput(thread, run string, messages []string, extra ...string) string {
	more := []string{`"tools":[]`, `"context":[]`}
	for _, e := range extra {
		if strings.HasPrefix(e, `"tools":`) {
			more = more[1:]
		}
	}
	return strings.Replace(input(thread, run, messages, append(more, extra...)...), `"protocolVersion":"1.0",`, "", 1)
}

// answerTo is the resume of a page's request.
func answerTo(id, value string) string {
	return `"resume":[{"interruptId":` + quote(id) + `,"status":"resolved","payload":{"value":` + quote(value) + `}}]`
}

// transports are the two ways a page may ask.
var transports = map[string]func(verb, agent, thread, body string) (path, sent string){
	"rest": func(verb, agent, thread, body string) (string, string) {
		path := pages + "/agent/" + agent + "/" + verb
		if verb == "stop" {
			path += "/" + thread
		}
		return path, body
	},
	"single": func(verb, agent, thread, body string) (string, string) {
		call := `{"method":"agent/` + verb + `","params":{"agentId":` + quote(agent) + `,"threadId":` + quote(thread) + `}`
		if body != "" {
			call += `,"body":` + body
		}
		return pages, call + "}"
	},
}

// A tab is a page's way to ask.
type tab struct {
	*world
	at func(verb, agent, thread, body string) (path, sent string)
}

// onBoth runs a test once for each transport, on separate gateways.
func onBoth(t *testing.T, test func(t *testing.T, p tab), change ...func(*gateway.Options)) {
	t.Parallel()
	for name, at := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, tab{newWorld(t, change...), at})
		})
	}
}

// open asks for a stream and leaves it open.
func (p tab) open(verb, agent, body string) *reader {
	p.t.Helper()
	path, sent := p.at(verb, agent, "", body)
	r := p.world.open(http.MethodPost, path, sent)
	like := newFold(p.t, body)
	if verb == "connect" {
		like = newFold(p.t, "")
	}
	r.goOnFrom(like)
	return r
}

// whole asks for a stream and reads it.
func (p tab) whole(verb, agent, body string) *reader {
	p.t.Helper()
	r := p.open(verb, agent, body)
	r.rest()
	for _, e := range r.events {
		if f, ok := e.(*agui.RunFinished); ok && f.Outcome != nil && f.Outcome.Type == agui.OutcomeCancelled {
			p.t.Error("a page dies of the outcome cancelled")
		}
	}
	return r
}

// stop sends a stop and returns the answer.
func (p tab) stop(agent, thread, body string) (int, string) {
	p.t.Helper()
	path, sent := p.at("stop", agent, thread, body)
	status, answer := p.call(http.MethodPost, path, sent)
	return status, strings.TrimSpace(answer)
}

// custom returns the value of the one CUSTOM event of that name.
func (r *reader) custom(name string) (value struct{ Code, Message string }) {
	r.t.Helper()
	found := 0
	for _, e := range r.events {
		if c, ok := e.(*agui.Custom); ok && c.Name == name {
			found++
			if err := json.Unmarshal(c.Value, &value); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	if found != 1 {
		r.t.Fatalf("%d events %s, want one: %v", found, name, types(r.events))
	}
	return value
}

func TestPageRuns(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		first := p.whole("run", "ask", pageInput("t", "r1", []string{"u1:Hi"}))
		question := first.interrupts()[0]
		if question.ExpiresAt != "" {
			t.Error("a page before 1.0 is told of a deadline")
		}
		if d := p.shows("t"); d.Status != "interrupted" {
			t.Errorf("status = %s", d.Status)
		}
		// The page names the resumed run like the interrupted one, or like the connect after a reload.
		second := p.whole("run", "ask", pageInput("t", "r1", []string{"u1:Hi"}, answerTo(question.ID, "M")))
		if f := second.finished(); f.RunID != "r1" || f.Outcome == nil || f.Outcome.Type != agui.OutcomeSuccess {
			t.Errorf("the resumed run ended as %+v", f)
		}
		second.equals(p.thread("t"))
		p.shows("t")
	})
}

// A page's run is not tied to a connection.
func TestPageRunOutlivesItsConnection(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		run := p.open("run", "slow", pageInput("t", "r1", []string{"u1:Hi"}))
		run.until(agui.TypeCustom)
		run.hangUp()
		watcher := p.open("connect", "slow", pageInput("t", "c1", nil))
		watcher.until(agui.TypeTextMessageContent)
		p.release()
		watcher.rest()
		watcher.equals(p.thread("t"))
		if d := p.thread("t"); d.Runs[0].Status != "success" {
			t.Errorf("the run ended as %s", d.Runs[0].Status)
		}
	}, func(o *gateway.Options) { o.HangUpGrace = soon })
}

func TestPageConnects(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		path, sent := p.at("connect", "ask", "", pageInput("new", "c0", nil))
		status, body := p.call(http.MethodPost, path, sent)
		if status != http.StatusOK || body != "" {
			t.Errorf("a thread nobody knows = %d %q, want an empty stream", status, body)
		}
		if d := p.thread("new"); d.ID != "" {
			t.Error("a connect made a thread")
		}
		p.whole("run", "ask", pageInput("t", "r1", []string{"u1:Hi"}))
		asked := p.whole("connect", "ask", pageInput("t", "c1", nil))
		question := asked.interrupts()[0]
		asked.equals(p.thread("t"))
		if f := asked.finished(); f.RunID != "c1" {
			t.Errorf("the stream calls its run %s, want the page's word", f.RunID)
		}
		p.whole("run", "ask", pageInput("t", "c1", []string{"u1:Hi"}, answerTo(question.ID, "M")))
		idle := p.whole("connect", "ask", pageInput("t", "c2", nil))
		idle.equals(p.thread("t"))
		if o := idle.finished().Outcome; o == nil || o.Type != agui.OutcomeSuccess {
			t.Errorf("an idle thread ends as %+v", o)
		}
		if n := len(p.thread("t").Runs); n != 2 {
			t.Errorf("%d runs, connects included", n)
		}
	})
}

// Everybody who connects to a live run has what the others have, and goes when it ends.
func TestPageJoins(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		run := p.open("run", "slow", pageInput("t", "r1", []string{"u1:Hi"}))
		run.until(agui.TypeCustom)
		cut := p.open("connect", "slow", pageInput("t", "c2", nil))
		cut.until(agui.TypeRunStarted)
		cut.hangUp()
		var one *reader
		eventually(t, "there is room again", func() bool {
			one = p.open("connect", "slow", pageInput("t", "c1", nil))
			return one.response.StatusCode == http.StatusOK
		})
		one.until(agui.TypeTextMessageContent)
		path, sent := p.at("connect", "slow", "", pageInput("t", "c3", nil))
		if status, _ := p.call(http.MethodPost, path, sent); status != http.StatusServiceUnavailable {
			t.Errorf("a third reader = %d, want 503", status)
		}
		if one.events[0].(*agui.RunStarted).RunID != "c1" {
			t.Errorf("the joined run is called %+v", one.events[0])
		}
		p.release()
		for _, r := range []*reader{run, one} {
			r.rest()
			r.equals(p.thread("t"))
		}
		if f := one.finished(); f.RunID != "c1" {
			t.Errorf("the joined run ends as %s", f.RunID)
		}
	}, func(o *gateway.Options) { o.Limits.Readers = 2 })
}

func TestPageStops(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		const stopped = `{"interrupt":{"code":"STOPPED","message":"Run stopped by user","type":"RUN_ERROR"},"stopped":true}`
		want := func(got int, body string, status int, text string) {
			t.Helper()
			if got != status || body != text {
				t.Errorf("stop = %d %s, want %d %s", got, body, status, text)
			}
		}
		status, body := p.stop("slow", "t", "")
		want(status, body, 200, `{"message":"No active run for thread 't'.","stopped":false}`)
		for i, form := range []string{"", "{}", `{"runId":"r2"}`, `{"runId":"somebody else's word"}`} {
			n := strconv.Itoa(i)
			run := p.open("run", "slow", pageInput("t", "r"+n, []string{"u" + n + ":Hi"}))
			run.until(agui.TypeCustom)
			if i > 0 { // a run that is over, and not this one
				status, body = p.stop("slow", "t", `{"runId":"r0"}`)
				want(status, body, 200, `{"message":"Run 'r0' is not the active run for thread 't'.","stopped":false}`)
			}
			status, body = p.stop("slow", "t", form)
			want(status, body, 200, stopped)
			run.rest()
			if f := run.finished(); f.Outcome != nil {
				t.Errorf("a stopped run ends for a page as %+v, want no outcome", f.Outcome)
			}
			p.shows("t")
		}
		if d := p.thread("t"); d.Runs[0].Status != "cancelled" {
			t.Errorf("the run is %s", d.Runs[0].Status)
		}
		status, body = p.stop("nobody", "t", "")
		want(status, body, 404, `{"error":"Agent not found","message":"Agent 'nobody' does not exist"}`)
		for form, text := range map[string]string{
			`{"runID":"r1"}`: "Invalid stop request", `{"runId":"r1","why":1}`: "Invalid stop request", `[]`: "Invalid stop request",
			`{"runId":""}`: "Invalid runId", `{"runId":" "}`: "Invalid runId", `{"runId":3}`: "Invalid runId", `{"runId":null}`: "Invalid runId",
		} {
			status, body = p.stop("slow", "t", form)
			want(status, body, 400, `{"error":"`+text+`"}`)
		}
	})
}

// A resumed run that is stopped or that fails never ends in an error for a page.
func TestPageIsAskedAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		question := p.whole("run", "fails-answer", pageInput("t", "r1", []string{"u1:Hi"})).interrupts()[0]
		failed := p.whole("run", "fails-answer", pageInput("t", "r1", []string{"u1:Hi"}, answerTo(question.ID, "M")))
		if v := failed.custom(wire.CustomFailed); v.Code == "" || v.Message == "" {
			t.Errorf("told %+v", v)
		}
		if again := failed.interrupts()[0]; again.ID != question.ID {
			t.Errorf("asked %s, want %s again", again.ID, question.ID)
		}
		failed.equals(p.thread("t"))
		p.shows("t")

		first := p.whole("run", "ask", pageInput("x", "r1", []string{"u1:Hi"})).interrupts()[0]
		// What does not fit, and what brings a message instead of an answer.
		for code, body := range map[string]string{
			"resume_invalid":      pageInput("x", "r2", []string{"u1:Hi"}, answerTo(first.ID, "XXL")),
			"interrupt_not_found": pageInput("x", "r2", []string{"u1:Hi"}, answerTo("int_other", "M")),
			"interrupt_pending":   pageInput("x", "r2", []string{"u1:Hi", "u2:Well?"}),
		} {
			refused := p.whole("run", "ask", body)
			if v := refused.custom(wire.CustomRefused); v.Code != code {
				t.Errorf("refused with %s, want %s", v.Code, code)
			}
			if again := refused.interrupts()[0]; again.ID != first.ID {
				t.Errorf("%s: asked %s, want %s again", code, again.ID, first.ID)
			}
		}
	})
}

// Two tabs answer: the first counts, and the second is shown what became of it, whether it said the same or not.
func TestTwoTabsAnswer(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		question := p.whole("run", "steps", pageInput("t", "r1", []string{"u1:Hi"})).interrupts()[0]
		next := p.whole("run", "steps", pageInput("t", "r1", []string{"u1:Hi"}, answerTo(question.ID, "M"))).interrupts()[0]
		same := p.whole("run", "steps", pageInput("t", "r1", []string{"u1:Hi"}, answerTo(question.ID, "M")))
		other := p.whole("run", "steps", pageInput("t", "r1", []string{"u1:Hi"}, answerTo(question.ID, "L")))
		if v := other.custom(wire.CustomRefused); v.Code != "interrupt_already_resolved" {
			t.Errorf("refused with %s", v.Code)
		}
		for _, r := range []*reader{same, other} {
			if now := r.interrupts()[0]; now.ID != next.ID {
				t.Errorf("shown %s, want %s", now.ID, next.ID)
			}
			r.equals(p.thread("t"))
		}
	})
}

// While the first answer is at work, the second tab joins it.
func TestStaleAnswerJoins(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		question := p.whole("run", "slow-answer", pageInput("t", "r1", []string{"u1:Hi"})).interrupts()[0]
		run := p.open("run", "slow-answer", pageInput("t", "r1", []string{"u1:Hi"}, answerTo(question.ID, "M")))
		run.until(agui.TypeCustom)
		stale := p.open("run", "slow-answer", pageInput("t", "r9", []string{"u1:Hi"}, answerTo(question.ID, "L")))
		stale.until(agui.TypeCustom)
		p.release()
		for _, r := range []*reader{run, stale} {
			r.rest()
			r.equals(p.thread("t"))
			r.finished()
		}
		if v := stale.custom(wire.CustomRefused); v.Code != "interrupt_already_resolved" {
			t.Errorf("refused with %s", v.Code)
		}
		if f := stale.finished(); f.RunID != "r9" {
			t.Errorf("the tab's run is called %s", f.RunID)
		}
	})
}

func TestPageIsToldThatAThreadIsBusy(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		run := p.open("run", "slow", pageInput("t", "r1", []string{"u1:Hi"}))
		run.until(agui.TypeCustom)
		busy := p.whole("run", "slow", pageInput("t", "r2", []string{"u1:Hi", "u2:And?"}))
		if busy.code() != "run_in_progress" || len(busy.events) != 2 {
			t.Errorf("busy: %v", types(busy.events))
		}
		p.release()
		run.rest()
	})
}

func TestPageRegeneratesAndEdits(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		ids := func(agent string) (list []string) {
			for _, m := range p.thread(agent).Messages {
				list = append(list, string(m.Role)+" "+m.Content.Text())
			}
			return list
		}
		edit := map[string][]string{"edits": {`"forwardedProps":{"gateway":{"edit":true}}`}}
		for _, agent := range []string{"echo", "edits"} {
			p.whole("run", agent, pageInput(agent, "r1", []string{"u1:One"}))
			p.whole("run", agent, pageInput(agent, "r2", []string{"u1:One", "u2:Two"}))
			again := p.whole("run", agent, pageInput(agent, "r3", []string{"u1:One"}))
			again.equals(p.thread(agent))
			if diff := cmp.Diff([]string{"user One", "assistant You said: One"}, ids(agent)); diff != "" {
				t.Errorf("%s, regenerated: %s", agent, diff)
			}
			changed := p.whole("run", agent, pageInput(agent, "r4", []string{"u3:Three"}, edit[agent]...))
			changed.equals(p.thread(agent))
		}
		if diff := cmp.Diff([]string{"user One", "assistant You said: One", "user Three", "assistant You said: Three"}, ids("echo")); diff != "" {
			t.Errorf("a changed message is appended: %s", diff)
		}
		if diff := cmp.Diff([]string{"user Three", "assistant You said: Three"}, ids("edits")); diff != "" {
			t.Errorf("a changed message takes the place: %s", diff)
		}
	})
}
