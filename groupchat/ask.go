package groupchat

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Question is what [Turn.Ask] asks a person.
type Question struct {
	Key     string // unique within the turn
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
// agent returns in turn, and the run ends. The run that brings the answer enters the turn again from the top.
func (t *Turn) Ask(q Question) (Answer, error) {
	answers, err := t.AskAll(q)
	if err != nil {
		return Answer{}, err
	}
	return answers[0], nil
}

// AskAll asks several questions at once; all are answered together.
func (t *Turn) AskAll(questions ...Question) ([]Answer, error) {
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
	for try := 1; ; try++ {
		key := q.Key
		if try > 1 {
			key += "#" + strconv.Itoa(try)
		}
		given, ok := t.answer(key)
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
	}
}

// answer returns what was answered under key: earlier, or by the resume this run is.
func (t *Turn) answer(key string) (state.Answer, bool) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	if a, ok := t.frame.Answers[key]; ok {
		return a, true
	}
	id, asked := t.frame.Asks[key]
	a, ok := t.x.Answers[id]
	if !asked || !ok {
		return state.Answer{}, false
	}
	if t.frame.Answers == nil {
		t.frame.Answers = map[string]state.Answer{}
	}
	t.frame.Answers[key] = a
	return a, true
}

// question puts q on its way to the wire.
func (t *Turn) question(key string, q Question) (*Pause, error) {
	by := q.By
	if by == "" {
		by = t.name()
	}
	value := struct {
		Message        string `json:"message"`
		Options        any    `json:"options,omitempty"`
		Recommendation any    `json:"recommendation,omitempty"`
		Agent          string `json:"agent,omitempty"`
	}{Message: q.Message, Options: q.Options, Agent: by}
	recommended, err := pick(q.Options, q.Recommended)
	if err != nil {
		return nil, err
	}
	value.Recommendation = recommended
	shown, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("groupchat: ask %s: %w", q.Key, err)
	}
	where, err := json.Marshal(map[string]string{"path": t.Path(), "key": key})
	if err != nil {
		return nil, err
	}
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	if t.frame.Asks == nil {
		t.frame.Asks = map[string]string{}
	}
	id, ok := t.frame.Asks[key]
	if !ok {
		id = "int_" + t.x.NewID()
		t.frame.Asks[key] = id
	}
	reason := q.Reason
	if reason == "" {
		reason = "input_required"
	}
	return &Pause{Interrupts: []Interrupt{{TTL: q.TTL, Interrupt: agui.Interrupt{
		ID: id, Reason: reason, Message: q.Message, ToolCallID: q.ToolCallID, ResponseSchema: q.Schema,
		Metadata: agui.Metadata{"groupchat": where, "value": shown}, SubagentRunID: t.frame.SubagentRunID,
	}}}}, nil
}

// pick returns the recommended option, nil for none.
func pick(options any, i int) (any, error) {
	if options == nil || i < 0 {
		return nil, nil
	}
	raw, err := json.Marshal(options)
	if err != nil {
		return nil, fmt.Errorf("groupchat: options: %w", err)
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || i >= len(list) {
		return nil, nil
	}
	return list[i], nil
}

// CallTool calls a tool that the client runs and returns its result. The first time it returns a [*Pause]:
// the run ends with the call open, and the request that brings the result enters the turn again. A call the
// client never answers comes back as [state.NotAnswered].
func (t *Turn) CallTool(key, name string, arguments any) (agui.Content, error) {
	t.x.mu.Lock()
	call, made := t.frame.Calls[key]
	result, arrived := t.x.Results[call.ID]
	t.x.mu.Unlock()
	switch {
	case made && call.Done:
		return call.Result, nil
	case made && arrived:
		t.noteCall(key, FrontendCall{ID: call.ID, Done: true, Result: result})
		return result, nil
	case !made:
		args, err := json.Marshal(arguments)
		if err != nil {
			return agui.Content{}, fmt.Errorf("groupchat: call %s: %w", name, err)
		}
		call.ID = "call_" + t.x.NewID()
		w := t.out.ToolCall(agui.ToolCallOptions{ID: call.ID, Name: name})
		if _, err := w.Write(args); err != nil {
			return agui.Content{}, err
		}
		if err := w.Close(); err != nil {
			return agui.Content{}, err
		}
		t.noteCall(key, call)
	}
	return agui.Content{}, &Pause{Calls: []state.Call{{ID: call.ID, Name: name}}}
}

func (t *Turn) noteCall(key string, c FrontendCall) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	if t.frame.Calls == nil {
		t.frame.Calls = map[string]FrontendCall{}
	}
	t.frame.Calls[key] = c
}
