package groupchat

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
	"github.com/agui-gateway/gateway/state"
)

// What a model answers is written with short words here.
type script = openaitest.Answer

var (
	says, calls   = openaitest.Text, openaitest.Calls
	chunk, finish = openaitest.Delta, openaitest.Finish
)

// A mind is a model with replies that the test has written: the next script for each request, the last one for ever. It
// holds every request to what servers insist on.
type mind struct {
	t       testing.TB
	mu      sync.Mutex
	scripts []script
	replies func(thought) script // instead of scripts
	after   func()               // if set, it is called when the next reply has been read, and the connection then stays open
	asked   []thought
}

// A thought is a request as a mind reads it.
type thought struct {
	Model    string
	Messages []struct {
		Role       string
		Content    json.RawMessage
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	Tools []struct {
		Function struct {
			Name, Description string
			Parameters        json.RawMessage
		}
	}
	ResponseFormat json.RawMessage `json:"response_format"`
}

func newMind(t testing.TB, scripts ...script) *mind { return &mind{t: t, scripts: scripts} }

func (m *mind) model(change ...func(*openai.Options)) *openai.Model {
	m.t.Helper()
	o := openai.Options{Provider: "mock", BaseURL: "http://mind.test/v1", Name: "m1", Retries: -1, HTTP: &http.Client{Transport: m}}
	for _, f := range change {
		f(&o)
	}
	model, err := openai.New(o)
	must(m.t, err)
	return model
}

func (m *mind) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var asked thought
	if err := json.Unmarshal(body, &asked); err != nil {
		m.t.Errorf("request %s: %v", body, err)
	}
	asked.check(m.t)
	m.mu.Lock()
	m.asked = append(m.asked, asked)
	var next script
	if m.replies != nil {
		next = m.replies(asked)
	} else if next = m.scripts[0]; len(m.scripts) > 1 {
		m.scripts = m.scripts[1:]
	}
	after := m.after
	m.after = nil
	m.mu.Unlock()
	status := next.Status
	if status == 0 {
		status = 200
	}
	out := io.NopCloser(strings.NewReader(next.Wire()))
	if after != nil {
		out = &held{Reader: strings.NewReader(next.Wire()), r: r, after: after}
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: out, Request: r}, nil
}

// A held body says what it has to say and then waits.
type held struct {
	io.Reader
	r     *http.Request
	after func()
}

func (h *held) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if err != io.EOF {
		return n, err
	}
	h.after()
	<-h.r.Context().Done()
	return 0, h.r.Context().Err()
}

func (h *held) Close() error { return nil }

// check holds a request to the rules: the system first and once, every call followed by its result and nothing else
// (I6), arguments that are objects, and a last word that is not the model's own.
func (q thought) check(t testing.TB) {
	t.Helper()
	open := []string{}
	for i, m := range q.Messages {
		switch {
		case len(open) > 0 && (m.Role != "tool" || m.ToolCallID != open[0]):
			t.Errorf("message %d is a %s's for %q, want the result of %s", i, m.Role, m.ToolCallID, open[0])
		case len(open) == 0 && m.Role == "tool":
			t.Errorf("message %d is a result of nothing", i)
		case m.Role == "system" && i > 0:
			t.Errorf("message %d is the system's", i)
		}
		if m.Role == "tool" {
			open = open[min(1, len(open)):]
		}
		if len(m.Content) == 0 && len(m.ToolCalls) == 0 {
			t.Errorf("message %d has no content", i)
		}
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
			var object map[string]any
			if len(c.ID) != 9 || json.Unmarshal([]byte(c.Function.Arguments), &object) != nil {
				t.Errorf("message %d: call %q with arguments %s", i, c.ID, c.Function.Arguments)
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without a result: %q", open)
	}
	if n := len(q.Messages); n == 0 || q.Messages[n-1].Role == "assistant" {
		t.Errorf("the last of %d messages is no question", n)
	}
}

// requests are what the mind was asked, each as one line.
func (m *mind) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	lines := make([]string, 0, len(m.asked))
	for _, q := range m.asked {
		lines = append(lines, q.String())
	}
	return lines
}

// last is the newest of them.
func (m *mind) last() string {
	all := m.requests()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// String is the conversation, with calls by name and without ids.
func (q thought) String() string {
	var lines []string
	for _, m := range q.Messages {
		line := m.Role[:1] + ":" + plain(m.Content)
		for _, c := range m.ToolCalls {
			line += " " + c.Function.Name + c.Function.Arguments
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, " | ")
}

func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func (q thought) tools() string {
	var names []string
	for _, t := range q.Tools {
		names = append(names, t.Function.Name)
	}
	return strings.Join(names, " ")
}

// counted is a tool that counts how often it was called, and says its arguments.
type counted struct {
	mu   sync.Mutex
	args []string
	keys []string
}

func (c *counted) tool(name string) Tool {
	return Tool{Name: name, Parameters: json.RawMessage(`{"type":"object","properties":{"x":{"type":"integer"}},"additionalProperties":false}`),
		Call: c.call}
}

func (c *counted) note(call ToolCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.args = append(c.args, call.Name+string(call.Arguments))
	c.keys = append(c.keys, call.Key)
}

func (c *counted) called() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.args...)
}

func (c *counted) call(_ context.Context, call ToolCall) (tools.Result, error) {
	c.note(call)
	return tools.Text(call.Name + " done"), nil
}

// kinds are the types of a stream's body, for tests of order.
func (s *stream) kinds() string {
	var kinds []string
	for _, e := range s.body() {
		kinds = append(kinds, strings.TrimPrefix(string(agui.TypeOf(e)), "TEXT_MESSAGE_"))
	}
	return strings.Join(kinds, " ")
}

// count is how often a type of event is in the stream.
func (s *stream) count(kind agui.EventType) int {
	n := 0
	for _, e := range s.events {
		if agui.TypeOf(e) == kind {
			n++
		}
	}
	return n
}

// asked is an agent with an input of its caller.
type asked struct {
	*LLM
	input Input
}

func (a asked) Run(ctx context.Context, t *Turn) error {
	t.x.Input = a.input
	return a.LLM.Run(ctx, t)
}

// answers are those of a resume, by question key.
func (r *rig) answers(payloads map[string]string) map[string]state.Answer {
	r.t.Helper()
	answers := map[string]state.Answer{}
	for key, payload := range payloads {
		id := r.question(key).ID
		answers[id] = state.Answer{ID: id, Status: agui.ResumeResolved, Payload: state.Canonical([]byte(payload))}
	}
	return answers
}

// has reports whether an effect was recorded.
func (r *rig) has(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.onces[key] != nil
}

func eventually(t testing.TB, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("never")
			return
		}
	}
}

func sorted(list []string) string {
	slices.Sort(list)
	return strings.Join(list, " ")
}

// sameKey reports whether all calls like call had the same key, and no other had it.
func (c *counted) sameKey(call string) bool {
	keys := map[string]bool{}
	for i, args := range c.args {
		if args == call {
			keys[c.keys[i]] = true
		}
	}
	for i, args := range c.args {
		if args != call && keys[c.keys[i]] {
			return false
		}
	}
	return len(keys) == 1
}

// The notes of requests.
const (
	leftOutText   = "[From the system: the conversation is long, and a part of it is left out here.]"
	situationText = "[From the system, not from a user. This is so now:]"
)
