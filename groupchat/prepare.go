package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/internal/schema"
	"github.com/agui-gateway/gateway/model"
)

// A Provider computes instructions and tools when a turn is entered: facts about the user, documents that belong to the
// question, tools of the caller's role. It changes p, which has what the agent has itself and what providers before it
// made of that.
//
// It is called whenever the turn is entered: at its begin, after a pause, a retry and a takeover. What it made of the
// instructions, messages, pointers and the output at the begin is recorded and counts for the whole turn, so that the
// model reads the same. Its tools are those of now: a call that waits for a person is of the tool that has the name
// then, and if none has, its result says that it is not available. What a provider does in the world belongs into
// [Once]. It may ask, with [Turn.Ask], and returns the pause then.
//
// A provider that fails, or panics, fails the turn: with its error's code, else hook_failed. When the turn is entered
// again nothing fails for that: the model has the remaining tools and a note that some are missing. The limits are 256
// KiB and 128 tools, beyond which the turn fails with too_large.
//
// For a manager, t is the turn of its chat, or nil for one that is asked outside of a run; of p the instructions,
// messages and pointers count, for the one choice.
//
// To see or change each request as it is sent use [Hooks.Model], which comes after providers.
type Provider func(ctx context.Context, t *Turn, p *Prepared) error

// Prepared is the output of a [Provider] for a turn.
type Prepared struct {
	Instructions string
	// Before and After go around the conversation: in front of it, and behind all that was said and done, the turn's
	// own rounds included. They are of users, of agents, or the system's: then their words join the instructions. Their
	// Name is in the request. They are not shown, are not in the conversation, and stay where a long conversation is
	// shortened.
	Before, After []Message
	// Tools are those the agent has itself, of which any may be taken away or replaced, and further ones.
	Tools []Tool
	// Sees are JSON Pointers to the parts of the state in the request.
	Sees []string
	// Output, if set, holds the last reply to a JSON Schema.
	Output *LLMOutput

	// View is a manager's view of the conversation and the state as the turn began. It is not part of the output.
	View View
}

// The limits of what providers make.
const (
	maxPrepared      = 256 << 10 // bytes of JSON
	maxPreparedTools = 128
)

// preparedKey is where a turn records what providers made.
const preparedKey = "prepared"

// A preparedRecord is the part of what providers made that is recorded.
type preparedRecord struct {
	Instructions string     `json:"instructions,omitempty"`
	Before       []Message  `json:"before,omitempty"`
	After        []Message  `json:"after,omitempty"`
	Sees         []string   `json:"sees,omitempty"`
	Output       *LLMOutput `json:"output,omitempty"`
}

// prepareAgent lets the providers make of r's agent what counts in this turn.
func (r *llmRun) prepareAgent(ctx context.Context) error {
	if len(r.Prepare) == 0 {
		return nil
	}
	own := *r.LLM
	p := &Prepared{
		Instructions: own.Instructions, Tools: slices.Clone(own.Tools), Sees: slices.Clone(own.Sees),
		Output: own.Output, View: r.t.view(),
	}
	err := provide(ctx, r.Prepare, r.t, p)
	if ask.PauseOf(err) != nil {
		return err
	}
	if err != nil {
		if !r.recorded(preparedKey) || ctx.Err() != nil {
			return err
		}
		r.away = true
		r.t.x.Log.WarnContext(ctx, "groupchat: what an agent is prepared with is missing", "turn", r.t.ID(), "error",
			err)
	}
	kept, err := recorded(r.t, preparedKey, func() (preparedRecord, error) {
		return preparedRecord{p.Instructions, p.Before, p.After, p.Sees, p.Output}, nil
	})
	if err != nil {
		return err
	}
	own.Instructions, own.Sees, own.Output = kept.Instructions, kept.Sees, kept.Output
	own.Tools = r.soundTools(ctx, p.Tools)
	r.unprepared, r.LLM, r.before, r.after = r.LLM, &own, kept.Before, kept.After
	return nil
}

// soundTools leaves out tools that have a mistake, as those of sources are left out.
func (r *llmRun) soundTools(ctx context.Context, tools []Tool) []Tool {
	return slices.DeleteFunc(tools, func(t Tool) bool {
		err := t.Validate()
		if err != nil {
			r.t.x.Log.WarnContext(ctx, "groupchat: a tool is left out", "turn", r.t.ID(), "error", err)
		}
		return err != nil
	})
}

// provide calls the providers, and holds what they made to its limits.
func provide(ctx context.Context, providers []Provider, t *Turn, p *Prepared) error {
	guard := Hooks{Name: "prepare"}
	for _, f := range providers {
		err := guard.guarded(func() error { return f(ctx, t, p) })
		if _, ok := errors.AsType[*errcode.Error](err); err != nil && !ok && ask.PauseOf(err) == nil {
			err = &errcode.Error{Code: errcode.HookFailed, Err: err}
		}
		if err != nil {
			return err
		}
	}
	return p.check()
}

// check reports mistakes in the output of providers.
func (p *Prepared) check() error {
	for _, m := range slices.Concat(p.Before, p.After) {
		switch m.Role {
		case agui.RoleUser, agui.RoleAssistant, agui.RoleSystem, agui.RoleDeveloper:
		default:
			return fail(errcode.HookFailed, "a prepared message has the role %q", m.Role)
		}
	}
	raw, err := json.Marshal(preparedRecord{p.Instructions, p.Before, p.After, p.Sees, p.Output})
	switch {
	case err != nil:
		return fail(errcode.HookFailed, "what was prepared is no JSON: %w", err)
	case len(raw) > maxPrepared:
		return fail(errcode.TooLarge, "what was prepared has %d bytes, more than %d", len(raw), maxPrepared)
	case len(p.Tools) > maxPreparedTools:
		return fail(errcode.TooLarge, "%d tools were prepared, more than %d", len(p.Tools), maxPreparedTools)
	}
	if p.Output != nil {
		if _, err := schema.Compile(p.Output.Schema); err != nil {
			return fail(errcode.HookFailed, "the prepared output has no valid schema: %w", err)
		}
	}
	return nil
}

// preparedFor is a copy of the manager for one choice, with what its providers made.
func (m *llmManager) preparedFor(ctx context.Context, v View) (*llmManager, error) {
	if len(m.Prepare) == 0 {
		return m, nil
	}
	p := &Prepared{Instructions: m.Instructions, Sees: slices.Clone(m.Sees), View: v}
	if err := provide(ctx, m.Prepare, v.turn, p); err != nil {
		if ask.PauseOf(err) != nil {
			err = fail(errcode.HookFailed, "a manager must not ask")
		}
		return m, err
	}
	own := *m
	own.Instructions, own.Sees, own.before, own.after = p.Instructions, p.Sees, p.Before, p.After
	return &own, nil
}

func (h *transcript) prepared(list []Message) {
	provided, system := preparedMessages(list, h.name)
	h.out, h.system = append(h.out, asEntries(provided)...), append(h.system, system...)
}

// asEntries returns messages that were not shown as entries of a request.
func asEntries(list []model.Message) []history.Entry {
	var out []history.Entry
	for _, m := range list {
		out = append(out, history.Entry{Message: m})
	}
	return out
}

// preparedMessages returns the messages of providers for the request of the agent called name, and the words of the
// system in them.
func preparedMessages(list []Message, name string) (out []model.Message, system []string) {
	for _, m := range list {
		if m.Role == agui.RoleSystem || m.Role == agui.RoleDeveloper {
			system = append(system, m.Content.Text())
			continue
		}
		out = append(out, providedMessage(m, name))
	}
	return out, system
}

// providedMessage returns a message of a provider for the request of the agent called name.
func providedMessage(m Message, name string) model.Message {
	parts, _ := m.Content.Parts()
	out := model.Message{Role: agui.RoleUser, Text: m.Content.Text(), Parts: parts}
	switch {
	case m.Role == agui.RoleAssistant && (m.Name == "" || m.Name == name):
		out.Role = agui.RoleAssistant
	case m.Name == "":
	case parts != nil:
		out.Parts = slices.Concat([]agui.Part{{Type: agui.PartText, Text: m.Name + ":"}}, parts)
	default:
		out.Text = m.Name + ": " + out.Text
	}
	return out
}
