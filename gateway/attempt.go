package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// Why a run's context is done, as [context.Cause] says.
var (
	errStopped   = errors.New("gateway: stopped")
	errDraining  = errors.New("gateway: draining")
	errTimeout   = errors.New("gateway: run timeout")
	errLeaseLost = errors.New("gateway: lease lost")
	errStoreGone = errors.New("gateway: the store is gone")
)

// An attempt is one go of this replica at a run: it owns the thread's lease until the run ends. Its work is
// done by three goroutines: the agent's, the recorder's, and watch.
type attempt struct {
	g      *Gateway
	agent  *served
	lease  *state.Lease
	thread *state.Thread // as of the last commit; only the agent's goroutine writes it
	intent state.Intent

	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the lease is given back

	rec  *recorder
	run  *agui.Run
	view *agui.View
	doc  *state.Document
	// ending goes with the terminal frame.
	ending *agui.Ending
	// settled says that a commit has used up the answers this run brought.
	settled bool

	readers atomic.Int64
	woken   chan struct{} // a reader came or went
}

// start begins the run in a goroutine of its own, with a context of its own.
func (g *Gateway) start(agent *served, begun *state.Begun) *attempt {
	ctx, cancel := context.WithCancelCause(context.Background())
	a := &attempt{
		g: g, agent: agent, lease: begun.Lease, thread: begun.Thread, intent: begun.Thread.Live.Intent,
		ctx: ctx, cancel: cancel, done: make(chan struct{}), woken: make(chan struct{}, 1),
	}
	g.mu.Lock()
	g.attempts[a.lease.Key] = a
	g.mu.Unlock()
	g.wg.Add(1)
	go a.live()
	return a
}

// live is the attempt from its first event to the release of the lease.
func (a *attempt) live() {
	defer a.g.wg.Done()
	defer a.gone()
	a.rec = newRecorder(a.g.store, a.lease, a.fatal)
	go a.rec.loop()
	defer a.rec.stop()
	go a.watch(a.thread.Live.Tied)
	err := a.begin()
	if err != nil {
		a.end(groupchat.Result{}, err)
		return
	}
	a.end(a.execute())
}

// gone takes the attempt off the books.
func (a *attempt) gone() {
	a.cancel(nil)
	a.g.mu.Lock()
	if a.g.attempts[a.lease.Key] == a {
		delete(a.g.attempts, a.lease.Key)
	}
	a.g.mu.Unlock()
	close(a.done)
}

// fatal ends the attempt when the log cannot be written.
func (a *attempt) fatal(err error) {
	if errors.Is(err, state.ErrLeaseLost) {
		a.cancel(errLeaseLost)
		return
	}
	a.g.o.Log.Error("run: store", "thread", a.lease.Key.ID, "agent", a.lease.Key.Agent, "error", err)
	a.cancel(errStoreGone)
}

// begin opens the run on the wire: RUN_STARTED, the state, and the conversation if the request changed it.
func (a *attempt) begin() error {
	messages, err := a.g.store.Messages(a.ctx, a.lease.Key, a.thread.Rev)
	if err != nil {
		return err
	}
	a.view = agui.NewView(messages, nil)
	a.run = agui.NewRun(agui.RunOptions{
		ThreadID: a.lease.Key.ID, RunID: a.intent.RunID, View: a.view, NewID: a.g.o.NewID,
		MaxEvent: a.g.o.Limits.Event, Sink: a.record, Markers: true,
	})
	started := false
	a.doc, err = state.NewDocument(a.thread.State, state.DocumentOptions{
		Reducers: a.agent.spec.Reducers, MaxSize: a.g.o.Limits.State, MaxPatchOps: a.g.o.Limits.PatchOps,
		OnChange: func(c state.Change) error {
			if !started {
				return nil
			}
			return a.run.Emit(c.Event())
		},
	})
	if err != nil {
		return err
	}
	if err := fillState(a.doc, a.agent.spec.Initial); err != nil {
		return err
	}
	started = true
	if err := a.run.Start(&agui.RunStarted{ParentRunID: a.intent.ParentRunID}); err != nil {
		return err
	}
	if err := a.run.Emit(&agui.StateSnapshot{Snapshot: a.doc.JSON()}); err != nil {
		return err
	}
	if a.intent.Added || a.intent.Cut {
		return a.run.Emit(&agui.MessagesSnapshot{Messages: messages})
	}
	return nil
}

// fillState gives the state the members of initial that it lacks.
func fillState(doc *state.Document, initial json.RawMessage) error {
	if len(initial) == 0 {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(initial, &members); err != nil {
		return err
	}
	for name, value := range members {
		pointer := state.Pointer(name)
		if raw, ok := doc.Raw(pointer); ok && string(raw) != "null" && string(raw) != `""` {
			continue
		}
		if err := doc.Set(pointer, value); err != nil {
			return err
		}
	}
	return nil
}

// execute lets the agent work until it is done, waits, or fails.
func (a *attempt) execute() (groupchat.Result, error) {
	left := a.agent.RunTimeout - a.g.o.Now().Sub(a.intent.StartedAt)
	ctx, cancel := context.WithTimeoutCause(a.ctx, left, errTimeout)
	defer cancel()
	s := groupchat.Session{
		Run: a.run, State: a.doc, Journal: a,
		Input: groupchat.Input{
			ThreadID: a.lease.Key.ID, RunID: a.intent.RunID, Principal: a.lease.Key.Principal,
			Tools: a.intent.Tools, Context: a.intent.Context, ForwardedProps: a.intent.ForwardedProps,
		},
		Memo:   a.thread.Live.Memo,
		Origin: strconv.FormatUint(a.intent.Origin, 10),
		NewID:  a.g.o.NewID,
		Pace:   a.g.o.Pace,
	}
	if a.intent.Resumed || a.intent.Attempts > 1 {
		s.Checkpoint = a.thread.Checkpoint
	}
	s.Answers = map[string]state.Answer{}
	for _, c := range a.intent.Claims {
		s.Answers[c.ID] = c
	}
	s.Results = map[string]agui.Content{}
	for _, c := range a.thread.Calls {
		s.Results[c.ID] = agui.TextContent(state.NotAnswered)
		if c.Answer != nil {
			s.Results[c.ID] = c.Answer.Content
		}
	}
	result, err := groupchat.Execute(ctx, a.agent.agent, s)
	if err != nil && ctx.Err() != nil && a.ctx.Err() == nil {
		return result, errTimeout
	}
	if a.ctx.Err() != nil && (err != nil || result.Pause != nil) {
		return result, context.Cause(a.ctx)
	}
	return result, err
}

// watch keeps the lease alive, hears what others have to say to this run, and stops one that nobody reads.
func (a *attempt) watch(tied bool) {
	renew := time.NewTicker(a.g.o.Lease / 3)
	defer renew.Stop()
	idle := time.NewTimer(a.g.o.DetachGrace)
	defer idle.Stop()
	var hungUp <-chan time.Time
	for {
		select {
		case <-a.done:
			return
		case <-renew.C:
			if err := a.g.store.Renew(a.ctx, a.lease, a.g.o.Lease); errors.Is(err, state.ErrLeaseLost) {
				a.cancel(errLeaseLost)
			}
		case s := <-a.lease.Signals:
			switch s {
			case state.SignalStop:
				a.cancel(errStopped)
			case state.SignalLost:
				a.cancel(errLeaseLost)
			case state.SignalUntie:
				tied, hungUp = false, nil
			case state.SignalHungUp:
				if tied {
					hungUp = time.After(a.g.o.HangUpGrace)
				}
			}
		case <-hungUp:
			a.cancel(errStopped)
		case <-a.woken:
			idle.Reset(a.g.o.DetachGrace)
		case <-idle.C:
			if a.readers.Load() == 0 {
				a.cancel(errStopped)
			}
			idle.Reset(a.g.o.DetachGrace)
		}
	}
}

// enter and leave count a reader of this run.
func (a *attempt) enter() { a.count(1) }
func (a *attempt) leave() { a.count(-1) }

func (a *attempt) count(n int64) {
	a.readers.Add(n)
	select {
	case a.woken <- struct{}{}:
	default: // watch has not looked since the last one
	}
}
