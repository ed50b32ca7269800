package groupchat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
)

// LLMManagerOptions are the options of [LLMManager]. Only Model is required.
type LLMManagerOptions struct {
	Model model.Model
	// Instructions say how to choose; the participants with their descriptions and the form of the answer are added.
	Instructions string
	// Sees are JSON Pointers to what the model is told of the state.
	Sees []string
	// Retries is how often the model is told what is wrong with its choice and asked again; 0 means 2, -1 never.
	Retries int
	// Fallback makes the manager that decides when the model fails, or none of its choices is accepted. Nil ends the run
	// with the model's error, or unknown_speaker, or model_response.
	Fallback func() Manager
}

// LLMManager makes managers that let a model choose the next speaker, speak to the user itself, tell the speaker something
// and end the chat. Its choice is checked against the participants, and recorded as by [Once], so that no decision is made
// twice.
func LLMManager(o LLMManagerOptions) func() Manager {
	return func() Manager {
		m := &llmManager{LLMManagerOptions: o}
		if o.Fallback != nil {
			m.fallback = o.Fallback()
		}
		return m
	}
}

type llmManager struct {
	LLMManagerOptions
	fallback Manager
}

// An llmDecision is a choice as it is recorded. Failed leaves it to the fallback.
type llmDecision struct {
	Choice llmChoice       `json:"choice,omitzero"`
	Failed bool            `json:"failed,omitempty"`
	Usage  agui.TokenUsage `json:"usage"`
	Cost   *float64        `json:"cost,omitempty"`
}

// Next asks the model, unless it was asked in this round already.
func (m *llmManager) Next(ctx context.Context, v View) (Decision, error) {
	var d llmDecision
	var err error
	if v.turn == nil {
		d, err = m.decide(ctx, v)
	} else {
		d, err = recorded(v.turn, modelKey+"manager/"+strconv.Itoa(v.Round), func() (llmDecision, error) { return m.decide(ctx, v) })
	}
	switch {
	case err != nil:
		return Decision{}, err
	case d.Failed:
		return m.fallback.Next(ctx, v)
	}
	c := d.Choice
	if c.Terminate {
		return Decision{Done: true, Say: c.Message, Reason: c.Reason}, nil
	}
	return Decision{Speaker: c.NextSpeaker, Say: c.Message, Instruction: c.Instruction, Reason: c.Reason}, nil
}

// decide asks the model until its choice is accepted.
func (m *llmManager) decide(ctx context.Context, v View) (llmDecision, error) {
	request := model.Request{Messages: m.messages(v), Schema: choiceSchema(v.Participants, v.Idle), SchemaName: "choice", Strict: true}
	retries := cmp.Or(m.Retries, 2)
	var d llmDecision
	var used []agui.TokenUsage
	for try := 0; ; try++ {
		if err := Fence(ctx); err != nil {
			return d, err
		}
		reply, err := askModel(ctx, v.turn, m.Model, request, model.Deltas{})
		used = state.AddUsage(used, []agui.TokenUsage{reply.Usage})
		d.Usage, d.Cost = used[0], state.AddCost(d.Cost, reply.Cost)
		if v.turn != nil {
			if usageErr := v.turn.x.asked(reply); err == nil {
				err = usageErr
			}
		}
		if err != nil {
			return m.fallBack(ctx, v, d, err)
		}
		var wrong *choiceError
		if d.Choice, wrong = readChoice(reply.Text, v.Participants, v.Idle); wrong == nil {
			return d, nil
		}
		if try >= retries {
			return m.fallBack(ctx, v, d, &errcode.Error{Code: wrong.code, Err: wrong})
		}
		if words := reply.Words(); words != "" {
			request.Messages = append(request.Messages, model.Message{Role: agui.RoleAssistant, Text: words})
		}
		request.Messages = append(request.Messages, model.Message{Role: agui.RoleUser, Text: "That will not do: " + wrong.problem + ". Choose again."})
	}
}

// fallBack leaves the decision to the fallback, if there is one.
func (m *llmManager) fallBack(ctx context.Context, v View, d llmDecision, err error) (llmDecision, error) {
	if m.fallback == nil || ctx.Err() != nil {
		return d, err
	}
	if v.turn != nil {
		v.turn.x.Log.WarnContext(ctx, "groupchat: the manager's model does not decide, its fallback does", "chat", v.turn.Path(), "error", err)
	}
	return llmDecision{Failed: true, Usage: d.Usage, Cost: d.Cost}, nil
}

// messages are what the model decides on.
func (m *llmManager) messages(v View) []model.Message {
	var system []string
	if m.Instructions != "" {
		system = append(system, m.Instructions)
	}
	var out []model.Message
	for _, message := range v.History() {
		words := message.Content.Text()
		switch message.Role {
		case agui.RoleSystem, agui.RoleDeveloper:
			system = append(system, words)
		case agui.RoleUser:
			parts, _ := message.Content.Parts()
			out = append(out, model.Message{Role: agui.RoleUser, Text: words, Parts: parts})
		case agui.RoleAssistant:
			if words == "" {
				continue
			}
			if v.speaks(message.Name) {
				out = append(out, model.Message{Role: agui.RoleUser, Text: message.Name + ": " + words})
			} else {
				out = append(out, model.Message{Role: agui.RoleAssistant, Text: words})
			}
		default: // what tools returned is theirs who called them
		}
	}
	system = append(system, m.rules(v))
	out = append(out, model.Message{Role: agui.RoleUser, Text: "Who speaks next? Answer with the JSON object."})
	return slices.Insert(out, 0, model.Message{Role: agui.RoleSystem, Text: strings.Join(system, "\n\n")})
}

// speaks reports whether name is a participant's, or that of somebody in a participant's team.
func (v View) speaks(name string) bool {
	return slices.ContainsFunc(v.Participants, func(p Info) bool { return p.Name == name || p.includes(name) })
}

// rules is what the model is told of its task.
func (m *llmManager) rules(v View) string {
	var b strings.Builder
	b.WriteString("You lead a conversation between a user and these participants:\n")
	for _, p := range v.Participants {
		fmt.Fprintf(&b, "- %s: %s", p.Name, p.Description)
		if n := v.Failed[p.Name]; n > 0 {
			fmt.Fprintf(&b, " (failed %d times)", n)
		}
		if v.Declined[p.Name] > 0 {
			b.WriteString(" (the user called off its question)")
		}
		if p.Name == v.Idle {
			b.WriteString(" (did nothing in its last turn and cannot speak next)")
		}
		b.WriteByte('\n')
	}
	for _, pointer := range m.Sees {
		if raw, ok := v.State.Raw(pointer); ok {
			fmt.Fprintf(&b, "The state at %q is now: %s\n", pointer, raw)
		}
	}
	if v.LastSpeaker != "" {
		fmt.Fprintf(&b, "%s spoke last.\n", v.LastSpeaker)
	}
	b.WriteString("Decide who speaks next, or that the conversation has reached its end for now. Answer with one JSON object: " +
		`{"reason": why, "terminate": true or false, "next_speaker": a participant's name or null, ` +
		`"message": what you tell the user yourself or null, "instruction": what only the next speaker is told or null}.`)
	return b.String()
}

// Check reports a missing model, and a fallback that does not fit the participants.
func (m *llmManager) Check(participants []string) error {
	var errs []error
	if m.Model == nil {
		errs = append(errs, errors.New("has no model"))
	}
	if m.Retries < -1 {
		errs = append(errs, fmt.Errorf("retries is %d", m.Retries))
	}
	if m.Fallback != nil && m.fallback == nil {
		errs = append(errs, errors.New("its fallback's function returns none"))
	}
	if c, ok := m.fallback.(Checker); ok {
		if err := c.Check(participants); err != nil {
			errs = append(errs, fmt.Errorf("fallback: %w", err))
		}
	}
	return errors.Join(errs...)
}
