package groupchat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Question is what [Turn.Ask] asks a person.
type Question struct {
	Key     string // unique within the turn or the call of a tool, without '#'; another Message under it is an error
	Reason  string // empty means "input_required"
	Message string
	// Options is a list to choose from, and Recommended the index of the one the agent would take; -1
	// recommends none. Nil Options asks for free input.
	Options     any
	Recommended int
	// By names who asks, for the card; empty means the speaker's name.
	By string
	// Schema is the JSON Schema an answer must match: what does not is refused and asks nobody again.
	Schema json.RawMessage
	// ToolCallID is the call that is to be approved, for reason "tool_call".
	ToolCallID string
	// TTL is how long the question stays open; zero means the server's default.
	TTL time.Duration
	// Check judges an answer that fits the schema. On an error the turn says Again and asks once more,
	// as a new question.
	Check func(Answer) error
	Again string
	// anew is then the Message, for those who say nothing in between.
	anew string
}

// An Answer is what came back.
type Answer struct {
	// Cancelled says that the person called the question off; there is no payload.
	Cancelled bool
	// Payload is canonical JSON.
	Payload json.RawMessage
}

// Decode reads the payload into v.
func (a Answer) Decode(v any) error {
	if err := json.Unmarshal(a.Payload, v); err != nil {
		return fmt.Errorf("groupchat: answer: %w", err)
	}
	return nil
}

// Ask asks a person and returns the answer. The first time there is none: it returns a [*Pause], which the
// agent returns in turn, and the run ends. The run that brings the answer enters the turn again from the top. If the
// turn then asks with another Message, that is another question, and it waits for an answer of its own.
func (t *Turn) Ask(q Question) (Answer, error) {
	answers, err := t.AskAll(q)
	if err != nil {
		return Answer{}, err
	}
	return answers[0], nil
}

// AskAll asks several questions at once; all are answered together.
func (t *Turn) AskAll(questions ...Question) ([]Answer, error) {
	keys := map[string]bool{}
	for _, q := range questions {
		if keys[q.Key] {
			return nil, fail(agui.CodeAgentFailed, "%s: two questions have the key %q", t.Path(), q.Key)
		}
		keys[q.Key] = true
	}
	answers := make([]Answer, len(questions))
	var waiting []*Pause
	for i, q := range questions {
		answer, pause, err := t.ask(q)
		if err != nil {
			return nil, err
		}
		answers[i] = answer
		waiting = append(waiting, pause)
	}
	if pause := joinPauses(waiting...); pause != nil {
		return nil, pause
	}
	return answers, nil
}

// ask returns the answer to q, or the pause that waits for it. Each try of a question that was answered
// wrongly has a key of its own, so that a turn entered again finds every earlier answer where it left it.
func (t *Turn) ask(q Question) (Answer, *Pause, error) {
	if err := t.means("question", q.Key, q.Message+"\n"+q.ToolCallID); err != nil {
		return Answer{}, nil, err
	}
	first := true
	for try := 1; ; try++ {
		key := q.Key
		if try > 1 {
			key += "#" + strconv.Itoa(try)
		}
		if t.askedOtherwise(key, q) {
			continue // what was answered, or may still be, was another question
		}
		given, ok := t.answer(key)
		if !ok && first {
			var err error
			if given, ok, err = t.intercept(key, q); err != nil {
				return Answer{}, nil, err
			}
		}
		first = false
		if !ok {
			pause, err := t.question(key, q)
			return Answer{}, pause, err
		}
		if given.TimedOut {
			continue // its asker could not see the deadline: ask again
		}
		answer := Answer{Cancelled: given.Status == agui.ResumeCancelled, Payload: given.Payload}
		if answer.Cancelled || q.Check == nil || q.Check(answer) == nil {
			return answer, nil, nil
		}
		if q.Again != "" {
			if err := Say(t, "again/"+key, "%s", q.Again); err != nil {
				return Answer{}, nil, err
			}
		}
		if q.anew != "" {
			q.Message = q.anew
		}
	}
}

// intercept asks those above who may answer for a person, from the nearest on.
func (t *Turn) intercept(key string, q Question) (state.Answer, bool, error) {
	for at := t; at != nil; at = at.up {
		if at.onAsk == nil {
			continue
		}
		answer, ok, err := at.onAsk(t.Path(), q)
		if err != nil {
			return state.Answer{}, false, err
		}
		if !ok {
			continue
		}
		given := state.Answer{Status: agui.ResumeCancelled}
		if !answer.Cancelled {
			given = state.Answer{Status: agui.ResumeResolved, Payload: state.Canonical(answer.Payload)}
			if err := state.ValidateAnswer(q.Schema, given.Payload); err != nil {
				return state.Answer{}, false, fmt.Errorf("groupchat: ask %s: answered by %s: %w", q.Key, at.Path(), err)
			}
		}
		t.x.mu.Lock()
		defer t.x.mu.Unlock()
		t.keys.Answers = with(t.keys.Answers, key, given)
		t.keys.Asked = with(t.keys.Asked, key, q.hash())
		t.frame.Acted = true
		return given, true, nil
	}
	return state.Answer{}, false, nil
}

// answer returns what was answered under key: earlier, or by the resume this run is.
func (t *Turn) answer(key string) (state.Answer, bool) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	a, ok := t.keys.Answers[key]
	return a, ok
}

// askedOtherwise reports whether something else than q was asked under key when the turn was entered before.
func (t *Turn) askedOtherwise(key string, q Question) bool {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	asked := t.keys.Asked[key]
	return asked != "" && asked != q.hash()
}

// hash tells messages apart.
func (q Question) hash() string { return state.Hash([]byte(q.Message))[:16] }

// question puts q on its way to the wire.
func (t *Turn) question(key string, q Question) (*Pause, error) {
	metadata, err := t.card(key, q)
	if err != nil {
		return nil, fmt.Errorf("groupchat: ask %s: %w", q.Key, err)
	}
	if len(q.Schema) > 0 {
		if err := state.CheckSchema(q.Schema); err != nil {
			return nil, fmt.Errorf("groupchat: ask %s: schema: %w", q.Key, err)
		}
	}
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	id, ok := t.keys.Asks[key]
	if !ok {
		id = "int_" + t.x.NewID()
		t.keys.Asks = with(t.keys.Asks, key, id)
	}
	t.keys.Asked = with(t.keys.Asked, key, q.hash())
	t.frame.Acted = true
	return &Pause{Interrupts: []Interrupt{{TTL: q.TTL, Interrupt: agui.Interrupt{
		ID: id, Reason: cmp.Or(q.Reason, "input_required"), Message: q.Message, ToolCallID: q.ToolCallID,
		ResponseSchema: q.Schema, Metadata: metadata, SubagentRunID: t.face.SubagentRunID(),
	}}}}, nil
}

// card is what the interrupt's metadata say: who asks, and what a page shows.
func (t *Turn) card(key string, q Question) (agui.Metadata, error) {
	value := struct {
		Message        string          `json:"message"`
		Options        json.RawMessage `json:"options,omitempty"`
		Recommendation json.RawMessage `json:"recommendation,omitempty"`
		Agent          string          `json:"agent,omitempty"`
	}{Message: q.Message, Agent: cmp.Or(q.By, t.name())}
	options, err := json.Marshal(q.Options)
	if err != nil {
		return nil, err
	}
	if string(options) != "null" {
		value.Options, value.Recommendation = options, pick(options, q.Recommended)
	}
	shown, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	where, err := json.Marshal(map[string]string{"path": t.Path(), "key": key})
	if err != nil {
		return nil, err
	}
	return agui.Metadata{"groupchat": where, "value": shown}, nil
}

// pick returns the recommended option, nil for none.
func pick(options json.RawMessage, i int) json.RawMessage {
	var list []json.RawMessage
	if i < 0 || json.Unmarshal(options, &list) != nil || i >= len(list) {
		return nil
	}
	return list[i]
}
