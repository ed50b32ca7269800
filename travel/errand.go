package travel

import (
	"encoding/json"
	"fmt"
)

// An errand is what the supervisor made of the message that began the run. It outlives pauses, so that the
// answer to a question goes on with the errand instead of beginning it again.
type errand struct {
	Days int `json:"days,omitempty"`
	// About is the city that is asked about; the plan is not touched then.
	About string `json:"about,omitempty"`
	// Topic is the choice that is made anew, Choice the option the traveller named for it, if any.
	Topic  Topic  `json:"topic,omitempty"`
	Choice string `json:"choice,omitempty"`
}

// An order is what the supervisor tells a specialist: the instruction of the turn.
type order struct {
	Days   int    `json:"days,omitempty"`
	About  string `json:"about,omitempty"`
	Choice string `json:"choice,omitempty"` // take this one without asking
}

// order is e's part for the specialist of topic.
func (e errand) order(topic Topic) order {
	o := order{Days: e.Days, About: e.About}
	if e.Topic == topic {
		o.Choice = e.Choice
	}
	return o
}

// String is how an order travels.
func (o order) String() string {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err) // it has only strings, numbers and booleans
	}
	return string(raw)
}

// readOrder reads an instruction; none is the empty order.
func readOrder(instruction string) (order, error) {
	var o order
	if instruction == "" {
		return o, nil
	}
	if err := json.Unmarshal([]byte(instruction), &o); err != nil {
		return o, fmt.Errorf("travel: instruction: %w", err)
	}
	return o, nil
}
