package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// A Place is where a rule looks.
type Place string

// The places.
const (
	// Input is what the user said last, before the agent's turn begins: all that came since somebody else spoke. Other
	// members of what a client sends, such as its state, and answers to questions are not input.
	Input Place = "input"
	// Request is what a model is sent, except the instructions: of the conversation, of calls and results.
	Request Place = "request"
	// Reply is a model's reply, before it is recorded, shown and part of the next request: words, reasoning, arguments
	// of calls.
	Reply Place = "reply"
	// Output is what people see: words and reasoning, arguments and results of calls, events of agents' own, and the
	// messages of questions. The options of a question and the state are not looked at.
	Output Place = "output"
	// ToolArguments are what a tool of the server is called with, and ToolResult is what it returns, before it is
	// recorded.
	ToolArguments Place = "tool_arguments"
	ToolResult    Place = "tool_result"
)

// Places are all of them.
func Places() []Place { return []Place{Input, Request, Reply, Output, ToolArguments, ToolResult} }

// An Action is what a rule does about what it has found.
type Action string

// The actions. The zero value refuses.
const (
	Refuse  Action = "refuse"  // the turn fails with guardrail_refused, and its message is Say
	Redact  Action = "redact"  // matches are masked, for patterns and detectors
	Replace Action = "replace" // the whole text gives way to Say
	Answer  Action = "answer"  // the agent says Say instead of working, for Input
	Tell    Action = "tell"    // the model gets Say as the result of the call, for ToolArguments and ToolResult
)

// A Hold says how much of a text people wait for until a rule has judged it.
type Hold string

// The holds. The zero value is a window for patterns and detectors, and the message for predicates and models.
const (
	HoldSentence Hold = "sentence" // each sentence, or line, passes when it is judged
	HoldMessage  Hold = "message"  // the message passes when all of it is judged
)

// Otherwise says what a check means that could not be made. The zero value refuses with hook_failed.
type Otherwise string

// The meanings.
const (
	OtherwiseRefuse Otherwise = "refuse"
	OtherwiseAllow  Otherwise = "allow"
)

// A Rule is one guardrail. It looks for exactly one of Match, Detect, Check and Ask.
type Rule struct {
	// Name says in the server log which rule has refused something; it may be empty.
	Name string
	On   []Place

	// Match finds what a pattern matches. A match that is longer than Window characters may be missed in what people
	// see, unless Hold is set.
	Match  *regexp.Regexp
	Window int // 0 means 64
	// Detect finds what the detectors do.
	Detect []Detector
	// Check reports whether a text may pass. It may be called by several goroutines at once.
	Check func(ctx context.Context, text string) (allowed bool, err error)
	// Ask lets a model decide.
	Ask *Judge

	Do Action
	// Say is the sentence of a refusal or an answer, or replaces a text; for a refusal, empty means that of the code.
	// Mask replaces matches of Match, "[redacted]" if empty; detectors use their names.
	Say, Mask string
	Hold      Hold
	Otherwise Otherwise
}

// A Judge asks a model whether a text may pass. It answers {"allow": …, "reason": …}; the reason is for the log. The
// call has the purpose [model.ForGuard], is recorded, and counts as the run's.
type Judge struct {
	Model        model.Model
	Instructions string        // what may pass, or may not, in plain words
	Timeout      time.Duration // 0 means 10 seconds
}

// The defaults of rules.
const (
	defaultWindow  = 64
	maxWindow      = 4096
	defaultTimeout = 10 * time.Second
	defaultMask    = "[redacted]"
)

// Validate returns the problem of the rule.
func (r *Rule) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("guard: "+format, args...)) }
	if len(r.On) == 0 {
		bad("a rule has to be on something")
	}
	for _, p := range r.On {
		if !slices.Contains(Places(), p) {
			bad("unknown place %q", p)
		}
	}
	looks := 0
	for _, is := range []bool{r.Match != nil, len(r.Detect) > 0, r.Check != nil, r.Ask != nil} {
		if is {
			looks++
		}
	}
	if looks != 1 {
		bad("a rule looks for one of a pattern, detectors, a predicate and a model's verdict")
	}
	for _, d := range r.Detect {
		if _, ok := detections[d]; !ok {
			bad("unknown detector %q", d)
		}
	}
	if r.Ask != nil && (r.Ask.Model == nil || r.Ask.Timeout < 0) {
		bad("a model to ask is missing, or its timeout is negative")
	}
	if r.Window < 0 || r.Window > maxWindow {
		bad("a window has 1 to %d characters", maxWindow)
	}
	if problem := r.misuse(); problem != "" {
		bad("%s", problem)
	}
	return errors.Join(errs...)
}

// misuse is what does not fit together in the rule.
func (r *Rule) misuse() string {
	only := func(allowed ...Place) bool {
		return !slices.ContainsFunc(r.On, func(p Place) bool { return !slices.Contains(allowed, p) })
	}
	pattern := r.Match != nil || len(r.Detect) > 0
	switch r.do() {
	case Refuse:
	case Redact:
		if !pattern {
			return "only what a pattern or a detector finds can be masked"
		}
		if slices.Contains(r.On, Input) {
			return "what a user wrote stays as it is: mask it in what the model is sent, on request"
		}
	case Replace:
		if slices.Contains(r.On, Input) {
			return "what a user wrote stays as it is: refuse it, or answer"
		}
	case Answer:
		if !only(Input) || r.Say == "" {
			return "an answer is a sentence in place of what was asked, on input only"
		}
	case Tell:
		if !only(ToolArguments, ToolResult) || r.Say == "" {
			return "a model is told a sentence about a call of a tool, on tool_arguments and tool_result only"
		}
	default:
		return fmt.Sprintf("unknown action %q", r.Do)
	}
	switch r.Hold {
	case "", HoldMessage, HoldSentence:
	default:
		return fmt.Sprintf("unknown hold %q", r.Hold)
	}
	switch r.Otherwise {
	case "", OtherwiseRefuse, OtherwiseAllow:
	default:
		return fmt.Sprintf("unknown %q for a check that could not be made", r.Otherwise)
	}
	if r.Ask != nil && slices.Contains(r.On, Request) {
		return "a model is not asked about each message that a model is sent: ask it about the input"
	}
	return ""
}

func (r *Rule) do() Action { return cmp.Or(r.Do, Refuse) }

// finders are how a pattern or detectors find things; nil for others.
func (r *Rule) finders() []finder {
	if r.Match == nil {
		return findersOf(r.Detect)
	}
	window := cmp.Or(r.Window, defaultWindow)
	return []finder{{
		mask: cmp.Or(r.Mask, defaultMask),
		find: func(text string) [][2]int {
			var found [][2]int
			for _, at := range r.Match.FindAllStringIndex(text, -1) {
				found = append(found, [2]int{at[0], at[1]})
			}
			return found
		},
		holds: func(text string) int {
			at := len(text)
			for range window {
				_, size := utf8.DecodeLastRuneInString(text[:at])
				if at -= size; at == 0 {
					break
				}
			}
			return at
		},
	}}
}

// refusal is the error of a text that the rule refuses.
func (r *Rule) refusal() error {
	return &errcode.Error{Code: errcode.GuardrailRefused, Text: r.Say,
		Err: fmt.Errorf("guard: the rule %q refuses this", r.Name)}
}

// New returns rules as hooks, for [groupchat.WithHooks] or a whole service.
func New(rules ...Rule) (groupchat.Hooks, error) {
	var errs []error
	for i := range rules {
		errs = append(errs, rules[i].Validate())
	}
	if err := errors.Join(errs...); err != nil {
		return groupchat.Hooks{}, err
	}
	return (&rails{rules: slices.Clone(rules)}).hooks(), nil
}
