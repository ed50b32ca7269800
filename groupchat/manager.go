package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/state/document"
)

// A Manager chooses the next speaker. It reads the shared state and judges by its content whether work is left (see
// [document.Filled]). A chat makes a new one for each run.
type Manager interface {
	Next(ctx context.Context, v View) (Decision, error)
}

// ByFunc makes managers that remember nothing, of a function.
func ByFunc(f func(ctx context.Context, v View) (Decision, error)) func() Manager {
	return func() Manager { return managerFunc(f) }
}

type managerFunc func(ctx context.Context, v View) (Decision, error)

// Next calls f.
func (f managerFunc) Next(ctx context.Context, v View) (Decision, error) { return f(ctx, v) }

// A View is what a manager sees of its chat.
type View struct {
	Round        int    // turns dispatched so far
	LastSpeaker  string // empty before the first turn
	Supervisor   string // the name under which the manager speaks; see [SpeakingManager]
	InARow       int    // turns that the last speaker has had one after the other
	Idle         string // the last speaker if its turn did nothing: choosing it again now ends the run with no_progress
	Goto         string // whom the last speaker named with [Turn.Goto]
	Participants []profile.Info
	Principal    Principal // who asked for the run; see [Turn.Principal]
	State        document.Reader
	Failed       map[string]int // per participant, turns that failed and were skipped
	Declined     map[string]int // per participant, turns in which a person cancelled a question

	had      map[string]string // the participants that had a turn, with the last message of it
	history  func() []Message
	backward iter.Seq[Message] // the conversation from its end; nil: read the history
	turn     *Turn             // the chat's
	long     *history.Policy   // the chat's
	// records is the turn that records decisions, under keys that begin with recordKey.
	records   *Turn
	recordKey string
	hearing   *hearing
}

// History is the whole conversation. It is read when it is asked for, so that a manager that does not look at it costs
// the same on a long thread as on a short one.
func (v View) History() []Message {
	if v.history == nil {
		return nil
	}
	return v.history()
}

// WithHistory returns v with another conversation.
func (v View) WithHistory(messages []Message) View {
	v.history, v.backward, v.hearing = func() []Message { return messages }, nil, nil
	return v
}

// lastUser is the newest user message of messages, and whether there is one.
func lastUser(messages []Message) (Message, bool) {
	return newest(messages, func(m Message) bool { return m.Role == agui.RoleUser })
}

// A Decision is a manager's choice of what its chat does next.
type Decision struct {
	Speaker string // who speaks next, or
	Done    bool   // the chat ends
	// Say is what the supervisor says itself, before the speaker does.
	Say string
	// Act is what else the supervisor does in its own step, after Say: change state, say more. It must not ask.
	Act func(ctx context.Context, t *Turn) error
	// Instruction is for the speaker and this turn only; it does not join the conversation.
	Instruction string
	// Reason is for the log.
	Reason string
}

// A Filter is a [Manager] that decides what the participants see of each other's messages. The conversation
// itself stays as it is. Deliver must not change the messages; it may be called from several goroutines.
type Filter interface {
	Deliver(v View, messages []Message) []Message
}

// A Snapshotter is a [Manager] with a memory that lasts over pauses.
type Snapshotter interface {
	Snapshot() (json.RawMessage, error)
	Restore(saved json.RawMessage) error
}

// A Checker is a [Manager] that can tell at build time whether it fits a chat with these participants.
type Checker interface {
	Check(participants []string) error
}

// Done is what a rule or a default names instead of a speaker to end the chat.
const Done = "done"

// A Condition looks at a manager's view: the shared state, and the messages. It has no effect and does not fail: where
// a value is missing, or has another type than the condition is about, it does not hold. Package condition makes them.
// Conditions are used in rules, in Chat.Until and in package choose.
type Condition func(v View) bool

// holds reports whether c holds; a condition that is nil does not.
func (c Condition) holds(v View) bool { return c != nil && c(v) }

// A Rule lets Speaker speak when When holds.
type Rule struct {
	When    Condition
	Speaker string // or Done
}

// Rules makes managers that choose by the first rule that holds, else by the default, which may be [Done]. A
// participant is not chosen again after a turn in this run that failed and was skipped, or in which a person cancelled
// a question, because its rule would still hold. After a cancelled question the default is chosen at most once, and the
// chat ends at a rule that leads from the last speaker to a participant that is not chosen again.
func Rules(otherwise string, list ...Rule) func() Manager {
	return func() Manager { return rules{list, otherwise} }
}

type rules struct {
	rules     []Rule
	otherwise string
}

func (m rules) Next(_ context.Context, v View) (Decision, error) {
	unled := v
	unled.LastSpeaker = ""
	for _, r := range m.rules {
		switch {
		case !r.When.holds(v):
		case !v.passed(r.Speaker):
			return speak(r.Speaker), nil
		case v.Declined[r.Speaker] > 0 && !r.When.holds(unled):
			return Decision{Done: true}, nil // the way led on to the speaker
		}
	}
	if _, spoke := v.had[m.otherwise]; v.passed(m.otherwise) || spoke && len(v.Declined) > 0 {
		return Decision{Done: true}, nil
	}
	return speak(m.otherwise), nil
}

// passed reports whether the participant has failed or been declined, so that choosing it again would change nothing.
func (v View) passed(name string) bool { return v.Failed[name]+v.Declined[name] > 0 }

func speak(name string) Decision { return Decision{Speaker: name, Done: name == Done} }

// Check reports a missing default, names that are no participant's, and participants that no rule can choose.
func (m rules) Check(participants []string) error {
	var errs []error
	if m.otherwise == "" {
		errs = append(errs, errors.New(`has no default; "done" ends the chat`))
	}
	targets := []string{m.otherwise}
	for i, r := range m.rules {
		if r.When == nil {
			errs = append(errs, fmt.Errorf("rule %d has no condition", i+1))
		}
		targets = append(targets, r.Speaker)
	}
	return errors.Join(append(errs, checkTargets(targets, participants)...)...)
}

// checkTargets reports targets that are no participants, and participants that are no targets.
func checkTargets(targets, participants []string) []error {
	var errs []error
	for _, t := range targets {
		if t != "" && t != Done && !slices.Contains(participants, t) {
			errs = append(errs, fmt.Errorf("names %q, who is not a participant", t))
		}
	}
	for _, p := range participants {
		if !slices.Contains(targets, p) {
			errs = append(errs, fmt.Errorf("never chooses participant %q", p))
		}
	}
	return errs
}

// RoundRobin makes managers that let everybody speak in turn until the chat's rounds are used up. Next is the
// participant after the last speaker in today's order.
func RoundRobin() func() Manager { return func() Manager { return roundRobin{} } }

type roundRobin struct{}

func (roundRobin) Next(_ context.Context, v View) (Decision, error) {
	if len(v.Participants) == 0 {
		return Decision{Done: true}, nil
	}
	last := slices.IndexFunc(v.Participants, func(p profile.Info) bool { return p.Name == v.LastSpeaker })
	return Decision{Speaker: v.Participants[(last+1)%len(v.Participants)].Name}, nil
}

// Sequential makes managers that let every participant speak once, in order. Next is the first that has not spoken in
// this run, so that none works twice if the order has changed after a pause.
func Sequential() func() Manager { return func() Manager { return sequential{} } }

type sequential struct{}

func (sequential) Next(_ context.Context, v View) (Decision, error) {
	for i, p := range v.Participants {
		if !v.spoke(i) {
			return Decision{Speaker: p.Name}, nil
		}
	}
	return Decision{Done: true}, nil
}

// spoke reports whether the ith participant has had a turn in this run.
func (v View) spoke(i int) bool {
	if v.turn == nil {
		return i < v.Round // a view made by a test or another manager has no turn
	}
	_, spoke := v.turn.keys.Chat.seenBy(&v.turn.x.records, v.Participants[i].Name)
	return spoke
}
