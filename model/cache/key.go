package cache

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/model"
)

// A question is all that two calls have in common if the reply to one is good for the other.
type question struct {
	Provider, Model, Principal string
	Request                    model.Request
}

// key returns a hash of the question, so that the question is not kept.
func (m *Model) key(principal string, r model.Request) ([sha256.Size]byte, error) {
	provider, name := model.Identify(m.model)
	r.Messages = numbered(r.Messages)
	raw, err := json.Marshal(question{provider, name, principal, r})
	return sha256.Sum256(raw), err
}

// numbered replaces the ids of calls by numbers, because each run has different ids.
func numbered(messages []model.Message) []model.Message {
	numbers := map[string]string{}
	number := func(id string) string {
		if id == "" {
			return ""
		}
		if numbers[id] == "" {
			numbers[id] = strconv.Itoa(len(numbers) + 1)
		}
		return numbers[id]
	}
	out := slices.Clone(messages)
	for i := range out {
		m := &out[i]
		m.Calls = slices.Clone(m.Calls)
		for j := range m.Calls {
			m.Calls[j].ID = number(m.Calls[j].ID)
		}
		m.CallID = number(m.CallID)
	}
	return out
}
