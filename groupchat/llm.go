package groupchat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/internal/hosting"
	"github.com/agui-gateway/gateway/model"
)

// An LLM is an [Agent] that speaks through a model. It streams what the model says, lets it call tools, and asks it again
// with their results until it calls none. Only Model is required; the value is shared by all runs and must not change.
//
// Every reply is recorded as by [Once]: a resumed turn does not ask the model again and says nothing twice, and one that is
// taken over says what the model said before the process died.
type LLM struct {
	Description  string
	Instructions string
	Model        model.Model
	// Tools are those the agent has itself. Besides them the model may call those of the client, unless NoFrontendTools
	// says otherwise, and hand over to the participants that [Turn.Handoffs] names, with tools called handoff_to_NAME.
	Tools           []Tool
	NoFrontendTools bool
	// Sources have further tools. Of several with one name the first counts, those of Tools first of all.
	Sources []ToolSource
	// Approve says which of Tools and Sources need a person's approval.
	Approve Approvals
	// ToolTimeout is for tools that do not say how long a call of theirs may take; 0 means 1 minute.
	ToolTimeout time.Duration
	// MaxSteps is how many rounds of tools a turn may take before it fails with not_converged; 0 means 16.
	MaxSteps int
	// Sees are JSON Pointers to what the model is told of the state, anew in every round.
	Sees []string
	// Output, if set, holds the last reply to a JSON Schema.
	Output *LLMOutput
}

// An LLMOutput says that a model's last reply is JSON. What does not match is told to the model, which is asked again, twice;
// then the turn fails with model_response.
type LLMOutput struct {
	Schema json.RawMessage
	// Name is the schema's for the model's server; empty means "reply".
	Name string
	// Strict lets the server enforce the schema, for which it wants every member required and no others allowed.
	Strict bool
	// Store is the JSON Pointer at which the reply goes into the state; it is then not said, unless Say is set.
	Store string
	Say   bool
}

// The defaults of [LLM].
const (
	llmMaxSteps    = 16
	llmToolTimeout = time.Minute
	outputRetries  = 2
)

// Describe tells that the agent asks if one of its tools may.
func (a *LLM) Describe() Info {
	info := Info{Description: a.Description, Structure: Structure{Kind: KindModel}}
	for i := range a.Tools {
		approved := a.Approve.wants(&a.Tools[i])
		info.Interrupts, info.Approvals = info.Interrupts || a.Tools[i].Turn != nil || approved, info.Approvals || approved
		if a.Tools[i].agent != nil {
			info.Participants = append(info.Participants, a.Tools[i].info)
			info.Abilities = info.or(a.Tools[i].info.Abilities)
		}
	}
	info.Approvals = info.Approvals || a.sourcesAsk()
	info.Interrupts = info.Interrupts || info.Approvals
	info.Tools, info.ClientTools = info.Tools || len(a.Tools)+len(a.Sources) > 0, info.ClientTools || !a.NoFrontendTools
	info.Reasoning = info.Reasoning || model.Reasons(a.Model)
	return info
}

// Validate reports every mistake of the agent and of those that are its tools, joined.
func (a *LLM) Validate() error { return a.validateIn("agent", nil) }

// validateIn is Validate where a is called where and is part of the agents above.
func (a *LLM) validateIn(where string, above []Agent) error {
	if slices.Contains(above, Agent(a)) {
		return errors.New("contains itself")
	}
	if len(above) >= maxDepth {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	errs := []error{a.validate()}
	for _, p := range a.toolAgents() {
		errs = append(errs, validateAgent(inheriting(p.Agent, a.Model), where, p.Name, append(slices.Clip(above), a)))
	}
	return errors.Join(errs...)
}

// validate reports the agent's own mistakes.
func (a *LLM) validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if a.Model == nil {
		bad("has no model")
	}
	names := map[string]bool{}
	for i := range a.Tools {
		t := &a.Tools[i]
		if err := t.Validate(); err != nil {
			errs = append(errs, err)
		}
		if names[t.Name] {
			bad("tool %q is there twice", t.Name)
		}
		names[t.Name] = true
	}
	for _, name := range a.Approve.Tools {
		if !names[name] && len(a.Sources) == 0 {
			bad("approval of %q, which is no tool", name)
		}
	}
	if a.MaxSteps < 0 || a.ToolTimeout < 0 {
		bad("a limit is negative")
	}
	for _, pointer := range a.Sees {
		if pointer != "" && !strings.HasPrefix(pointer, "/") {
			bad("sees %q, which is no JSON Pointer", pointer)
		}
	}
	if o := a.Output; o != nil {
		if o.Schema == nil {
			bad("output: has no schema")
		} else if _, err := compileSchema(o.Schema); err != nil {
			bad("output: no valid schema: %w", err)
		}
		if o.Store != "" && !strings.HasPrefix(o.Store, "/") {
			bad("output goes to %q, which is not the pointer of a member", o.Store)
		}
	}
	return errors.Join(errs...)
}

// An llmRun is an agent taking one turn.
type llmRun struct {
	*LLM
	t      *Turn
	tools  llmTools
	rounds []*llmRound
	// past are the replies of earlier tries that do not count any more.
	past forgotten
	// askAll says that approvals name a tool that is not there, so that every call needs one.
	askAll bool
	// away says that a source did not tell of all of its tools.
	away bool
}

// An llmRound is one reply of the model and what came of it.
type llmRound struct {
	n     int // what number it was recorded under
	place int // among the steps that count
	reply model.Reply
	shown shownReply
	// results are those of the reply's calls that have one. Note is what the model is told of a reply that is not accepted.
	results map[int]ToolResult
	note    string
}

// modelKey begins the keys under which replies of models are recorded.
const modelKey = hosting.ModelKey

// key names the step in the turn, callKey one of its calls: the same after a pause and a takeover.
func (s *llmRound) key() string { return modelKey + strconv.Itoa(s.n) }

func (s *llmRound) callKey(i int) string { return s.key() + "/" + strconv.Itoa(i) }

// Run asks the model, makes its calls, and asks again, until a reply calls for nothing.
func (a *LLM) Run(ctx context.Context, t *Turn) error {
	return t.exclusive("llm", a, func() error { return a.run(ctx, t) })
}

func (a *LLM) run(ctx context.Context, t *Turn) error {
	if a.Model == nil {
		return fail(errcode.Internal, "%s: has no model", t.Path())
	}
	past, err := recallForgotten(t)
	if err != nil {
		return err
	}
	r := &llmRun{LLM: a, t: t, past: past}
	r.tools = r.offerTools(ctx)
	most := cmp.Or(a.MaxSteps, llmMaxSteps)
	rounds, bad := -past.Rounds, 0
	for {
		s, err := r.ask(ctx)
		if err != nil {
			return err
		}
		if len(s.reply.Calls) == 0 {
			problem, err := r.conclude(s)
			if err != nil {
				return errors.Join(err, r.forgetWords())
			}
			if problem == nil {
				return nil
			}
			if bad++; bad > outputRetries {
				// The problem, as the model is told of it, quotes the reply.
				err := fail(errcode.ModelResponse, "%s: the reply is not as its schema wants it: %w", t.Path(), mismatch(r.Output.Schema, bareJSON(s.reply.Text)))
				return errors.Join(err, r.forgetWords())
			}
			s.note = "This is not what was asked for: " + problem.Error() + ". Answer again, with JSON that matches the schema and nothing else."
			continue
		}
		if rounds++; rounds > most {
			err := fail(errcode.NotConverged, "%s: more than %d rounds of tools", t.Path(), most)
			return errors.Join(err, r.forgetCalls(s, most))
		}
		ended, err := r.callAll(ctx, s)
		if ended || err != nil {
			return err
		}
	}
}

// ask gets the next reply: from the model, or from what was recorded.
func (r *llmRun) ask(ctx context.Context) (*llmRound, error) {
	s := &llmRound{n: r.next(), place: len(r.rounds), results: map[int]ToolResult{}}
	live := &speaker{r: r, mute: r.Output != nil}
	var err error
	s.reply, err = recorded(r.t, s.key(), func() (model.Reply, error) {
		reply, err := askModel(ctx, r.t, r.Model, r.request(), live.deltas())
		if usageErr := r.t.x.asked(reply); err == nil {
			err = usageErr
		}
		if err == nil && reply.Truncated() && len(reply.Calls) > 0 {
			err = fail(errcode.ModelResponse, "%s: the reply was cut off in a call of a tool", r.t.Path())
		}
		if err == nil {
			err = live.say(reply)
		}
		if err != nil {
			r.discardMessages(live.shown)
		}
		return reply, err
	})
	if err != nil {
		return nil, err
	}
	r.rounds = append(r.rounds, s)
	return s, r.show(s, live)
}

// show sends s to clients unless that was done while it came, and finds out under which ids.
func (r *llmRun) show(s *llmRound, live *speaker) error {
	if raw, ok := r.t.memo(s.key()); ok {
		err := json.Unmarshal(raw, &s.shown)
		if shown, made := len(s.shown.Calls), len(s.reply.Calls); err == nil && shown != made {
			err = fmt.Errorf("%d calls are shown of %d", shown, made)
		}
		if err != nil {
			return r.t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: %s: %w", r.t.Path(), s.key(), err))
		}
		return nil
	}
	if !live.used {
		if err := live.say(s.reply); err != nil {
			return err
		}
	}
	s.shown = live.shown
	raw, err := json.Marshal(s.shown)
	if err != nil {
		return err
	}
	r.t.remember(s.key(), raw)
	return nil
}

// conclude checks and stores the last reply. Problem is why it is not accepted.
func (r *llmRun) conclude(s *llmRound) (problem, err error) {
	o := r.Output
	if o == nil {
		return nil, nil
	}
	if s.reply.Refusal != "" && s.reply.Text == "" {
		return nil, fail(errcode.ModelContentFilter, "%s: the model refuses", r.t.Path())
	}
	value := bareJSON(s.reply.Text)
	output, err := compileSchema(o.Schema)
	if err != nil {
		return nil, fail(errcode.Internal, "%s: output: %w", r.t.Path(), err)
	}
	if problem := output.check(value); problem != nil {
		return problem, nil
	}
	if o.Store != "" {
		if err := r.t.State().Set(o.Store, value); err != nil {
			return nil, err
		}
		if !o.Say {
			return nil, nil
		}
	}
	return nil, r.t.done(s.key()+"/said", func() error {
		text := r.t.Text()
		if _, err := text.WriteString(string(value)); err != nil {
			return err
		}
		return text.Close()
	})
}

// bareJSON is the JSON of a reply, which some models wrap into a fenced block.
func bareJSON(text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if fenced, ok := strings.CutPrefix(text, "```"); ok {
		if _, rest, ok := strings.Cut(fenced, "\n"); ok {
			text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
		}
	}
	return json.RawMessage(text)
}

var (
	_ Agent     = (*LLM)(nil)
	_ Describer = (*LLM)(nil)
)
