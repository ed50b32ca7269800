package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

const (
	begins = `{"type":"RUN_STARTED","threadId":"t","runId":"r","protocolVersion":"1.0"}` + "\n"
	ends   = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + "\n"
)

// wordsOf is a message on the wire.
func wordsOf(id, text string) string {
	return `{"type":"TEXT_MESSAGE_START","messageId":"` + id + `","role":"assistant"}` + "\n" +
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"` + id + `","delta":"` + text + `"}` + "\n" +
		`{"type":"TEXT_MESSAGE_END","messageId":"` + id + `"}` + "\n"
}

// askedOf is an end with a question.
func askedOf(interrupt string) string {
	return `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[` + interrupt + `]}}` + "\n"
}

// legalDesk is a chat whose first speaker is remote, and whose second says that it is done.
func legalDesk(r *Remote, onError ErrorPolicy) *Chat {
	return team(Sequential(), Participant{Name: "legal", Agent: r, OnError: onError}, Participant{Name: "closer", Agent: sayer("done")})
}

// Whatever a remote answers, its turn fails with one code, what it opened is closed, nothing outside its part of the state
// is changed, and the others go on.
func TestRemoteFaultsAreContained(t *testing.T) {
	t.Parallel()
	nested := begins + `{"type":"STATE_SNAPSHOT","snapshot":{"a":1}}
		{"type":"STEP_STARTED","stepName":"x"}
		{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"inner"}
		{"type":"SUBAGENT_STARTED","subagentRunId":"s2","name":"deeper","parentSubagentRunId":"s"}
		{"type":"STEP_STARTED","stepName":"x","subagentRunId":"s"}
		{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","subagentRunId":"s2"}
		{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","subagentRunId":"s"}
		{"type":"REASONING_START","messageId":"m"}` + "\n"
	for name, answer := range map[string]string{
		"nothing":            "",
		"garbage":            begins + "garbage",
		"cut":                nested,
		"wrong order":        nested + `{"type":"TEXT_MESSAGE_END","messageId":"z"}`,
		"opened twice":       nested + `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","subagentRunId":"s"}`,
		"unclosed":           nested + ends,
		"failed":             nested + `{"type":"RUN_ERROR","message":"the prompt was: secret","code":"boom"}`,
		"failed after all":   begins + ends + `{"type":"RUN_ERROR","message":"secret"}`,
		"failed at once":     `{"type":"RUN_ERROR","message":"secret"}`,
		"stopped there":      begins + `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`,
		"refused in passing": begins + `{"type":"CUSTOM","name":"gateway.refused","value":{"code":"interrupt_not_found","message":"secret"}}` + "\n" + ends,
		"a flood":            begins + strings.Repeat(`{"type":"CUSTOM","name":"n","value":1}`+"\n", 300) + ends,
		"too large an event": begins + `{"type":"CUSTOM","name":"n","value":"` + strings.Repeat("x", 70<<10) + `"}` + "\n" + ends,
		"too many bytes":     begins + strings.Repeat(`{"type":"CUSTOM","name":"n","value":"`+strings.Repeat("x", 60<<10)+`"}`+"\n", 5) + ends,
		"not its place":      begins + `{"type":"STATE_SNAPSHOT","snapshot":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}` + "\n" + ends,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t, answer, answer)
			r := newRig(t, legalDesk(remote(t, RemoteOptions{
				URL: u.URL, State: RemoteState{Path: "/a/b"}, MaxEvents: 200, MaxEvent: 64 << 10, MaxBytes: 200 << 10,
			}), ErrorPolicy{Skip: true, Retries: 1}))
			r.state = json.RawMessage(`{"a":{"other":1},"z":2}`)
			out := r.say("go")
			if out.err != nil {
				t.Fatal(out.err)
			}
			shape := out.shape()
			if !strings.Contains(shape, "error remote_failed } legal legal {") || !strings.HasSuffix(shape, "closer { done } closer") {
				t.Errorf("shape %s", shape)
			}
			if n := len(u.requests()); n != 2 {
				t.Errorf("asked %d times", n)
			}
			var kept struct {
				A struct{ Other int }
				Z int
			}
			must(t, json.Unmarshal(r.state, &kept))
			if kept.A.Other != 1 || kept.Z != 2 {
				t.Errorf("state %s", r.state)
			}
			for _, e := range out.events {
				if strings.Contains(line(e), "secret") {
					t.Errorf("tells %s", line(e))
				}
			}
		})
	}
}

func TestRemoteFailureIsTheRuns(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.answer = func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, `{"error":{"code":"upstream_down","message":"secret"}}`)
	}
	out := newRig(t, legalDesk(remote(t, RemoteOptions{URL: u.URL + "/?key=secret"}), ErrorPolicy{})).say("go")
	codeOf(t, out, agui.CodeRemoteFailed)
	if text := out.err.Error(); !strings.Contains(text, "upstream_down") || strings.Contains(text, "secret") {
		t.Errorf("cause %s", text)
	}
}

func TestRemoteNeverEnds(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]RemoteOptions{"in all": {Timeout: 50 * time.Millisecond}, "silent": {Idle: 50 * time.Millisecond}} {
		u := newUpstream(t)
		gone := make(chan struct{})
		u.answer = func(w http.ResponseWriter, r *http.Request, _ string) {
			sse(w, begins)
			<-r.Context().Done()
			close(gone)
		}
		o.URL = u.URL
		codeOf(t, newRig(t, remote(t, o)).say("go"), agui.CodeRemoteFailed)
		select {
		case <-gone:
		case <-t.Context().Done():
			t.Errorf("%s: not hung up", name)
		}
	}
}

// A repeated turn speaks under new ids where the old ones are taken, and the remote gets its own ids back.
func TestRemoteIDsOfARepeatedTurn(t *testing.T) {
	t.Parallel()
	sub := `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"inner"}` + "\n"
	over := `{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}` + "\n"
	call := `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}` + "\n" + `{"type":"TOOL_CALL_END","toolCallId":"c"}` + "\n" +
		`{"type":"TOOL_CALL_RESULT","toolCallId":"c","messageId":"res","content":"1"}` + "\n"
	u := newUpstream(t, begins+sub+wordsOf("m", "one")+call+over, begins+sub+wordsOf("m", "two")+call+over+ends, begins+ends)
	r := newRig(t, legalDesk(remote(t, RemoteOptions{URL: u.URL}), ErrorPolicy{Retries: 1}))
	out := r.say("go")
	if out.err != nil {
		t.Fatal(out.err)
	}
	ids := map[string]int{}
	for _, e := range out.events {
		switch e := e.(type) {
		case *agui.TextMessageStart:
			ids[e.MessageID]++
		case *agui.ToolCallStart:
			ids[e.ToolCallID]++
		case *agui.ToolCallResult:
			ids[e.MessageID]++
		case *agui.SubagentStarted:
			ids[e.SubagentRunID]++
		}
	}
	for _, id := range []string{"legal/m", "legal/m~2", "legal/c", "legal/c~2", "legal/res", "legal/res~2", "legal/s", "legal/s~2"} {
		if ids[id] != 1 {
			t.Errorf("%s was opened %d times", id, ids[id])
		}
	}
	u.requests()
	if out := r.say("again"); out.err != nil {
		t.Fatal(out.err)
	}
	var in agui.RunAgentInput
	must(t, json.Unmarshal([]byte(u.requests()[0]), &in))
	sent := map[string]bool{}
	for _, m := range in.Messages {
		if sent[m.ID] {
			t.Errorf("%s is sent twice", m.ID)
		}
		sent[m.ID] = true
	}
	if !sent["m"] || !sent["res"] {
		t.Errorf("sent %v", sent)
	}
}

// A crash between the claim of an answer and its delivery leads to the very same request again, whether or not the
// first one arrived.
func TestRemoteDeliversOnceMore(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, begins+wordsOf("m", "which?")+askedOf(`{"id":"i","reason":"input_required"}`), "", begins+wordsOf("m2", "thanks")+ends)
	r := newRig(t, legalDesk(remote(t, RemoteOptions{URL: u.URL, State: RemoteState{Path: "/legal"}}), ErrorPolicy{}))
	r.input = Input{ThreadID: "t", RunID: "r", Principal: "p", ForwardedProps: json.RawMessage(`{"a":1}`)}
	if out := r.say("go"); out.err != nil {
		t.Fatal(out.err)
	}
	u.requests()
	s := Session{Checkpoint: r.checkpoint, Answers: map[string]state.Answer{
		r.open[0].ID: {ID: r.open[0].ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"x":1}`)},
	}}
	dies, _ := r.execute(s) // its answer is lost with its process
	codeOf(t, dies, agui.CodeRemoteFailed)
	s.Takeover, s.Memo = true, r.onces
	out, end := r.execute(s)
	if out.err != nil {
		t.Fatal(out.err)
	}
	asked := u.requests()
	if len(asked) != 2 || asked[0] != asked[1] || !strings.Contains(asked[0], `"resume":[{"interruptId":"i","status":"resolved","payload":{"x":1}}]`) {
		t.Errorf("requests\n%s", strings.Join(asked, "\n"))
	}
	if got := texts(end.messages); got[len(got)-2] != "thanks" {
		t.Errorf("said %q", got)
	}
}

// A first request is repeated like an answer.
func TestRemoteAsksOnceMore(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, begins+wordsOf("m", "half"), begins+wordsOf("m", "whole")+ends)
	r := newRig(t, remote(t, RemoteOptions{URL: u.URL}))
	dies := r.say("go")
	codeOf(t, dies, agui.CodeRemoteFailed)
	out, _ := r.execute(Session{Takeover: true, Memo: r.onces})
	if out.err != nil {
		t.Fatal(out.err)
	}
	if asked := u.requests(); len(asked) != 2 || asked[0] != asked[1] {
		t.Errorf("requests\n%s", strings.Join(asked, "\n"))
	}
}

// A remote that forgot its question fails the run, and the question can be answered again.
func TestRemoteForgets(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, begins+askedOf(`{"id":"i","reason":"input_required","message":"Which?"}`),
		begins+`{"type":"RUN_ERROR","message":"no","code":"interrupt_not_found"}`, begins+wordsOf("m", "found")+ends)
	r := newRig(t, legalDesk(remote(t, RemoteOptions{URL: u.URL}), ErrorPolicy{}))
	if out := r.say("go"); out.err != nil {
		t.Fatal(out.err)
	}
	key := where(r.open[0]).Key
	out := r.answer(map[string]string{key: `1`})
	codeOf(t, out, agui.CodeRemoteFailed)
	if !strings.Contains(out.err.Error(), "interrupt_not_found") {
		t.Errorf("cause %v", out.err)
	}
	if len(r.commits) != 0 {
		t.Errorf("%d commits have used the answer up", len(r.commits))
	}
	if out := r.answer(map[string]string{key: `1`}); out.err != nil || !strings.Contains(out.shape(), "found") {
		t.Errorf("%v, %s", out.err, out.shape())
	}
}

// The end of a run reaches the remote, but for a run that only moves.
func TestRemoteIsStopped(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		cause error
		want  string
	}{
		{"stopped", errors.New("stopped"), "POST /agents/a?disconnect=detach, POST /threads/T/stop?agent=a"},
		{"moved", fmt.Errorf("draining: %w", ErrMoved), "POST /agents/a?disconnect=detach"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t)
			begun, gone := make(chan struct{}), make(chan struct{})
			var asked []string
			u.answer = func(w http.ResponseWriter, r *http.Request, body string) {
				var in struct{ ThreadID string }
				_ = json.Unmarshal([]byte(body), &in)
				uri := strings.ReplaceAll(r.URL.RequestURI(), remoteThreadOf(r.URL.Path), "T")
				u.mu.Lock()
				asked = append(asked, r.Method+" "+uri)
				u.mu.Unlock()
				if strings.Contains(r.URL.Path, "/stop") {
					_, _ = io.WriteString(w, `{"stopped":true}`)
					return
				}
				sse(w, begins+`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`)
				close(begun)
				<-r.Context().Done()
				close(gone)
			}
			r := newRig(t, legalDesk(remote(t, RemoteOptions{URL: u.URL + "/agents/a", Server: agui.ServerGateway}), ErrorPolicy{Retries: 3}))
			ctx, cancel := context.WithCancelCause(t.Context())
			r.ctx = ctx
			go func() {
				<-begun
				cancel(tc.cause)
			}()
			out := r.say("go")
			if !errors.Is(out.err, tc.cause) {
				t.Errorf("ends with %v", out.err)
			}
			<-gone
			u.mu.Lock()
			defer u.mu.Unlock()
			equal(t, "requests", strings.Join(asked, ", "), tc.want)
		})
	}
}

// remoteThreadOf is the thread in the path of a stop route.
func remoteThreadOf(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) > 2 && parts[1] == "threads" {
		return parts[2]
	}
	return "-"
}

// A turn that fails elsewhere takes the remote with it, and what is behind it.
func TestRemoteBesideAFailure(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	begun := make(chan struct{})
	u.answer = func(w http.ResponseWriter, r *http.Request, _ string) {
		sse(w, begins+`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"inner"}
			{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","subagentRunId":"s"}`)
		close(begun)
		<-r.Context().Done()
	}
	far := remote(t, RemoteOptions{URL: u.URL})
	both := AgentFunc(func(_ context.Context, t *Turn) error {
		t.Go(func() error {
			_, err := t.Invoke("far", far, InvokeOptions{})
			return err
		})
		t.Go(func() error {
			<-begun
			return errors.New("elsewhere")
		})
		return nil
	})
	out := newRig(t, team(Sequential(), Participant{Name: "both", Agent: both, OnError: ErrorPolicy{Skip: true}})).say("go")
	if out.err != nil || !strings.Contains(out.shape(), "error agent_failed } both") {
		t.Errorf("%v, %s", out.err, out.shape())
	}
}

// Two remotes that ask at once are answered by one resume, each its own.
func TestRemotesAskAtOnce(t *testing.T) {
	t.Parallel()
	one := newUpstream(t, begins+askedOf(`{"id":"i","reason":"input_required","message":"one?"}`), begins+wordsOf("m", "1")+ends)
	two := newUpstream(t, begins+askedOf(`{"id":"i","reason":"input_required","message":"two?"}`), begins+wordsOf("m", "2")+ends)
	a, b := remote(t, RemoteOptions{URL: one.URL}), remote(t, RemoteOptions{URL: two.URL})
	both := AgentFunc(func(_ context.Context, t *Turn) error {
		for name, far := range map[string]*Remote{"a": a, "b": b} {
			t.Go(func() error {
				_, err := t.Invoke(name, far, InvokeOptions{})
				return err
			})
		}
		return nil
	})
	r := newRig(t, team(Sequential(), Participant{Name: "both", Agent: both}))
	if out := r.say("go"); out.err != nil || len(r.open) != 2 {
		t.Fatalf("%v, %d open", out.err, len(r.open))
	}
	answers := map[string]state.Answer{}
	for _, i := range r.open {
		answers[i.ID] = state.Answer{ID: i.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`"` + i.Message + `"`)}
	}
	one.requests()
	two.requests()
	if out := r.run(Session{Checkpoint: r.checkpoint, Answers: answers}); out.err != nil || len(r.open) != 0 {
		t.Fatalf("%v, %d open", out.err, len(r.open))
	}
	for u, payload := range map[*upstream]string{one: `"one?"`, two: `"two?"`} {
		if asked := u.requests(); len(asked) != 1 || !strings.Contains(asked[0], `"payload":`+payload) {
			t.Errorf("asked %q, want %s", asked, payload)
		}
	}
}

func TestRemoteHeaders(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, begins+ends)
	far := remote(t, RemoteOptions{URL: u.URL, Headers: http.Header{"Authorization": {"Bearer x"}}, Forward: []string{"x-tenant", "X-Absent"}})
	r := newRig(t, legalDesk(far, ErrorPolicy{}))
	r.input.Header = http.Header{"X-Tenant": {"a"}, "X-Other": {"b"}}
	if out := r.say("go"); out.err != nil {
		t.Fatal(out.err)
	}
	h := u.header[0]
	if h.Get("Authorization") != "Bearer x" || h.Get("X-Tenant") != "a" || h.Get("X-Other") != "" || h.Get("X-Absent") != "" {
		t.Errorf("headers %v", h)
	}
	for _, c := range r.commits {
		if strings.Contains(string(c.checkpoint), "Bearer") || strings.Contains(string(c.checkpoint), "tenant") {
			t.Errorf("the checkpoint has %s", c.checkpoint)
		}
	}
	u.requests()
	r.input.Header = nil // taken over: the request is not here
	codeOf(t, r.say("again"), agui.CodeRemoteFailed)
	if n := len(u.requests()); n != 0 {
		t.Errorf("asked %d times in nobody's name", n)
	}
	equal(t, "forwards", ForwardsOf(team(Sequential(), Participant{Name: "in", Agent: legalDesk(far, ErrorPolicy{})})), []string{"X-Absent", "X-Tenant"})
}

// A remote sees others' words as a user's, under their names, and what it is told for this turn.
func TestRemoteSeesTheConversation(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, begins+wordsOf("m", "mine")+ends)
	steps := []Decision{{Speaker: "closer"}, {Speaker: "legal", Instruction: "be brief"}, {Done: true}}
	n := 0
	manager := func() Manager {
		return ManagerFunc(func(context.Context, View) (Decision, error) {
			n++
			return steps[n-1], nil
		})
	}
	c := legalDesk(remote(t, RemoteOptions{URL: u.URL, State: RemoteState{}}), ErrorPolicy{})
	c.Manager = manager
	r := newRig(t, c)
	if out := r.say("go"); out.err != nil {
		t.Fatal(out.err)
	}
	var in agui.RunAgentInput
	must(t, json.Unmarshal([]byte(u.requests()[0]), &in))
	var got []string
	for _, m := range in.Messages {
		got = append(got, string(m.Role)+" "+m.Content.Text())
	}
	equal(t, "sent", got, []string{"user go", "user closer: done", "user be brief"})
}

func TestRemoteThreads(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, in := range []Input{
		{ThreadID: "t", Agent: "a", Principal: "p"}, {ThreadID: "t", Agent: "a", Principal: "q"}, {ThreadID: "t", Agent: "b", Principal: "p"},
		{ThreadID: "u", Agent: "a", Principal: "p"}, {ThreadID: "ta", Agent: "", Principal: "p"},
	} {
		for _, path := range [][]string{nil, {"x"}, {"x", "y"}} {
			turn := &Turn{x: &execution{Session: Session{Input: in}}, path: path}
			id := remoteThread(turn)
			if who := fmt.Sprint(in, path); seen[id] != "" || remoteThread(turn) != id {
				t.Errorf("%s and %s share %s", who, seen[id], id)
			} else {
				seen[id] = who
			}
		}
	}
}

func TestRemoteDeadline(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, begins+askedOf(`{"id":"i","reason":"a:b","expiresAt":"2031-01-02T04:04:05+01:00"},{"id":"i","reason":"twice"},{"id":"j","reason":"tool_call","toolCallId":"nobody's","expiresAt":"soon"}`))
	r := newRig(t, remote(t, RemoteOptions{URL: u.URL}))
	if out := r.say("go"); out.err != nil || len(r.open) != 2 {
		t.Fatalf("%v, %d questions", out.err, len(r.open))
	}
	if want := time.Date(2031, 1, 2, 3, 4, 5, 0, time.UTC); !r.open[0].Until.Equal(want) || !r.open[1].Until.IsZero() {
		t.Errorf("until %v and %v", r.open[0].Until, r.open[1].Until)
	}
	if r.open[1].Reason != "confirmation" || r.open[1].ToolCallID != "" {
		t.Errorf("bound to a call nobody has seen: %+v", r.open[1].Interrupt)
	}
}

// A question that is over is asked again as long as the remote still takes the answer.
func TestRemoteAnsweredTooLate(t *testing.T) {
	t.Parallel()
	for until, again := range map[string]bool{"": true, `,"expiresAt":"2001-01-01T00:00:00Z"`: false, `,"expiresAt":"2999-01-01T00:00:00Z"`: true} {
		u := newUpstream(t, begins+askedOf(`{"id":"i","reason":"input_required"`+until+`}`), begins+ends)
		r := newRig(t, remote(t, RemoteOptions{URL: u.URL}))
		if out := r.say("go"); out.err != nil {
			t.Fatal(out.err)
		}
		u.requests()
		if out := r.answer(map[string]string{where(r.open[0]).Key: "late"}); out.err != nil {
			t.Fatal(out.err)
		}
		asked := u.requests()
		if again && (len(r.open) != 1 || len(asked) != 0) {
			t.Errorf("%s: %d open, asked %q", until, len(r.open), asked)
		}
		if !again && (len(asked) != 1 || !strings.Contains(asked[0], `"status":"cancelled"`)) {
			t.Errorf("%s: asked %q", until, asked)
		}
	}
}

// In the legacy dialect several questions with ids are answered as entries, one that has none cannot be called off.
func TestRemoteLegacyAnswers(t *testing.T) {
	t.Parallel()
	ask := func(value string) string { return `{"type":"CUSTOM","name":"on_interrupt","value":` + value + "}\n" }
	for _, tc := range []struct{ name, questions, answers, want string }{
		{"plain text", ask(`"Really?"`), `"yes"`, `{"resume":"yes","interruptEvent":"Really?"}`},
		{"false", ask(`{"message":"Really?"}`), `false`, `{"resume":false,"interruptEvent":{"message":"Really?"}}`},
		{"called off", ask(`{"message":"Really?"}`), `cancel`, ""},
		{"called off by id", ask(`{"id":"x"}`), `cancel`, `{"resume":[{"interruptId":"x","status":"cancelled"}]}`},
		{"two with ids", ask(`{"id":"x"}`) + ask(`{"id":"y"}`), `1`, `{"resume":[{"interruptId":"x","status":"resolved","payload":1},{"interruptId":"y","status":"resolved","payload":1}]}`},
		{"two without", ask(`1`) + ask(`2`), `1`, `{"resume":[1,1]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t, begins+tc.questions+ends, begins+ends)
			r := newRig(t, remote(t, RemoteOptions{URL: u.URL}))
			if out := r.say("go"); out.err != nil {
				t.Fatal(out.err)
			}
			u.requests()
			answers := map[string]string{}
			for _, i := range r.open {
				answers[where(i).Key] = tc.answers
			}
			if out := r.answer(answers); out.err != nil {
				t.Fatal(out.err)
			}
			asked := u.requests()
			if tc.want == "" {
				equal(t, "requests", len(asked), 0)
				return
			}
			var in struct {
				ForwardedProps struct{ Command json.RawMessage }
			}
			must(t, json.Unmarshal([]byte(asked[0]), &in))
			equal(t, "command", string(in.ForwardedProps.Command), tc.want)
		})
	}
}

func TestRemoteWaitsAsTold(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	n := 0
	u.answer = func(w http.ResponseWriter, _ *http.Request, _ string) {
		if n++; n == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		sse(w, begins+wordsOf("m", "now")+ends)
	}
	out := newRig(t, remote(t, RemoteOptions{URL: u.URL})).say("go")
	if out.err != nil || n != 2 {
		t.Errorf("%v after %d requests", out.err, n)
	}
}

func TestNewRemoteRefuses(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]RemoteOptions{
		"no URL":      {},
		"scheme":      {URL: "file:///etc/passwd"},
		"hop by hop":  {URL: "http://h", Forward: []string{"connection"}},
		"twice":       {URL: "http://h", Forward: []string{"x-a", "X-A"}},
		"given":       {URL: "http://h", Forward: []string{"authorization"}, Headers: http.Header{"Authorization": {"x"}}},
		"no token":    {URL: "http://h", Forward: []string{"a b"}},
		"dialect":     {URL: "http://h", Dialect: "x"},
		"state":       {URL: "http://h", State: RemoteState{Path: "x"}},
		"server kind": {URL: "http://h", Server: "x"},
	} {
		if _, err := NewRemote(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
