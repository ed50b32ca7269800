package thread

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// A Question is a question that a [Thread] waits for.
type Question struct {
	ID string
	// Key is the agent's key of the question, for [Thread.Answer].
	Key     string
	Reason  string // "input_required", "tool_call", …
	Message string
	// Agent is the name of the agent that asks, as cards show it.
	Agent string
	// Options is the JSON list to choose from, and Recommended the recommended one; nil if there is none.
	Options, Recommended json.RawMessage
	// Schema is the JSON Schema of an answer; nil accepts anything.
	Schema json.RawMessage
	// Tool and Arguments are those of the call that needs approval, if the question is about one.
	Tool      string
	Arguments json.RawMessage
	// TTL is the time limit of the question, zero if it has none. A thread ignores it.
	TTL time.Duration
}

// A Call is a call of a frontend's tool that a [Thread] waits for.
type Call struct {
	ID, Name  string
	Arguments json.RawMessage
}

// Answer continues the paused run. Each name in answers is the key, the id or the tool of an open question, or the name
// or the id of an open call. The values are encoded as JSON, except a [ask.Answer]: Answer{Cancelled: true}
// cancels a question. True or false approves or declines a call. A string is the text of a call's result; for other
// values it is their JSON.
//
// Omitted questions stay open, and the run asks them again. A name without a match fails with interrupt_not_found, an
// ambiguous one with resume_ambiguous, and an answer that does not fit its question with resume_invalid; the thread is
// then unchanged. It is unchanged as well if the run fails before the first answered turn has ended: the questions are
// still open.
func (t *Thread) Answer(ctx context.Context, answers map[string]any) (*Result, error) {
	if !t.running.TryLock() {
		return nil, fail(errcode.RunInProgress, "the thread has an active run")
	}
	defer t.running.Unlock()
	next := t.saved()
	if next.Live != nil {
		return nil, errInterrupted
	}
	if next.Waiting == nil {
		return nil, fail(errcode.InterruptNotFound, "the thread waits for nothing")
	}
	live := &liveRun{
		Origin: t.o.NewID(), Checkpoint: next.Waiting.Checkpoint, Effects: next.Waiting.Effects,
		Answers: map[string]state.Answer{}, Results: map[string]agui.Content{},
	}
	for name, value := range answers {
		if err := live.take(&next, name, value); err != nil {
			return nil, err
		}
	}
	for _, c := range next.Waiting.Calls { // in the order of the calls
		if result, ok := live.Results[c.ID]; ok {
			next.add(t.toolMessage(c.ID, result))
		}
	}
	next.Live = live
	return t.run(ctx, next, false)
}

// take adds the answer to the open question or call that name selects.
func (l *liveRun) take(s *savedThread, name string, value any) error {
	var questions []Question
	var calls []Call
	for _, q := range s.questions() {
		if q.ID == name {
			questions, calls = []Question{q}, nil
			break
		}
		if q.Key == name || q.Tool == name {
			questions = append(questions, q)
		}
	}
	for _, c := range s.calls() {
		if c.ID == name || c.Name == name {
			calls = append(calls, c)
		}
	}
	switch {
	case len(questions)+len(calls) > 1:
		return fail(errcode.ResumeAmbiguous, "%q means several that are open; name one by its id", name)
	case len(questions) == 1:
		return l.answer(s, questions[0], value)
	case len(calls) == 1:
		return l.result(calls[0], value)
	default:
		return fail(errcode.InterruptNotFound, "nothing open is called %q", name)
	}
}

func (l *liveRun) answer(s *savedThread, q Question, value any) error {
	given, ok := value.(ask.Answer)
	if !ok {
		raw, err := json.Marshal(value)
		if err != nil {
			return fail(errcode.ResumeInvalid, "the answer to %q: %w", q.Key, err)
		}
		given = ask.Answer{Payload: raw}
	}
	a := state.Answer{ID: q.ID, Status: agui.ResumeCancelled}
	if !given.Cancelled {
		a.Status, a.Payload = agui.ResumeResolved, state.FitQuestion(s.interrupt(q.ID), given.Payload)
		if a.Payload == nil {
			return fail(errcode.ResumeInvalid, "the answer to %q does not fit the question", q.Key)
		}
	}
	if _, twice := l.Answers[q.ID]; twice {
		return fail(errcode.ResumeInvalid, "%q is answered twice", q.Key)
	}
	l.Answers[q.ID] = a
	return nil
}

// interrupt returns the open question with an id.
func (s *savedThread) interrupt(id string) agui.Interrupt {
	i := slices.IndexFunc(s.Waiting.Questions, func(q ask.Interrupt) bool { return q.ID == id })
	return s.Waiting.Questions[i].Interrupt
}

func (l *liveRun) result(c Call, value any) error {
	text, ok := value.(string)
	if !ok {
		raw, err := json.Marshal(value)
		if err != nil {
			return fail(errcode.ResumeInvalid, "the result of %s: %w", c.Name, err)
		}
		text = string(raw)
	}
	if _, twice := l.Results[c.ID]; twice {
		return fail(errcode.ResumeInvalid, "%s has two results", c.Name)
	}
	l.Results[c.ID] = agui.TextContent(text)
	return nil
}

// Questions returns the open questions of the thread, in the order in which they were asked.
func (t *Thread) Questions() []Question {
	s := t.saved()
	return s.questions()
}

// Calls returns the open calls of the frontend's tools.
func (t *Thread) Calls() []Call {
	s := t.saved()
	return s.calls()
}

func (s *savedThread) questions() []Question {
	if s.Waiting == nil {
		return nil
	}
	var all []Question
	for _, i := range s.Waiting.Questions {
		q := Question{ID: i.ID, Reason: i.Reason, Message: i.Message, Schema: i.ResponseSchema, TTL: i.TTL}
		var where struct{ Key string }
		var card struct {
			Options, Recommendation json.RawMessage
			Agent                   string
		}
		_ = exact.Unmarshal(i.Metadata["groupchat"], &where) // a remote agent's question may have neither
		_ = exact.Unmarshal(i.Metadata["value"], &card)
		q.Key, q.Options, q.Recommended, q.Agent = where.Key, card.Options, card.Recommendation, card.Agent
		if call := s.call(i.ToolCallID); call != nil {
			q.Tool, q.Arguments = call.Name, call.Arguments
		}
		all = append(all, q)
	}
	return all
}

func (s *savedThread) calls() []Call {
	if s.Waiting == nil {
		return nil
	}
	var all []Call
	for _, c := range s.Waiting.Calls {
		open := Call{ID: c.ID, Name: c.Name}
		if call := s.call(c.ID); call != nil {
			open.Arguments = call.Arguments
		}
		all = append(all, open)
	}
	return all
}

// call finds a call in the conversation; nil if there is none.
func (s *savedThread) call(id string) *Call {
	if id == "" {
		return nil
	}
	for _, m := range slices.Backward(s.Messages) {
		for _, c := range m.ToolCalls {
			if c.ID == id {
				return &Call{ID: id, Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)}
			}
		}
	}
	return nil
}

// String returns the question as people read it.
func (q Question) String() string {
	if len(q.Options) == 0 {
		return q.Message
	}
	return fmt.Sprintf("%s %s", q.Message, q.Options)
}
