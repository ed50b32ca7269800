package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state"
)

// TestRow81RandomReplies lets a model say and call anything, and people answer anything. Every pause replays to itself,
// which the rig checks; no request holds a call without its result, as the mind checks; no reply is asked for twice;
// and a tool is called as often as its calls were made and not refused.
func TestRow81RandomReplies(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		const toolNames = "plain approved ask show_map nothing"
		var scripts []script
		for range rapid.IntRange(0, 4).Draw(rt, "rounds") {
			var list []string
			for range rapid.IntRange(1, 4).Draw(rt, "calls") {
				list = append(list, rapid.SampledFrom(strings.Fields(toolNames)).Draw(rt, "tool"), rapid.SampledFrom([]string{`{}`, `{"x":1}`, ``, `{"x"`}).Draw(rt, "arguments"))
			}
			s := calls(list...)
			if rapid.Bool().Draw(rt, "speaks") {
				s.Body = chunk(`"content":"Well."`) + "\n" + s.Body
			}
			scripts = append(scripts, s)
		}
		m := newMind(t, append(scripts, says("Done."))...)
		c := &counted{}
		approved := c.tool("approved")
		approved.Approve = tools.ApproveAlways
		ask := NewTurnTool("ask", "", func(_ context.Context, t *Turn, c ToolCall, _ map[string]any) (string, error) {
			a, err := t.Ask(Question{Key: "ask" + c.Key, Message: "?"})
			return string(a.Payload), err
		})
		agent := Agent(&LLM{Model: m.model(), Tools: []Tool{c.tool("plain"), approved, ask}})
		if rapid.Bool().Draw(rt, "in a team") {
			agent = &Chat{Manager: Sequential(), Participants: []Participant{{Name: "ann", Agent: agent}}}
		}
		r := newRig(t, agent)
		r.input = Input{Tools: []agui.Tool{{Name: "show_map"}}}
		s := r.say("go")
		for range 20 {
			if t.Failed() {
				rt.Fatal("the rig or the mind found fault")
			}
			if s.err != nil {
				rt.Fatalf("ended with %v", s.err)
			}
			if r.checkpoint == nil {
				break
			}
			s = r.run(r.anyAnswer(rt))
		}
		if asked := len(m.asked); asked != len(scripts)+1 {
			rt.Fatalf("asked %d times, want %d", asked, len(scripts)+1)
		}
		ran := 0
		for _, message := range r.messages {
			if message.Role == agui.RoleTool && strings.HasSuffix(message.Content.Text(), " done") {
				ran++
			}
		}
		if called := len(c.called()); called != ran {
			rt.Fatalf("%d calls, %d results", called, ran)
		}
	})
}

// anyAnswer resumes with anything that fits.
func (r *rig) anyAnswer(rt *rapid.T) Session {
	s := Session{Checkpoint: r.checkpoint, Answers: map[string]state.Answer{}, Results: map[string]agui.Content{}}
	for _, i := range r.open {
		a := state.Answer{ID: i.ID, Status: agui.ResumeResolved}
		a.Payload = json.RawMessage(rapid.SampledFrom([]string{`{"approved":true}`, `{"approved":false}`, `{"approved":true,"editedArgs":{"x":2}}`}).Draw(rt, "answer"))
		if rapid.IntRange(0, 4).Draw(rt, "called off") == 0 {
			a.Status, a.Payload = agui.ResumeCancelled, nil
		}
		s.Answers[i.ID] = a
	}
	for _, c := range r.calls {
		content := agui.TextContent(fmt.Sprint("shown ", rapid.IntRange(0, 9).Draw(rt, "shown")))
		s.Results[c.ID] = content
		r.messages = append(r.messages, Message{ID: "t" + r.newID(), Role: agui.RoleTool, ToolCallID: c.ID, Content: content})
	}
	return s
}

// FuzzToolArguments holds what reaches a tool to its schema.
func FuzzToolArguments(f *testing.F) {
	f.Add(`{"city":"Paris","days":3}`)
	f.Add(`{"city":1}`)
	f.Add(``)
	f.Fuzz(func(t *testing.T, written string) {
		type trip struct {
			City string   `json:"city" jsonschema:"where to"`
			Days int      `json:"days,omitempty"`
			Tags []string `json:"tags,omitempty"`
		}
		var got *trip
		tool := NewTool("f", "", func(_ context.Context, _ ToolCall, in trip) (trip, error) { got = &in; return in, nil })
		arguments, err := tool.arguments(written)
		if err != nil {
			if mistake := mistakeText(err.Error()); len(mistake) > 700 {
				t.Errorf("mistake = %s", mistake)
			}
			return
		}
		result, err := tool.Call(t.Context(), ToolCall{Arguments: arguments})
		if err != nil {
			return // a number too large for its type
		}
		again, err := tool.arguments(result.Content.Text())
		if err != nil || got == nil || !json.Valid(again) {
			t.Errorf("arguments %s became %s, %v", written, result.Content.Text(), err)
		}
	})
}
