package groupchat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/model"
)

// A narrow model takes so many tokens and refuses longer requests, as servers of models do. It holds every request to
// the they insist on.
type narrow struct {
	t       testing.TB
	window  int
	refusal errcode.Code // model_context_length if empty
	replies func(r model.Request) model.Reply
	summary func(r model.Request) (model.Reply, error) // its reply to a request for a summary; nil: a good one

	mu        sync.Mutex
	asked     []model.Request
	refused   int
	summaries []model.Request
}

// realTokens is how the narrow model counts: not as they are estimated.
func realTokens(r model.Request) int {
	n := 0
	for _, m := range r.Messages {
		n += len(m.Text)/4 + 3
		for _, c := range m.Calls {
			n += (len(c.Name) + len(c.Arguments)) / 4
		}
	}
	for _, t := range r.Tools {
		n += (len(t.Name) + len(t.Description) + len(t.Parameters)) / 4
	}
	return n
}

func (n *narrow) Stream(ctx context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
	if ctx.Err() != nil {
		return model.Reply{}, context.Cause(ctx)
	}
	wellFormed(n.t, r)
	n.mu.Lock()
	defer n.mu.Unlock()
	if realTokens(r) > n.window {
		n.refused++
		code := n.refusal
		if code == "" {
			code = errcode.ModelContextLength
		}
		return model.Reply{}, &errcode.Error{Code: code, Err: errors.New("too long")}
	}
	tokens := int64(realTokens(r))
	usage := agui.TokenUsage{Provider: "p", Model: "narrow", InputTokens: &tokens}
	if strings.HasPrefix(r.Messages[0].Text, "You write down") {
		n.summaries = append(n.summaries, r)
		if n.summary != nil {
			reply, err := n.summary(r)
			return reply, err
		}
		return model.Reply{Text: fmt.Sprintf("Summary %d.", len(n.summaries)), Usage: usage}, nil
	}
	n.asked = append(n.asked, r)
	reply := model.Reply{Text: fmt.Sprintf("Answer %d. %s", len(n.asked), strings.Repeat("word ", 20))}
	if n.replies != nil {
		reply = n.replies(r)
	}
	reply.Usage = usage
	return reply, nil
}

func (n *narrow) last() model.Request { return n.asked[len(n.asked)-1] }

// wellFormed holds a request to what all servers want, and to what a history promises.
func wellFormed(t testing.TB, r model.Request) {
	t.Helper()
	var open []string
	users := 0
	for i, m := range r.Messages {
		switch {
		case len(open) > 0 && (m.Role != agui.RoleTool || m.CallID != open[0]):
			t.Errorf("message %d is a %s's for %q, want the result of %s", i, m.Role, m.CallID, open[0])
		case len(open) == 0 && m.Role == agui.RoleTool:
			t.Errorf("message %d is a result of nothing", i)
		case m.Role == agui.RoleSystem && i > 0:
			t.Errorf("message %d is the system's", i)
		case m.Role == agui.RoleUser:
			users++
		case m.Role == agui.RoleAssistant && users == 0:
			t.Errorf("message %d is the model's own, before any other", i)
		}
		if m.Role == agui.RoleTool {
			open = open[min(1, len(open)):]
		}
		for _, c := range m.Calls {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without a result: %q", open)
	}
	if n := len(r.Messages); n == 0 || r.Messages[n-1].Role == agui.RoleAssistant {
		t.Errorf("the last of %d messages is no question", n)
	}
}

// requestLines lists the messages of a request, one a line, each cut to a few words.
func requestLines(r model.Request) string {
	var lines []string
	for _, m := range r.Messages {
		text, _, _ := strings.Cut(m.Text, ".")
		line := string(m.Role[0]) + ":" + text
		for _, c := range m.Calls {
			line += " " + c.Name + c.Arguments
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, " | ")
}

func lastUserText(r model.Request) string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if m := r.Messages[i]; m.Role == agui.RoleUser && !strings.HasPrefix(m.Text, "[From the system") {
			return m.Text
		}
	}
	return ""
}

// TestAThreadWithoutEnd has a conversation of 500 turns with a model that takes 4,000 tokens. Each turn costs about the
// same, whatever is done about what does not fit.
func TestAThreadWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		history *history.Policy
		refusal errcode.Code
		refused int // at most
		calls   int // at most, in one turn
		turns   int // 150 if zero
	}{
		"nothing is said of it":            {nil, "", 4, 2, 500},
		"a server that does not say why":   {nil, errcode.ModelRequest, 40, 2, 0},
		"tokens":                           {&history.Policy{Tokens: 3000}, "", 0, 1, 0},
		"turns":                            {&history.Policy{Turns: 20}, "", 0, 1, 0},
		"summaries":                        {&history.Policy{Tokens: 3000, Strategy: history.Summarise}, "", 0, 2, 500},
		"summaries on demand":              {&history.Policy{Strategy: history.Summarise}, "", 4, 3, 0},
		"the first turn stays":             {&history.Policy{Tokens: 3000, KeepFirst: 1, KeepLast: 5}, "", 0, 1, 0},
		"counted by a function":            {&history.Policy{Tokens: 3000, Count: realTokens}, "", 0, 1, 0},
		"more than the server takes":       {&history.Policy{Tokens: 30000}, "", 4, 2, 0},
		"with the state, which is at last": {&history.Policy{Tokens: 2000}, "", 0, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &narrow{t: t, window: 4000, refusal: tt.refusal}
			r := newRig(t, &LLM{Model: m, Instructions: "Be brief.", History: tt.history, Sees: []string{"/n"}})
			r.state = []byte(`{"n":1}`)
			for i := range cmp.Or(tt.turns, 150) {
				before := len(m.asked) + m.refused + len(m.summaries)
				text := fmt.Sprintf("Question %d: %s", i, strings.Repeat("why ", 30))
				s := r.say(text)
				if s.err != nil {
					t.Fatalf("turn %d: %v", i, s.err)
				}
				if got := len(m.asked) + m.refused + len(m.summaries) - before; got > tt.calls {
					t.Errorf("turn %d takes %d calls of the model, want at most %d", i, got, tt.calls)
				}
				if got := lastUserText(m.last()); got != text {
					t.Fatalf("turn %d: the last words of the user are %q", i, got)
				}
			}
			if m.refused > tt.refused {
				t.Errorf("%d requests were refused, want at most %d", m.refused, tt.refused)
			}
			if tt.history != nil && tt.history.Strategy == history.Summarise && (len(m.summaries) < 4 || len(m.summaries) > 40) {
				t.Errorf("%d summaries were made", len(m.summaries))
			}
			if tt.history != nil && tt.history.KeepFirst > 0 && !strings.Contains(requestLines(m.last()), "u:Question 0:") {
				t.Errorf("the first turn is gone: %s", requestLines(m.last()))
			}
			if len(r.notes) > 3<<10 {
				t.Errorf("the notes take %d bytes", len(r.notes))
			}
		})
	}
}

// TestPrefixesGrow looks at how much of each request begins like the one before: all that was said till then, but for a
// few turns in which the oldest are left out.
func TestPrefixesGrow(t *testing.T) {
	t.Parallel()
	for name, history := range map[string]*history.Policy{
		"without end": nil, "turns": {Turns: 20}, "tokens": {Tokens: 3000}, "summaries": {Tokens: 3000, Strategy: history.Summarise},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &narrow{t: t, window: 1 << 30}
			m.replies = func(q model.Request) model.Reply {
				if q.Messages[len(q.Messages)-1].Role == agui.RoleTool {
					return model.Reply{Text: fmt.Sprintf("Answer %d. %s", len(m.asked), strings.Repeat("word ", 20))}
				}
				return model.Reply{Calls: []model.Call{{Name: "f", Arguments: `{"x":1}`}}}
			}
			c := &counted{}
			r := newRig(t, &LLM{Model: m, Instructions: "Be brief.", Tools: []Tool{c.tool("f")}, History: history, Sees: []string{"/n"}})
			for i := range 100 {
				r.state = fmt.Appendf(nil, `{"n":%d}`, i) // the variable part is after the constant one
				if s := r.say(fmt.Sprintf("Question %d", i)); s.err != nil {
					t.Fatal(s.err)
				}
			}
			broken := 0
			for i := 1; i < len(m.asked); i++ {
				before, now := m.asked[i-1].Messages, m.asked[i].Messages
				n := len(before)
				if at := slices.IndexFunc(before, func(m model.Message) bool { return strings.HasPrefix(m.Text, "[From the system, not") }); i%2 == 0 {
					n = at // another turn: the variable part is another, from here on
				}
				same := 0
				for same < min(n, len(now)) && fmt.Sprint(before[same]) == fmt.Sprint(now[same]) {
					same++
				}
				if same < n {
					broken++
				}
			}
			most := 30
			if history == nil {
				most = 0
			}
			if broken > most {
				t.Errorf("%d of %d requests begin anew, want at most %d", broken, len(m.asked), most)
			}
		})
	}
}

// TestASummaryIsRecorded loses the process when a summary is there: the next one continues with it.
func TestASummaryIsRecorded(t *testing.T) {
	t.Parallel()
	m := &narrow{t: t, window: 4000}
	r := newRig(t, &LLM{Model: m, History: &history.Policy{Turns: 4, Strategy: history.Summarise}})
	for i := range 4 {
		must(t, r.say(fmt.Sprintf("Question %d", i)).err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	r.ctx = ctx
	r.recorded = func() { cancel(ErrMoved) } // the process is gone when the summary is recorded
	messages := len(r.messages)
	clear(r.onces)
	if s := r.say("Question 4"); s.err == nil {
		t.Fatal("it was not lost")
	}
	r.recorded, r.ctx = nil, context.Background()
	equal(t, "summaries", len(m.summaries), 1)
	if len(r.messages) != messages+1 {
		t.Fatal("the rig keeps messages of a run that was lost")
	}
	s := r.run(Session{Takeover: true, Memo: r.onces})
	must(t, s.err)
	equal(t, "summaries", len(m.summaries), 1)
	if !strings.Contains(fmt.Sprint(m.last().Messages), "Summary 1.") {
		t.Errorf("asked %s", requestLines(m.last()))
	}
	must(t, r.say("Question 5").err)
	equal(t, "summaries", len(m.summaries), 1)
}

// TestASummaryThatFails leaves out for a turn what could not be summarised, and summarises it later.
func TestASummaryThatFails(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]func(model.Request) (model.Reply, error){
		"away": func(model.Request) (model.Reply, error) {
			return model.Reply{}, &errcode.Error{Code: errcode.ModelUnavailable}
		},
		"empty":           func(model.Request) (model.Reply, error) { return model.Reply{Text: " \n"}, nil },
		"a call":          func(model.Request) (model.Reply, error) { return model.Reply{Calls: []model.Call{{Name: "f"}}}, nil },
		"longer":          func(model.Request) (model.Reply, error) { return model.Reply{Text: strings.Repeat("long ", 600)}, nil },
		"far longer":      func(model.Request) (model.Reply, error) { return model.Reply{Text: strings.Repeat("long ", 6000)}, nil },
		"cut off":         func(model.Request) (model.Reply, error) { return model.Reply{Text: "Half", Finish: "length"}, nil },
		"panics":          nil,
		"not even a code": func(model.Request) (model.Reply, error) { return model.Reply{}, errors.New("odd") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &narrow{t: t, window: 4000, summary: bad}
			h := &history.Policy{Turns: 4, Strategy: history.Summarise}
			panics := bad == nil
			if panics {
				h.Summarise = func(context.Context, history.Summary) (string, error) {
					if panics {
						panic("no")
					}
					return "Summary 1.", nil
				}
			}
			r := newRig(t, &LLM{Model: m, History: h})
			for i := range 6 {
				must(t, r.say(fmt.Sprintf("Question %d", i)).err)
			}
			if got := requestLines(m.last()); !strings.HasPrefix(got, "u:[From the system: the conversation is long, and a part") || strings.Contains(got, "Question 1 ") {
				t.Errorf("asked %s", got)
			}
			m.summary, panics = nil, false
			must(t, r.say("Question 6").err)
			if !strings.Contains(fmt.Sprint(m.last().Messages), "Summary ") {
				t.Errorf("asked %s", requestLines(m.last()))
			}
			if h.Summarise == nil && !strings.Contains(fmt.Sprint(m.summaries[len(m.summaries)-1]), "Question 0") {
				t.Errorf("what had left is not in the summary: %s", requestLines(m.summaries[len(m.summaries)-1]))
			}
		})
	}
}

// TestTooLongAlone names the part that is too long, and the thread continues.
func TestTooLongAlone(t *testing.T) {
	t.Parallel()
	m := &narrow{t: t, window: 4000}
	r := newRig(t, &LLM{Model: m})
	must(t, r.say("Hello").err)
	s := r.say(strings.Repeat("much ", 8000))
	codeOf(t, s, errcode.ModelContextLength)
	equal(t, "asked", len(m.asked)+m.refused, 3)
	must(t, r.say("Again").err) // the long words are still there
	equal(t, "asked", len(m.asked)+m.refused, 4)
	equal(t, "the request", lastUserText(m.last()), "Again")
}

// TestEditsEndASummary takes back what a summary is of.
func TestEditsEndASummary(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(r *rig){
		"cut":    func(r *rig) { r.messages = r.messages[:1] },
		"edited": func(r *rig) { r.messages[3].Content = agui.TextContent("Another answer") },
		"hidden": func(r *rig) { r.messages = r.messages[len(r.messages)-2:] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &narrow{t: t, window: 4000}
			r := newRig(t, &LLM{Model: m, History: &history.Policy{Turns: 2, Strategy: history.Summarise}})
			for i := range 3 {
				must(t, r.say(fmt.Sprintf("Secret %d", i)).err)
			}
			if !strings.Contains(string(r.notes), "Summary 1.") {
				t.Fatalf("notes %s", r.notes)
			}
			edit(r)
			must(t, r.say("Next").err)
			if strings.Contains(fmt.Sprint(m.last().Messages), "Summary 1.") || strings.Contains(string(r.notes), "Summary 1.") {
				t.Errorf("asked %s with notes %s", requestLines(m.last()), r.notes)
			}
		})
	}
}
