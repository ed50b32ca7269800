package gateway

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/internal/lock"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// start executes a begun run in a new goroutine with a new context. The caller has taken a slot and acquired the agent.
// requested is when it requested the lease, request the context of the run's trace, and header that of the request, nil
// if another replica got it.
func (g *Gateway) start(agent *servedAgent, begun *state.Begun, requested time.Time, request context.Context,
	header http.Header, log *slog.Logger) *attempt {
	ctx, cancel := context.WithCancelCause(telemetry.With(context.Background(), g.o.Telemetry))
	a := &attempt{
		g: g, agent: agent, lease: begun.Lease, term: newTerm(requested.Add(g.o.Lease)),
		clock: calls.NewClock(begun.Now, g.o.Now), intent: begun.Thread.Live.Intent,
		cancel: cancel, done: make(chan struct{}), woken: make(chan struct{}, 1), header: agent.forwarded(header),
		committing: lock.New(), ids: &minter{make: g.o.NewID, made: map[string]bool{}},
		metrics: g.metrics, measuredAs: measuredAs(agent), requested: requested,
	}
	a.ctx = a.beginStep(ctx, request)
	a.background = context.WithoutCancel(a.ctx)
	a.log = telemetry.Logger(a.ctx, runLog(log, begun.Lease, &a.intent))
	a.thread.Store(begun.Thread)
	if err := a.notes.Load(begun.Thread.Notes); err != nil {
		a.log.Warn("run: the notes of its agents are gone", "error", err)
	}
	a.effects = map[string]json.RawMessage{}
	maps.Copy(a.effects, a.intent.Effects)
	maps.Copy(a.effects, begun.Thread.Live.Memo)
	if a.intent.Attempts > 1 {
		used, cost := groupchat.EarlierUsage(begun.Thread.Checkpoint, begun.Thread.Live.Memo, origin(a.intent))
		a.usage.Add(used...)
		a.usage.AddCost(cost)
		a.spent.Store(agui.SumTokens(a.usage.Total()))
	}
	g.mu.Lock()
	g.attempts[a.lease.Key] = a
	cut := g.cutShort.Err() != nil
	g.mu.Unlock()
	if cut {
		cancel(g.drained())
	}
	a.logStart()
	go a.execute()
	return a
}

// startRun writes RUN_STARTED, the state, and the conversation if the request changed it. A run with unreadable
// messages or state still starts, so that readers see it fail. A stopped run starts, and ends.
func (a *attempt) startRun() error {
	t := a.thread.Load()
	view, messagesErr := a.newView(t)
	a.run = a.newRun(view)
	docErr := calls.Protect(func() error { return a.openDocument(t) }) // which may call reducers
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
	if a.intent.Approximate {
		if err := a.run.Emit(&agui.Custom{Name: "gateway.state",
			Value: json.RawMessage(`{"approximate":true}`)}); err != nil {
			return err
		}
	}
	if a.intent.Added || a.intent.Cut {
		return a.run.Restate()
	}
	return nil
}

// newRun returns the run's writer, which continues from view.
func (a *attempt) newRun(view *run.View) *run.Run {
	return run.New(run.Options{
		ThreadID: a.lease.Key.ID, RunID: a.intent.RunID, View: view, NewID: a.ids.newID,
		MaxEvent: a.g.o.Limits.Event, Sink: a.record, Throttle: a.rec.Throttle, Markers: true,
	})
}

type agentResult struct {
	result groupchat.Result
	err    error
}

// launch executes the agent in a new goroutine. The channel receives its result when it has finished, paused or failed.
func (a *attempt) launch() <-chan *agentResult {
	left := a.agent.RunTimeout - a.clock.Now().Sub(a.intent.StartedAt)
	ctx, cancel := context.WithTimeoutCause(a.ctx, left, errTimeout)
	a.ctx = ctx
	s := a.session()
	ended := make(chan *agentResult, 1)
	go func() {
		defer cancel()
		var result groupchat.Result
		err := calls.Protect(func() (err error) {
			if err := a.readTyped(ctx, s); err != nil {
				return err
			}
			result, err = groupchat.Execute(ctx, a.agent.agent, s)
			return err
		})
		ended <- &agentResult{result, err}
	}()
	return ended
}

// origin is a name of the run that all its attempts share.
func origin(i state.Intent) string { return strconv.FormatUint(i.Origin, 10) }

// session returns what the agent is given to work with.
func (a *attempt) session() *groupchat.Session {
	t := a.thread.Load()
	s := &groupchat.Session{
		Run: a.run, State: a.doc, Journal: a, Fence: a.term.wait,
		Input: groupchat.Input{
			ThreadID: a.lease.Key.ID, RunID: a.intent.RunID, Agent: a.lease.Key.Agent,
			Principal: principalOf(a.lease.Key, a.intent.Caller),
			Tools:     a.intent.Tools, Context: a.intent.Context, ForwardedProps: a.intent.ForwardedProps,
			Header: a.header,
			Hops:   a.intent.Hops, Chain: a.intent.Chain, ThreadUsage: t.Usage,
		},
		MaxTurns:  a.agent.MaxTurns,
		Memo:      maps.Clone(a.effects), // an agent's goroutines read it
		Takeover:  a.intent.Attempts > 1,
		Origin:    origin(a.intent),
		Usage:     &a.usage,
		Notes:     &a.notes,
		NewID:     a.ids.newID,
		Pace:      a.g.o.Pace,
		Log:       a.log,
		Hooks:     a.g.o.Hooks,
		Approvals: rememberedApprovals{a},
		AtLimit:   a.noteChatLimit,
		Answers:   map[string]state.Answer{},
		Results:   map[string]agui.Content{},
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

// A minter makes the ids of an attempt and recognises them: no earlier message has one.
type minter struct {
	make func() string

	mu   sync.Mutex
	made map[string]bool
}

func (m *minter) newID() string {
	id := m.make()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made[id] = true
	return id
}

// isNew reports whether the minter made id, which may have a prefix.
func (m *minter) isNew(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, rest, _ := strings.Cut(id, "_")
	return m.made[id] || m.made[rest]
}

// newView returns the initial view of the run. The conversation of t is read only when needed if its last message is
// known. It is not known if results of frontend calls came, which are inserted after their calls.
func (a *attempt) newView(t *state.Thread) (*run.View, error) {
	if t.LastMessage == "" || t.LastMessage != t.LastUser {
		messages, err := a.messages(t.Rev)
		return run.NewView(messages, nil), err
	}
	return run.NewViewAfter(run.Earlier{
		Read: func() ([]agui.Message, error) { return a.readEarlier(t.Rev) },
		New:  a.ids.isNew,
		Last: t.LastMessage,
	}, nil), nil
}

// readEarlier reads messages for the run's view, under the run's lock. It returns when the run is stopped, so that a
// stop does not wait for an unavailable store. A run without its messages ends.
func (a *attempt) readEarlier(rev int64) ([]agui.Message, error) {
	ctx := a.ctx
	if ctx.Err() != nil {
		ctx = a.background // the run is being ended
	}
	messages, err := a.messagesFor(ctx, rev)
	if err != nil && a.ctx.Err() == nil {
		a.storeFailed(err)
	}
	return messages, err
}

// messages returns the thread's messages at a revision. It waits while the store is away, like all reads of a run.
func (a *attempt) messages(rev int64) ([]agui.Message, error) {
	return a.messagesFor(a.background, rev)
}

func (a *attempt) messagesFor(ctx context.Context, rev int64) ([]agui.Message, error) {
	var list state.Conversation
	err := a.rec.Retry(ctx, func(ctx context.Context) (err error) {
		list, err = a.g.store.Messages(ctx, a.lease.Key, rev)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list.Messages()
}
