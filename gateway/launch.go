package gateway

import (
	"context"
	"maps"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/host"
	"github.com/agui-gateway/gateway/state"
)

// begin opens the run on the wire: RUN_STARTED, the state, and the conversation if the request changed it. A run
// that cannot begin starts all the same, so that it can be seen to fail. The run's own context is not asked: one
// that was stopped already begins, and ends.
func (a *attempt) begin() error {
	t := a.thread.Load()
	view, messagesErr := a.view(t)
	a.run = a.newRun(view)
	docErr := protect(func() error { return a.open(t) }) // it may call reducers
	if err := a.run.Start(&agui.RunStarted{ParentRunID: a.intent.ParentRunID}); err != nil {
		return err
	}
	if messagesErr != nil {
		return messagesErr
	}
	if docErr != nil {
		return docErr
	}
	if err := a.showState(); err != nil {
		return err
	}
	if a.intent.Added || a.intent.Cut {
		return a.run.Restate()
	}
	return nil
}

// messages are those of the thread at a revision. A store that is away is waited for, as for everything a run needs.
func (a *attempt) messages(rev int64) ([]agui.Message, error) {
	return a.messagesFor(context.Background(), rev)
}

func (a *attempt) messagesFor(ctx context.Context, rev int64) ([]agui.Message, error) {
	var list state.Conversation
	err := a.rec.retry(ctx, func(ctx context.Context) (err error) {
		list, err = a.g.store.Messages(ctx, a.lease.Key, rev)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list.Messages()
}

// newRun makes the writer of the run.
func (a *attempt) newRun(view *run.View) *run.Run {
	return run.New(run.Options{
		ThreadID: a.lease.Key.ID, RunID: a.intent.RunID, View: view, NewID: a.ids.newID,
		MaxEvent: a.g.o.Limits.Event, Sink: a.record, Throttle: a.rec.throttle, Markers: true,
	})
}

// finished is what the agent came to.
type finished struct {
	result host.Result
	err    error
}

// launch lets the agent work in a goroutine of its own, until it is done, waits, or fails.
func (a *attempt) launch() <-chan finished {
	left := a.agent.RunTimeout - a.clock.now().Sub(a.intent.StartedAt)
	ctx, cancel := context.WithTimeoutCause(a.ctx, left, errTimeout)
	a.ctx = ctx
	s := a.session()
	ended := make(chan finished, 1)
	go func() {
		defer cancel()
		var result host.Result
		err := protect(func() (err error) {
			result, err = host.Execute(ctx, a.agent.agent, s)
			return err
		})
		ended <- finished{result, err}
	}()
	return ended
}

// origin names a run for its whole life.
func origin(i state.Intent) string { return strconv.FormatUint(i.Origin, 10) }

// session is what the agent gets to work with.
func (a *attempt) session() host.Session {
	t := a.thread.Load()
	s := host.Session{
		Run: a.run, State: a.doc, Journal: a, Fence: a.term.wait,
		Input: groupchat.Input{
			ThreadID: a.lease.Key.ID, RunID: a.intent.RunID, Agent: a.lease.Key.Agent, Principal: a.lease.Key.Principal,
			Tools: a.intent.Tools, Context: a.intent.Context, ForwardedProps: a.intent.ForwardedProps, Header: a.header,
			Hops: a.intent.Hops, Chain: a.intent.Chain,
		},
		Memo:     maps.Clone(a.effects), // an agent's goroutines read it
		Takeover: a.intent.Attempts > 1,
		Origin:   origin(a.intent),
		Usage:    &a.usage,
		NewID:    a.ids.newID,
		Pace:     a.g.o.Pace,
		Log:      a.log,
		Answers:  map[string]state.Answer{},
		Results:  map[string]agui.Content{},
	}
	if a.intent.Resumed || a.intent.Attempts > 1 {
		s.Checkpoint = t.Checkpoint
	}
	for _, c := range a.intent.Claims {
		s.Answers[c.ID] = c
	}
	for _, c := range t.Calls {
		s.Results[c.ID] = agui.TextContent(state.NotAnswered)
		if c.Answer != nil {
			s.Results[c.ID] = c.Answer.Content
		}
	}
	return s
}
