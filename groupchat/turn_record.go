package groupchat

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/state"
)

// A checkpoint is where a run is: the records of its open turns, from the root down. It is plain JSON.
type checkpoint struct {
	V         int         `json:"v"`
	Signature signature   `json:"signature,omitempty"`
	Root      *turnRecord `json:"root"`
}

// checkpointVersion is the version of a checkpoint. Version 1 was part of no release.
const checkpointVersion = 2

// A turnRecord is what one turn has to remember while it is paused.
type turnRecord struct {
	// ID is stable over pauses and takeovers: the run's origin, the path and the round.
	ID          string `json:"id"`
	Speaker     string `json:"speaker,omitempty"`
	Instruction string `json:"instruction,omitempty"`
	// Form says what kind of agent takes the turn: see [Participant.form].
	Form string `json:"form,omitempty"`
	// SubagentRunID is the turn's invocation on the wire; empty if it has to be announced under a new one.
	SubagentRunID string `json:"subagentRunId,omitempty"`
	// Begun says that the speaker has worked in the turn, Tries how often it failed there.
	Begun bool `json:"begun,omitempty"`
	Tries int  `json:"tries,omitempty"`
	// After is the last message there was when the turn was opened.
	After string `json:"after,omitempty"`
	// Acted says that the turn, or one in it, asked or called something, or did something once: that is progress.
	Acted bool `json:"acted,omitempty"`
	keySpace

	// Past are the invocations of the turn that have ended, and of an invoked one all that have ended in it.
	Past []string `json:"past,omitempty"`

	// What follows is of turns that another turn invoked. Scope is its own state, Branch its own conversation; Done
	// says that it has come to its end, and is not begun again; Skipped that it failed and its policy passed over that;
	// Declined that a person cancelled a question of the turn, or rejected its result.
	Scope    json.RawMessage `json:"scope,omitempty"`
	Branch   []Message       `json:"branch,omitempty"`
	Done     bool            `json:"done,omitempty"`
	Skipped  bool            `json:"skipped,omitempty"`
	Declined bool            `json:"declined,omitempty"`
}

// endInvocation ends the turn's invocation: the next one has another id.
func (f *turnRecord) endInvocation() {
	if f.SubagentRunID != "" {
		f.Past = append(f.Past, f.SubagentRunID)
	}
	f.SubagentRunID = ""
}

// declined reports whether a person cancelled a question of the turn's, or of one in it.
func (f *turnRecord) declined() bool {
	return f.Declined || f.keySpace.declined()
}

// invocations adds to set those of the turn and of all in it.
func (f *turnRecord) invocations(set map[string]bool) {
	if f.SubagentRunID != "" {
		set[f.SubagentRunID] = true
	}
	for _, id := range f.Past {
		set[id] = true
	}
	f.keySpace.invocations(set)
}

// A frontendCall is a call to a tool the client runs.
type frontendCall struct {
	ID     string       `json:"id"`
	Result agui.Content `json:"result,omitzero"`
	Done   bool         `json:"done,omitempty"`
}

type chatRecord struct {
	Round   int             `json:"round"`
	Last    string          `json:"last,omitempty"`
	InARow  int             `json:"inARow,omitempty"`
	Since   string          `json:"since,omitempty"` // the last message there was when the last turn was opened
	Manager json.RawMessage `json:"manager,omitempty"`
	// Kind is the manager's when the open turn began, and To whom its speaker could hand over to then.
	Kind string   `json:"kind,omitempty"`
	To   []string `json:"to,omitempty"`
	Goto string   `json:"goto,omitempty"`
	// Turn is the open turn; nil between turns.
	Turn *turnRecord `json:"turn,omitempty"`
	// Seen is the last message each participant had seen when its last turn ended.
	Seen map[string]string `json:"seen,omitempty"`
	// Scopes are the states of the participants that have their own.
	Scopes map[string]json.RawMessage `json:"scopes,omitempty"`
	// Idle is the speaker of the last turn if that neither said nor changed anything.
	Idle string `json:"idle,omitempty"`
	// Failed counts the turns of each participant that failed and were skipped, Declined those in which a person
	// called a question off.
	Failed   map[string]int `json:"failed,omitempty"`
	Declined map[string]int `json:"declined,omitempty"`
	// Denied says that a person rejected what a participant had made: the chat ends.
	Denied bool `json:"denied,omitempty"`
}

// A keySpace is the memory of a turn, or of one call of a tool in it, under separate keys. It is part of a record, and
// used with the lock of [records] held.
type keySpace struct {
	// Asks are the questions asked so far and Answers their answers, by key. Asked has a hash of each question's
	// message.
	Asks    map[string]string       `json:"asks,omitempty"` // key → interrupt id
	Asked   map[string]string       `json:"asked,omitempty"`
	Answers map[string]state.Answer `json:"answers,omitempty"`
	// Calls are the frontend calls made so far, by key.
	Calls map[string]frontendCall `json:"calls,omitempty"`
	// Memo holds what Once and Say have done, by key.
	Memo map[string]json.RawMessage `json:"memo,omitempty"`
	// Chat is the record of the chat that is taking this turn, if it is one.
	Chat *chatRecord `json:"chat,omitempty"`
	// Children are the turns of the agents that this turn has working inside itself, by name: see [Turn.Invoke].
	Children map[string]*turnRecord `json:"children,omitempty"`
	// Sub is of a turn under [Sub].
	Sub *subRecord `json:"sub,omitempty"`
	// Tools are the key spaces of calls of tools that work in the turn, by the key of the call.
	Tools map[string]*keySpace `json:"tools,omitempty"`
}

// declined reports whether a person cancelled a question of it, or of a turn or call in it.
func (k *keySpace) declined() bool {
	for _, a := range k.Answers {
		if a.Status == agui.ResumeCancelled && !a.TimedOut {
			return true
		}
	}
	for _, c := range k.Children {
		if c.declined() {
			return true
		}
	}
	for _, c := range k.Tools {
		if c.declined() {
			return true
		}
	}
	return k.Chat != nil && len(k.Chat.Declined) > 0
}

// invocations adds to set those of all turns in it.
func (k *keySpace) invocations(set map[string]bool) {
	for _, c := range k.Children {
		c.invocations(set)
	}
	for _, c := range k.Tools {
		c.invocations(set)
	}
	if k.Chat != nil && k.Chat.Turn != nil {
		k.Chat.Turn.invocations(set)
	}
}

// each calls f for k and for those of all calls of tools in it.
func (k *keySpace) each(f func(*keySpace)) {
	f(k)
	for _, c := range k.Tools {
		c.each(f)
	}
}

// turnKeys are the keys of a turn, or of a call of a tool, that is being taken.
type turnKeys struct {
	*keySpace
	// id is the turn's or the call's: the names of records begin with it.
	id string
	// owner is the turn that they are of. Others may be part of it: see [Sub].
	owner *Turn
	// The lock of records guards the fields below, which are of this entry alone: the meaning of each key, and the
	// pauses that the agent has to return.
	meant  map[string]string
	pauses []*ask.Pause
	texts  map[string]int // how often each text was said without a key, by its hash
}

func (t *Turn) begin(f *turnRecord) {
	t.record = f
	t.keys = &turnKeys{keySpace: &f.keySpace, id: f.ID, owner: t}
}

// errNotReturned is the failure of a turn that went on without the answer it had asked for.
var errNotReturned = errors.New("went on without an answer: the pause was not returned")

// exclusive runs agent, which remembers what it did under keys that all agents of its kind use: no other of them may
// take the same turn, and the same one only if it has failed. Those that are to work in one turn are for [Turn.Invoke].
func (t *Turn) exclusive(kind string, agent Agent, run func() error) error {
	name := fmt.Sprintf("%p", agent)
	if err := t.claimKey("agent", kind, name); err != nil {
		return err
	}
	err := t.notePause(run())
	if err == nil {
		t.changeKey("agent", kind, name+" has ended")
	}
	return err
}
