package groupchat

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/state"
)

// A Question is what [Turn.Ask] asks a person.
type Question struct {
	Key     string // unique within the turn or the call of a tool, without '#'; another Message under it is an error
	Reason  string // empty means "input_required"
	Message string
	// Options is a list to choose from; nil asks for free input.
	Options any
	// Recommended is the one of Options that the agent would take; nil recommends none.
	Recommended any
	// By is the name of the asking agent, for the card; empty means the speaker's name.
	By string
	// Value has more members of the card, for pages that know them: an object, 256 KiB of JSON at most. Its names are
	// none that cards have themselves: see docs/requests.md. Nil has none.
	Value any
	// Schema is the JSON Schema an answer must match: what does not is refused, and the question stays open. Without it
	// an answer is one of Options, or anything if there are none.
	Schema json.RawMessage
	// ToolCallID is the call that is to be approved, for reason "tool_call".
	ToolCallID string
	// TTL is how long the question stays open; zero means the server's default.
	TTL time.Duration
	// Check judges an answer that fits the schema. On an error the turn says Again and asks once more, as a new
	// question; so it does with an answer that fits only the schema of the time when it was asked for.
	Check func(ask.Answer) error
	Again string
	// anew replaces Message when the question is asked again, for askers that say nothing in between.
	anew string
	// call is the display of the call in question; nil if there is none.
	call *callCard
	// options and recommended are JSON, nil for none: see complete.
	options, recommended json.RawMessage
	// members are those of Value.
	members map[string]json.RawMessage
}

// complete is q with its options as JSON, and with their schema if it has none.
func (q Question) complete() (Question, error) {
	var err error
	if q.members, err = ask.CardMembers(q.Value); err != nil {
		return q, err
	}
	options, err := json.Marshal(q.Options)
	if err != nil {
		return q, fmt.Errorf("options: %w", err)
	}
	if string(options) == "null" {
		if q.Recommended != nil {
			return q, errors.New("what is recommended is none of the options: there are none")
		}
		if len(q.Schema) == 0 {
			q.Schema = anyAnswer
		}
		return q, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(options, &list) != nil || len(list) == 0 {
		return q, errors.New("the options are no list of at least one")
	}
	q.options = options
	if q.Recommended != nil {
		if q.recommended, err = json.Marshal(q.Recommended); err != nil {
			return q, fmt.Errorf("what is recommended: %w", err)
		}
		if state.IndexOption(list, q.recommended) < 0 {
			return q, errors.New("what is recommended is none of the options")
		}
	}
	if len(q.Schema) == 0 {
		q.Schema, err = json.Marshal(map[string]json.RawMessage{"enum": options})
	}
	return q, err
}

// anyAnswer is the schema of a question that takes any answer.
var anyAnswer = json.RawMessage(`{}`)

// addMembers is a card with members, which do not replace its own.
func addMembers(card json.RawMessage, members map[string]json.RawMessage) (json.RawMessage, error) {
	if len(members) == 0 {
		return card, nil
	}
	all := maps.Clone(members)
	if err := json.Unmarshal(card, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// accepts reports whether an answer will do. It was held against the schema before it came here, but that of the time
// when it was asked for.
func (q Question) accepts(a ask.Answer) bool {
	return state.ValidateAnswer(q.Schema, a.Payload) == nil && (q.Check == nil || q.Check(a) == nil)
}

// hash identifies the question's message in a turn record, and where the call goes that it is about.
func (q Question) hash() string {
	if q.call != nil && q.call.origin != "" {
		return state.Hash([]byte(q.Message), []byte(q.call.origin))[:16]
	}
	return state.Hash([]byte(q.Message))[:16]
}

// card is the interrupt's metadata: the asking agent, and the display of a page.
func (t *Turn) card(key string, q Question) (agui.Metadata, error) {
	value := struct {
		Message        string          `json:"message"`
		Options        json.RawMessage `json:"options,omitempty"`
		Recommendation json.RawMessage `json:"recommendation,omitempty"`
		Agent          string          `json:"agent,omitempty"`
		*callCard
	}{q.Message, q.options, q.recommended, cmp.Or(q.By, t.name()), q.call}
	shown, err := json.Marshal(value)
	if err == nil {
		shown, err = addMembers(shown, q.members)
	}
	if err != nil {
		return nil, err
	}
	where, err := json.Marshal(map[string]string{"path": t.Path(), "key": key})
	if err != nil {
		return nil, err
	}
	return agui.Metadata{"groupchat": where, "value": shown}, nil
}
