package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// next returns the request after reply, with the results of its calls.
func next(reply model.Reply) model.Request {
	said := model.Message{Role: agui.RoleAssistant, Text: reply.Words(), Reasoning: reply.Reasoning, Opaque: reply.Opaque, Calls: reply.Calls}
	r := model.Request{Messages: []model.Message{hello.Messages[0], said}}
	for _, c := range reply.Calls {
		r.Messages = append(r.Messages, model.Message{Role: agui.RoleTool, CallID: c.ID, Text: "4"})
	}
	return r
}

// messageSent is the message of a number in a request.
func messageSent(t *testing.T, body string, n int) string {
	t.Helper()
	var sent struct{ Messages []json.RawMessage }
	must(t, json.Unmarshal([]byte(body), &sent))
	return string(sent.Messages[n])
}

// TestReasoningGoesBack under the name that the options say, and not without one.
func TestReasoningGoesBack(t *testing.T) {
	t.Parallel()
	thought := openaitest.Answer{Body: openaitest.Delta(`"reasoning_content":"hm"`) + "\n" +
		openaitest.Delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}]`) + "\n" + openaitest.Finish("tool_calls")}
	for echo, want := range map[Echo]string{
		"": "", EchoOff: "", EchoReasoningContent: `"reasoning_content":"hm"`, EchoReasoning: `"reasoning":"hm"`,
	} {
		s := newServer(t, thought, openaitest.Text("ok"))
		m := s.model(func(o *Options) { o.Echo = echo })
		reply, err := m.Stream(t.Context(), hello, model.Deltas{})
		must(t, err)
		r := next(reply)
		// A call of an earlier turn, without its reasoning.
		r.Messages = append([]model.Message{
			{Role: agui.RoleAssistant, Calls: []model.Call{{ID: "old", Name: "f"}}}, {Role: agui.RoleTool, CallID: "old"}, {Role: agui.RoleAssistant, Text: "done"},
		}, r.Messages...)
		_, err = m.Stream(t.Context(), r, model.Deltas{})
		must(t, err)
		sent := s.Requests()[1]
		if got := messageSent(t, sent, 4); !strings.Contains(got, want) || want == "" && strings.Contains(got, "reasoning") {
			t.Errorf("echo %q: sent %s", echo, got)
		}
		old, name := messageSent(t, sent, 0), strings.TrimSuffix(want, `"hm"`)
		if want != "" && !strings.Contains(old, name+`""`) || strings.Contains(messageSent(t, sent, 2), "reasoning") {
			t.Errorf("echo %q: sent %s", echo, sent)
		}
	}
}

// TestWhatIsSignedGoesBack has a server that signs calls, and one that tells its reasoning in details. Another model
// ignores both.
func TestWhatIsSignedGoesBack(t *testing.T) {
	t.Parallel()
	signed := openaitest.Answer{Body: openaitest.Delta(`"reasoning_details":[{"type":"reasoning.text","text":"so ","index":0,"signature":null}]`) + "\n" +
		openaitest.Delta(`"reasoning_details":[{"type":"reasoning.text","text":"be it","index":0,"signature":"s1"},{"type":"reasoning.encrypted","data":"e","index":1}]`) + "\n" +
		openaitest.Delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"abc"}}},{"index":1,"id":"y","function":{"name":"g","arguments":"{}"}}]`) + "\n" +
		openaitest.Finish("tool_calls")}
	s := newServer(t, signed, openaitest.Text("ok"))
	m := s.model(func(o *Options) { o.Echo = EchoReasoning })
	reply, err := m.Stream(t.Context(), hello, model.Deltas{})
	must(t, err)
	for name, change := range map[string]func(*Options){"its own": func(*Options) {}, "another model": func(o *Options) { o.Name = "m2" }} {
		again := s.model(func(o *Options) { o.Echo = EchoReasoning; change(o) })
		_, err = again.Stream(t.Context(), next(reply), model.Deltas{})
		must(t, err)
		requests := s.Requests()
		said := messageSent(t, requests[len(requests)-1], 1)
		back := strings.Contains(said, `"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"abc"}}}`) &&
			strings.Count(said, "extra_content") == 1 && strings.Contains(said, `"text":"so be it"`) && strings.Contains(said, `"signature":"s1"`) && strings.Contains(said, `"data":"e"`)
		if back != (name == "its own") {
			t.Errorf("%s is sent %s", name, said)
		}
	}
}

// TestOpaqueIsBounded has servers that want more back than is kept.
func TestOpaqueIsBounded(t *testing.T) {
	t.Parallel()
	large := openaitest.Answer{Body: openaitest.Delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"},"extra_content":"`+strings.Repeat("x", 1<<20)+`"}]`) + "\n" + openaitest.Finish("tool_calls")}
	var pieces []string
	for range maxDetails + 1 {
		pieces = append(pieces, `{"type":"reasoning.text","text":"x"}`)
	}
	many := openaitest.Answer{Body: openaitest.Delta(`"reasoning_details":[`+strings.Join(pieces, ",")+`]`) + "\n" + openaitest.Finish("stop")}
	for name, answer := range map[string]openaitest.Answer{"large": large, "many": many} {
		_, err := newServer(t, answer).model(func(o *Options) { o.Echo = EchoReasoning }).Stream(t.Context(), hello, model.Deltas{})
		equal(t, name, errcode.Of(err), errcode.ModelResponse)
	}
}
