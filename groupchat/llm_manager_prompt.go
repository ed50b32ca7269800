package groupchat

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/model"
)

// The places in a manager's prompt for facts of the run.
const (
	promptParticipants = "{{participants}}" // a line for each: the name and the description
	promptState        = "{{state}}"        // what the model sees of the state, and who spoke last
	promptForm         = "{{form}}"         // the form of the answer
)

// choiceForm is the form of a choice, in words; choiceSchema enforces it where a server can.
const choiceForm = "Answer with one JSON object: " +
	`{"reason": why, "terminate": true or false, "next_speaker": a participant's name or null, ` +
	`"message": what you tell the user yourself or null, "instruction": what only the next speaker is told or null}.`

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
	values := map[string]string{promptParticipants: v.roll(), promptState: m.situation(v), promptForm: choiceForm}
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

type llmChoice struct {
	Terminate   bool   `json:"terminate"`
	NextSpeaker string `json:"next_speaker"`
	Message     string `json:"message"`
	Instruction string `json:"instruction"`
	Reason      string `json:"reason"`
}

// A choiceError says why a choice is not accepted. Its text is for the model.
type choiceError struct {
	problem string
	code    errcode.Code
}

func (e *choiceError) Error() string { return "groupchat: the manager's choice: " + e.problem }

// readChoice reads a model's choice and checks it against the participants. The one called idle must not be chosen.
func readChoice(text string, participants []profile.Info, idle string) (llmChoice, *choiceError) {
	raw := model.Object(text)
	if raw == nil {
		return llmChoice{}, &choiceError{"it is not a JSON object", errcode.ModelResponse}
	}
	var c llmChoice
	if err := exact.Unmarshal(raw, &c); err != nil {
		return llmChoice{}, &choiceError{"a member has the wrong type", errcode.ModelResponse}
	}
	if c.Terminate {
		return c, nil
	}
	if strings.TrimSpace(c.NextSpeaker) == "" {
		return c, &choiceError{"it neither terminates nor names a next_speaker", errcode.ModelResponse}
	}
	names := make([]string, len(participants))
	for i, p := range participants {
		names[i] = p.Name
	}
	chosen := slices.Index(names, c.NextSpeaker)
	if chosen < 0 {
		chosen = slices.IndexFunc(names, func(name string) bool { return normal(name) == normal(c.NextSpeaker) })
	}
	switch {
	case chosen >= 0 && names[chosen] == idle:
		return c, &choiceError{idle + " did nothing in its last turn and cannot speak next", errcode.NoProgress}
	case chosen >= 0:
		c.NextSpeaker = names[chosen]
		return c, nil
	}
	return c, &choiceError{
		fmt.Sprintf("there is no %q; next_speaker is one of %s", clip.To(c.NextSpeaker, 100),
			strings.Join(names, ", ")), errcode.UnknownSpeaker,
	}
}

// choiceSchema is the form of a choice among participants, without the one called idle. Every member is required, for
// servers that enforce it.
func choiceSchema(participants []profile.Info, idle string) json.RawMessage {
	names := []any{}
	for _, p := range participants {
		if p.Name != idle {
			names = append(names, p.Name)
		}
	}
	optional := map[string]any{"type": []string{"string", "null"}}
	schema, err := json.Marshal(map[string]any{
		"type": "object", "additionalProperties": false,
		"required": []string{"reason", "terminate", "next_speaker", "message", "instruction"},
		"properties": map[string]any{
			"reason": map[string]any{"type": "string"}, "terminate": map[string]any{"type": "boolean"},
			"next_speaker": map[string]any{"type": []string{"string", "null"}, "enum": append(names, nil)},
			"message":      optional, "instruction": optional,
		},
	})
	if err != nil {
		return nil // of names
	}
	return schema
}
