package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/state"
)

// Whatever a remote answers, its turn fails with one code, what it opened is closed, nothing outside its part of the
// state is changed, and the others continue.
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
	numbers := "[" + strings.Repeat("1,", 20_000) + "1]"
	moves := "[" + strings.Repeat(`{"op":"move","from":"/d","path":"/e"},{"op":"move","from":"/e","path":"/d"},`, 200) + `{"op":"test","path":"/d/0","value":1}]`
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
		"copies": begins + `{"type":"STATE_SNAPSHOT","snapshot":{"d":["` + strings.Repeat("x", 30) + `"]}}` + "\n" +
			`{"type":"STATE_DELTA","delta":[` + strings.TrimSuffix(strings.Repeat(`{"op":"copy","from":"/d","path":"/d/0"},`, 15), ",") + "]}\n" +
			strings.Repeat(`{"type":"STATE_DELTA","delta":[{"op":"copy","from":"/d","path":"/e"}]}`+"\n", 70) + ends,
		"moves of a state": begins + `{"type":"STATE_SNAPSHOT","snapshot":{"d":` + numbers + `}}` + "\n" + `{"type":"STATE_DELTA","delta":` + moves + "}\n" + ends,
		"moves of an activity": begins + `{"type":"ACTIVITY_SNAPSHOT","messageId":"x","activityType":"y","content":{"d":` + numbers + `}}` + "\n" +
			`{"type":"ACTIVITY_DELTA","messageId":"x","activityType":"y","patch":` + moves + "}\n" + ends,
		"asks too much": begins + askedOf(manyQuestions(101)),
		"not its place": begins + `{"type":"STATE_SNAPSHOT","snapshot":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}` + "\n" + ends,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t, answer, answer)
			r := newRig(t, legalDesk(remote(t, RemoteOptions{
				URL: u.URL, State: RemoteState{Path: "/a/b"}, MaxEvents: 200, MaxEvent: 64 << 10, MaxBytes: 200 << 10,
			}), failure.Policy{Skip: true, Retries: 1}))
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
	out := newRig(t, legalDesk(remote(t, RemoteOptions{URL: u.URL + "/?key=secret"}), failure.Policy{})).say("go")
	codeOf(t, out, errcode.RemoteFailed)
	if text := out.err.Error(); !strings.Contains(text, "upstream_down") || strings.Contains(text, "secret") {
		t.Errorf("cause %s", text)
	}
}

// TestRemoteNeverEnds hangs up on a remote that begins an answer and says no more, and on one that keeps talking.
func TestRemoteNeverEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		o     RemoteOptions
		talks time.Duration // a comment each
		took  time.Duration
	}{
		"silent":  {RemoteOptions{Idle: time.Minute, Timeout: time.Hour}, 0, time.Minute},
		"talking": {RemoteOptions{Idle: time.Minute, Timeout: time.Hour}, 50 * time.Second, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				gone := false
				tt.o.URL = "http://legal.test"
				tt.o.HTTP = &http.Client{Transport: endless{begins, tt.talks, func() { gone = true }}}
				began := time.Now()
				codeOf(t, newRig(t, remote(t, tt.o)).say("go"), errcode.RemoteFailed)
				equal(t, "took", time.Since(began), tt.took)
				synctest.Wait()
				equal(t, "hung up", gone, true)
			})
		})
	}
}

// An endless remote begins an answer and never ends it.
type endless struct {
	begins string
	talks  time.Duration // a comment each; 0 means silence
	gone   func()
}

func (e endless) RoundTrip(r *http.Request) (*http.Response, error) {
	out, in := io.Pipe()
	go func() {
		defer e.gone()
		defer in.CloseWithError(io.ErrUnexpectedEOF)
		for line := range strings.Lines(e.begins) {
			if _, err := io.WriteString(in, "data: "+strings.TrimSpace(line)+"\n\n"); err != nil {
				return
			}
		}
		var talks <-chan time.Time
		if e.talks > 0 {
			ticker := time.NewTicker(e.talks)
			defer ticker.Stop()
			talks = ticker.C
		}
		for {
			select {
			case <-r.Context().Done():
				return
			case <-talks:
				if _, err := io.WriteString(in, ": still here\n\n"); err != nil {
					return
				}
			}
		}
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: out, Request: r}, nil
}

// A crash between the claim of an answer and its delivery leads to the very same request again, whether or not the
// first one arrived.
func TestRemoteDeliversOnceMore(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, begins+wordsOf("m", "which?")+askedOf(`{"id":"i","reason":"input_required"}`), "", begins+wordsOf("m2", "thanks")+ends)
	r := newRig(t, legalDesk(remote(t, RemoteOptions{URL: u.URL, State: RemoteState{Path: "/legal"}}), failure.Policy{}))
	r.input = Input{ThreadID: "t", RunID: "r", Principal: Principal{ID: "p"}, ForwardedProps: json.RawMessage(`{"a":1}`)}
	if out := r.say("go"); out.err != nil {
		t.Fatal(out.err)
	}
	u.requests()
	s := Session{Checkpoint: r.checkpoint, Answers: map[string]state.Answer{
		r.open[0].ID: {ID: r.open[0].ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"x":1}`)},
	}}
	dies, _ := r.execute(s) // its answer is lost with its process
	codeOf(t, dies, errcode.RemoteFailed)
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
	codeOf(t, dies, errcode.RemoteFailed)
	out, _ := r.execute(Session{Takeover: true, Memo: maps.Clone(r.onces)})
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
	r := newRig(t, legalDesk(remote(t, RemoteOptions{URL: u.URL}), failure.Policy{}))
	if out := r.say("go"); out.err != nil {
		t.Fatal(out.err)
	}
	key := where(r.open[0]).Key
	out := r.answer(map[string]string{key: `1`})
	codeOf(t, out, errcode.RemoteFailed)
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

// A question can be cancelled though the remote that asked it forgot it, is gone, or breaks off over it: no person is
// asked for ever.
func TestRemoteForgetsWhatIsCalledOff(t *testing.T) {
	t.Parallel()
	asks := begins + askedOf(`{"id":"i","reason":"input_required","message":"Which?"}`)
	for name, answer := range map[string]string{
		"forgot":     begins + `{"type":"RUN_ERROR","message":"no","code":"interrupt_not_found"}`,
		"gone":       "",
		"breaks off": begins + strings.TrimSuffix(wordsOf("m", "then"), `{"type":"TEXT_MESSAGE_END","messageId":"m"}`+"\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t, asks, answer)
			r := newRig(t, legalDesk(remote(t, RemoteOptions{URL: u.URL}), failure.Policy{}))
			if out := r.say("go"); out.err != nil {
				t.Fatal(out.err)
			}
			out := r.answer(map[string]string{where(r.open[0]).Key: "cancel"})
			if out.err != nil || len(r.open) != 0 || !strings.HasSuffix(out.shape(), "closer { done } closer") {
				t.Errorf("%v, %s", out.err, out.shape())
			}
			if sent := u.requests(); !strings.Contains(sent[1], `"status":"cancelled"`) {
				t.Errorf("sent %s", sent[1])
			}
		})
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
			r := newRig(t, legalDesk(remote(t, RemoteOptions{URL: u.URL + "/agents/a", Server: client.ServerGateway}), failure.Policy{Retries: 3}))
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

// A turn that fails elsewhere takes the remote with it, and the agents behind it.
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
	out := newRig(t, team(Sequential(), Participant{Name: "both", Agent: both, OnError: failure.Policy{Skip: true}})).say("go")
	if out.err != nil || !strings.Contains(out.shape(), "error agent_failed } both") {
		t.Errorf("%v, %s", out.err, out.shape())
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

// manyQuestions are n interrupts.
func manyQuestions(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"id":"i%d","reason":"input_required"}`, i))
	}
	return strings.Join(all, ",")
}

func TestRemoteSaysTooMuch(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, begins+strings.Repeat(wordsOf("m", strings.Repeat("x", 1<<20)), 5)+ends)
	codeOf(t, newRig(t, remote(t, RemoteOptions{URL: u.URL})).say("go"), errcode.RemoteFailed)
}
