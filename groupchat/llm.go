package groupchat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/internal/predict"
	"github.com/agui-gateway/gateway/groupchat/internal/schema"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// An LLM is an [Agent] that speaks through a model. It streams what the model says, lets it call tools, and asks it
// again with their results until it calls none. Only Model is required; the value is shared by all runs and must not
// change.
//
// Every reply is recorded as by [Once]: a resumed turn does not ask the model again and says nothing twice, and one
// that is taken over says what the model said before the process died.
type LLM struct {
	Description  string
	Instructions string
	Model        model.Model
	// Tools are those the agent has itself. Besides them the model may call those of the client, unless NoFrontendTools
	// says otherwise, and hand over to the participants that [Turn.Handoffs] names, with tools called handoff_to_NAME.
	Tools           []Tool
	NoFrontendTools bool
	// WithoutTools names tools of the client that the model is not offered.
	WithoutTools []string
	// Surfaces says that the agent shows surfaces of A2UI, as clients learn in advance: see package surface.
	Surfaces bool
	// Sources have further tools. Of several with one name the first counts, those of Tools first of all.
	Sources []ToolSource
	// Approve says which of Tools and Sources need a person's approval.
	Approve tools.Approvals
	// ToolTimeout is for tools that do not say how long a call of theirs may take; 0 means 1 minute.
	ToolTimeout time.Duration
	// MaxResult is the limit of a tool's result in a request, in bytes, at least 256; 0 means 64 KiB. More may be kept
	// (see Tool.MaxResult), which clients are shown and the model can read with a tool, read_result: also in later
	// turns, and of calls that are no longer in the request.
	MaxResult int
	// MaxSteps is how many rounds of tools a turn may take before it fails with not_converged; 0 means 16.
	MaxSteps int
	// Sees are JSON Pointers to the parts of the state in the request, read anew in every round.
	Sees []string
	// History limits a long conversation in the request; nil means the chat's, and otherwise the limit of the model.
	History *history.Policy
	// Output, if set, holds the last reply to a JSON Schema.
	Output *LLMOutput
	// Predict lets places in the state follow arguments of calls while the model writes them. PredictEvent tells pages
	// so with a CUSTOM event called PredictState before such a call, for those that predict by themselves; the state
	// follows in any case.
	Predict      []Prediction
	PredictEvent bool
	// Prepare compute instructions and tools when a turn is entered, in this order.
	Prepare []Provider
}

// An LLMOutput says that a model's last reply is JSON. After a mismatch the model is asked again, twice;
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
func (a *LLM) Describe() profile.Info {
	info := profile.Info{Description: a.Description, Structure: profile.Structure{Kind: profile.KindModel}}
	for i := range a.Tools {
		approved := a.Tools[i].needsApproval(a.Approve)
		info.Interrupts, info.Approvals = info.Interrupts || a.Tools[i].Turn != nil || approved,
			info.Approvals || approved
		if a.Tools[i].agent != nil {
			info.Participants = append(info.Participants, a.Tools[i].info)
			info.Abilities = info.Or(a.Tools[i].info.Abilities)
		}
	}
	info.Approvals = info.Approvals || a.sourcesAsk()
	info.Interrupts = info.Interrupts || info.Approvals
	info.Tools, info.ClientTools = info.Tools || len(a.Tools)+len(a.Sources) > 0, info.ClientTools || !a.NoFrontendTools
	info.Reasoning = info.Reasoning || model.Reasons(a.Model)
	info.Surfaces = info.Surfaces || a.Surfaces
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

func (a *LLM) validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if a.Model == nil {
		bad("has no model")
	} else if v, ok := a.Model.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			errs = append(errs, err)
		}
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
	known := func(name string) bool {
		return slices.ContainsFunc(a.Tools, func(t Tool) bool { return t.named(name) })
	}
	for _, name := range slices.Sorted(maps.Keys(a.clashes(nil))) {
		bad("several sources have a tool %q", name)
	}
	for _, name := range a.Approve.Tools {
		if !known(name) && len(a.Sources)+len(a.Prepare) == 0 {
			bad("approval of %q, which is no tool", name)
		}
	}
	for i, f := range a.Prepare {
		if f == nil {
			bad("provider %d is nil", i+1)
		}
	}
	if a.MaxResult != 0 && a.MaxResult < history.LeastResult {
		bad("is told %d bytes of a result, less than %d", a.MaxResult, history.LeastResult)
	}
	if a.MaxSteps < 0 || a.ToolTimeout < 0 {
		bad("a limit is negative")
	}
	for _, pointer := range a.Sees {
		if pointer != "" && !strings.HasPrefix(pointer, "/") {
			bad("sees %q, which is no JSON Pointer", pointer)
		}
	}
	a.checkPredictions(bad)
	checkHistory(a.History, bad)
	if o := a.Output; o != nil {
		if o.Schema == nil {
			bad("output: has no schema")
		} else if _, err := schema.Cached(o.Schema); err != nil {
			bad("output: no valid schema: %w", err)
		}
		if o.Store != "" && !strings.HasPrefix(o.Store, "/") {
			bad("output goes to %q, which is not the pointer of a member", o.Store)
		}
	}
	return errors.Join(errs...)
}

type llmRun struct {
	*LLM
	t      *Turn
	tools  llmTools
	short  *history.Shortener
	rounds []*llmRound
	// past are the replies of earlier tries that do not count any more.
	past forgotten
	// places are those that predictions have changed; nil without predictions.
	places *predict.Places
	// askAll says that approvals name a tool that is not there, so that every call needs one.
	askAll bool
	// reads says that the model can read results on.
	reads bool
	// away says that a source did not tell of all of its tools.
	away bool
	// lacks is why tools are not there without which the agent does not work.
	lacks error
	// unprepared is the agent before its providers made of it what it is in this turn; nil without providers. Before
	// and after are messages that they made.
	unprepared    *LLM
	before, after []Message
}

// An llmRound is one reply of the model and its results.
type llmRound struct {
	n     int // what number it was recorded under
	place int // among the steps that count
	reply model.Reply
	shown shownReply
	// results are those of the reply's calls that have one. Note is the correction for a reply that is not accepted.
	results map[int]tools.Result
	note    string
	unmade  map[int]bool // calls that are settled without having been made: for predictions
}

// modelKey begins the keys under which replies of models are recorded.
const modelKey = "llm/"

// key names the step in the turn, callKey one of its calls: the same after a pause and a takeover.
func (s *llmRound) key() string { return modelKey + strconv.Itoa(s.n) }

func (s *llmRound) callKey(i int) string { return s.key() + "/" + strconv.Itoa(i) }

// Run asks the model, makes its calls, and asks again, until a reply calls for nothing.
func (a *LLM) Run(ctx context.Context, t *Turn) error {
	return t.exclusive("llm", a, func() error { return a.run(ctx, t) })
}

func (a *LLM) run(ctx context.Context, t *Turn) error {
	r, err := a.begin(ctx, t)
	if err != nil {
		return err
	}
	rounds, bad := -r.past.Rounds, 0
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
				return errors.Join(r.mismatched(s), r.forgetWords())
			}
			s.note = "This is not what was asked for: " + problem.Error() +
				". Answer again, with JSON that matches the schema and nothing else."
			continue
		}
		if rounds++; rounds > r.most() {
			return r.endless(s)
		}
		ended, err := r.callAll(ctx, s)
		r.endPredictions(s, err)
		if ended || err != nil {
			return err
		}
	}
}

// begin returns the agent with everything it needs to begin or continue the turn.
func (a *LLM) begin(ctx context.Context, t *Turn) (*llmRun, error) {
	if a.Model == nil {
		return nil, fail(errcode.Internal, "%s: has no model", t.Path())
	}
	past, err := recallForgotten(t)
	if err != nil {
		return nil, err
	}
	r := &llmRun{LLM: a, t: t, past: past}
	if len(a.Predict) > 0 {
		r.places = newPlaces(t)
	}
	if err := r.prepareAgent(ctx); err != nil {
		return nil, err
	}
	r.tools = r.offerTools(ctx)
	if r.lacks != nil && !r.recorded(modelKey+"0") { // a turn under way may have a person's answer, which would be lost
		return nil, fail(errcode.ToolFailed, "%s: tools are missing that it needs: %w", t.Path(), r.lacks)
	}
	r.short = newShortener(t, t.historyPolicy(a.History), a.Model, "")
	return r, nil
}

// most is how many rounds of tools the turn may take.
func (r *llmRun) most() int { return cmp.Or(r.MaxSteps, llmMaxSteps) }

// endless ends a turn that has taken more rounds of tools than it may.
func (r *llmRun) endless(s *llmRound) error {
	err := fail(errcode.NotConverged, "%s: more than %d rounds of tools", r.t.Path(), r.most())
	r.endPredictions(s, err)
	return errors.Join(err, r.forgetCalls(s, r.most()))
}

// mismatched is the failure of a turn after replies that do not match the schema. The problem quotes the reply.
func (r *llmRun) mismatched(s *llmRound) error {
	return fail(errcode.ModelResponse, "%s: the reply is not as its schema wants it: %w", r.t.Path(),
		schema.Mismatch(r.Output.Schema, schema.Likeliest(model.Values(s.reply.Text))))
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
	output, err := schema.Cached(o.Schema)
	if err != nil {
		return nil, fail(errcode.Internal, "%s: output: %w", r.t.Path(), err)
	}
	value, problem := output.Find(s.reply.Text)
	if problem != nil {
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
