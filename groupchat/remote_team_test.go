package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A remote that works out of sight asks and calls in its parent's name, and is shown what it was given to work on.
func TestRemoteOutOfSight(t *testing.T) {
	t.Parallel()
	sub := `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"inner"}
		{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","subagentRunId":"s"}
		{"type":"TEXT_MESSAGE_END","messageId":"m","subagentRunId":"s"}
		{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"show_map","subagentRunId":"s"}
		{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{}","subagentRunId":"s"}
		{"type":"TOOL_CALL_END","toolCallId":"c","subagentRunId":"s"}
		{"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":{"type":"suspended","interruptIds":["i"]}}` + "\n"
	u := newUpstream(t, begins+sub+askedOf(`{"id":"i","reason":"input_required","subagentRunId":"s"}`), begins+wordsOf("m2", "secret")+ends)
	far := remote(t, RemoteOptions{URL: u.URL})
	asker := AgentFunc(func(_ context.Context, t *Turn) error {
		reply, err := t.Invoke("far", far, InvokeOptions{Output: OutputNone, Input: []Message{
			{ID: "query", Role: agui.RoleUser, Content: agui.TextContent("find it")},
		}})
		if err != nil {
			return err
		}
		return SayOnce(t, "length", fmt.Sprintf("%d letters", len(reply.Text())))
	})
	r := newRig(t, team(Sequential(), Participant{Name: "asker", Agent: asker}))
	r.input.Tools = []agui.Tool{{Name: "show_map"}}
	out := r.say("go")
	if out.err != nil || len(r.open) != 1 || len(r.calls) != 1 {
		t.Fatalf("%v, %d questions, %d calls", out.err, len(r.open), len(r.calls))
	}
	equal(t, "shape", out.shape(), "asker { asker.far { call show_map")
	var in agui.RunAgentInput
	must(t, json.Unmarshal([]byte(u.requests()[0]), &in))
	equal(t, "sent", texts(in.Messages), []string{"go", "find it"})
	result := map[string]agui.Content{r.calls[0].ID: agui.TextContent("shown")}
	answers := map[string]state.Answer{r.open[0].ID: {ID: r.open[0].ID, Status: agui.ResumeResolved, Payload: json.RawMessage("1")}}
	out = r.run(Session{Checkpoint: r.checkpoint, Results: result, Answers: answers})
	if out.err != nil || !strings.Contains(out.shape(), "6  letters") || strings.Contains(out.shape(), "secret") {
		t.Errorf("%v, %s", out.err, out.shape())
	}
	must(t, json.Unmarshal([]byte(u.requests()[0]), &in))
	if last := in.Messages[len(in.Messages)-1]; last.Role != agui.RoleTool || last.ToolCallID != "c" || last.Content.Text() != "shown" {
		t.Errorf("sent last %+v", last)
	}
}

// A draft of a remote's is revised with the comments behind it.
func TestRemoteIsReviewed(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, begins+wordsOf("m", "draft one")+ends, begins+wordsOf("m", "draft two")+ends)
	r := newRig(t, team(Sequential(), Participant{Name: "writer", Agent: Review(remote(t, RemoteOptions{URL: u.URL}), ReviewOptions{})}))
	if out := r.say("go"); out.err != nil {
		t.Fatal(out.err)
	}
	if out := r.answer(map[string]string{"review-1": `"shorter"`}); out.err != nil {
		t.Fatal(out.err)
	}
	if out := r.answer(map[string]string{"review-2": `""`}); out.err != nil || r.checkpoint != nil {
		t.Fatal(out.err)
	}
	asked := u.requests()
	if len(asked) != 2 {
		t.Fatalf("asked %d times", len(asked))
	}
	var in agui.RunAgentInput
	must(t, json.Unmarshal([]byte(asked[1]), &in))
	got := texts(in.Messages)
	if len(got) != 3 || !strings.Contains(got[1], "draft one") || !strings.Contains(got[2], "shorter") {
		t.Errorf("sent %q", got)
	}
	equal(t, "said", texts(r.messages), []string{"go", "draft one", "draft two"})
}
