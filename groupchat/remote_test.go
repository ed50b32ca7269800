package groupchat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
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

// legalDesk is a chat with a remote first speaker, and a second one that says that it is done.
func legalDesk(r *Remote, onError failure.Policy) *Chat {
	return team(Sequential(), Participant{Name: "legal", Agent: r, OnError: onError}, Participant{Name: "closer", Agent: sayer("done")})
}

// A repeated turn speaks under new ids where the old ones are taken, and the remote gets its own ids back.
func TestRemoteIDsOfARepeatedTurn(t *testing.T) {
	t.Parallel()
	sub := `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"inner"}` + "\n"
	over := `{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}` + "\n"
	call := `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}` + "\n" + `{"type":"TOOL_CALL_END","toolCallId":"c"}` + "\n" +
		`{"type":"TOOL_CALL_RESULT","toolCallId":"c","messageId":"res","content":"1"}` + "\n"
	u := newUpstream(t, begins+sub+wordsOf("m", "one")+call+over, begins+sub+wordsOf("m", "two")+call+over+ends, begins+ends)
	r := newRig(t, legalDesk(remote(t, RemoteOptions{URL: u.URL}), failure.Policy{Retries: 1}))
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

// Two remotes that ask at once are answered by one resume, each its own.
// A remote may give one id to a thought and to words, and a message a name when it says it again.
func TestRemoteIDsThatMeanTwoThings(t *testing.T) {
	t.Parallel()
	stream := begins +
		`{"type":"REASONING_START","messageId":"m"}
		{"type":"REASONING_MESSAGE_START","messageId":"m","role":"reasoning"}
		{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"hm"}
		{"type":"REASONING_MESSAGE_END","messageId":"m"}
		{"type":"REASONING_END","messageId":"m"}
		` + wordsOf("m", "one") + `{"type":"TEXT_MESSAGE_START","messageId":"m","name":"ann"}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":" and more"}
		{"type":"TEXT_MESSAGE_END","messageId":"m"}
		` + wordsOf("n", "two") +
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"other","role":"assistant","name":"ann","content":"two"}]}
		` + ends
	for _, o := range []RemoteOptions{{}, {State: RemoteState{Path: "/theirs"}}} {
		u := newUpstream(t, stream)
		o.URL = u.URL
		for _, root := range []Agent{remote(t, o), legalDesk(remote(t, o), failure.Policy{})} {
			u.streams = []string{stream}
			r := newRig(t, root)
			if out := r.say("go"); out.err != nil {
				t.Fatal(out.err)
			}
			said := strings.Join(texts(r.messages), "|")
			for _, want := range []string{"hm", "one and more", "two"} {
				if strings.Count(said, want) != 1 {
					t.Errorf("%q was said %d times in %s", want, strings.Count(said, want), said)
				}
			}
		}
	}
}

// A remote that says much that is not the protocol's costs a few lines of the log.
func TestARemoteCannotFloodTheLog(t *testing.T) {
	t.Parallel()
	odd := `{"type":"NEW"}` + "\n" + `{"type":"CUSTOM","name":"x.y","value":1,"` + strings.Repeat("z", 10_000) + `":0}` + "\n"
	u := newUpstream(t, begins+strings.Repeat(odd, 500)+wordsOf("m", "one")+ends)
	r := newRig(t, remote(t, RemoteOptions{URL: u.URL}))
	var log bytes.Buffer
	r.log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if out := r.say("go"); out.err != nil {
		t.Fatal(out.err)
	}
	if n := bytes.Count(log.Bytes(), []byte("\n")); n > 50 || log.Len() > 50_000 {
		t.Errorf("%d lines of %d bytes in all", n, log.Len())
	}
	if !strings.Contains(log.String(), "1000") {
		t.Error("the log does not say how much there was")
	}
}

func TestRemotesAskAtOnce(t *testing.T) {
	t.Parallel()
	one := newUpstream(t, begins+askedOf(`{"id":"i","reason":"input_required","message":"one?"}`), begins+wordsOf("m", "1")+ends)
	two := newUpstream(t, begins+askedOf(`{"id":"i","reason":"input_required","message":"two?"}`), begins+wordsOf("m", "2")+ends)
	a, b := remote(t, RemoteOptions{URL: one.URL}), remote(t, RemoteOptions{URL: two.URL})
	both := AgentFunc(func(_ context.Context, t *Turn) error {
		for i, far := range []*Remote{a, b} { // in an order: it is that of the questions
			t.Go(func() error {
				_, err := t.Invoke(string(rune('a'+i)), far, InvokeOptions{})
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
	r := newRig(t, legalDesk(far, failure.Policy{}))
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
	codeOf(t, r.say("again"), errcode.RemoteFailed)
	if n := len(u.requests()); n != 0 {
		t.Errorf("asked %d times in nobody's name", n)
	}
	equal(t, "forwards", ForwardsOf(team(Sequential(), Participant{Name: "in", Agent: legalDesk(far, failure.Policy{})})), []string{"X-Absent", "X-Tenant"})
}

// A remote sees others' words as a user's, under their names, and its instruction for this turn.
func TestRemoteSeesTheConversation(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, begins+wordsOf("m", "mine")+ends)
	steps := []Decision{{Speaker: "closer"}, {Speaker: "legal", Instruction: "be brief"}, {Done: true}}
	n := 0
	manager := func() Manager {
		return managerFunc(func(context.Context, View) (Decision, error) {
			n++
			return steps[n-1], nil
		})
	}
	c := legalDesk(remote(t, RemoteOptions{URL: u.URL, State: RemoteState{}}), failure.Policy{})
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
		{ThreadID: "t", Agent: "a", Principal: Principal{ID: "p"}}, {ThreadID: "t", Agent: "a", Principal: Principal{ID: "q"}}, {ThreadID: "t", Agent: "b", Principal: Principal{ID: "p"}},
		{ThreadID: "u", Agent: "a", Principal: Principal{ID: "p"}}, {ThreadID: "ta", Agent: "", Principal: Principal{ID: "p"}},
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
