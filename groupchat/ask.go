package groupchat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
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
