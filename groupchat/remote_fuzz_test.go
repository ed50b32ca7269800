package groupchat

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
)

// canned answers every request with one stream.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(string(c))),
	}, nil
}

// Whatever a remote streams, ours is in order (the rig judges), nothing outside its part of the state is touched, a
// failure has its code, and what pauses can be answered and entered again.
func FuzzRemote(f *testing.F) {
	for _, lines := range []string{
		ends, wordsOf("m", "hi") + ends, wordsOf("u1", "hi") + wordsOf("u1", "there") + ends,
		`{"type":"STATE_DELTA","delta":[{"op":"copy","from":"","path":"/a"}]}` + "\n" + ends,
		`{"type":"STATE_DELTA","delta":[{"op":"remove","path":""}]}` + "\n" + ends,
		`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}` + "\n" + wordsOf("m", "x") + `{"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":{"type":"suspended","interruptIds":["i"]}}` + "\n" + askedOf(`{"id":"i","reason":"tool_call","toolCallId":"c","subagentRunId":"s"}`),
		`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"show_map","delta":"{}"}` + "\n" + ends,
		`{"type":"CUSTOM","name":"on_interrupt","value":"{\"id\":1}"}` + "\n" + ends,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u1","role":"user","content":"x"},{"id":"b","role":"assistant","content":"x","toolCalls":[{"id":"b","type":"function","function":{"name":"show_map","arguments":"x"}}]},{"id":"b","role":"tool","toolCallId":"b","content":"x"}]}` + "\n" + ends,
		`{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"x","content":{}}` + "\n" + `{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"x","patch":[{"op":"add","path":"/a","value":1}]}` + "\n" + ends,
		`{"type":"STEP_STARTED","stepName":""}` + "\n" + `{"type":"STEP_FINISHED","stepName":""}` + "\n" + ends,
		`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m","encryptedValue":"x"}` + "\n" + wordsOf("m", "x") + ends,
	} {
		f.Add(lines, "/a", true)
		f.Add(lines, "", false)
	}
	f.Fuzz(func(t *testing.T, lines, path string, inTeam bool) {
		var body strings.Builder
		for line := range strings.Lines(begins + lines) {
			body.WriteString("data: " + line + "\n\n")
		}
		far, err := NewRemote(RemoteOptions{
			URL: "http://upstream.invalid/", HTTP: &http.Client{Transport: canned(body.String())}, State: RemoteState{Path: path}, MaxEvents: 500,
		})
		if err != nil {
			return
		}
		var root Agent = far
		if inTeam {
			root = team(Sequential(), Participant{Name: "legal", Agent: far, OnError: failure.Policy{Skip: true, Retries: 1, Backoff: -1}})
		}
		r := newRig(t, root)
		r.state = json.RawMessage(`{"z":{"y":1}}`)
		r.input = Input{ThreadID: "t", RunID: "r", Tools: []agui.Tool{{Name: "show_map"}}}
		out := r.say("go")
		if out.err != nil && errcode.Of(out.err) != errcode.RemoteFailed {
			t.Fatalf("ends with %v", out.err)
		}
		if path == "/a" && out.err == nil {
			var kept struct{ Z json.RawMessage }
			if err := json.Unmarshal(r.state, &kept); err != nil || string(kept.Z) != `{"y":1}` {
				t.Fatalf("state %s", r.state)
			}
		}
		for range 3 {
			if out.err != nil || r.checkpoint == nil {
				return
			}
			if len(r.open) > 0 {
				answers := map[string]string{}
				for _, i := range r.open {
					answers[where(i).Key] = "1"
				}
				if len(answers) < len(r.open) {
					return // of one key: the helper cannot tell them apart
				}
				out = r.answer(answers)
			} else {
				out = r.returns(map[string]string{})
			}
			if out.err != nil && errcode.Of(out.err) != errcode.RemoteFailed {
				t.Fatalf("ends with %v", out.err)
			}
		}
	})
}
