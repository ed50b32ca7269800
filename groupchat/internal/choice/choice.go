// Package choice reads what models answer that choose participants: the next speaker, or those who work at once.
package choice

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/model"
)

// SpeakerForm is the form of a choice, in words; SpeakerSchema enforces it where a server can.
const SpeakerForm = "Answer with one JSON object: " +
	`{"reason": why, "terminate": true or false, "next_speaker": a participant's name or null, ` +
	`"message": what you tell the user yourself or null, "instruction": what only the next speaker is told or null}.`

// A Speaker is a model's choice of what a chat does next.
type Speaker struct {
	Terminate   bool   `json:"terminate"`
	NextSpeaker string `json:"next_speaker"`
	Message     string `json:"message"`
	Instruction string `json:"instruction"`
	Reason      string `json:"reason"`
}

// A Error says why a choice is not accepted. Its text is for the model.
type Error struct {
	Problem string
	Code    errcode.Code
}

func (e *Error) Error() string { return "groupchat: the manager's choice: " + e.Problem }

// ReadSpeaker reads a model's choice and checks it against the participants. The one called idle must not be chosen.
func ReadSpeaker(text string, participants []profile.Info, idle string) (Speaker, *Error) {
	raw := model.Object(text)
	if raw == nil {
		return Speaker{}, &Error{"it is not a JSON object", errcode.ModelResponse}
	}
	var c Speaker
	if err := exact.Unmarshal(raw, &c); err != nil {
		return Speaker{}, &Error{"a member has the wrong type", errcode.ModelResponse}
	}
	if c.Terminate {
		return c, nil
	}
	if strings.TrimSpace(c.NextSpeaker) == "" {
		return c, &Error{"it neither terminates nor names a next_speaker", errcode.ModelResponse}
	}
	names := Names(participants)
	chosen := index(names, c.NextSpeaker)
	switch {
	case chosen >= 0 && names[chosen] == idle:
		return c, &Error{idle + " did nothing in its last turn and cannot speak next", errcode.NoProgress}
	case chosen >= 0:
		c.NextSpeaker = names[chosen]
		return c, nil
	}
	return c, &Error{
		fmt.Sprintf("there is no %q; next_speaker is one of %s", clip.To(c.NextSpeaker, 100),
			strings.Join(names, ", ")), errcode.UnknownSpeaker,
	}
}

// SpeakerSchema is the form of a choice among participants, without the one called idle. Every member is required, for
// servers that enforce it.
func SpeakerSchema(participants []profile.Info, idle string) json.RawMessage {
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

// ReadSeveral reads a choice of at most most of names, in their order; 0 is no limit. The problem with a choice that is
// not accepted is for the model.
func ReadSeveral(text string, names []string, most int) (chosen []string, problem string) {
	var choice struct {
		Participants []string `json:"participants"`
	}
	raw := model.Object(text)
	if raw == nil {
		return nil, "it is not a JSON object"
	}
	if exact.Unmarshal(raw, &choice) != nil {
		return nil, "participants is no list of names"
	}
	picked := map[string]bool{}
	for _, name := range choice.Participants {
		i := index(names, name)
		if i < 0 {
			return nil, fmt.Sprintf("there is no %q; there are %s", clip.To(name, 100), strings.Join(names, ", "))
		}
		picked[names[i]] = true
	}
	for _, name := range names {
		if picked[name] {
			chosen = append(chosen, name)
		}
	}
	switch {
	case len(chosen) == 0:
		return nil, "it names no participant, and at least one has to work"
	case most > 0 && len(chosen) > most:
		return nil, fmt.Sprintf("it names %d participants, and at most %d may work", len(chosen), most)
	}
	return chosen, ""
}

// SeveralSchema is the form of a choice among names. Every member is required, for servers that enforce it.
func SeveralSchema(names []string) json.RawMessage {
	schema, err := json.Marshal(map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"reason", "participants"},
		"properties": map[string]any{
			"reason":       map[string]any{"type": "string"},
			"participants": map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": names}},
		},
	})
	if err != nil {
		return nil // of names
	}
	return schema
}

// index returns the index of name in names, as it is written or else as [Normal] has it; -1 if it is in none.
func index(names []string, name string) int {
	if i := slices.Index(names, name); i >= 0 {
		return i
	}
	return slices.IndexFunc(names, func(one string) bool { return Normal(one) == Normal(name) })
}

// Names returns the names of participants.
func Names(participants []profile.Info) []string {
	names := make([]string, len(participants))
	for i, p := range participants {
		names[i] = p.Name
	}
	return names
}

// Normal is the spelling in which keys are compared: trimmed, and every letter replaced by the first of those that
// differ from it by case only.
func Normal(key string) string {
	return strings.Map(func(r rune) rune {
		first := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			first = min(first, next)
		}
		return first
	}, strings.TrimSpace(key))
}
