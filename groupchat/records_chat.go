package groupchat

import (
	"encoding/json"
	"maps"
	"strconv"
	"sync"
)

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
