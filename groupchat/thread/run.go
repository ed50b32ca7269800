package thread

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/internal/lock"
	"github.com/agui-gateway/gateway/state/document"
)

// A threadRun is one run of a thread, and its journal.
type threadRun struct {
	thread    *Thread
	run       *run.Run
	doc       *document.Document
	usage     groupchat.Usage
	notes     history.Notes
	before    savedThread         // the thread when the run began
	messages  []groupchat.Message // of the last commit
	committed bool
	saving    lock.Lock // held while the thread is saved: effects are recorded by several goroutines
}

// run executes the live run of next and stores its result in the thread. The lock running is held.
func (t *Thread) run(ctx context.Context, next savedThread, takeover bool) (*Result, error) {
	r := &threadRun{thread: t, before: next, messages: slices.Clip(next.Messages), saving: lock.New()}
	in := t.o.Input
	in.ThreadUsage = t.usage.Total()
	if in.RunID == "" || takeover {
		in.RunID = t.o.NewID()
	}
	r.run = run.New(run.Options{
		ThreadID: in.ThreadID, RunID: in.RunID, NewID: t.o.NewID, View: run.NewView(next.Messages, nil),
		Sink: func(e agui.Event, _ []byte) error {
			if t.o.Events == nil {
				return nil
			}
			return t.o.Events(e)
		},
	})
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	if err := r.notes.Load(next.Notes); err != nil {
		return nil, fail(errcode.InvalidInput, "the thread's notes: %w", err)
	}
	live := next.Live
	used, cost := groupchat.EarlierUsage(live.Checkpoint, live.Effects, live.Origin)
	r.usage.Add(used...)
	r.usage.AddCost(cost)
	result, err := groupchat.Execute(ctx, t.agent, &groupchat.Session{
		Run: r.run, State: r.doc, Journal: r, Checkpoint: live.Checkpoint, Answers: live.Answers, Results: live.Results,
		Takeover: takeover,
		Memo:     maps.Clone(live.Effects), Origin: live.Origin, NewID: t.o.NewID, Usage: &r.usage, Notes: &r.notes,
		MaxTurns: t.o.MaxTurns, Log: t.o.Log,
		Input: in, Hooks: t.o.Hooks,
	})
	t.usage.Add(r.usage.Total()...)
	t.usage.AddCost(r.usage.Cost())
	if err != nil {
		return nil, r.fail(ctx, err)
	}
	return r.finish(ctx, result)
}

// start opens the state, sends it, and saves the thread with its live run.
func (r *threadRun) start(ctx context.Context) error {
	spec := groupchat.StateSpec{}
	if s, ok := groupchat.As[groupchat.Stateful](r.thread.agent); ok {
		spec = s.StateSpec()
	}
	opened := false
	doc, err := document.New(r.before.State,
		document.Options{Reducers: spec.Reducers, OnChange: func(c document.Change) error {
			if !opened {
				return nil
			}
			return r.run.Emit(c.Event())
		}})
	if err == nil {
		err = doc.Fill(spec.Initial)
	}
	if err != nil {
		return fail(errcode.InvalidInput, "the thread's state: %w", err)
	}
	r.doc, opened = doc, true
	r.before.State = doc.JSON()
	if err := r.save(ctx, r.before); err != nil {
		return err
	}
	if err := r.run.Start(&agui.RunStarted{}); err != nil {
		return err
	}
	return r.run.Emit(&agui.StateSnapshot{Snapshot: doc.JSON()})
}

func (r *threadRun) finish(ctx context.Context, result groupchat.Result) (*Result, error) {
	end := savedThread{V: threadVersion, ID: r.before.ID, State: r.doc.JSON()}
	r.run.Inspect(func(v *run.View) { end.Messages = v.Messages() })
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	if p := result.Pause; p != nil {
		end.Waiting = &waitingRun{Checkpoint: result.Checkpoint, Calls: p.Calls}
		for _, i := range p.Interrupts {
			end.Waiting.Questions = append(end.Waiting.Questions, i)
			outcome.Interrupts = append(outcome.Interrupts, i.Interrupt)
			outcome.Type = agui.OutcomeInterrupt
		}
	}
	if err := r.save(ctx, end); err != nil {
		return nil, err
	}
	usage := r.usage.Total()
	events := append([]agui.Event{&agui.StateSnapshot{Snapshot: end.State},
		&agui.MessagesSnapshot{Messages: end.Messages}}, result.Closings...)
	for _, e := range events {
		if err := r.run.Emit(e); err != nil {
			return nil, err
		}
	}
	if err := r.run.Finish(&agui.RunFinished{Outcome: outcome, Usage: usage}); err != nil {
		return nil, err
	}
	added := added(r.before.Messages, end.Messages)
	return &Result{
		Text: lastText(added), Messages: added, State: slices.Clone(end.State), Questions: end.questions(),
		Calls: end.calls(),
		Usage: usage, Cost: r.usage.Cost(), thread: r.thread,
	}, nil
}

// fail ends a run with an error. Its complete messages and the state stay. If the run brought answers and ended no
// turn, the thread still waits for them, with the recorded effects.
func (r *threadRun) fail(ctx context.Context, cause error) error {
	code := errcode.Of(cause)
	if code == errcode.Internal && ctx.Err() != nil {
		code = errcode.Cancelled
	}
	end := r.before
	if live := r.thread.saved().Live; end.Waiting != nil && !r.committed {
		waiting := *end.Waiting
		waiting.Effects = live.Effects
		end.Waiting = &waiting
	} else {
		end = savedThread{V: threadVersion, ID: r.before.ID, State: r.doc.JSON()}
		cut := groupchat.OpenMessages(cause)
		r.run.Inspect(func(v *run.View) { end.Messages = v.Closed() })
		end.Messages = slices.DeleteFunc(end.Messages,
			func(m groupchat.Message) bool { return slices.Contains(cut, m.ID) })
	}
	end.Live = nil
	saved := r.save(context.WithoutCancel(ctx), end)
	if !r.run.Ended() && r.run.Err() == nil {
		message := code.Message()
		if code == errcode.Of(cause) {
			message = errcode.Public(cause)
		}
		if err := r.run.Fail(&agui.RunError{Message: message, Code: string(code), Usage: r.usage.Total()}); err != nil {
			cause = errors.Join(cause, err)
		}
	}
	return errors.Join(cause, saved)
}

// Commit implements [groupchat.Journal].
func (r *threadRun) Commit(ctx context.Context, checkpoint json.RawMessage) error {
	if err := r.saving.LockContext(ctx); err != nil {
		return err
	}
	defer r.saving.Unlock()
	r.committed = true
	live := *r.before.Live
	next := savedThread{V: threadVersion, ID: r.before.ID, State: r.doc.JSON(), Live: &live}
	r.run.Inspect(func(v *run.View) {
		unchanged, rest := v.Tail()
		v.Mark()
		if unchanged < len(r.messages) { // other holders of the list keep theirs
			r.messages = slices.Clip(r.messages[:unchanged])
		}
		r.messages = append(r.messages, rest...)
	})
	next.Messages = r.messages
	live.Checkpoint, live.Effects = checkpoint, nil // the checkpoint has all recorded effects
	return r.save(ctx, next)
}

// Once records the result of an effect. The effect has happened, so it waits for the lock even if ctx is done.
func (r *threadRun) Once(ctx context.Context, key string, result json.RawMessage) error {
	r.saving.Lock()
	defer r.saving.Unlock()
	next := r.thread.saved()
	live := *next.Live
	live.Effects = maps.Clone(live.Effects)
	if live.Effects == nil {
		live.Effects = map[string]json.RawMessage{}
	}
	live.Effects[key] = result
	next.Live = &live
	return r.save(ctx, next)
}

// save makes next the state of the thread, and calls [Options.Save].
func (r *threadRun) save(ctx context.Context, next savedThread) error {
	if changed := r.notes.Changed(); changed != nil {
		r.before.Notes = changed
	}
	next.Notes = r.before.Notes
	r.thread.keep(next)
	if r.thread.o.Save == nil {
		return nil
	}
	raw, err := json.Marshal(next)
	if err != nil {
		return err
	}
	return r.thread.o.Save(ctx, raw)
}

// added returns the messages of after that before does not have.
func added(before, after []groupchat.Message) []groupchat.Message {
	had := make(map[string]bool, len(before))
	for _, m := range before {
		had[m.ID] = true
	}
	var list []groupchat.Message
	for _, m := range after {
		if !had[m.ID] {
			list = append(list, m)
		}
	}
	return list
}

// lastText returns the text of the last message of an agent.
func lastText(messages []groupchat.Message) string {
	for _, m := range slices.Backward(messages) {
		if text := m.Content.Text(); m.Role == agui.RoleAssistant && text != "" {
			return text
		}
	}
	return ""
}
