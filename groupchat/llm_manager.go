package groupchat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/internal/choice"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
)

// LLMManagerOptions are the options of [LLMManager]. Only Model is required.
type LLMManagerOptions struct {
	Model model.Model
	// Instructions say how to choose; the participants with their descriptions and the form of the answer are added.
	Instructions string
	// Prompt replaces the description of the task with which the built-in instructions end. The participants, the state
	// and the form of the answer stand where it has {{participants}}, {{state}} and {{form}}. Without a
	// place for them the participants and the form stand after it, and the state behind the conversation, with what
	// became of participants: what changes from choice to choice is better there, because servers do not read again
	// what begins like an earlier request.
	Prompt string
	// Sees are JSON Pointers to the parts of the state in the request.
	Sees []string
	// History limits a long conversation in the request; nil means the chat's.
	History *history.Policy
	// Retries is how often the model is asked again after an invalid choice; 0 means 2, -1 never.
	Retries int
	// Fallback makes the manager that decides when the model fails, or none of its choices is accepted. Nil ends the
	// run with the model's error, or unknown_speaker, or model_response.
	Fallback func() Manager
	// Prepare compute instructions before each choice.
	Prepare []Provider
}

// LLMManager makes managers that let a model choose the next speaker, speak to the user itself, tell the speaker
// something and end the chat. Its choice is checked against the participants, and recorded as by [Once], so that no
// decision is made twice.
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
	// before and after are messages that providers made.
	before, after []Message
}

// An llmDecision is a choice as it is recorded. Failed leaves it to the fallback.
type llmDecision struct {
	Choice choice.Speaker  `json:"choice,omitzero"`
	Failed bool            `json:"failed,omitempty"`
	Usage  agui.TokenUsage `json:"usage"`
	// Earlier is what further models used, if several were asked.
	Earlier []agui.TokenUsage `json:"earlier,omitempty"`
	Cost    *float64          `json:"cost,omitempty"`
}

// Next asks the model, unless it was asked in this round already.
func (m *llmManager) Next(ctx context.Context, v View) (Decision, error) {
	var d llmDecision
	var err error
	if v.turn == nil {
		d, err = m.decide(ctx, v)
	} else {
		d, err = recorded(v.turn, modelKey+"manager/"+strconv.Itoa(v.Round),
			func() (llmDecision, error) { return m.decide(ctx, v) })
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
	m, err := m.preparedFor(ctx, v)
	if err != nil {
		return m.fallBack(ctx, v, llmDecision{}, err)
	}
	short := newShortener(v.turn, *cmp.Or(m.History, v.long, &history.Policy{}), m.Model, managerNote)
	schema := choice.SpeakerSchema(v.Participants, v.Idle)
	var corrections []model.Message
	retries := cmp.Or(m.Retries, 2)
	var d llmDecision
	var used []agui.TokenUsage
	for try := 0; ; try++ {
		if err := Fence(ctx); err != nil {
			return d, err
		}
		reply, err := short.Ask(ctx, fmt.Sprintf("manager/%d/%d", v.Round, try),
			func() history.Composed { return m.composed(v, short) },
			func(r *model.Request) (*model.Reply, bool, error) {
				request := *r
				request.Messages = append(request.Messages, corrections...)
				request.Schema, request.SchemaName, request.Strict = schema, "choice", true
				reply, err := callModel(ctx,
					&ModelCall{Turn: v.turn, Purpose: model.ForChoice, Model: m.Model, Request: request})
				used = state.AddUsage(used, append([]agui.TokenUsage{reply.Usage}, reply.Earlier...))
				d.Usage, d.Earlier, d.Cost = used[0], used[1:], state.AddCost(d.Cost, reply.Cost)
				if v.turn != nil {
					if usageErr := v.turn.x.addReply(reply); err == nil {
						err = usageErr
					}
				}
				return reply, false, err
			})
		if err != nil {
			return m.fallBack(ctx, v, d, err)
		}
		var wrong *choice.Error
		if d.Choice, wrong = choice.ReadSpeaker(reply.Text, v.Participants, v.Idle); wrong == nil {
			return d, nil
		}
		if try >= retries {
			return m.fallBack(ctx, v, d, &errcode.Error{Code: wrong.Code, Err: wrong})
		}
		if words := reply.Words(); words != "" {
			corrections = append(corrections, model.Message{Role: agui.RoleAssistant, Text: words})
		}
		corrections = append(corrections,
			model.Message{Role: agui.RoleUser, Text: "That will not do: " + wrong.Problem + ". Choose again."})
	}
}

// fallBack leaves the decision to the fallback, if there is one.
func (m *llmManager) fallBack(ctx context.Context, v View, d llmDecision, err error) (llmDecision, error) {
	if m.fallback == nil || ctx.Err() != nil {
		return d, err
	}
	v.Warn(ctx, "groupchat: the manager's model does not decide, its fallback does", err)
	return llmDecision{Failed: true, Usage: d.Usage, Earlier: d.Earlier, Cost: d.Cost}, nil
}

// managerNote ends the key of a manager's note. No participant's name has such characters.
const managerNote = "#manager"

func (m *llmManager) composed(v View, short *history.Shortener) history.Composed {
	var system []string
	if m.Instructions != "" {
		system = append(system, m.Instructions)
	}
	seen := v.History()
	cut := short.Place(seen)
	first, caller := short.Stays(seen, cut)
	c := history.Composed{Seen: seen}
	provided, words := preparedMessages(m.before, "")
	c.Entries, system = asEntries(provided), append(system, words...)
	c.Behind, words = preparedMessages(m.after, "")
	system = append(system, words...)
	for i, message := range seen {
		words := message.Content.Text()
		if message.Role == agui.RoleSystem || message.Role == agui.RoleDeveloper {
			system = append(system, words)
			continue
		}
		if i == first {
			c.Kept = len(c.Entries)
		}
		if i >= first && i < cut && i != caller {
			continue
		}
		e := history.Entry{ID: message.ID, Message: model.Message{Role: agui.RoleUser, Text: words}}
		switch {
		case message.Role == agui.RoleUser:
			e.Caller = true
			e.Parts, _ = message.Content.Parts()
		case message.Role != agui.RoleAssistant || words == "":
			continue
		case v.speaks(message.Name), message.Name == "" && !v.isUnnamedSupervisors(message):
			e.Text = v.nameOf(message) + ": " + words
		default:
			e.Role = agui.RoleAssistant
		}
		c.Entries = append(c.Entries, e)
	}
	if first >= len(seen) {
		c.Kept = len(c.Entries)
	}
	c.System = strings.Join(append(system, m.task(v)), "\n\n")
	c.Now, c.Question = m.now(v), "Who speaks next? Answer with the JSON object."
	return c
}

// speaks reports whether name is a participant's, or that of somebody in a participant's team.
func (v View) speaks(name string) bool {
	return slices.ContainsFunc(v.Participants, func(p profile.Info) bool { return p.Name == name || p.Includes(name) })
}

// Check reports a missing model, and a fallback that does not fit the participants.
func (m *llmManager) Check(participants []string) error {
	var errs []error
	if m.Model == nil {
		errs = append(errs, errors.New("has no model"))
	}
	if err := CheckPrompt(m.Prompt); err != nil {
		errs = append(errs, err)
	}
	checkHistory(m.History, func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) })
	if m.Retries < -1 {
		errs = append(errs, fmt.Errorf("retries is %d", m.Retries))
	}
	if m.Fallback != nil && m.fallback == nil {
		errs = append(errs, errors.New("its fallback's function returns none"))
	}
	if _, ok := managerAs[SpeakingManager](m.fallback); ok {
		errs = append(errs, errors.New("its fallback takes turns of its own"))
	}
	if c, ok := managerAs[Checker](m.fallback); ok {
		if err := c.Check(participants); err != nil {
			errs = append(errs, fmt.Errorf("fallback: %w", err))
		}
	}
	return errors.Join(errs...)
}

// The places in a manager's prompt for facts of the run.
const (
	promptParticipants = "{{participants}}" // a line for each: the name and the description
	promptState        = "{{state}}"        // what the model sees of the state, and who spoke last
	promptForm         = "{{form}}"         // the form of the answer
)

// choiceTask is the prompt if there is no other.
const choiceTask = "You lead a conversation between a user and these participants:\n" + promptParticipants +
	"Decide who speaks next, or that the conversation has reached its end for now. " + promptForm

// promptPlace finds what looks like a place in a prompt.
var promptPlace = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// CheckPrompt reports a place in a manager's prompt that there is not.
func CheckPrompt(prompt string) error {
	for _, place := range promptPlace.FindAllString(prompt, -1) {
		switch place {
		case promptParticipants, promptState, promptForm:
		default:
			return fmt.Errorf("its prompt has %s; there are %s, %s and %s",
				clip.To(place, 100), promptParticipants, promptState, promptForm)
		}
	}
	return nil
}

func (m *llmManager) task(v View) string {
	values := map[string]string{promptParticipants: v.roll(), promptState: m.situation(v),
		promptForm: choice.SpeakerForm}
	task := m.Prompt
	if task == "" {
		task = choiceTask
	}
	var rest strings.Builder
	if !strings.Contains(task, promptParticipants) {
		rest.WriteString("\n\nThe participants:\n" + values[promptParticipants])
	}
	if !strings.Contains(task, promptForm) {
		rest.WriteString("\n" + values[promptForm])
	}
	return promptPlace.ReplaceAllStringFunc(task, func(place string) string { return values[place] }) + rest.String()
}

func (v View) roll() string {
	var b strings.Builder
	for _, p := range v.Participants {
		fmt.Fprintf(&b, "- %s: %s\n", p.Name, p.Description)
	}
	return b.String()
}

// now is the last part of the request, because it may change the next time: the results of
// participants, and the state unless the prompt has a place for it.
func (m *llmManager) now(v View) []string {
	var b strings.Builder
	for _, p := range v.Participants {
		if n := v.Failed[p.Name]; n > 0 {
			fmt.Fprintf(&b, "%s failed %d times.\n", p.Name, n)
		}
		if v.Declined[p.Name] > 0 {
			fmt.Fprintf(&b, "The user called off a question of %s.\n", p.Name)
		}
		if p.Name == v.Idle {
			fmt.Fprintf(&b, "%s did nothing in its last turn and cannot speak next.\n", p.Name)
		}
	}
	if !strings.Contains(m.Prompt, promptState) {
		b.WriteString(m.situation(v))
	}
	if b.Len() == 0 {
		return nil
	}
	return []string{strings.TrimSuffix(b.String(), "\n")}
}

// situation is what the model sees of the state, and who spoke last.
func (m *llmManager) situation(v View) string {
	var b strings.Builder
	for _, pointer := range m.Sees {
		if raw, ok := v.State.Raw(pointer); ok {
			fmt.Fprintf(&b, "The state at %q is now: %s\n", pointer, raw)
		}
	}
	if v.LastSpeaker != "" {
		fmt.Fprintf(&b, "%s spoke last.\n", v.LastSpeaker)
	}
	return b.String()
}
