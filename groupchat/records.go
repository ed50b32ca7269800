package groupchat

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

// records are the records of a run's open turns, and what else the goroutines of a run share. They own the lock: only
// the files records*.go take it, and all other files call the methods there. It is never held while an agent, a model,
// a tool or a writer works. Methods with a name in …Locked are called with the lock held. It also guards the fields of
// each [Turn] and [turnKeys] that are marked so.
type records struct {
	mu       sync.Mutex
	root     *turnRecord
	fans     map[string]*Concurrent // by their paths; copied when one is added
	turns    int
	waiting  []waiting // innermost first
	hooks    []*checkpointHook
	effects  map[string]chan struct{} // in progress, see [Turn.claimEffect]
	fatalErr error
}

// encode renders the records as they are now, with the scopes of the turns under way.
func (r *records) encode(s signature) (json.RawMessage, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.hooks {
		k.keep()
	}
	raw, err := json.Marshal(checkpoint{V: checkpointVersion, Signature: s, Root: r.root})
	if err != nil {
		return nil, fmt.Errorf("groupchat: checkpoint: %w", err)
	}
	return raw, nil
}

// fatal notes an error that ends the run whatever the policies of its participants say, and returns it.
func (r *records) fatal(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fatalLocked(err)
}

func (r *records) fatalLocked(err error) error {
	if r.fatalErr == nil {
		r.fatalErr = err
	}
	return err
}

// failure returns the first fatal error; nil while there is none.
func (r *records) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fatalErr
}

// countTurn takes one turn from a budget of most turns.
func (r *records) countTurn(most int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.countTurnLocked(most)
}

func (r *records) countTurnLocked(most int) error {
	r.turns++
	if r.turns <= most {
		return nil
	}
	return r.fatalLocked(fail(errcode.BudgetExceeded, "more than %d turns", most))
}

// addUsage adds to the usage of the run of an origin, and records the sum in the root's record.
func (r *records) addUsage(u *Usage, origin string, cost *float64, list []agui.TokenUsage) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	u.Add(list...)
	u.AddCost(cost)
	raw, err := json.Marshal(runUsage{Origin: origin, Usage: u.Total(), Cost: u.Cost()})
	r.root.Memo = with(r.root.Memo, usageKey, raw)
	return err
}

// A checkpointHook copies into a record what a turn under way keeps elsewhere, before a checkpoint is made of it. It is
// called with the lock held.
type checkpointHook struct{ keep func() }

// addHook lets keep be called before every checkpoint, until removeHook.
func (r *records) addHook(keep func()) *checkpointHook {
	k := &checkpointHook{keep}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hooks = append(r.hooks, k)
	return k
}

func (r *records) removeHook(k *checkpointHook) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k.keep()
	r.hooks = slices.DeleteFunc(r.hooks, func(o *checkpointHook) bool { return o == k })
}

// A savedState is where a record keeps the state of a participant that has its own. Both functions are called with the
// lock held.
type savedState struct {
	get func() json.RawMessage
	set func(json.RawMessage)
}

// savedIn returns the saved state in a record's field.
func savedIn(field *json.RawMessage) savedState {
	return savedState{
		get: func() json.RawMessage { return *field },
		set: func(raw json.RawMessage) { *field = raw },
	}
}

func (r *records) load(s savedState) json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return s.get()
}

// branchOf reads the field of a record with a conversation.
func (r *records) branchOf(field *[]Message) []Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return *field
}

// addFan registers the fan at a path: one that a turn invokes is not in the tree of the run's agent.
func (r *records) addFan(at string, f *Concurrent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fans[at] != f {
		r.fans = with(maps.Clone(r.fans), at, f) // the old map may be in use
	}
}

// knownFans returns the fans by their paths. The map does not change.
func (r *records) knownFans() map[string]*Concurrent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fans
}

func (r *records) suspend(w waiting) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, w)
}

// suspended returns the invocations that wait, the innermost first.
func (r *records) suspended() []waiting {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortStableFunc(r.waiting, func(a, b waiting) int { return innermost(a.path, b.path) })
	return slices.Clone(r.waiting)
}

// removeSuspended removes the invocations that wait below path, and returns them. They are not announced again.
func (r *records) removeSuspended(path string) []waiting {
	r.mu.Lock()
	defer r.mu.Unlock()
	var below []waiting
	r.waiting = slices.DeleteFunc(r.waiting, func(w waiting) bool {
		if !strings.HasPrefix(w.path, path+".") {
			return false
		}
		below = append(below, w)
		w.record.endInvocation()
		return true
	})
	return below
}

// waitedCalls returns the ids of the calls that a turn waited for. Unless keep is set those that are open get the
// result that they were not answered.
func (r *records) waitedCalls(f *turnRecord, keep bool) map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	waited := map[string]bool{}
	f.each(func(k *keySpace) {
		for key, c := range k.Calls {
			waited[c.ID] = true
			if !keep && !c.Done {
				k.Calls[key] = frontendCall{ID: c.ID, Result: agui.TextContent(state.NotAnswered), Done: true}
			}
		}
	})
	return waited
}

// claim makes mine the channel of the effect with an id, unless another goroutine is at work on it: then it returns the
// other's.
func (r *records) claim(id string, mine chan struct{}) (other chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if other, taken := r.effects[id]; taken {
		return other
	}
	r.effects = with(r.effects, id, mine)
	return nil
}

func (r *records) release(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.effects, id)
}

// The methods of chats that read and change their records, under the lock of [records].

// chatRecord returns the record of the chat that takes t.
func (t *Turn) chatRecord() *chatRecord {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	if t.keys.Chat == nil {
		t.keys.Chat = &chatRecord{}
	}
	return t.keys.Chat
}

// Goto names the next speaker, for managers that follow it. Naming "" takes that back.
func (t *Turn) Goto(name string) {
	r := t.speakerTurn().chat
	if r == nil {
		return
	}
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	r.record.Goto = name
}

// openTurn opens p's turn: a round is counted here, and here only. Manager is the manager's snapshot, after the last
// message there is.
func (r *chatRun) openTurn(p *Participant, d Decision, manager json.RawMessage, after string) error {
	x := r.t.x
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.countTurnLocked(x.MaxTurns); err != nil {
		return err
	}
	r.record.Round++
	r.record.Goto = ""
	r.record.Manager = manager
	r.record.Kind, r.record.To = kindOf(r.manager), r.targets(p.Name)
	instruction := d.Instruction
	if r.record.Round == 1 && instruction == "" {
		instruction = r.t.record.Instruction // an instruction for a team is for its first speaker
	}
	r.record.Turn = &turnRecord{
		ID:          r.t.ID() + "/" + p.Name + "@" + strconv.Itoa(r.record.Round),
		Speaker:     p.Name,
		Instruction: instruction,
		Form:        p.form(),
		After:       after,
	}
	return nil
}

// closeTurn closes p's open turn and records its result. Supervised says that the supervisor took it, with the
// manager's snapshot; last is the last message there is.
func (r *chatRun) closeTurn(p *Participant, supervised bool, manager json.RawMessage, last string, failed bool) {
	r.t.x.mu.Lock()
	defer r.t.x.mu.Unlock()
	ended := r.record.Turn
	r.record.Turn = nil
	if supervised {
		r.record.Manager = manager
	} else {
		r.record.noteSpeaker(p.Name, ended.After, last)
	}
	r.t.inheritLocked(ended)
	if ended.declined() {
		r.record.Declined = with(r.record.Declined, p.Name, r.record.Declined[p.Name]+1)
	}
	if failed {
		r.record.Failed = with(r.record.Failed, p.Name, r.record.Failed[p.Name]+1)
		r.record.Idle = ""
	}
	if p.Scope.Kind == ScopeMapped {
		delete(r.record.Scopes, p.Name) // the next turn begins with the inputs of its time
	}
}

// noteSpeaker notes that a participant has had a turn, which began after one message and ended with another.
func (c *chatRecord) noteSpeaker(name, after, last string) {
	if c.Last != name {
		c.InARow = 0
	}
	c.InARow++
	c.Last, c.Since = name, after
	c.Seen = with(c.Seen, name, last)
}

// setIdle names the speaker of t as idle, unless the turn made progress.
func (r *chatRun) setIdle(t *Turn, idle bool) {
	r.t.x.mu.Lock()
	defer r.t.x.mu.Unlock()
	r.record.Idle = ""
	if idle && !t.record.Acted {
		r.record.Idle = t.participant.Name
	}
}

// lastTurn returns the last speaker, the last message before its turn, and the invocation of the chat.
func (r *chatRun) lastTurn() (speaker, since, invocation string) {
	r.t.x.mu.Lock()
	defer r.t.x.mu.Unlock()
	return r.record.Last, r.record.Since, r.t.record.SubagentRunID
}

// seenBy returns the last message that a participant had seen when its last turn ended, and whether it has had a turn.
func (c *chatRecord) seenBy(r *records, name string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id, ok := c.Seen[name]
	return id, ok
}

// view returns the manager's view. It may be used from the goroutines of a turn.
func (r *chatRun) view() View {
	r.t.x.mu.Lock()
	defer r.t.x.mu.Unlock()
	return View{
		Round:        r.record.Round,
		LastSpeaker:  r.record.Last,
		Supervisor:   r.supervisor(),
		InARow:       r.record.InARow,
		Idle:         r.record.Idle,
		Goto:         r.record.Goto,
		Participants: r.infos,
		Principal:    r.t.Principal(),
		State:        r.t.scope,
		Failed:       maps.Clone(r.record.Failed),
		Declined:     maps.Clone(r.record.Declined),
		had:          maps.Clone(r.record.Seen),
		history:      sync.OnceValue(r.t.Messages),
		backward:     r.t.backward(),
		turn:         r.t,
		long:         r.History,
		records:      r.t,
		recordKey:    "manager/" + strconv.Itoa(r.record.Round) + "/",
		hearing:      r.hears(),
	}
}
