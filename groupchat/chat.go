package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Chat is a team of agents under a manager. It is a definition: validate it once, never change it, share it
// among all runs. It is itself an [Agent], so a chat may take part in a chat.
type Chat struct {
	// Description is for people, and for models that choose among agents.
	Description string
	// Manager makes the manager of one run.
	Manager      func() Manager
	Participants []Participant
	// Supervisor is the manager's name where it speaks; empty means "supervisor".
	Supervisor string
	// MaxRounds is the number of turns after which the chat ends, which is not an error; 0 means 40.
	MaxRounds int
	// Closing is what the supervisor says when MaxRounds ends the chat; empty says nothing.
	Closing string
	// Until ends the chat when it returns true; it is asked before every choice.
	Until func(View) bool
	// Middleware wraps every participant's agent, the first one outermost.
	Middleware []func(Agent) Agent
	// State is the chat's use of the shared state, if it is a thread's root agent.
	State StateSpec
}

// maxRounds is the default of Chat.MaxRounds.
const maxRounds = 40

// StateSpec returns c.State.
func (c *Chat) StateSpec() StateSpec { return c.State }

// Describe tells who is in the team.
func (c *Chat) Describe() Info {
	return Info{Description: c.Description, Interrupts: true, Participants: c.infos()}
}

func (c *Chat) infos() []Info {
	infos := make([]Info, 0, len(c.Participants))
	for _, p := range c.Participants {
		info := Info{Name: p.Name, Description: p.Description}
		if d, ok := p.Agent.(Describer); ok {
			info.Participants = d.Describe().Participants
		}
		infos = append(infos, info)
	}
	return infos
}

func (c *Chat) supervisor() string {
	if c.Supervisor == "" {
		return "supervisor"
	}
	return c.Supervisor
}

func (c *Chat) participant(name string) *Participant {
	for i := range c.Participants {
		if c.Participants[i].Name == name {
			return &c.Participants[i]
		}
	}
	return nil
}

// A chatRun is a chat taking one turn.
type chatRun struct {
	*Chat
	t       *Turn // the turn the chat is taking
	frame   *ChatFrame
	manager Manager
}

// Run takes t with the team: until the manager is done, the rounds are used up, or somebody has to wait.
func (c *Chat) Run(ctx context.Context, t *Turn) error {
	r := &chatRun{Chat: c, t: t, manager: c.Manager()}
	t.x.mu.Lock()
	if t.frame.Chat == nil {
		t.frame.Chat = &ChatFrame{}
	}
	r.frame = t.frame.Chat
	t.x.mu.Unlock()
	if s, ok := r.manager.(Snapshotter); ok && r.frame.Manager != nil {
		if err := s.Restore(r.frame.Manager); err != nil {
			return fail(agui.CodeCheckpointIncompatible, "%s: manager: %w", t.Path(), err)
		}
	}
	for {
		if r.frame.Turn == nil {
			done, err := r.choose(ctx)
			if done || err != nil {
				return err
			}
		}
		if err := r.turn(ctx); err != nil {
			return err
		}
	}
}

// choose asks the manager who speaks next and opens that turn. It reports whether the chat is over.
func (r *chatRun) choose(ctx context.Context) (done bool, err error) {
	v := r.view()
	if r.Until != nil && r.Until(v) {
		return true, nil
	}
	limit := r.MaxRounds
	if limit == 0 {
		limit = maxRounds
	}
	if r.frame.Round >= limit {
		return true, r.supervise(ctx, Decision{Say: r.Closing})
	}
	d, err := r.manager.Next(ctx, v)
	if err != nil {
		return false, err
	}
	p := r.participant(d.Speaker)
	switch {
	case d.Done:
		return true, r.supervise(ctx, d)
	case p == nil:
		return false, fail(agui.CodeUnknownSpeaker, "%s: manager chose %q", r.t.Path(), d.Speaker)
	case r.frame.Idle == d.Speaker:
		return false, fail(agui.CodeNoProgress, "%s: %q did nothing and was chosen again", r.t.Path(), d.Speaker)
	}
	if err := r.supervise(ctx, d); err != nil {
		return false, err
	}
	return false, r.open(p, d)
}

// open begins p's turn: a round is counted here, and here only.
func (r *chatRun) open(p *Participant, d Decision) error {
	if err := r.t.x.spend(); err != nil {
		return err
	}
	var saved json.RawMessage
	if s, ok := r.manager.(Snapshotter); ok {
		var err error
		if saved, err = s.Snapshot(); err != nil {
			return fmt.Errorf("groupchat: %s: manager: %w", r.t.Path(), err)
		}
	}
	r.t.x.mu.Lock()
	defer r.t.x.mu.Unlock()
	r.frame.Round++
	r.frame.Goto = ""
	r.frame.Manager = saved
	r.frame.Turn = &TurnFrame{
		ID:          r.t.frame.ID + "/" + p.Name + "@" + strconv.Itoa(r.frame.Round),
		Speaker:     p.Name,
		Instruction: d.Instruction,
	}
	return nil
}

// supervise lets the supervisor say and do what it decided, in a step of its own. It has no subagent.
func (r *chatRun) supervise(ctx context.Context, d Decision) error {
	if d.Say == "" && d.Act == nil {
		return nil
	}
	t := r.t.x.child(r.t, r.supervisor())
	t.frame = &TurnFrame{ID: r.t.frame.ID + "/" + r.supervisor() + "@" + strconv.Itoa(r.frame.Round)}
	t.scope, t.out = r.t.scope, r.t.out
	step := r.t.x.Run.As("").Step(t.Path())
	err := t.run(AgentFunc(func(ctx context.Context, t *Turn) error {
		if d.Say != "" {
			if err := Say(t, "say", "%s", d.Say); err != nil {
				return err
			}
		}
		if d.Act != nil {
			return d.Act(ctx, t)
		}
		return nil
	}))
	if p := pauseOf(err); p != nil {
		err = fail(agui.CodeInternal, "%s: a supervisor must not ask", t.Path())
	}
	if err != nil {
		return err
	}
	return step.End()
}

// view is what the manager sees.
func (r *chatRun) view() View {
	return View{
		Round:        r.frame.Round,
		LastSpeaker:  r.frame.Last,
		Goto:         r.frame.Goto,
		Participants: r.infos(),
		History:      r.t.Messages(),
		State:        r.t.scope,
		Failed:       r.frame.Failed,
	}
}

// shown is what participant p sees of the conversation.
func (r *chatRun) shown(p *Participant, all []Message) []Message {
	if f, ok := r.manager.(Filter); ok {
		all = f.Deliver(r.view(), all)
	}
	if p == nil {
		return all
	}
	switch {
	case p.Context.Select != nil:
		v := r.view()
		v.History = all
		return p.Context.Select(v)
	case p.Context.Last:
		return lastWords(all)
	default:
		return all
	}
}

// lastWords is the tail of the conversation that its last speaker said, a user's message included.
func lastWords(all []Message) []Message {
	if len(all) == 0 {
		return nil
	}
	last := all[len(all)-1]
	i := len(all) - 1
	for i > 0 && all[i-1].SubagentRunID == last.SubagentRunID && all[i-1].Name == last.Name && last.Role != agui.RoleUser {
		i--
	}
	return all[i:]
}

var (
	_ Agent        = (*Chat)(nil)
	_ Stateful     = (*Chat)(nil)
	_ Describer    = (*Chat)(nil)
	_ state.Reader = (*state.Scope)(nil)
)
