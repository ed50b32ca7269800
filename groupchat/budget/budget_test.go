package budget

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// thirsty is a model that uses 10 tokens in each call, and calls the tool look in the first calls of a turn.
func thirsty(asked *int, tools int) model.Model {
	return model.Func(func(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
		*asked++
		read, written := int64(7), int64(3)
		reply := model.Reply{Usage: agui.TokenUsage{Provider: "test", Model: "thirsty", InputTokens: &read, OutputTokens: &written}}
		if last := r.Messages[len(r.Messages)-1]; tools > 0 && (last.Role != agui.RoleTool || !strings.Contains(last.Text, "enough")) {
			reply.Calls = []model.Call{{Name: "look", Arguments: "{}"}}
			return reply, nil
		}
		reply.Text = "Yes."
		return reply, nil
	})
}

// looks is a tool that says when n calls were enough.
func looks(n int) groupchat.Tool {
	calls := 0
	return groupchat.Tool{Name: "look", Call: func(context.Context, groupchat.ToolCall) (tools.Result, error) {
		if calls++; calls == n {
			return tools.Text("enough"), nil
		}
		return tools.Text("more"), nil
	}}
}

func under(t *testing.T, l Limits, agent groupchat.Agent) groupchat.Agent {
	t.Helper()
	b, err := New(l)
	if err != nil {
		t.Fatal(err)
	}
	return groupchat.WithHooks(agent, b.Hooks())
}

func exceeds(t *testing.T, err error, text string) {
	t.Helper()
	e, ok := errors.AsType[*errcode.Error](err)
	if !ok || e.Code != errcode.BudgetExceeded || !strings.Contains(e.Public(), text) {
		t.Errorf("the run ends with %v, want budget_exceeded with %q", err, text)
	}
}

func TestARunHasABudget(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		limit int64
		tools int
		asked int
		fails bool
	}{
		{limit: 0, tools: 5, asked: 6},
		{limit: 30, tools: 2, asked: 3},
		{limit: 30, tools: 3, asked: 3, fails: true},
		{limit: 29, tools: 2, asked: 3},
		{limit: 21, tools: 3, asked: 3, fails: true}, // the call that began within it goes beyond
		{limit: 1, tools: 1, asked: 1, fails: true},
	} {
		t.Run(fmt.Sprint(tt.limit, " for ", tt.tools), func(t *testing.T) {
			t.Parallel()
			asked := 0
			agent := under(t, Limits{Run: tt.limit}, &groupchat.LLM{Model: thirsty(&asked, tt.tools), Tools: []groupchat.Tool{looks(tt.tools)}})
			th := thread.New(agent, thread.Options{})
			_, err := th.Say(t.Context(), "go")
			if (err != nil) != tt.fails || asked != tt.asked {
				t.Errorf("the model was asked %d times, error %v; want %d", asked, err, tt.asked)
			}
			if tt.fails {
				exceeds(t, err, "This run")
			}
		})
	}
}

// TestAThreadHasABudget over its runs; another thread has its own, and a higher one lets the thread continue.
func TestAThreadHasABudget(t *testing.T) {
	t.Parallel()
	asked := 0
	b, err := New(Limits{Thread: 20})
	if err != nil {
		t.Fatal(err)
	}
	agent := groupchat.WithHooks(&groupchat.LLM{Model: thirsty(&asked, 0)}, b.Hooks())
	th := thread.New(agent, thread.Options{})
	for range 2 {
		if _, err := th.Say(t.Context(), "go"); err != nil {
			t.Fatal(err)
		}
	}
	_, err = th.Say(t.Context(), "go")
	exceeds(t, err, "This conversation")
	if _, err := thread.Run(t.Context(), agent, "go"); err != nil {
		t.Errorf("another thread: %v", err)
	}
	b.limits.Thread = 30
	if _, err := th.Say(t.Context(), "go"); err != nil || asked != 4 {
		t.Errorf("with a higher budget: %v after %d calls", err, asked)
	}
}

func TestAPrincipalHasABudget(t *testing.T) {
	t.Parallel()
	asked, now := 0, time.Unix(1000, 0)
	agent := under(t, Limits{Principal: 20, Window: time.Hour, Now: func() time.Time { return now }}, &groupchat.LLM{Model: thirsty(&asked, 0)})
	say := func(who string) error {
		o := thread.Options{}
		o.Input.Principal.ID = who
		_, err := thread.New(agent, o).Say(t.Context(), "go")
		return err
	}
	for _, who := range []string{"ada", "ada", "bob"} {
		if err := say(who); err != nil {
			t.Fatal(err)
		}
	}
	exceeds(t, say("ada"), "try again later")
	if err := say("bob"); err != nil {
		t.Errorf("another principal: %v", err)
	}
	now = now.Add(time.Hour)
	if err := say("ada"); err != nil || asked != 5 {
		t.Errorf("in the next window: %v after %d calls", err, asked)
	}
}

// TestWhatAnAttemptUsedCounts after a takeover: the run has used it.
func TestWhatAnAttemptUsedCounts(t *testing.T) {
	t.Parallel()
	asked := 0
	agent := under(t, Limits{Run: 20}, &groupchat.LLM{Model: thirsty(&asked, 9), Tools: []groupchat.Tool{looks(99)}})
	var saved []json.RawMessage
	th := thread.New(agent, thread.Options{Save: func(_ context.Context, kept json.RawMessage) error {
		saved = append(saved, kept)
		return nil
	}})
	_, err := th.Say(t.Context(), "go")
	exceeds(t, err, "This run")
	places := 0
	for i, kept := range saved {
		before := asked
		another := thread.New(agent, thread.Options{})
		if err := json.Unmarshal(kept, another); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(kept), `"live"`) {
			continue
		}
		places++
		_, err = another.Resume(t.Context())
		exceeds(t, err, "This run")
		recorded := strings.Count(string(kept), `"inputTokens":7`)
		if more := asked - before; more != 2-min(recorded, 2) {
			t.Errorf("from place %d on, which has %d replies, the model is asked %d times more, want two in all", i, recorded, more)
		}
	}
	if places < 4 {
		t.Errorf("the run could be taken over at %d places", places)
	}
}

func TestWhatIsNoBudget(t *testing.T) {
	t.Parallel()
	for _, l := range []Limits{{Run: -1}, {Thread: -1}, {Principal: -1}, {Window: -1}} {
		if _, err := New(l); err == nil {
			t.Errorf("New(%+v) error = nil", l)
		}
	}
	b, err := New(Limits{Run: 1, Thread: 1, Principal: 1})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	if _, err := b.call(t.Context(), groupchat.ModelCall{}, func(context.Context, groupchat.ModelCall) (model.Reply, error) {
		asked++
		return model.Reply{}, nil
	}); err != nil || asked != 1 {
		t.Errorf("outside of a run: %v after %d calls", err, asked)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	n := func(i int64) *int64 { return &i }
	for want, usage := range map[int64][]agui.TokenUsage{
		0:             nil,
		10:            {{TotalTokens: n(10), InputTokens: n(3)}},
		7:             {{InputTokens: n(3)}, {OutputTokens: n(4)}},
		5:             {{InputTokens: n(-3), OutputTokens: n(5)}},
		math.MaxInt64: {{TotalTokens: n(math.MaxInt64)}, {TotalTokens: n(math.MaxInt64)}},
	} {
		if got := agui.SumTokens(usage); got != want {
			t.Errorf("SumTokens(%v) = %d, want %d", usage, got, want)
		}
	}
}

// TestBudgetsOfALedger know what principals have used under the budgets before them, if they have their name.
func TestBudgetsOfALedger(t *testing.T) {
	t.Parallel()
	asked, ledger := 0, &Ledger{}
	say := func(name string) error {
		agent := under(t, Limits{Principal: 20, Window: time.Hour, Ledger: ledger, Name: name}, &groupchat.LLM{Model: thirsty(&asked, 0)})
		o := thread.Options{}
		o.Input.Principal.ID = "ada"
		_, err := thread.New(agent, o).Say(t.Context(), "go")
		return err
	}
	for range 2 {
		if err := say("a"); err != nil {
			t.Fatal(err)
		}
	}
	exceeds(t, say("a"), "try again later")
	if err := say("b"); err != nil {
		t.Errorf("another budget: %v", err)
	}
}
