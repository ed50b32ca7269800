package guard

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// A script is a model that says its replies in order, in pieces of a few bytes, and keeps what it was asked.
type script struct {
	replies []model.Reply
	asked   []model.Request
	size    int
}

func (s *script) Stream(_ context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	s.asked = append(s.asked, r)
	reply := s.replies[min(len(s.asked), len(s.replies))-1]
	for rest := reply.Text; rest != "" && on.Text != nil && s.size > 0; {
		n := min(s.size, len(rest))
		for n < len(rest) && rest[n]&0xC0 == 0x80 {
			n++
		}
		if err := on.Text(rest[:n]); err != nil {
			return model.Reply{}, err
		}
		rest = rest[n:]
	}
	return reply, nil
}

func says(words ...string) *script {
	s := &script{size: 3}
	for _, w := range words {
		s.replies = append(s.replies, model.Reply{Text: w})
	}
	return s
}

// A played is the result of one run under rules.
type played struct {
	err    error
	result *thread.Result
	thread *thread.Thread
	shown  string // the pieces of text on the wire, with | between
}

func play(t *testing.T, agent groupchat.Agent, said string, rules ...Rule) *played {
	t.Helper()
	h, err := New(rules...)
	if err != nil {
		t.Fatal(err)
	}
	var pieces []string
	p := &played{}
	p.thread = thread.New(groupchat.WithHooks(agent, h), thread.Options{Events: func(e agui.Event) error {
		if c, ok := e.(*agui.TextMessageContent); ok {
			pieces = append(pieces, c.Delta)
		}
		return nil
	}})
	p.result, p.err = p.thread.Say(t.Context(), said)
	p.shown = strings.Join(pieces, "|")
	return p
}

// words is all that was said in the run.
func (p *played) words() string { return strings.ReplaceAll(p.shown, "|", "") }

func (p *played) code() errcode.Code { return errcode.Of(p.err) }

// sentence returns the sentence for people about the failure.
func (p *played) sentence() string {
	e, _ := errors.AsType[*errcode.Error](p.err)
	if e == nil {
		return ""
	}
	return e.Public()
}

func TestInput(t *testing.T) {
	t.Parallel()
	password := regexp.MustCompile("(?i)password")
	on := []Place{Input}
	for name, tt := range map[string]struct {
		rule Rule
		said string
		code errcode.Code
		told string // to people
	}{
		"passes":             {Rule{On: on, Match: password}, "hello", "", "hi"},
		"is refused":         {Rule{On: on, Match: password, Say: "No passwords."}, "my PassWord is x", errcode.GuardrailRefused, "No passwords."},
		"without a sentence": {Rule{On: on, Match: password}, "password", errcode.GuardrailRefused, errcode.GuardrailRefused.Message()},
		"is answered":        {Rule{On: on, Match: password, Do: Answer, Say: "Better not."}, "password", "", "Better not."},
		"has a card":         {Rule{On: on, Detect: []Detector{Card}, Do: Answer, Say: "No cards."}, "take 4111 1111 1111 1111", "", "No cards."},
		"a predicate": {Rule{On: on, Check: func(_ context.Context, s string) (bool, error) { return len(s) < 5, nil }, Say: "Shorter."},
			"too long", errcode.GuardrailRefused, "Shorter."},
		"a predicate that fails": {Rule{On: on, Check: func(context.Context, string) (bool, error) { return true, errors.New("away") }},
			"x", errcode.HookFailed, errcode.HookFailed.Message()},
		"a predicate that panics":       {Rule{On: on, Check: func(context.Context, string) (bool, error) { panic("x") }}, "x", errcode.HookFailed, errcode.HookFailed.Message()},
		"and may":                       {Rule{On: on, Check: func(context.Context, string) (bool, error) { panic("x") }, Otherwise: OtherwiseAllow}, "x", "", "hi"},
		"a model that allows":           {Rule{On: on, Ask: &Judge{Model: says(`{"allow":true,"reason":""}`)}}, "x", "", "hi"},
		"a model that allows, fenced":   {Rule{On: on, Ask: &Judge{Model: says("```json\n{\"allow\":true,\"reason\":\"\"}\n```")}}, "x", "", "hi"},
		"a model that refuses":          {Rule{On: on, Ask: &Judge{Model: says(`{"allow":false,"reason":"r"}`)}, Say: "No."}, "x", errcode.GuardrailRefused, "No."},
		"a model that talks nonsense":   {Rule{On: on, Ask: &Judge{Model: says(`I think that is fine`)}}, "x", errcode.HookFailed, errcode.HookFailed.Message()},
		"a model that leaves allow out": {Rule{On: on, Ask: &Judge{Model: says(`{"reason":"fine"}`)}}, "x", errcode.HookFailed, errcode.HookFailed.Message()},
		"nonsense, and may":             {Rule{On: on, Ask: &Judge{Model: says(`hm`)}, Otherwise: OtherwiseAllow}, "x", "", "hi"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := says("hi")
			p := play(t, &groupchat.LLM{Model: m}, tt.said, tt.rule)
			if p.code() != tt.code {
				t.Fatalf("code %q (%v), want %q", p.code(), p.err, tt.code)
			}
			told := p.words()
			if p.err != nil {
				told = p.sentence()
			}
			if told != tt.told {
				t.Errorf("told %q, want %q", told, tt.told)
			}
			if asked := len(m.asked) > 0; asked != (told == "hi") {
				t.Errorf("the agent's model was asked: %v", asked)
			}
			if first := p.thread.Messages(); len(first) == 0 || first[0].Content.Text() != tt.said {
				t.Errorf("what the user said is lost: %v", first)
			}
		})
	}
}

// TestInputIsAllThatCameSinceOthersSpoke: a second message does not hide the first one.
func TestInputIsAllThatCameSinceOthersSpoke(t *testing.T) {
	t.Parallel()
	h, err := New(Rule{On: []Place{Input}, Match: regexp.MustCompile("secret")})
	if err != nil {
		t.Fatal(err)
	}
	th := thread.New(groupchat.WithHooks(&groupchat.LLM{Model: says("hi")}, h), thread.Options{})
	user := func(text string) groupchat.Message {
		return groupchat.Message{Role: agui.RoleUser, Content: agui.TextContent(text)}
	}
	if _, err := th.Send(t.Context(), user("the secret"), user("hello")); errcode.Of(err) != errcode.GuardrailRefused {
		t.Errorf("got %v", err)
	}
}

// TestOneTurnIsJudgedOnce, by the outermost agent, not again by each participant.
func TestOneTurnIsJudgedOnce(t *testing.T) {
	t.Parallel()
	n := 0
	team := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
		{Name: "a", Agent: &groupchat.LLM{Model: says("one")}}, {Name: "b", Agent: &groupchat.LLM{Model: says("two")}},
	}}
	p := play(t, team, "go", Rule{On: []Place{Input}, Check: func(context.Context, string) (bool, error) { n++; return true, nil }})
	if p.err != nil || n != 1 {
		t.Errorf("%v, judged %d times", p.err, n)
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	on := []Place{Output}
	internal := regexp.MustCompile(`Project \w+`)
	for name, tt := range map[string]struct {
		rule  Rule
		says  string
		shown string
		code  errcode.Code
	}{
		"nothing to find":         {Rule{On: on, Detect: Detectors(), Do: Redact}, "Meet me at noon, in room 5.", "Meet me at noon, in room 5.", ""},
		"an address is masked":    {Rule{On: on, Detect: []Detector{Email}, Do: Redact}, "Write to ann.lee@example.org today.", "Write to [email] today.", ""},
		"at the end":              {Rule{On: on, Detect: []Detector{Email}, Do: Redact}, "Write to ann@example.org", "Write to [email]", ""},
		"a card":                  {Rule{On: on, Detect: []Detector{Card}, Do: Redact}, "Use 4111-1111-1111-1111 or 4111-1111-1111-1112.", "Use [card] or 4111-1111-1111-1112.", ""},
		"an account":              {Rule{On: on, Detect: []Detector{IBAN}, Do: Redact}, "To DE89 3704 0044 0532 0130 00 IS fine", "To [iban] IS fine", ""},
		"a phone":                 {Rule{On: on, Detect: []Detector{Phone}, Do: Redact}, "Call +49 30 1234567 now", "Call [phone] now", ""},
		"a key":                   {Rule{On: on, Detect: []Detector{Secret}, Do: Redact}, "It is sk-" + strings.Repeat("a1", 12) + " ok", "It is [secret] ok", ""},
		"a named secret":          {Rule{On: on, Detect: []Detector{Secret}, Do: Redact}, "The password: hunter22 works", "The [secret] works", ""},
		"a pattern":               {Rule{On: on, Match: internal, Do: Redact}, "We call it Project Zeus, you know.", "We call it [redacted], you know.", ""},
		"a mask":                  {Rule{On: on, Match: internal, Do: Redact, Mask: "it"}, "We call it Project Zeus.", "We call it it.", ""},
		"beside other characters": {Rule{On: on, Match: regexp.MustCompile("é+"), Do: Redact, Mask: "e", Window: 4}, "ééé ünd ﬁ é😀é", "e ünd ﬁ e😀e", ""},
		"a word, not its part":    {Rule{On: on, Match: regexp.MustCompile(`\bcat\b`), Do: Redact, Mask: "dog", Window: 4}, "concat cat category cat", "concat dog category dog", ""},
		"the beginning":           {Rule{On: on, Match: regexp.MustCompile(`^a`), Do: Redact, Mask: "b", Window: 1}, "aaa", "baa", ""},
		"is refused":              {Rule{On: on, Match: internal, Say: "Not that."}, "We call it Project Zeus, you know.", "", errcode.GuardrailRefused},
		"is replaced":             {Rule{On: on, Match: internal, Do: Replace, Say: "(left out)"}, "We call it Project Zeus.", "(left out)", ""},
		"a sentence is replaced":  {Rule{On: on, Match: internal, Do: Replace, Say: "(…) ", Hold: HoldSentence}, "Hi. It is Project Zeus. Bye.", "Hi. (…) Bye.", ""},
		"a predicate": {Rule{On: on, Check: func(_ context.Context, s string) (bool, error) { return !strings.Contains(s, "bad"), nil }, Do: Replace, Say: "(bad)\n", Hold: HoldSentence},
			"Good one.\nA bad one!\nThe end", "Good one.\n(bad)\nThe end", ""},
		"a model":              {Rule{On: on, Ask: &Judge{Model: says(`{"allow":false,"reason":""}`)}}, "anything", "", errcode.GuardrailRefused},
		"a model's nonsense":   {Rule{On: on, Ask: &Judge{Model: says(`?`)}}, "anything", "", errcode.HookFailed},
		"a model that is fine": {Rule{On: on, Ask: &Judge{Model: says(`{"allow":true,"reason":""}`)}}, "anything", "anything", ""},
	} {
		for _, size := range []int{1, 7, 1000, 0} {
			m := says(tt.says)
			m.size = size
			p := play(t, &groupchat.LLM{Model: m}, "go", tt.rule)
			if p.code() != tt.code {
				t.Errorf("%s, by %d: %v", name, size, p.err)
				continue
			}
			if tt.code == "" && (p.words() != tt.shown || p.result.Text != tt.shown) {
				t.Errorf("%s, by %d: shown %q, kept %q, want %q", name, size, p.shown, p.result.Text, tt.shown)
			}
			if tt.code != "" && strings.Contains(p.words(), "Zeus") {
				t.Errorf("%s, by %d: shown %q", name, size, p.shown)
			}
		}
	}
}

// TestAMessageThatIsTooLongToBeHeld is refused, unless the rule says otherwise.
func TestAMessageThatIsTooLongToBeHeld(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", MaxHeld/4)
	fine := func(context.Context, string) (bool, error) { return true, nil }
	for otherwise, code := range map[Otherwise]errcode.Code{"": errcode.HookFailed, OtherwiseAllow: ""} {
		m := says(long)
		m.size = 1000
		p := play(t, &groupchat.LLM{Model: m}, "go", Rule{On: []Place{Output}, Check: fine, Otherwise: otherwise})
		if p.code() != code || code == "" && p.words() != long {
			t.Errorf("otherwise %q: %v, %d bytes", otherwise, p.err, len(p.words()))
		}
	}
}

// TestWhatAModelIsSentAndAnswers.
func TestWhatAModelIsSentAndAnswers(t *testing.T) {
	t.Parallel()
	m := &script{size: 3, replies: []model.Reply{
		{Text: "For bob@example.org:", Calls: []model.Call{{Name: "look", Arguments: `{"who":"bob@example.org","n":4111111111111111}`}}},
		{Text: "Found bob@example.org."},
	}}
	var called string
	look := groupchat.Tool{Name: "look", Call: func(_ context.Context, c groupchat.ToolCall) (tools.Result, error) {
		called = string(c.Arguments)
		return tools.Text(`{"mail":"carl@example.org"}`), nil
	}}
	agent := &groupchat.LLM{Model: m, Instructions: "Help desk: desk@example.org", Tools: []groupchat.Tool{look}}
	p := play(t, agent, "I am ann@example.org", Rule{On: []Place{Request, Reply, ToolResult}, Detect: []Detector{Email, Card}, Do: Redact})
	if p.err != nil {
		t.Fatal(p.err)
	}
	if p.words() != "For [email]:Found [email]." || called != `{"n":"[card]","who":"[email]"}` {
		t.Errorf("said %q, called with %s", p.words(), called)
	}
	raw, _ := json.Marshal(m.asked)
	if sent := string(raw); strings.Contains(sent, "ann@") || strings.Contains(sent, "carl@") || !strings.Contains(sent, "desk@example.org") {
		t.Errorf("sent %s", sent)
	}
	if first := p.thread.Messages()[0].Content.Text(); first != "I am ann@example.org" {
		t.Errorf("the thread has %q", first)
	}
}

func TestCallsOfTools(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rule   Rule
		code   errcode.Code
		called bool
		said   string
	}{
		"arguments are refused":     {Rule{On: []Place{ToolArguments}, Match: regexp.MustCompile("rm -rf"), Say: "No."}, errcode.GuardrailRefused, false, ""},
		"the model is told":         {Rule{On: []Place{ToolArguments}, Match: regexp.MustCompile("rm -rf"), Do: Tell, Say: "Not allowed."}, "", false, "told: Not allowed."},
		"a result is refused":       {Rule{On: []Place{ToolResult}, Match: regexp.MustCompile("root")}, errcode.GuardrailRefused, true, ""},
		"a result is told":          {Rule{On: []Place{ToolResult}, Match: regexp.MustCompile("root"), Do: Tell, Say: "Left out."}, "", true, "told: Left out."},
		"a result is masked":        {Rule{On: []Place{ToolResult}, Match: regexp.MustCompile("root"), Do: Redact}, "", true, "told: ran as [redacted]"},
		"people see nothing of it":  {Rule{On: []Place{Output}, Match: regexp.MustCompile("root"), Do: Redact}, "", true, "told: ran as [redacted]"},
		"other arguments are fine":  {Rule{On: []Place{ToolArguments}, Match: regexp.MustCompile("curl")}, "", true, "told: ran as root"},
		"a predicate on arguments":  {Rule{On: []Place{ToolArguments}, Check: func(context.Context, string) (bool, error) { return false, nil }}, errcode.GuardrailRefused, false, ""},
		"a model sees the argument": {Rule{On: []Place{ToolArguments}, Ask: &Judge{Model: says(`{"allow":false,"reason":""}`)}}, errcode.GuardrailRefused, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			called := false
			agent := &groupchat.LLM{Tools: []groupchat.Tool{{Name: "shell", Call: func(context.Context, groupchat.ToolCall) (tools.Result, error) {
				called = true
				return tools.Text("ran as root"), nil
			}}}, Model: model.Func(func(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
				if last := r.Messages[len(r.Messages)-1]; last.Role == agui.RoleTool {
					return model.Reply{Text: "told: " + last.Text}, nil
				}
				return model.Reply{Calls: []model.Call{{Name: "shell", Arguments: `{"command":"rm -rf /"}`}}}, nil
			})}
			p := play(t, agent, "clean up", tt.rule)
			if p.code() != tt.code || called != tt.called || tt.code == "" && p.words() != tt.said {
				t.Errorf("%v, called %v, said %q", p.err, called, p.words())
			}
			for _, m := range p.thread.Messages() {
				if strings.Contains(name, "see nothing") && m.Role == agui.RoleTool && strings.Contains(m.Content.Text(), "root") {
					t.Errorf("people see %q", m.Content.Text())
				}
			}
		})
	}
}

func TestRulesThatCannotBe(t *testing.T) {
	t.Parallel()
	x := regexp.MustCompile("x")
	for name, r := range map[string]Rule{
		"nowhere":                {Match: x},
		"a place that is none":   {On: []Place{"moon"}, Match: x},
		"nothing to look for":    {On: []Place{Output}},
		"two things":             {On: []Place{Output}, Match: x, Detect: []Detector{Email}},
		"a detector of nothing":  {On: []Place{Output}, Detect: []Detector{"shoe"}},
		"input is masked":        {On: []Place{Input}, Match: x, Do: Redact},
		"input is replaced":      {On: []Place{Input}, Match: x, Do: Replace, Say: "y"},
		"a predicate masks":      {On: []Place{Output}, Check: func(context.Context, string) (bool, error) { return true, nil }, Do: Redact},
		"an answer to output":    {On: []Place{Output}, Match: x, Do: Answer, Say: "y"},
		"an answer of nothing":   {On: []Place{Input}, Match: x, Do: Answer},
		"telling about output":   {On: []Place{Output}, Match: x, Do: Tell, Say: "y"},
		"an action that is none": {On: []Place{Output}, Match: x, Do: "shout"},
		"a hold that is none":    {On: []Place{Output}, Match: x, Hold: "breath"},
		"otherwise what":         {On: []Place{Output}, Match: x, Otherwise: "maybe"},
		"a window too wide":      {On: []Place{Output}, Match: x, Window: maxWindow + 1},
		"a judge without model":  {On: []Place{Output}, Ask: &Judge{}},
		"a judge of requests":    {On: []Place{Request}, Ask: &Judge{Model: says("")}},
	} {
		if _, err := New(r); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestARefusalNamesItsRule in the error, which the server log has, and not to clients.
func TestARefusalNamesItsRule(t *testing.T) {
	t.Parallel()
	r := Rule{Name: "team.yaml:7", Say: "No."}
	err := r.refusal()
	if coded, ok := errors.AsType[*errcode.Error](err); !ok || coded.Public() != "No." || !strings.Contains(err.Error(), "team.yaml:7") {
		t.Errorf("refusal() = %v", err)
	}
}
