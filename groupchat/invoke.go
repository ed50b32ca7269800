package groupchat

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/state"
)

// InvokeOptions say how [Turn.Invoke] lets an agent work. The zero value lets it work like a participant with the
// defaults of one.
type InvokeOptions struct {
	// N tells apart several invocations of one name in a turn: 0 and 1 are the first. It must be the same when the turn
	// is entered again.
	N int
	// Description is for people; Instruction for the agent, for this invocation only.
	Description, Instruction string
	// Context is how much it sees of what the invoking turn sees; of others, their words.
	Context Context
	// Messages, if not nil, are all it sees instead, besides its own. They are not kept: give the same again when the
	// turn is entered again.
	Messages []Message
	// Input follows these: what the agent is asked to do.
	Input []Message
	// Output says who sees its messages; the zero value shows them to people and the team.
	Output OutputMode
	// Scope is which state it works on; the zero value is the invoking turn's.
	Scope Scoping
	// Writes are the pointers it may write; nil means all.
	Writes []string
	// OnError says what its failure means; the zero value returns the failure.
	OnError failure.Policy
}

// A Reply is what an invoked agent said.
type Reply struct {
	// Name is the agent's.
	Name string
	// Messages are those of its turn, in order, by itself and by its members.
	Messages []Message
	// Skipped says that it failed, and that its policy skipped it.
	Skipped bool

	answers []answer
}

// Text is the last thing the agent said; empty if it said nothing. If a [Concurrent] said it, it is the last words of
// each of the fan's participants in their order, with an empty line between them.
func (r Reply) Text() string {
	if r.answers != nil {
		return joined(r.answers)
	}
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == agui.RoleAssistant && !m.Content.IsZero() {
			return m.Content.Text()
		}
	}
	return ""
}

// Invoke runs agent in a turn inside this one, as a separate step and subagent, and returns its messages. Any number
// may work at once: see [Turn.InvokeAll], or start each with [Turn.Go]. What it sees are the messages its options show
// it and its own, not those of others at work at the same time.
//
// Like [Once] it is done once per turn, name and N: after a pause an agent that had ended is not begun again, and one
// that waits continues in its turn. It returns the agent's [*ask.Pause], which the caller returns too, or the failure,
// unless the policy skips the agent. A name is like a participant's. It counts as one turn of the run's budget.
func (t *Turn) Invoke(name string, agent Agent, o InvokeOptions) (Reply, error) {
	replies, err := t.InvokeAll(Invocation{name, agent, o})
	if err != nil {
		return Reply{}, err
	}
	return replies[0], nil
}

// An Invocation is what [Turn.Invoke] is given.
type Invocation struct {
	Name  string
	Agent Agent
	InvokeOptions
}

// InvokeAll is [Turn.Invoke] for several agents that begin at the same point of the conversation and work at once. It
// returns their replies, in the order given, when all have ended. The first failure cancels the others; pauses are
// joined.
func (t *Turn) InvokeAll(list ...Invocation) ([]Reply, error) {
	return t.invokeAll(list, func(*Turn) {})
}

// invokeAll is InvokeAll, and lets prepare change the turns of the invoked before they begin.
func (t *Turn) invokeAll(list []Invocation, prepare func(*Turn)) ([]Reply, error) {
	records, err := t.open(list)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(t.ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []returnedError
	for i := range list {
		if records[i].Done {
			continue
		}
		wg.Go(func() {
			err := failure.Protect(func() error { return t.invoke(ctx, &list[i], records[i], prepare) })
			if err == nil {
				return
			}
			mu.Lock()
			errs = append(errs, returnedError{i, err})
			mu.Unlock()
			if ask.PauseOf(err) == nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if err := verdict(errs); err != nil {
		return nil, t.notePause(err)
	}
	replies := make([]Reply, len(list))
	for i, record := range records {
		replies[i] = t.reply(&list[i], record)
	}
	return replies, nil
}

func (t *Turn) invoke(ctx context.Context, v *Invocation, record *turnRecord, prepare func(*Turn)) error {
	p := v.participant()
	skipped, err := t.retry(ctx, p, record, func() error {
		c := t.child(v.key())
		c.begin(record)
		c.ctx, c.as, c.participant, c.owned = ctx, p.Name, p, true
		c.visibility, c.saved = &visibility{context: p.Context, given: v.Messages, input: v.Input},
			savedIn(&record.Scope)
		prepare(c)
		if c.output = v.Output; c.output == OutputDirect {
			c.direct = c.Path()
		}
		return c.try(p.Agent, func() error { return c.conclude() })
	})
	t.closeChild(record, skipped, err)
	if err != nil {
		return err
	}
	return t.commit(ctx)
}

func (v *Invocation) participant() *Participant {
	return &Participant{
		Name: v.Name, Description: v.Description, Agent: v.Agent, Context: v.Context, Scope: v.Scope,
		Writes: v.Writes, OnError: v.OnError,
	}
}

func (v *Invocation) key() string {
	if v.N < 2 {
		return v.Name
	}
	return v.Name + "@" + strconv.Itoa(v.N)
}

func (v *Invocation) check() error {
	var errs []error
	bad := collecting(&errs)
	v.participant().validate(bad)
	if v.Name == "" || strings.ContainsAny(v.Name, "./@#") {
		bad("participant %q: a name must not be empty nor contain any of . / @ #", v.Name)
	}
	if !v.Output.known() {
		bad("participant %q: unknown output %q", v.Name, v.Output)
	}
	return errors.Join(errs...)
}

// open finds the records of children, or opens them. No turn is opened while a commit is made.
func (t *Turn) open(list []Invocation) ([]*turnRecord, error) {
	after := t.lastMessage()
	if err := t.x.keep.LockContext(t.ctx); err != nil {
		return nil, err
	}
	defer t.x.keep.Unlock()
	return t.openChildren(list, after)
}

// conclude says the last words of an agent with a private conversation, if its output is [OutputHistory].
func (t *Turn) conclude() error {
	if t.output != OutputHistory {
		return nil
	}
	said := t.x.branchOf(&t.record.Branch)
	return t.sayAnswers(t.up.run, t.parentWriter, t.participant.Agent, "say",
		t.x.answers(said, plainPath(t.path), anyMessage))
}

// sayWhole says words as one message, unless they are empty.
func sayWhole(w run.Writer, o run.TextOptions, words string) error {
	if words == "" {
		return nil
	}
	text := w.Text(o)
	_, err := text.WriteString(words)
	return errors.Join(err, text.Close())
}

// reply returns the messages of a turn that has ended.
func (t *Turn) reply(v *Invocation, record *turnRecord) Reply {
	ended := t.child(v.key())
	said := record.Branch
	if !v.Output.ownConversation() {
		ended.begin(record)
		ended.visibility = &visibility{given: []Message{}}
		said = ended.said()
	}
	return Reply{Name: v.Name, Messages: said, Skipped: record.Skipped,
		answers: t.x.answers(said, plainPath(ended.path), anyMessage)}
}

// A waiting invocation is suspended. The events that end it are sent after the snapshots of the paused run.
type waiting struct {
	path   string
	record *turnRecord
	// run is where it was announced, out what it writes with; clientWriter as in [Turn].
	run               *run.Run
	out, clientWriter run.Writer
	interrupts        []string
	bare              bool // it has no step
}

// closings are the events that end the invocations that wait.
func (x *execution) closings() []agui.Event {
	var events []agui.Event
	for _, w := range x.suspended() {
		if w.run != x.Run {
			continue // in a conversation that no client is shown
		}
		outcome := &agui.SubagentOutcome{Type: agui.OutcomeSuspended, InterruptIDs: w.interrupts}
		events = append(events,
			&agui.SubagentFinished{SubagentRunID: w.out.SubagentRunID(), Outcome: outcome})
		if !w.bare {
			events = append(events, &agui.StepFinished{StepName: w.path})
		}
	}
	return events
}

// innermost orders paths: those below a path before it, the others by name, because the order in which several
// invocations at once began to wait is random.
func innermost(a, b string) int {
	one, other := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(one), len(other)) {
		if c := strings.Compare(one[i], other[i]); c != 0 {
			return c
		}
	}
	return len(other) - len(one)
}

// abandon ends the invocations that wait below path, because the turn that they are part of has ended without them.
func (x *execution) abandon(path string, code errcode.Code) error {
	for _, w := range x.removeSuspended(path) {
		err := errors.Join(
			x.settleCalls(w.out, w.clientWriter, w.record, false),
			w.run.Emit(&agui.SubagentError{SubagentRunID: w.out.SubagentRunID(), Code: string(code),
				Message: code.Message()}))
		if err == nil && !w.bare {
			err = w.run.Emit(&agui.StepFinished{StepName: w.path})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settleCalls ends the calls of an invocation, which wrote with out, that will get no answer any more: those it made
// itself, and those its turn waited for, unless keep is set because the turn is tried again. Each gets a result, so
// that no model is sent a call without one, and no client takes it for one that it has to run.
func (x *execution) settleCalls(out, clientWriter run.Writer, f *turnRecord, keep bool) error {
	notAnswered := agui.TextContent(state.NotAnswered)
	waited := x.waitedCalls(f, keep)
	var lost []string
	x.Run.Inspect(func(v *run.View) {
		open := v.OpenCalls()
		if len(open) == 0 {
			return
		}
		var made map[string]bool
		if out == clientWriter {
			made = callsOf(v.Messages(), out.SubagentRunID())
		}
		for _, c := range open {
			if waited[c.ID] && !keep || made[c.ID] && !waited[c.ID] {
				lost = append(lost, c.ID)
			}
		}
	})
	for _, id := range lost {
		err := clientWriter.Unfiltered().Emit(&agui.ToolCallResult{ // also if a filter has failed
			MessageID: clientWriter.NewID(), ToolCallID: id, Role: agui.RoleTool, Content: notAnswered,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// callsOf is the set of the calls that an invocation made.
func callsOf(messages []Message, invocation string) map[string]bool {
	made := map[string]bool{}
	for _, m := range messages {
		if m.SubagentRunID != invocation {
			continue
		}
		for _, c := range m.ToolCalls {
			made[c.ID] = true
		}
	}
	return made
}
