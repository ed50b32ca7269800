package travel

import (
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/travel/internal/english"
)

// An errand is what the supervisor made of the message that started the run. It outlives pauses, so that the answer to a
// question goes on with the errand instead of starting it again. A specialist's turn gets its part as the instruction.
type errand struct {
	Days int `json:"days,omitempty"`
	// About is the city that is asked about; the plan is not touched then.
	About string `json:"about,omitempty"`
	// Topic is the choice that is made anew, Choice the option the traveller named for it, if any: it is taken without asking.
	Topic  english.Topic `json:"topic,omitempty"`
	Choice string        `json:"choice,omitempty"`
}

// instruction is the part of e for the specialist of topic.
func (e errand) instruction(topic english.Topic) string {
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

// readErrand reads an instruction; without one there is nothing particular to do.
func readErrand(instruction string) (errand, error) {
	var e errand
	if instruction == "" {
		return e, nil
	}
	if err := json.Unmarshal([]byte(instruction), &e); err != nil {
		return e, fmt.Errorf("travel: instruction: %w", err)
	}
	return e, nil
}
