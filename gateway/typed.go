package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/typed"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
)

// errUnclear ends a run with a message that is no answer to the question.
var errUnclear = errors.New("gateway: the message does not answer the question")

// readTyped reads the message that began a run as an answer to the open question, and puts the answer into s. If the
// message is unclear, it replies with a text and returns errUnclear. The run holds the right to answer meanwhile. After
// a takeover the model's reply is among the effects and gives the same answer.
func (a *attempt) readTyped(ctx context.Context, s *groupchat.Session) error {
	text, ok := a.intent.Typed()
	if !ok || len(a.intent.Questions) != 1 {
		return nil
	}
	claim, question := a.intent.Claims[0], typed.Read(a.intent.Questions[0])
	var answer json.RawMessage
	reader := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		say := ""
		if answer = question.Match(text); answer == nil {
			var err error
			if answer, say, err = a.askModel(t, question, text); err != nil {
				return err
			}
		}
		if answer != nil {
			return nil
		}
		if say == "" {
			say = question.Unclear()
		}
		return groupchat.SayOnce(t, "unclear", say)
	})
	reading := *s
	reading.Journal, reading.Checkpoint, reading.Answers, reading.Results = uncommitted{a}, nil, nil, nil
	if _, err := groupchat.Execute(ctx, groupchat.WithHooksOf(a.agent.agent, reader), &reading); err != nil {
		return err
	}
	if answer == nil {
		return errUnclear
	}
	claim.Payload = answer
	s.Answers[claim.ID] = claim
	a.committing.Lock()
	defer a.committing.Unlock()
	a.meant = []state.Answer{claim}
	maps.Copy(a.effects, a.thread.Load().Kept.For(a.meant)) // what a turn did that had the same answer and failed
	s.Memo = maps.Clone(a.effects)
	return nil
}

// askModel asks the agent's model for the answer, if the agent has one for this. Model errors are treated as no match.
func (a *attempt) askModel(t *groupchat.Turn, q typed.Question,
	text string) (answer json.RawMessage, say string, err error) {
	if a.agent.TypedAnswers == nil || a.agent.TypedAnswers.Model == nil {
		return nil, "", nil
	}
	request, ok := q.Request(text)
	if !ok {
		return nil, "", nil
	}
	reply, err := t.AskModel("typed",
		groupchat.ModelCall{Purpose: model.ForOther, Model: a.agent.TypedAnswers.Model, Request: request})
	if failure.OfModel(err) {
		a.log.Warn("run: a message could not be interpreted as an answer", "error", err)
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	answer, say = q.Reply(reply.Text)
	return answer, say, nil
}

// uncommitted is the journal while a message is read. Committing would consume the right to answer.
type uncommitted struct{ *attempt }

func (uncommitted) Commit(context.Context, json.RawMessage) error { return nil }

// reading reports whether the run has not found out yet what its message means.
func (a *attempt) reading() bool {
	_, ok := a.intent.Typed()
	return ok && a.meant == nil && !a.answersUsed
}

// reopenCommit returns the commit of a run that leaves its question open.
func reopenCommit(status state.RunStatus) state.Commit {
	return state.Commit{KeepCheckpoint: true, End: &state.End{Status: status, Reopen: true}}
}

// endUnclear ends a run after its reply to an unclear message: its question is open again, with its id and expiry.
func (a *attempt) endUnclear() error {
	now := a.clock.Now()
	for _, q := range a.intent.Questions {
		// it has expired meanwhile (I7)
		if until, err := time.Parse(time.RFC3339, q.ExpiresAt); err == nil && !now.Before(until) {
			return a.finish(reopenCommit(state.RunSuccess), &agui.Outcome{Type: agui.OutcomeSuccess}, nil)
		}
	}
	return a.finish(reopenCommit(state.RunInterrupt),
		&agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: a.intent.Questions}, nil)
}

// endReading ends a run that was stopped before its message was understood: the question has no answer.
func (a *attempt) endReading() error {
	a.rec.Hold()
	if err := a.closeOpen(errcode.Cancelled); err != nil {
		return err
	}
	return a.finishCancelled(reopenCommit(state.RunCancelled))
}
