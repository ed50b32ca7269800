package groupchat

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/internal/approval"
	"github.com/agui-gateway/gateway/groupchat/internal/schema"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state"
)

// Notes for the model that replace a result.
const (
	noSuchTool  = "There is no such tool."
	toolAway    = "The tool is not available now."
	handedOver  = "The conversation was handed over."
	workDone    = "The work is finished."
	onlyOneOver = "The conversation was handed over to somebody else."
)

// A settledCall has ended, or waits: then err is a pause. A call that fails the turn has a result and an error.
type settledCall struct {
	result *tools.Result
	known  bool // the result is in the conversation already: the client brought it
	err    error
}

func settledAs(text string) settledCall {
	result := tools.Text(text)
	return settledCall{result: &result}
}

func failedAs(text string) settledCall {
	result := failedResult(text)
	return settledCall{result: &result}
}

// callAll makes all calls of a reply at once, and shows the results in the order of the calls. Those that have to wait
// are joined in one pause. Ended says that the turn has handed over and ends here.
func (r *llmRun) callAll(ctx context.Context, s *llmRound) (ended bool, err error) {
	outcomes := make([]chan settledCall, len(s.reply.Calls))
	var wg sync.WaitGroup
	defer wg.Wait() // what works in the turn must not outlast it
	target := ""
	for i := range s.reply.Calls {
		outcomes[i] = make(chan settledCall, 1)
		if to := r.handoff(s, i); to != "" {
			text := handedOver
			switch {
			case target != "":
				text = onlyOneOver
			case to == Done:
				text = workDone
			}
			target = cmp.Or(target, to)
			outcomes[i] <- settledAs(text)
			continue
		}
		settled, work := r.prepare(s, i)
		r.notePrepared(s, i, settled, work != nil)
		if work == nil {
			outcomes[i] <- settled
			continue
		}
		r.t.countWork(&r.t.running, 1)
		wg.Go(func() {
			var got settledCall
			if err := failure.Protect(func() error { got = work(ctx); return got.err }); err != nil {
				got.err = err
			}
			// before the outcome is known: the commit after the last one is left out while others work
			r.t.countWork(&r.t.running, -1)
			outcomes[i] <- got
		})
	}
	var pauses []*ask.Pause
	for i := range outcomes {
		got := <-outcomes[i]
		if pause := ask.PauseOf(got.err); pause != nil {
			pauses = append(pauses, pause)
			continue
		}
		if showErr := r.showResult(s, i, got); got.err == nil {
			got.err = showErr
		}
		r.noteOutcome(s, i, got)
		if got.err != nil && err == nil {
			err = got.err
			r.t.cancel(err) // the others need not finish
		}
	}
	if pause := ask.Join(pauses...); err == nil && pause != nil {
		return false, pause
	}
	if err == nil && r.approved(s) {
		// A person has approved of calls that are made now: a model that fails from here on must not open the question
		// again.
		err = r.t.commit(ctx)
	}
	if err == nil && target != "" {
		r.t.Goto(target)
		return true, nil
	}
	return false, err
}

// approved reports whether a person was asked about any of the reply's calls.
func (r *llmRun) approved(s *llmRound) bool {
	for i := range s.reply.Calls {
		if _, ok := r.t.answer(approvalKey + s.callKey(i)); ok {
			return true
		}
	}
	return false
}

func (r *llmRun) handoff(s *llmRound, i int) string {
	return r.tools.byName[s.reply.Calls[i].Name].handoff
}

// prepare decides what a call is. It is settled, or there is work to do.
func (r *llmRun) prepare(s *llmRound, i int) (settledCall, func(context.Context) settledCall) {
	key, id, written := s.callKey(i), s.shown.Calls[i], s.reply.Calls[i]
	o, offered := r.tools.byName[written.Name]
	call, made := r.t.frontendCall(key)
	switch {
	case !made && offered && o.tool == nil && !schema.IsObject(written.Arguments):
		return failedAs(mistakeText(noObject)), nil // and not run by the client, which sees the result
	case made || offered && o.tool == nil:
		return r.leaveToClient(key, id, r.tools.toolName(written.Name), call, made), nil
	case r.recorded(key): // also of a tool that is there no more
		return r.once(key, func() (tools.Result, error) { return tools.Result{}, nil }), nil
	case o.tool == nil:
		return r.resultWithoutTool(key), nil
	}
	arguments, err := o.tool.arguments(written.Arguments)
	if err != nil {
		return failedAs(mistakeText(err.Error())), nil
	}
	var decided approval.Ruling
	if r.mustAsk(o.tool, key) {
		var pause *ask.Pause
		decided, pause, err = r.decide(o.tool, s, i, arguments)
		switch {
		case err != nil:
			return settledCall{err: err}, nil
		case pause != nil:
			return settledCall{err: pause}, nil
		case decided.Arguments == nil:
			return settledCall{result: decided.Declined()}, nil
		}
		arguments = decided.Arguments
	}
	in := r.t.Input()
	c := ToolCall{ID: id, Name: o.name, Arguments: arguments, ThreadID: in.ThreadID, Principal: in.Principal}
	c.Key = state.Hash([]byte(in.Principal.ID), []byte(in.ThreadID), []byte(r.t.ID()), []byte(key),
		state.Canonical(arguments))[:32]
	c.nth, c.model, c.history, c.mark = r.callNumber(s, i), r.Model, r.short.Inherited, decided.Mark
	if o.tool.Turn != nil {
		return settledCall{}, func(ctx context.Context) settledCall { return r.enter(ctx, o.tool, s, i, c) }
	}
	return settledCall{}, func(ctx context.Context) settledCall { return r.call(ctx, o.tool, key, c) }
}

// resultWithoutTool returns the result of a call of an unavailable tool. The tool may have been there when the model
// called it.
func (r *llmRun) resultWithoutTool(key string) settledCall {
	given, answered := r.t.answer(approvalKey + key)
	switch {
	case answered && !given.TimedOut && !approval.Given(given):
		v := approval.Refuse(ask.Answer{Cancelled: given.Status == agui.ResumeCancelled, Payload: given.Payload})
		v.Mark.By = r.t.Principal().ID
		return settledCall{result: v.Declined()}
	case r.askedInput(key):
		return failedAs(toolAway)
	case r.recorded(key + begunKey):
		return failedAs(toolLost)
	case r.away || r.asked(key):
		return failedAs(toolAway)
	}
	return failedAs(noSuchTool)
}

// leaveToClient leaves a call to the client, which answers it in a later run.
func (r *llmRun) leaveToClient(key, id, name string, call frontendCall, made bool) settledCall {
	if call.Done {
		return settledCall{result: &tools.Result{Content: call.Result}, known: true}
	}
	if made {
		id = call.ID
	} else {
		r.t.keepCall(key, id)
	}
	return settledCall{err: &ask.Pause{Calls: []state.Call{{ID: id, Name: name}}}}
}

// recorded reports whether the result of a call is recorded.
func (r *llmRun) recorded(key string) bool {
	if _, ok := r.t.memo(onceKey + key); ok {
		return true
	}
	_, ok := r.t.x.Memo[r.t.ID()+"/"+onceKey+key]
	return ok
}

func (r *llmRun) once(key string, f func() (tools.Result, error)) settledCall {
	result, err := Once(r.t, key, f)
	if err != nil && result.Content.IsZero() {
		return settledCall{err: err}
	}
	return settledCall{result: &result, err: err}
}

// showResult sends a result to clients, unless it was sent before.
func (r *llmRun) showResult(s *llmRound, i int, got settledCall) error {
	if got.result == nil {
		return nil
	}
	s.results[i] = *got.result
	key, id := s.callKey(i), s.shown.Calls[i]
	r.t.x.keep.Lock() // a commit in between would keep the result and forget that it is shown
	defer r.t.x.keep.Unlock()
	return r.t.done(key+"/shown", func() error {
		if got.known || r.answered(id) {
			return nil
		}
		e := &agui.ToolCallResult{MessageID: r.t.out.NewID(), ToolCallID: id, Role: agui.RoleTool,
			Content: got.result.Content}
		e.Metadata = got.result.Metadata
		return r.writer(s.reply.Calls[i].Name, key).Emit(e)
	})
}

// answered reports whether a call has a result that this turn did not record: a try that fails, and an attempt that
// ends, give the calls that they leave open a result.
func (r *llmRun) answered(id string) bool {
	if !r.t.x.Takeover && r.t.tries() == 0 {
		return false
	}
	for _, m := range slices.Concat(messages(r.t.run), messages(r.t.x.Run)) {
		if m.Role == agui.RoleTool && m.ToolCallID == id {
			return true
		}
	}
	return false
}
