package a2a

import (
	"context"
	"errors"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

// An attempt is one run: a message that is sent, and the task that is followed.
type attempt struct {
	c   *Client
	r   client.Request
	s   *client.Session
	e   endpoint
	out *translator

	taskID string
	// asked is the question that the message answers. Until the task has moved its status is what it was.
	asked *question
	moved bool
	// seen is set after the first event of the task in this run.
	seen  bool
	state taskState
	// last is the status at the end of the run, or the message instead of a task.
	last  *taskStatus
	reply bool
}

// controlTimeout bounds requests about a task that are answered at once.
const controlTimeout = 5 * time.Second

// over reports whether there is nothing to wait for any more.
func (a *attempt) over() bool { return a.reply || a.last != nil && !a.last.State.works() }

// run sends the message and follows its task to the end. A task of which it does not see the end is cancelled.
func (a *attempt) run(ctx context.Context) error {
	a.s = a.c.http.Session(ctx, a.r.Header)
	defer a.s.End()
	err := a.out.Start()
	if err == nil {
		err = a.answer()
	}
	if err == nil {
		err = a.end()
	}
	if err != nil && !a.over() {
		a.stop(ctx)
	}
	return err
}

// answer sends the pending message, and follows its task.
func (a *attempt) answer() error {
	var err error
	if a.e, err = a.c.endpoint(a.s); err != nil {
		return err
	}
	if len(a.r.Input.Resume) > 0 {
		entry := a.r.Input.Resume[0] // a run has one question
		a.asked = parseQuestion(entry.InterruptID)
		a.taskID = a.asked.taskID
		if entry.Status == agui.ResumeCancelled {
			return a.callOff()
		}
	}
	if a.r.Begun != "" {
		a.taskID, a.seen = a.r.Begun, true
		return a.follow(nil)
	}
	return a.follow(a.send())
}

// send sends the message. If the agent does not know the method or address of an older card, the card may have changed:
// send reads it once more.
func (a *attempt) send() error {
	for again := false; ; again = true {
		err := a.sendOnce()
		if err == nil || a.seen {
			return err
		}
		if e, ok := errors.AsType[*client.Error](err); !ok ||
			e.Fault != client.FaultUnreachable && e.Fault != client.FaultStatus {
			return err
		}
		a.c.forget()
		if again || !isRPC(err, codeMethodNotFound, codeVersionNotSupported, codeUnsupported) && !notThere(err) {
			return err
		}
		before := a.e
		fresh, cardErr := a.c.endpoint(a.s)
		switch {
		case cardErr != nil:
			return cardErr
		case *fresh.url == *before.url && fresh.dialect == before.dialect && fresh.streams == before.streams:
			return err
		}
		a.e = fresh
	}
}

// notThere reports whether a server has nothing at a URL that takes requests.
func notThere(err error) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Fault == client.FaultStatus &&
		(e.Status == 404 || e.Status == 405 || e.Status == 410 || errors.Is(err, client.ErrPage))
}

func (a *attempt) sendOnce() error {
	params := a.e.message(a.message())
	if !a.e.streams {
		e, err := a.e.event(a.s, a.e.dialect.send, params)
		if err != nil {
			return err
		}
		return a.take(e)
	}
	return a.stream(a.e.dialect.stream, params, a.take)
}

// stream takes the results of a stream, until there is nothing more to wait for.
func (a *attempt) stream(method string, params map[string]any, take func(event) error) error {
	for result, err := range a.e.call(a.s, method, params) {
		if err != nil {
			return err
		}
		e, err := parseResult(result)
		if err == nil {
			err = take(e)
		}
		if err != nil || a.over() {
			return err
		}
	}
	return nil
}

func (a *attempt) take(e event) error {
	if e.message != nil {
		a.seen, a.reply = true, true
		a.out.addUsage(e.message.Metadata)
		return a.out.message(e.message)
	}
	id := e.taskID()
	switch {
	case a.seen && id != a.taskID:
		a.r.Warn("", "an event is of another task, passed over")
		return nil
	case !a.seen:
		a.seen, a.taskID = true, id
		if a.r.Begins != nil {
			if err := a.r.Begins(id); err != nil {
				return err
			}
		}
	}
	a.out.taskID = id
	switch {
	case e.artifact != nil:
		a.moved = true
		a.out.addUsage(e.artifact.Metadata, e.artifact.Artifact.Metadata)
		return a.out.artifact(&e.artifact.Artifact, e.artifact.Append, e.artifact.LastChunk)
	case e.status != nil:
		a.moved = true
		a.out.addUsage(e.status.Metadata)
		return a.status(&e.status.Status)
	default:
		return a.task(e.task)
	}
}

func (a *attempt) task(t *task) error {
	a.out.addUsage(t.Metadata)
	stale := a.asked != nil && !a.moved && t.Status.State.asks() && t.Status.key() == a.asked.key
	for _, m := range a.since(t.History) {
		if t.Status.Message != nil && m.ID == t.Status.Message.ID {
			continue // sent with the status
		}
		if err := a.out.message(m); err != nil {
			return err
		}
	}
	for i := range t.Artifacts {
		if err := a.out.artifact(&t.Artifacts[i], false, !t.Status.State.works()); err != nil {
			return err
		}
	}
	if stale {
		return nil // the question that is being answered
	}
	a.moved = true
	return a.status(&t.Status)
}

// since are the agent's messages of a history behind the one that was sent.
func (a *attempt) since(history []message) []*message {
	from := len(history)
	for i := range history {
		if history[i].ID == a.r.Input.RunID {
			from = i + 1
		}
	}
	var list []*message
	for i := from; i < len(history); i++ {
		if history[i].isAgents() {
			list = append(list, &history[i])
		}
	}
	return list
}

func (a *attempt) status(s *taskStatus) error {
	if s.State != a.state {
		a.state = s.State
		if err := a.out.enter(s.State); err != nil {
			return err
		}
	}
	a.last = s
	if s.Message == nil {
		return nil
	}
	a.out.addUsage(s.Message.Metadata)
	switch s.State {
	case stateSubmitted, stateWorking, stateCompleted:
		return a.out.message(s.Message)
	default:
		return nil // it is the question, or the reason
	}
}

// callOff cancels the task of a cancelled question.
func (a *attempt) callOff() error {
	e, err := a.e.event(a.s, a.e.dialect.cancel, a.e.params(map[string]any{"id": a.taskID}))
	if err != nil && !isRPC(err, codeTaskNotFound, codeTaskNotCancelable) {
		return err
	}
	if e.task != nil {
		a.out.addUsage(e.task.Metadata)
	}
	a.reply = true // nothing is at work there
	return nil
}

func (a *attempt) end() error {
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	if a.last != nil && !a.reply {
		switch said := a.last; {
		case said.State == stateCompleted:
		case said.State == stateCanceled:
			outcome.Type = agui.OutcomeCancelled
		case said.State.asks():
			outcome.Type = agui.OutcomeInterrupt
			outcome.Interrupts = []agui.Interrupt{said.interrupt(a.taskID)}
		default:
			return a.out.end(nil, "task_"+string(said.State), said.text())
		}
	}
	return a.out.end(outcome, "", "")
}

// stop cancels a task without waiting for its end. If the agent takes long to answer, the request continues in the
// background.
func (a *attempt) stop(ctx context.Context) {
	if a.taskID == "" || a.e.url == nil || ctx.Err() == nil && !a.seen {
		return // nothing is at work, or an answer has not been taken and may be given again
	}
	a.r.Cancel(ctx, func(out context.Context) error {
		s := a.c.http.Session(out, a.r.Header)
		defer s.End()
		_, err := a.e.event(s, a.e.dialect.cancel, a.e.params(map[string]any{"id": a.taskID}))
		return err
	})
}
