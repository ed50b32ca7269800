package travel

import (
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/travel/internal/english"
)

// A task is the request of the message that started the run. It survives pauses, so that a run with an answer continues
// it. Each specialist gets its part as the turn's instruction.
type task struct {
	Days int `json:"days,omitempty"`
	// About is the name of a city to describe. The trip is not changed then.
	About string `json:"about,omitempty"`
	// Topic is the choice to make again, and Choice the named option, if any, which is booked without a question.
	Topic  english.Topic `json:"topic,omitempty"`
	Choice string        `json:"choice,omitempty"`
	Limits limits        `json:"limits,omitzero"`
	// Spoken means that the specialist uses the model for its texts, as it was when the turn began.
	Spoken bool `json:"spoken,omitempty"`
}

func (e task) instruction(topic english.Topic) string {
	if e.Topic != topic {
		e.Choice = ""
	}
	e.Topic = ""
	raw, err := json.Marshal(e)
	if err != nil {
		panic(err) // it has only strings and numbers
	}
	return string(raw)
}

// readTask reads an instruction. An empty one is the zero task.
func readTask(instruction string) (task, error) {
	var e task
	if instruction == "" {
		return e, nil
	}
	if err := json.Unmarshal([]byte(instruction), &e); err != nil {
		return e, fmt.Errorf("travel: instruction: %w", err)
	}
	return e, nil
}
