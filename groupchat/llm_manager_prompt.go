package groupchat

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/agui-gateway/gateway/internal/clip"
)

// The places in a manager's prompt for facts of the run.
const (
	PromptParticipants = "{{participants}}" // a line for each: the name and the description
	PromptState        = "{{state}}"        // what the model sees of the state, and who spoke last
	PromptForm         = "{{form}}"         // the form of the answer
)

// choiceForm is the form of a choice, in words; choiceSchema enforces it where a server can.
const choiceForm = "Answer with one JSON object: " +
	`{"reason": why, "terminate": true or false, "next_speaker": a participant's name or null, ` +
	`"message": what you tell the user yourself or null, "instruction": what only the next speaker is told or null}.`

// choiceTask is the prompt if there is no other.
const choiceTask = "You lead a conversation between a user and these participants:\n" + PromptParticipants +
	"Decide who speaks next, or that the conversation has reached its end for now. " + PromptForm

// promptPlace finds what looks like a place in a prompt.
var promptPlace = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// CheckPrompt reports a place in a manager's prompt that there is not.
func CheckPrompt(prompt string) error {
	for _, place := range promptPlace.FindAllString(prompt, -1) {
		switch place {
		case PromptParticipants, PromptState, PromptForm:
		default:
			return fmt.Errorf("its prompt has %s; there are %s, %s and %s",
				clip.To(place, 100), PromptParticipants, PromptState, PromptForm)
		}
	}
	return nil
}

func (m *llmManager) task(v View) string {
	values := map[string]string{PromptParticipants: v.roll(), PromptState: m.situation(v), PromptForm: choiceForm}
	task := m.Prompt
	if task == "" {
		task = choiceTask
	}
	var rest strings.Builder
	if !strings.Contains(task, PromptParticipants) {
		rest.WriteString("\n\nThe participants:\n" + values[PromptParticipants])
	}
	if !strings.Contains(task, PromptForm) {
		rest.WriteString("\n" + values[PromptForm])
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
	if !strings.Contains(m.Prompt, PromptState) {
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
