package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// A counted model counts how often it is asked, and replies with what reply returns.
type counted struct {
	mu    sync.Mutex
	asked int
	reply func(n int) (model.Reply, error)
}

func (c *counted) Identity() (provider, name string) { return "test", "counted" }

func (c *counted) Stream(context.Context, model.Request, model.Deltas) (model.Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if c.reply != nil {
		return c.reply(c.asked)
	}
	tokens, cost := int64(9), 0.5
	return model.Reply{Text: fmt.Sprint("Reply ", c.asked, "."), Finish: "stop", Cost: &cost, Usage: agui.TokenUsage{Provider: "test", Model: "counted", InputTokens: &tokens}}, nil
}

func kept(t *testing.T, m model.Model, o Options) *Model {
	t.Helper()
	c, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func as(ctx context.Context, principal string) context.Context {
	return model.WithAsker(ctx, model.Asker{Principal: principal})
}

func ask(text string) model.Request {
	return model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: text}}}
}

// say asks, and returns the text of the reply and of the deltas.
func sayTo(t *testing.T, ctx context.Context, m model.Model, r model.Request) (text, heard string) {
	t.Helper()
	var b strings.Builder
	note := func(s string) error { b.WriteString(s); return nil }
	reply, err := m.Stream(ctx, r, model.Deltas{Text: note, Reasoning: note, Call: func(i int, name, arguments string) error {
		fmt.Fprint(&b, i, name, arguments)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return reply.Text, b.String()
}

func TestAReplyIsGivenAgain(t *testing.T) {
	t.Parallel()
	inner := &counted{}
	m := kept(t, inner, Options{})
	ctx := as(t.Context(), "ada")
	first, _ := sayTo(t, ctx, m, ask("Hi"))
	again, heard := sayTo(t, ctx, m, ask("Hi"))
	if first != "Reply 1." || again != first || heard != first || inner.asked != 1 {
		t.Errorf("it says %q, then %q, and lets clients hear %q, asked %d times", first, again, heard, inner.asked)
	}
	reply, err := m.Stream(ctx, ask("Hi"), model.Deltas{})
	u := reply.Usage
	if err != nil || u.Provider != "test" || u.Model != "counted" || *u.InputTokens != 0 || *u.TotalTokens != 0 || *reply.Cost != 0 || reply.Finish != "stop" {
		t.Errorf("Stream() = %+v, %v, want the model's identity and no usage", reply, err)
	}
	refuses := errors.New("gone")
	if _, err := m.Stream(ctx, ask("Hi"), model.Deltas{Text: func(string) error { return refuses }}); !errors.Is(err, refuses) {
		t.Errorf("Stream() error = %v, want that of the deltas", err)
	}
	stopped, stop := context.WithCancelCause(ctx)
	stop(refuses)
	if _, err := m.Stream(stopped, ask("Hi"), model.Deltas{}); !errors.Is(err, refuses) {
		t.Errorf("Stream() error = %v, want the cause of the context", err)
	}
}

// TestWhatIsAnotherQuestion changes one thing at a time.
func TestWhatIsAnotherQuestion(t *testing.T) {
	t.Parallel()
	inner := &counted{}
	m := kept(t, inner, Options{})
	call := func(id, text string) model.Request {
		return model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: "Hi"}, {Role: agui.RoleAssistant, Calls: []model.Call{{ID: id, Name: "f"}}}, {Role: agui.RoleTool, CallID: id, Text: text}}}
	}
	crossed := call("x", "1")
	crossed.Messages[1].Calls = append(crossed.Messages[1].Calls, model.Call{ID: "y", Name: "f"})
	crossed.Messages[2].CallID = "y"
	straight := call("x", "1")
	straight.Messages[1].Calls = append(straight.Messages[1].Calls, model.Call{ID: "y", Name: "f"})
	with := func(change func(*model.Request)) model.Request {
		r := ask("Hi")
		change(&r)
		return r
	}
	seen := map[string]string{}
	for name, r := range map[string]model.Request{
		"words": ask("Hi"), "other words": ask("Ho"), "a call": call("x", "1"), "another result": call("x", "2"), "crossed": crossed, "straight": straight,
		"a tool":   with(func(r *model.Request) { r.Tools = []model.Tool{{Name: "f"}} }),
		"a schema": with(func(r *model.Request) { r.Schema = []byte(`{}`) }),
		"a strict": with(func(r *model.Request) { r.Schema, r.Strict = []byte(`{}`), true }),
		"a picture": with(func(r *model.Request) {
			r.Messages[0].Parts = []agui.Part{{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceData, Value: "aGk="}}}
		}),
		"a role": with(func(r *model.Request) { r.Messages[0].Role = agui.RoleSystem }),
	} {
		text, _ := sayTo(t, as(t.Context(), "ada"), m, r)
		if other, ok := seen[text]; ok {
			t.Errorf("%s gets the reply to %s", name, other)
		}
		seen[text] = name
		if again, _ := sayTo(t, as(t.Context(), "ada"), m, r); again != text {
			t.Errorf("%s is asked again", name)
		}
	}
	asked := inner.asked
	if sayTo(t, as(t.Context(), "ada"), m, call("of another run", "1")); inner.asked != asked {
		t.Error("the ids of calls make another question")
	}
	if messages := call("x", "1").Messages; messages[2].CallID != "x" || messages[1].Calls[0].ID != "x" {
		t.Error("the request was changed")
	}
}

// TestNobodyGetsAnothersReply unless that is meant.
func TestNobodyGetsAnothersReply(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		shared bool
		asked  int
	}{{false, 4}, {true, 1}} {
		inner := &counted{}
		m := kept(t, inner, Options{Shared: tt.shared})
		for _, ctx := range []context.Context{as(t.Context(), "ada"), as(t.Context(), "bob"), as(t.Context(), "ada"), t.Context(), t.Context()} {
			sayTo(t, ctx, m, ask("Hi"))
		}
		if inner.asked != tt.asked {
			t.Errorf("shared %t: asked %d times, want %d", tt.shared, inner.asked, tt.asked)
		}
	}
}

func TestWhatIsNotKept(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reply model.Reply
		err   error
		kept  bool
	}{
		"calls":         {reply: model.Reply{Calls: []model.Call{{Name: "f", Arguments: "{}"}}}, kept: true},
		"an error":      {reply: model.Reply{Text: "half"}, err: &errcode.Error{Code: errcode.ModelResponse}},
		"a refusal":     {reply: model.Reply{Refusal: "No."}},
		"nothing":       {reply: model.Reply{Reasoning: "Hm."}},
		"what was cut":  {reply: model.Reply{Text: "half", Finish: "length"}},
		"what is large": {reply: model.Reply{Text: strings.Repeat("x", 3000)}},
	} {
		inner := &counted{reply: func(int) (model.Reply, error) { return tt.reply, tt.err }}
		m := kept(t, inner, Options{Bytes: 10_000})
		for range 2 {
			if _, err := m.Stream(as(t.Context(), "ada"), ask("Hi"), model.Deltas{}); !errors.Is(err, tt.err) {
				t.Errorf("%s: Stream() error = %v", name, err)
			}
		}
		if (inner.asked == 1) != tt.kept {
			t.Errorf("%s: asked %d times, want that it is kept: %t", name, inner.asked, tt.kept)
		}
	}
}

func TestKeptRepliesAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	inner := &counted{}
	m := kept(t, inner, Options{Entries: 3, TTL: time.Minute, Now: func() time.Time { return now }})
	ctx := as(t.Context(), "ada")
	for _, text := range []string{"a", "b", "c", "a", "d", "a", "c"} { // b is the one that was used least recently when d comes
		sayTo(t, ctx, m, ask(text))
	}
	if inner.asked != 4 || m.kept.replies.Len() != 3 {
		t.Errorf("asked %d times, %d are kept", inner.asked, m.kept.replies.Len())
	}
	sayTo(t, ctx, m, ask("b"))
	now = now.Add(time.Minute)
	sayTo(t, ctx, m, ask("a"))
	if inner.asked != 6 {
		t.Errorf("asked %d times, want what was forgotten, and what is too old, to be asked", inner.asked)
	}
	small := kept(t, inner, Options{Bytes: 2000})
	for i := range 50 {
		sayTo(t, ctx, small, ask(fmt.Sprint(i)))
	}
	if small.kept.replies.Bytes() > 2000 || small.kept.replies.Len() == 0 {
		t.Errorf("%d bytes in %d replies are kept of at most 2000", small.kept.replies.Bytes(), small.kept.replies.Len())
	}
	for _, o := range []Options{{Entries: -1}, {Bytes: -1}, {TTL: -1}} {
		if _, err := New(inner, o); err == nil {
			t.Errorf("New(%+v) error = nil", o)
		}
	}
	if _, err := New(nil, Options{}); err == nil {
		t.Error("New(nil) error = nil")
	}
}

// TestAgentsAskOnce lets two threads of one principal, and one of another, ask the same, with a call of a tool in
// between: the tool is called each time.
func TestAgentsAskOnce(t *testing.T) {
	t.Parallel()
	inner := &counted{reply: func(n int) (model.Reply, error) {
		if n%2 == 1 {
			return model.Reply{Calls: []model.Call{{ID: fmt.Sprint("call", n), Name: "look", Arguments: "{}"}}}, nil
		}
		return model.Reply{Text: "Found."}, nil
	}}
	looked := 0
	agent := &groupchat.LLM{Model: kept(t, inner, Options{}), Tools: []groupchat.Tool{{Name: "look", Call: func(context.Context, groupchat.ToolCall) (tools.Result, error) {
		looked++
		return tools.Text("a book"), nil
	}}}}
	for i, who := range []string{"ada", "ada", "bob"} {
		o := thread.Options{}
		o.Input.Principal.ID = who
		result, err := thread.New(agent, o).Say(t.Context(), "Look.")
		if err != nil || result.Text != "Found." || looked != i+1 {
			t.Errorf("%s is told %+v, %v, after %d calls of the tool", who, result, err, looked)
		}
	}
	if inner.asked != 4 {
		t.Errorf("the model was asked %d times, want twice for each principal", inner.asked)
	}
}

// TestARetryAsksAnew: the replies that were kept are why the turn failed.
func TestARetryAsksAnew(t *testing.T) {
	t.Parallel()
	inner := &counted{reply: func(n int) (model.Reply, error) {
		if n <= 3 {
			return model.Reply{Text: "no JSON"}, nil
		}
		return model.Reply{Text: `{"dish":"soup"}`}, nil
	}}
	agent := &groupchat.LLM{Model: kept(t, inner, Options{}), Output: &groupchat.LLMOutput{Schema: []byte(`{"type":"object","required":["dish"]}`)}}
	team := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "a", Agent: agent, OnError: failure.Policy{Retries: 1, Backoff: -1}}}}
	result, err := thread.Run(t.Context(), team, "What is there?")
	if err != nil || result.Text != `{"dish":"soup"}` || inner.asked != 4 {
		t.Errorf("Run() = %+v, %v after %d calls, want what the model says in the second try", result, err, inner.asked)
	}
}
