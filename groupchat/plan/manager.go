package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/model"
)

// Options are the options of [Manager]. Only Model is required.
type Options struct {
	Model model.Model
	// Instructions begin each request to the model.
	Instructions string
	// Sees are JSON Pointers to the parts of the state in each request to the model.
	Sees []string
	// MaxStalls is after how many judgements that see no progress a new plan is made; 0 means 3. A judgement that sees
	// some makes up for one.
	MaxStalls int
	// MaxResets is how often a new plan is made because the work has stalled; 0 means 2, -1 never. After that the
	// manager says how far it has come.
	MaxResets int
	// Retries is how often the model gets the problems of its answer and is asked again; 0 means 2, -1 never.
	Retries int
	// Review lets a person see, change, comment on and deny each plan before it is followed; nil means no review.
	Review *Review
	// Store is a JSON Pointer in the shared state where the [Ledger] is shown while it changes; empty shows it nowhere.
	Store string
	// Show says each plan in the conversation when it is made.
	Show bool
	// Final says how the result is summed up, after the built-in description of that task.
	Final string
	// NoFinal lets the chat end without a sum.
	NoFinal bool
	// Fallback makes the manager that leads the rest of the run when the model fails, or none of its answers can be
	// used. Nil ends the run with the model's error, or model_response. It takes no turns itself.
	Fallback func() groupchat.Manager
}

// A Review says how a person is asked about a plan.
type Review struct {
	// Message goes before the plan; empty means "Shall we go about it like this?".
	Message string
	// TTL is how long the question stays open; zero means the server's default.
	TTL time.Duration
}

// The defaults of [Options].
const (
	maxStalls = 3
	maxResets = 2
	retries   = 2
)

// transcript is the maximum number of bytes of the conversation in a request: of a long one the newest.
const transcript = 48 << 10

// Manager makes managers that plan. Its own turns, in which it plans and sums up, count as rounds of the chat.
func Manager(o Options) func() groupchat.Manager {
	return func() groupchat.Manager {
		m := &manager{o: o}
		if o.Fallback != nil {
			m.fallback = o.Fallback()
		}
		return m
	}
}

type manager struct {
	o        Options
	fallback groupchat.Manager
	memory
}

// A memory is what a manager remembers over pauses and takeovers.
type memory struct {
	Ledger Ledger `json:"ledger"`
	// Failed says that the fallback leads from now on.
	Failed bool `json:"failed,omitempty"`
	// Plans counts the plans that were made.
	Plans int `json:"plans,omitempty"`
	// Answered says that the result was summed up.
	Answered bool `json:"answered,omitempty"`
}

// Kind is part of [groupchat.Kinded].
func (*manager) Kind() string { return "plan" }

// Describe tells whether the manager asks people.
func (m *manager) Describe() profile.Info { return profile.Info{Interrupts: m.o.Review != nil} }

// Snapshot is part of [groupchat.Snapshotter].
func (m *manager) Snapshot() (json.RawMessage, error) { return json.Marshal(m.memory) }

// Restore is part of [groupchat.Snapshotter].
func (m *manager) Restore(saved json.RawMessage) error {
	m.memory = memory{}
	return json.Unmarshal(saved, &m.memory)
}

// Next returns the next speaker: itself, or after a judgement the participant that it names.
func (m *manager) Next(ctx context.Context, v groupchat.View) (groupchat.Decision, error) {
	l := &m.Ledger
	if m.Failed {
		return m.fallback.Next(ctx, v)
	}
	if m.Answered {
		return groupchat.Decision{Done: true, Reason: string(l.Status)}, nil
	}
	switch l.Status {
	case "":
		l.Status = Planning
		return groupchat.Decision{Speaker: v.Supervisor, Reason: "a task without a plan"}, nil
	case Done, Denied:
		return groupchat.Decision{Done: true, Reason: string(l.Status)}, nil
	case Working:
	default: // its own turn failed and its policy skips it
		return groupchat.Decision{Speaker: v.Supervisor}, nil
	}
	p, err := m.judge(ctx, v)
	if err != nil {
		if !m.fallsBack(ctx, err) {
			return groupchat.Decision{}, err
		}
		return m.fallback.Next(ctx, v)
	}
	return m.follow(p, v), nil
}

// fallsBack leaves the rest of the run to the fallback, if there is one, because of an error of the model's.
func (m *manager) fallsBack(ctx context.Context, err error) bool {
	if m.fallback == nil || ctx.Err() != nil || !ofModel(err) {
		return false
	}
	m.Failed = true
	return true
}

func (m *manager) follow(p Progress, v groupchat.View) groupchat.Decision {
	l := &m.Ledger
	first := l.Progress == nil // no turn by this plan yet
	l.Progress = &p
	switch {
	case p.Satisfied:
		return m.end(Answering, v, p.Reason)
	case first:
	case p.Looping || !p.Advancing:
		l.Stalls++
	default:
		l.Stalls = max(0, l.Stalls-1)
	}
	if l.Stalls < cmp.Or(m.o.MaxStalls, maxStalls) {
		return groupchat.Decision{Speaker: p.NextSpeaker, Instruction: p.Instruction, Reason: p.Reason, Act: m.act()}
	}
	l.Stalls = 0
	if l.Resets >= max(0, cmp.Or(m.o.MaxResets, maxResets)) {
		return m.end(GivenUp, v, "it has stalled, and there may be no more plans")
	}
	l.Resets++
	l.Status = Planning
	return groupchat.Decision{Speaker: v.Supervisor, Reason: "it has stalled"}
}

func (m *manager) end(status Status, v groupchat.View, reason string) groupchat.Decision {
	m.Ledger.Status = status
	if !m.o.NoFinal {
		return groupchat.Decision{Speaker: v.Supervisor, Reason: reason}
	}
	m.Answered = true
	if status == Answering {
		m.Ledger.Status = Done
	}
	return groupchat.Decision{Done: true, Reason: reason, Act: m.act()}
}

// Speak takes a turn of the manager's own.
func (m *manager) Speak(ctx context.Context, t *groupchat.Turn) error {
	var err error
	if m.Ledger.Status == Planning {
		err = m.plan(ctx, t)
	} else {
		err = m.answer(ctx, t)
	}
	if err != nil && m.fallsBack(ctx, err) {
		return nil
	}
	return err
}

// act shows the ledger in a step of the supervisor's, if it is shown anywhere.
func (m *manager) act() func(context.Context, *groupchat.Turn) error {
	if m.o.Store == "" {
		return nil
	}
	return m.show
}

func (m *manager) show(_ context.Context, t *groupchat.Turn) error {
	if m.o.Store == "" {
		return nil
	}
	return t.State().Set(m.o.Store, m.Ledger)
}

// earlier is the ledger that an earlier task left in the state, if there is one.
func (m *manager) earlier(v groupchat.View) (l Ledger) {
	if m.o.Store == "" || v.State == nil {
		return l
	}
	if _, err := v.State.Get(m.o.Store, &l); err != nil {
		return Ledger{} // a page may have written something else there
	}
	l.clip()
	return l
}

// Check returns the problem of the options.
func (m *manager) Check(participants []string) error {
	var errs []error
	if m.o.Model == nil {
		errs = append(errs, errors.New("has no model"))
	}
	if m.o.MaxStalls < 0 || m.o.MaxResets < -1 || m.o.Retries < -1 {
		errs = append(errs, fmt.Errorf("has %d as most stalls, %d as most resets and %d as retries", m.o.MaxStalls,
			m.o.MaxResets, m.o.Retries))
	}
	if m.o.Store != "" && !strings.HasPrefix(m.o.Store, "/") {
		errs = append(errs, fmt.Errorf("stores its plan at %q, which is not the pointer of a member", m.o.Store))
	}
	if m.o.Fallback == nil {
		return errors.Join(errs...)
	}
	if m.fallback == nil {
		errs = append(errs, errors.New("its fallback's function returns none"))
	}
	if _, ok := m.fallback.(groupchat.SpeakingManager); ok {
		errs = append(errs, errors.New("its fallback takes turns of its own"))
	}
	if c, ok := m.fallback.(groupchat.Checker); ok {
		if err := c.Check(participants); err != nil {
			errs = append(errs, fmt.Errorf("fallback: %w", err))
		}
	}
	return errors.Join(errs...)
}

var (
	_ groupchat.SpeakingManager = (*manager)(nil)
	_ groupchat.Snapshotter     = (*manager)(nil)
	_ groupchat.Checker         = (*manager)(nil)
	_ groupchat.Kinded          = (*manager)(nil)
	_ profile.Describer         = (*manager)(nil)
)
