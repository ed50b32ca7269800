package a2a

import (
	"errors"
	"time"

	"github.com/agui-gateway/gateway/agui/client"
)

// What following a task may take.
const (
	maxReconnects  = 5 // in a row, without anything new in between
	reconnectAfter = 250 * time.Millisecond
	longestWait    = 3 * time.Second
	lookEvery      = 500 * time.Millisecond // while it is subscribed to
)

var (
	errNoTask = errors.New("the answer ended before it named a task")
	errStands = errors.New("the task does not go on")
)

// follow looks after the task until it is over, if err, which sending it or following it has come to, lets it.
func (a *attempt) follow(err error) error {
	wait := reconnectAfter
	lastNews := time.Now()
	for tries := 0; ; {
		switch {
		case a.over():
			return nil
		case err != nil && !a.mayReconnect(err):
			return err
		case !a.seen && err == nil:
			return &client.Error{Fault: client.FaultCut, Err: errNoTask}
		case err != nil && tries >= maxReconnects:
			return err
		case a.c.o.idle() > 0 && time.Since(lastNews) > a.c.o.idle():
			return &client.Error{Fault: client.FaultTimeout, Err: errStands}
		}
		if err != nil {
			a.r.Warn("", "the answer broke off, the task is followed")
			tries++
		}
		sent := a.out.Sent()
		if err = a.look(); err == nil && !a.over() && a.e.streams {
			err = a.subscribe()
		}
		if a.out.Sent() != sent {
			tries, wait, lastNews = 0, reconnectAfter, time.Now()
		}
		if a.over() || err != nil && !a.mayReconnect(err) {
			continue
		}
		if sleepErr := a.s.Sleep(wait); sleepErr != nil {
			return sleepErr
		}
		wait = min(wait*2, longestWait)
	}
}

// mayReconnect reports whether a task may still be followed after err.
func (a *attempt) mayReconnect(err error) bool { return a.seen && client.IsCut(err, true) }

func (a *attempt) look() error {
	e, err := a.e.event(a.s, a.e.dialect.get, a.e.params(map[string]any{"id": a.taskID}))
	if err != nil {
		return err
	}
	if e.task == nil {
		return &client.Error{Fault: client.FaultInvalid, Err: errEvent}
	}
	return a.take(e)
}

// subscribe follows the task by a stream. Where that begins is not certain to the event, so what it tells is not taken:
// it says when to look.
func (a *attempt) subscribe() error {
	looked := time.Now()
	err := a.stream(a.e.dialect.subscribe, a.e.params(map[string]any{"id": a.taskID}), func(e event) error {
		ends := e.status != nil && !e.status.Status.State.works()
		if e.task != nil || !ends && time.Since(looked) < lookEvery {
			return nil
		}
		looked = time.Now()
		return a.look()
	})
	if isRPC(err, codeUnsupported, codeMethodNotFound) {
		return nil // it is over by now, or is only to be looked at
	}
	return err
}

// idle is how long a task may stand still; 0 is for ever.
func (o *Options) idle() time.Duration {
	const byDefault = 5 * time.Minute
	if o.Idle == 0 {
		return byDefault
	}
	return max(0, o.Idle)
}
