package groupchat

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/internal/approval"
	"github.com/agui-gateway/gateway/state"
)

// Ask asks a person and returns the answer. The first time there is none: it returns a [*ask.Pause], which the
// agent returns in turn, and the run ends. The run that brings the answer enters the turn again from the top. If the
// turn then asks with another Message, that is another question, with a separate answer.
func (t *Turn) Ask(q Question) (ask.Answer, error) {
	answers, err := t.AskAll(q)
	if err != nil {
		return ask.Answer{}, err
	}
	return answers[0], nil
}

// Choose asks q with options, and returns the chosen one, or [ask.ErrCancelled]. Like [Turn.Ask] it returns a
// [*ask.Pause] the first time.
func Choose[T any](t *Turn, q Question, options ...T) (T, error) {
	var none T
	q.Options = options
	answer, err := t.Ask(q)
	if err != nil {
		return none, err
	}
	if answer.Cancelled {
		return none, ask.ErrCancelled
	}
	list := make([]json.RawMessage, len(options))
	for i := range options {
		if list[i], err = json.Marshal(options[i]); err != nil {
			return none, fmt.Errorf("groupchat: ask %s: %w", q.Key, err)
		}
	}
	i := state.IndexOption(list, answer.Payload)
	if i < 0 { // its own schema lets other answers through
		return none, fail(errcode.AgentFailed, "%s: ask %s: the answer is none of the options", t.Path(), q.Key)
	}
	return options[i], nil
}

// AskAll asks several questions at once; all are answered together.
func (t *Turn) AskAll(questions ...Question) ([]ask.Answer, error) {
	keys := map[string]bool{}
	for _, q := range questions {
		if keys[q.Key] {
			return nil, fail(errcode.AgentFailed, "%s: two questions have the key %q", t.Path(), q.Key)
		}
		keys[q.Key] = true
	}
	answers := make([]ask.Answer, len(questions))
	var waiting []*ask.Pause
	for i, q := range questions {
		answer, pause, err := t.ask(q)
		if err != nil {
			return nil, err
		}
		answers[i] = answer
		waiting = append(waiting, pause)
	}
	if pause := ask.Join(waiting...); pause != nil {
		return nil, t.notePause(pause)
	}
	return answers, nil
}

// ask returns the answer to q, or the pause that waits for it. Each try of a question that was answered
// wrongly has its own key, so that a turn entered again finds every earlier answer in its place.
func (t *Turn) ask(q Question) (ask.Answer, *ask.Pause, error) {
	q, err := q.complete()
	if err != nil {
		return ask.Answer{}, nil, fmt.Errorf("groupchat: ask %s: %w", q.Key, err)
	}
	if err := t.claimKey("question", q.Key, q.Message+"\n"+q.ToolCallID); err != nil {
		return ask.Answer{}, nil, err
	}
	first := true
	for try := 1; ; try++ {
		key := tryKey(q.Key, try)
		if t.askedOtherwise(key, q) {
			continue // the earlier answer is for another question
		}
		given, ok, err := t.answered(key, q, first)
		if err != nil {
			return ask.Answer{}, nil, err
		}
		first = false
		if !ok {
			pause, err := t.question(key, q)
			return ask.Answer{}, pause, err
		}
		if given.TimedOut {
			continue // its asker could not see the deadline: ask again
		}
		answer := ask.Answer{Cancelled: given.Status == agui.ResumeCancelled, Payload: given.Payload}
		if answer.Cancelled || q.accepts(answer) {
			return answer, nil, nil
		}
		if q.Again != "" {
			if err := SayOnce(t, "again/"+key, q.Again); err != nil {
				return ask.Answer{}, nil, err
			}
		}
		if q.anew != "" {
			q.Message = q.anew
		}
	}
}

// tryKey is the key under which a question is asked for the nth time, from 1.
func tryKey(key string, n int) string {
	if n == 1 {
		return key
	}
	return key + "#" + strconv.Itoa(n)
}

// answered returns the answer under key. Without one, and with offer set, the turns above may answer q.
func (t *Turn) answered(key string, q Question, offer bool) (state.Answer, bool, error) {
	if given, ok := t.answer(key); ok || !offer {
		return given, ok, nil
	}
	return t.intercept(key, q)
}

// intercept offers q to the turns above that may answer for a person (see [SubOptions.OnAsk]), the nearest first.
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
		t.keepAnswer(key, q.hash(), given)
		return given, true, nil
	}
	return state.Answer{}, false, nil
}

// askedOtherwise reports whether something else than q was asked under key when the turn was entered before.
func (t *Turn) askedOtherwise(key string, q Question) bool {
	asked := t.askedHash(key)
	return asked != "" && asked != q.hash()
}

// question returns the pause that waits for an answer to q.
func (t *Turn) question(key string, q Question) (*ask.Pause, error) {
	metadata, err := t.card(key, q)
	if err != nil {
		return nil, fmt.Errorf("groupchat: ask %s: %w", q.Key, err)
	}
	if err := state.CheckSchema(q.Schema); err != nil {
		return nil, fmt.Errorf("groupchat: ask %s: schema: %w", q.Key, err)
	}
	id := t.openQuestion(key, q.hash())
	return &ask.Pause{Interrupts: []ask.Interrupt{{TTL: q.TTL, Interrupt: agui.Interrupt{
		ID: id, Reason: cmp.Or(q.Reason, "input_required"), Message: q.Message, ToolCallID: q.ToolCallID,
		ResponseSchema: q.Schema, Metadata: metadata, SubagentRunID: t.clientWriter.SubagentRunID(),
	}}}}, nil
}

// CallTool calls a tool that the client runs and returns its result. The first time it returns a [*ask.Pause]:
// the run ends with the call open, and the request that brings the result enters the turn again. A call the
// client never answers comes back as [state.NotAnswered]. Nil arguments are {}. A key is for one call.
func (t *Turn) CallTool(key, name string, arguments any) (agui.Content, error) {
	if arguments == nil {
		arguments = struct{}{}
	}
	args, err := json.Marshal(arguments)
	if err != nil {
		return agui.Content{}, fmt.Errorf("groupchat: call %s: %w", name, err)
	}
	if err := t.claimKey("call", key, name+string(args)); err != nil {
		return agui.Content{}, err
	}
	release, err := t.claimEffect("call/" + key)
	if err != nil {
		return agui.Content{}, err
	}
	defer release()
	call, made := t.frontendCall(key)
	if call.Done {
		return call.Result, nil
	}
	if !made {
		call.ID = "call_" + t.x.NewID()
		w := t.clientWriter.ToolCall(run.ToolCallOptions{ID: call.ID, Name: name})
		if _, err := w.Write(args); err != nil {
			return agui.Content{}, err
		}
		if err := w.Close(); err != nil {
			return agui.Content{}, err
		}
		t.keepCall(key, call.ID)
	}
	return agui.Content{}, t.notePause(&ask.Pause{Calls: []state.Call{{ID: call.ID, Name: name}}})
}

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
	call *approval.Card
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
	if q.call != nil && q.call.Origin != "" {
		return state.Hash([]byte(q.Message), []byte(q.call.Origin))[:16]
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
		*approval.Card
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
