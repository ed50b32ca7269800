package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/telemetry"
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
	// History is that of the participants which speak through models, of those in their teams and of a manager that is
	// a model, unless they have their own.
	History *history.Policy
	// Suggester proposes what a person could say to the chat next; nil proposes nothing.
	Suggester Suggester
}

// maxRounds is the default of Chat.MaxRounds.
const maxRounds = 40

// StateSpec returns c.State.
func (c *Chat) StateSpec() StateSpec { return c.State }

// Describe lists the members of the team.
func (c *Chat) Describe() profile.Info { return describeTeam(c, nil) }

func (c *Chat) info(parts []profile.Info) profile.Info {
	info := profile.Info{Description: c.Description, Participants: parts,
		Structure: profile.Structure{Kind: profile.KindChat}}
	if c.Manager == nil {
		return info
	}
	manager := c.Manager()
	info.Manager, info.Interrupts = kindOf(manager), asks(manager)
	m, handsOver := managerAs[HandoffManager](manager)
	if !handsOver {
		info.Supervisor = c.supervisor()
		return info
	}
	info.Handoffs = true
	if h, ok := managerAs[handoff](manager); ok {
		info.Start = h.Start
	}
	for i := range parts {
		parts[i].HandsOverTo = nil
		for _, to := range m.Handoffs(parts[i].Name, parts) {
			parts[i].HandsOverTo = append(parts[i].HandsOverTo, to.Name)
		}
	}
	return info
}

// describeTeam describes c, which is part of the teams in above. A team that contains itself is described once.
func describeTeam(c composite, above []Agent) profile.Info {
	above = append(slices.Clip(above), c)
	var parts []profile.Info
	interrupts, can := false, profile.Abilities{}
	for _, p := range c.parts() {
		// an agent that does not describe itself may ask
		info := profile.Info{Name: p.Name, Description: p.Description, Interrupts: true}
		if own, ok := describe(p.Agent, above); ok {
			info.Interrupts, info.Abilities, info.Participants, info.Structure = own.Interrupts, own.Abilities,
				own.Participants, own.Structure
			if info.Description == "" {
				info.Description = own.Description
			}
		}
		interrupts, can = interrupts || info.Interrupts, can.Or(info.Abilities)
		parts = append(parts, info)
	}
	all := c.info(parts)
	all.Interrupts, all.Abilities = all.Interrupts || interrupts, all.Or(can)
	return all
}

func describe(a Agent, above []Agent) (profile.Info, bool) {
	a = unwrap(a)
	if isNil(a) || slices.Contains(above, a) {
		return profile.Info{}, false
	}
	switch a := a.(type) {
	case composite:
		return describeTeam(a, above), true
	case profile.Describer:
		return a.Describe(), true
	default:
		return profile.Info{}, false
	}
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

// speaker is the participant with a name, or the supervisor if it takes turns itself.
func (r *chatRun) speaker(name string) *Participant {
	if p := r.participant(name); p != nil || name != r.supervisor() {
		return p
	}
	return supervisorTurn(r.manager, name)
}

type chatRun struct {
	*Chat
	t       *Turn // the turn the chat is taking
	record  *chatRecord
	manager Manager
	infos   []profile.Info
}

// Run lets the team take t until the manager is done, the rounds are used up, or somebody has to wait.
func (c *Chat) Run(ctx context.Context, t *Turn) error {
	return t.exclusive("chat", c, func() error { return c.run(ctx, t) })
}

func (c *Chat) run(ctx context.Context, t *Turn) error {
	r := &chatRun{Chat: c, t: t, manager: c.Manager(), infos: c.Describe().Participants}
	r.record = t.chatRecord()
	if err := r.fits(); err != nil {
		return t.x.fatal(err)
	}
	if s, ok := managerAs[Snapshotter](r.manager); ok && r.record.Manager != nil {
		if err := s.Restore(r.record.Manager); err != nil {
			return t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: manager: %w", t.Path(), err))
		}
	}
	for {
		if r.record.Turn == nil {
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

// choose asks the manager who speaks next and opens that turn. It reports whether the chat has ended.
func (r *chatRun) choose(ctx context.Context) (done bool, err error) {
	v := r.view()
	if r.record.Denied || r.Until != nil && r.Until(v) {
		return true, nil
	}
	if r.record.Round >= r.limit() {
		r.noteLimit(ctx)
		return true, r.supervise(Decision{Say: r.Closing})
	}
	ctx, step := telemetry.Begin(ctx,
		telemetry.Record{Kind: telemetry.KindChoice, Name: joinPath(r.t.identity(), r.supervisor())})
	d, err := r.manager.Next(ctx, v)
	r.t.endStep(step, err)
	if err != nil {
		return false, err
	}
	r.t.x.Log.DebugContext(ctx, "groupchat: decision", "chat", r.t.Path(), "round", v.Round, "speaker", d.Speaker,
		"done", d.Done, "reason", d.Reason)
	p := r.speaker(d.Speaker)
	switch {
	case d.Done:
		return true, r.supervise(d)
	case p == nil:
		return false, fail(errcode.UnknownSpeaker, "%s: manager chose %q", r.t.Path(), d.Speaker)
	case r.record.Idle == d.Speaker:
		return false, fail(errcode.NoProgress, "%s: %q did nothing and was chosen again", r.t.Path(), d.Speaker)
	}
	if err := r.supervise(d); err != nil {
		return false, err
	}
	return false, r.open(p, d)
}

// noteLimit tells that the chat ends because its turns are used up. A round robin with a number of turns ends so by its
// author's will.
func (r *chatRun) noteLimit(ctx context.Context) {
	if kindOf(r.manager) == (roundRobin{}).Kind() && r.MaxRounds > 0 {
		return
	}
	name := joinPath(r.t.identity(), r.supervisor())
	_, step := telemetry.Begin(ctx, telemetry.Record{Kind: telemetry.KindChoice, Name: name, Limit: "max_rounds"})
	r.t.endStep(step, nil)
	r.t.x.Log.WarnContext(ctx, "groupchat: a chat ends at its limit of turns", "chat", r.t.Path(), "turns",
		r.record.Round)
	if r.t.x.AtLimit != nil {
		r.t.x.AtLimit(r.t.Path())
	}
}

func (r *chatRun) limit() int {
	if r.MaxRounds > 0 {
		return r.MaxRounds
	}
	if m, ok := managerAs[roundLimiter](r.manager); ok && m.MaxRounds() > 0 {
		return m.MaxRounds()
	}
	return maxRounds
}

// open asks the manager for its snapshot and opens p's turn.
func (r *chatRun) open(p *Participant, d Decision) error {
	saved, err := r.snapshot()
	if err != nil {
		return err
	}
	return r.openTurn(p, d, saved, r.t.lastMessage())
}

// snapshot is what the manager remembers; nil if that is nothing.
func (r *chatRun) snapshot() (json.RawMessage, error) {
	s, ok := managerAs[Snapshotter](r.manager)
	if !ok {
		return nil, nil
	}
	saved, err := s.Snapshot()
	if err != nil {
		return nil, fmt.Errorf("groupchat: %s: manager: %w", r.t.Path(), err)
	}
	return saved, nil
}

// supervise performs the supervisor's message and action, in a separate step. It has no subagent.
func (r *chatRun) supervise(d Decision) error {
	if d.Say == "" && d.Act == nil {
		return nil
	}
	t := r.t.child(r.supervisor())
	t.begin(&turnRecord{ID: r.t.ID() + "/" + r.supervisor() + "@" + strconv.Itoa(r.record.Round)})
	t.scope, t.out = r.t.scope, r.t.out
	step := r.t.run.Step(t.Path())
	err := t.work(AgentFunc(func(ctx context.Context, t *Turn) error {
		if d.Say != "" {
			if err := SayOnce(t, "say", d.Say); err != nil {
				return err
			}
		}
		if d.Act != nil {
			return d.Act(ctx, t)
		}
		return nil
	}))
	if ask.PauseOf(err) != nil {
		err = fail(errcode.Internal, "%s: a supervisor must not ask", t.Path())
	}
	if err != nil && r.t.x.endCause() != nil {
		return err
	}
	if closeErr := t.out.CloseOpen(); err == nil {
		err = closeErr
	}
	if endErr := step.End(); err == nil {
		err = endErr
	}
	return err
}

var (
	_ Agent             = (*Chat)(nil)
	_ Stateful          = (*Chat)(nil)
	_ profile.Describer = (*Chat)(nil)
	_ document.Reader   = (*document.Scope)(nil)
)
