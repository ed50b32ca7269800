package groupchat

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A Turn is everything an agent may see and do while it speaks. It may be used from several
// goroutines at once; it must not be used after the agent's Run has returned.
type Turn struct {
	x      *execution
	ctx    context.Context
	outer  context.Context // of what the turn is part of; nil before it has begun
	record *turnRecord
	keys   *turnKeys
	up     *Turn    // the turn that this one is part of; nil for the root's
	path   []string // below the root
	as     string   // the speaker's name, empty for the root
	run    *run.Run // the conversation it is part of
	out    run.Writer
	scope  *document.Scope
	// chat is nil in the root's turn, in a supervisor's, and in one that another turn invoked; participant in the first
	// two.
	chat        *chatRun
	participant *Participant
	saved       savedState
	own         *ownScope
	// clientWriter writes what clients are shown of the turn: its questions and calls. parentWriter writes to the
	// conversation of the turn above. Both differ from out where the turn has a private conversation.
	clientWriter, parentWriter run.Writer
	output                     OutputMode
	direct                     string // the path beyond which only people see the messages
	onAsk                      func(path string, q Question) (ask.Answer, bool, error)
	visibility                 *visibility // of a turn that another turn invoked
	fan                        *fanMark    // of the turn of a participant of a fan
	proxy                      bool        // for up: what this turn says and does counts as that turn's
	owned                      bool        // the invocations in it are recorded, because its caller reads its messages
	call                       string      // the id of the call, if the turn is one of a tool
	inCall                     bool        // it is up's turn, with separate keys for one call of a tool
	hooks                      []Hooks     // those that hold in the turn, the outermost first
	filtered                   *filteredWriters

	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
	mu     sync.Mutex
	spawns int             // goroutines that Go has started
	errs   []returnedError // in the order in which they were returned
	// The lock of records guards the fields below: the children of this try, and how many of them, and of the
	// goroutines of Go, are at work. Since is the last message there was when the first of those at work began.
	invoked         map[string]bool
	inside, running int
	since           string
}

// A returnedError is an error of the agent's Run, or of the nth goroutine it started.
type returnedError struct {
	n   int
	err error
}

// child makes the turn of the one called name below t.
func (t *Turn) child(name string) *Turn {
	return &Turn{x: t.x, ctx: t.ctx, up: t, path: append(slices.Clone(t.path), name), as: name, run: t.run,
		clientWriter: t.clientWriter,
		owned:        t.owned, direct: t.direct, hooks: t.hooks, filtered: t.filtered}
}

// same is a copy of t, which takes the same turn.
func (t *Turn) same() *Turn {
	return &Turn{
		x: t.x, ctx: t.ctx, outer: t.outer, record: t.record, keys: t.keys, up: t.up, path: t.path, as: t.as,
		run: t.run, out: t.out,
		scope: t.scope, chat: t.chat, participant: t.participant, saved: t.saved, own: t.own,
		clientWriter: t.clientWriter,
		parentWriter: t.parentWriter, output: t.output, direct: t.direct, onAsk: t.onAsk, visibility: t.visibility,
		proxy: t.proxy,
		owned: t.owned, call: t.call, inCall: t.inCall, hooks: t.hooks, filtered: t.filtered,
	}
}

// Context is done when the run is stopped, times out or continues in another process, and when something else in this
// turn has failed; [context.Cause] says which.
func (t *Turn) Context() context.Context { return t.ctx }

// Path names the turn below the root, joined by '.'; empty for the root itself.
func (t *Turn) Path() string { return strings.Join(t.path, ".") }

// ID is the turn's for its whole life: the same after a pause, a takeover and a retry. With the thread and a
// key of the agent's it makes an idempotency key. Each call of a tool has its own.
func (t *Turn) ID() string { return t.keys.id }

// Instruction is the supervisor's instruction of this speaker for this turn only.
func (t *Turn) Instruction() string { return t.record.Instruction }

// Input is what the caller sent along: tools, context, forwarded properties.
func (t *Turn) Input() Input { return t.x.Input }

// Principal is the caller and owner of the thread: with the roles and claims of the request that started or resumed the
// run, also after a takeover.
func (t *Turn) Principal() Principal { return t.x.Input.Principal }

// State is the shared state as this participant's scope has it. The event of a write has been emitted when it returns.
func (t *Turn) State() *document.Scope { return t.scope }

// LastUser returns the newest user message of the conversation, and whether there is one.
func (t *Turn) LastUser() (Message, bool) { return lastUser(t.conversation()) }

// conversation is all of the conversation that the turn may see, whatever the participant's context leaves out.
func (t *Turn) conversation() []Message {
	for at := t; at != nil; at = at.up {
		if at.visibility != nil && (at.visibility.given != nil || at.visibility.input != nil) {
			return at.Messages()
		}
	}
	return visible(messages(t.run), t.Path())
}

// Text opens a text message of the speaker's. Each write is one piece of it on the wire; nothing is sent
// before the first. Close it when it is complete; a turn that ends closes what it left open.
func (t *Turn) Text() *run.Text {
	return t.out.Text(run.TextOptions{Name: t.name(), Metadata: t.marked()})
}

// Emit sends an event of the agent's own, such as a Custom or an Activity. Lifecycle events of runs, steps and
// subagents are not an agent's to send, and neither are state and snapshots, because the server's documents would not
// have what they say: they fail with [run.ErrNotEmitted]. See [Turn.State].
func (t *Turn) Emit(e agui.Event) error {
	switch e.(type) {
	case *agui.StateSnapshot, *agui.StateDelta, *agui.MessagesSnapshot,
		*agui.StepStarted, *agui.StepFinished, *agui.SubagentStarted, *agui.SubagentFinished, *agui.SubagentError:
		return run.ErrNotEmitted
	}
	return t.out.Emit(e)
}

// Go runs f in a goroutine of this turn. The turn ends when all of them have. The first failure, or panic, becomes the
// turn's and cancels its context; pauses add up.
func (t *Turn) Go(f func() error) {
	t.mu.Lock()
	t.spawns++
	n := t.spawns
	t.mu.Unlock()
	t.wg.Add(1)
	t.countWork(&t.running, 1)
	go func() {
		defer t.wg.Done()
		defer t.countWork(&t.running, -1)
		t.note(n, failure.Protect(f))
	}()
}

func (t *Turn) work(agent Agent) error {
	ctx, cancel := context.WithCancelCause(t.ctx)
	defer cancel(nil)
	t.outer, t.ctx, t.cancel = t.ctx, ctx, cancel
	t.note(0, failure.Protect(func() error { return agent.Run(ctx, t) }))
	t.wg.Wait()
	return t.checkReturned(verdict(t.errs))
}

func (t *Turn) note(n int, err error) {
	if err == nil || failure.OnlyCancelled(err) {
		return
	}
	t.mu.Lock()
	t.errs = append(t.errs, returnedError{n, err})
	t.mu.Unlock()
	if ask.PauseOf(err) == nil {
		t.cancel(err)
	}
}

// name is the speaker's, as messages show it; the root speaks without one.
func (t *Turn) name() string { return t.as }

// Message is a message of the conversation.
type Message = agui.Message

// Input is what the caller sent along.
type Input struct {
	ThreadID, RunID string
	// Agent is the name of the thread's agent.
	Agent string
	// Principal is the caller and owner of the thread. Its roles and claims are those of the request that started or
	// resumed the run. It is shared: its roles and claims must not change.
	Principal      Principal
	Tools          []agui.Tool
	Context        []agui.Context
	ForwardedProps json.RawMessage
	// Header is what the caller's request had of the headers that agents pass on by name. It is stored nowhere: nil
	// says that the request is not here, because the run was taken over.
	Header http.Header
	// Hops counts the remote agents that the request passed which started the run, and Chain names the run that the
	// first of them worked for: what [HopsHeader] and [ChainHeader] said.
	Hops  int
	Chain string
	// ThreadUsage is what the thread's earlier runs have used, per provider and model.
	ThreadUsage []agui.TokenUsage
}

// A Usage counts what a run's models use, those of remote agents included, per provider and model. The zero value is
// empty. It is safe for concurrent use.
type Usage struct {
	mu    sync.Mutex
	total []agui.TokenUsage
	cost  *float64
}

// Add adds usage.
func (u *Usage) Add(more ...agui.TokenUsage) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.total = state.AddUsage(u.total, more)
}

// Total returns the usage so far.
func (u *Usage) Total() []agui.TokenUsage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.total)
}

// AddCost adds the cost of a call, in the currency of the models' prices; nil if it is unknown.
func (u *Usage) AddCost(more *float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cost = state.AddCost(u.cost, more)
}

// Cost returns the cost of the calls with a known price; nil if there was none. The caller must not change it.
func (u *Usage) Cost() *float64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.cost
}

// A runUsage is the usage of a run in its checkpoints, under usageKey. Another run that continues from the checkpoint
// starts at zero.
type runUsage struct {
	Origin string            `json:"origin"`
	Usage  []agui.TokenUsage `json:"usage"`
	Cost   *float64          `json:"cost,omitempty"`
}

// usageKey is the key of a [runUsage] in the memo of the root's record.
const usageKey = "usage"

// EarlierUsage returns what earlier attempts at the run of this origin used, and the known part of its cost, from the
// checkpoint and the recorded effects that a takeover continues from. Usage that an attempt did not record is unknown.
func EarlierUsage(checkpoint json.RawMessage, memo map[string]json.RawMessage,
	origin string) ([]agui.TokenUsage, *float64) {
	var c struct {
		Root struct {
			Memo map[string]json.RawMessage `json:"memo"`
		} `json:"root"`
	}
	var kept runUsage
	var total []agui.TokenUsage
	var cost *float64
	if json.Unmarshal(checkpoint, &c) == nil && json.Unmarshal(c.Root.Memo[usageKey], &kept) == nil &&
		kept.Origin == origin {
		total, cost = kept.Usage, kept.Cost
	}
	for key, raw := range memo {
		var reply struct {
			Usage   agui.TokenUsage   `json:"usage"`
			Earlier []agui.TokenUsage `json:"earlier"`
			Cost    *float64          `json:"cost"`
		}
		if strings.Contains(key, "/"+onceKey+modelKey) && json.Unmarshal(raw, &reply) == nil &&
			(reply.Usage.Provider != "" || len(reply.Earlier) > 0) {
			total = state.AddUsage(total, append(reply.Earlier, reply.Usage))
			cost = state.AddCost(cost, reply.Cost)
		}
	}
	return total, cost
}

// Usage returns what the models of the run used so far, per provider and model, including earlier attempts and agents
// on other servers, without calls in progress. It is safe for concurrent use.
func (t *Turn) Usage() []agui.TokenUsage {
	return t.x.Usage.Total()
}

// ThreadUsage returns [Turn.Usage] plus the usage of the thread's earlier runs.
func (t *Turn) ThreadUsage() []agui.TokenUsage {
	return state.AddUsage(t.x.Input.ThreadUsage, t.Usage())
}
