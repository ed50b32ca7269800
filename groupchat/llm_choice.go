package groupchat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/model"
)

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
func readChoice(text string, participants []Info, idle string) (llmChoice, *choiceError) {
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
func choiceSchema(participants []Info, idle string) json.RawMessage {
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
