package groupchat

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Turn is everything an agent may see and do while it has the floor. It may be used from several
// goroutines at once; it must not be used after the agent's Run has returned.
type Turn struct {
	x     *execution
	ctx   context.Context
	frame *TurnFrame
	path  []string // below the root
	out   agui.Writer
	scope *state.Scope
	// chat and participant are nil in the root's turn.
	chat        *chatRun
	participant *Participant

	wg    sync.WaitGroup
	mu    sync.Mutex
	spawn []error // of goroutines started with Go
}

// Context is the run's: it is done when the run is stopped, times out or has to move, and
// [context.Cause] says which.
func (t *Turn) Context() context.Context { return t.ctx }

// Path names the turn below the root, joined by '.'; empty for the root itself.
func (t *Turn) Path() string { return strings.Join(t.path, ".") }

// ID is the turn's for its whole life: the same after a pause, a takeover and a retry. With the thread and a
// key of the agent's it makes an idempotency key.
func (t *Turn) ID() string { return t.frame.ID }

// Instruction is what the supervisor told this speaker for this turn only.
func (t *Turn) Instruction() string { return t.frame.Instruction }

// Input is what the caller sent along: tools, context, forwarded properties.
func (t *Turn) Input() Input { return t.x.Input }

// Principal is whose thread this is.
func (t *Turn) Principal() string { return t.x.Input.Principal }

// State is the shared state as this participant's scope has it. Every write is on the wire when it returns.
func (t *Turn) State() *state.Scope { return t.scope }

// Messages is the conversation as this participant sees it, its own words included. The caller must not
// change the messages.
func (t *Turn) Messages() []Message {
	all := t.x.messages()
	if t.chat == nil {
		return all
	}
	return t.chat.shown(t.participant, all)
}

// News is the part of [Turn.Messages] that came since this participant's last turn, without its own words.
func (t *Turn) News() []Message {
	all := t.Messages()
	if t.chat == nil {
		return all
	}
	seen := t.chat.frame.Seen[t.participant.Name]
	start := 0
	for i, m := range all {
		if m.ID == seen && seen != "" {
			start = i + 1
		}
	}
	return all[start:]
}

// LastUser returns the newest user message of the conversation, and whether there is one.
func (t *Turn) LastUser() (Message, bool) {
	all := t.x.messages()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Role == agui.RoleUser {
			return all[i], true
		}
	}
	return Message{}, false
}

// Text opens a text message of the speaker's. Each write is one piece of it on the wire; nothing is sent
// before the first. Close it when it is complete; a turn that ends closes what it left open.
func (t *Turn) Text() *agui.Text {
	return t.out.Text(agui.TextOptions{Name: t.name()})
}

// Emit sends an event of the agent's own, such as a Custom or an Activity. Lifecycle events of runs, steps
// and subagents are not an agent's to send.
func (t *Turn) Emit(e agui.Event) error { return t.out.Emit(e) }

// Goto names who should speak next, for managers that listen to it.
func (t *Turn) Goto(name string) {
	if t.chat == nil {
		return
	}
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	t.chat.frame.Goto = name
}

// Go runs f in a goroutine of this turn. The turn ends when all of them have; the first error, or panic,
// becomes the turn's.
func (t *Turn) Go(f func() error) {
	t.wg.Add(1)
	go func() {
		defer t.wg.Done()
		if err := protect(f); err != nil {
			t.mu.Lock()
			t.spawn = append(t.spawn, err)
			t.mu.Unlock()
		}
	}()
}

// run gives agent the floor and waits for all it started.
func (t *Turn) run(agent Agent) error {
	err := protect(func() error { return agent.Run(t.ctx, t) })
	t.wg.Wait()
	if err == nil && len(t.spawn) > 0 {
		err = t.spawn[0]
	}
	return err
}

// name is the speaker's, as messages show it; the root speaks without one.
func (t *Turn) name() string {
	if len(t.path) == 0 {
		return ""
	}
	return t.path[len(t.path)-1]
}

// memo looks up what the turn recorded under key.
func (t *Turn) memo(key string) (json.RawMessage, bool) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	raw, ok := t.frame.Memo[key]
	return raw, ok
}

// remember records raw under key in the turn's frame.
func (t *Turn) remember(key string, raw json.RawMessage) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	if t.frame.Memo == nil {
		t.frame.Memo = map[string]json.RawMessage{}
	}
	t.frame.Memo[key] = raw
}
