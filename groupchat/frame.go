package groupchat

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// A checkpoint is where a run is: the records of its open turns, from the root down. It is plain JSON.
type checkpoint struct {
	V         int         `json:"v"`
	Signature signature   `json:"signature,omitempty"`
	Root      *turnRecord `json:"root"`
}

// The versions of [Checkpoint]. In those of version 1 all tools of a turn share the turn's keys.
const (
	checkpointVersion = 2
	checkpointFlat    = 1
)

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

	// What follows is of turns that another turn invoked. Scope is its own state, Branch its own conversation; Done says that it has come to its end, and
	// is not begun again; Skipped that it failed and its policy passed over that; Declined that a person called a
	// question of its off.
	Scope    json.RawMessage `json:"scope,omitempty"`
	Branch   []Message       `json:"branch,omitempty"`
	Done     bool            `json:"done,omitempty"`
	Skipped  bool            `json:"skipped,omitempty"`
	Declined bool            `json:"declined,omitempty"`

	// flat is how many replies of a model the turn had in a checkpoint of version 1: see [llmRun.callTurn].
	flat int
}

// endInvocation ends the turn's invocation: the next one is another.
func (f *turnRecord) endInvocation() {
	if f.SubagentRunID != "" {
		f.Past = append(f.Past, f.SubagentRunID)
	}
	f.SubagentRunID = ""
}

// declined reports whether a person called off a question of the turn's, or of one in it.
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

// A chatRecord is where a chat is.
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
	// Idle names the speaker whose last turn neither said nor changed anything.
	Idle string `json:"idle,omitempty"`
	// Failed counts the turns of each participant that failed and were skipped, Declined those in which a person
	// called a question off.
	Failed   map[string]int `json:"failed,omitempty"`
	Declined map[string]int `json:"declined,omitempty"`
}

// resume makes the records of a checkpoint ready to go on with: every answer and result goes to who asked for it, at
// once, because the first commit of any turn uses all of them up. It fails if the agents of today cannot take these
// records. A nil participant is one that only another agent knows.
func (x *execution) resume(p *Participant, f *turnRecord) error {
	if err := p.fits(f); err != nil {
		return err
	}
	if f.Tries < 0 {
		return fail(agui.CodeCheckpointIncompatible, "turn %s: %d tries", f.ID, f.Tries)
	}
	if x.Takeover {
		f.endInvocation()
	}
	if x.flat {
		f.flat = f.replies()
	}
	return x.resumeKeys(p, f.ID, &f.keySpace)
}

// resumeKeys is resume for what a turn of p's, or a call of a tool in it, has to remember. Id names it in errors.
func (x *execution) resumeKeys(p *Participant, id string, k *keySpace) error {
	if err := x.deliver(id, k); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(k.Tools)) {
		if k.Tools[key] == nil {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: call %q of a tool is null", id, key)
		}
		if err := x.resumeKeys(nil, id+"/"+key, k.Tools[key]); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(k.Children)) {
		if err := x.resumePart(p, id, k.Children[key]); err != nil {
			return err
		}
	}
	if k.Chat == nil {
		return nil
	}
	if k.Chat.Round < 0 {
		return fail(agui.CodeCheckpointIncompatible, "turn %s: round %d", id, k.Chat.Round)
	}
	if k.Chat.Turn == nil {
		return nil
	}
	return x.resumePart(p, id, k.Chat.Turn)
}

// resumePart is resume for a turn in that called id, which p takes.
func (x *execution) resumePart(p *Participant, id string, part *turnRecord) error {
	if part == nil {
		return fail(agui.CodeCheckpointIncompatible, "turn %s: a turn in it is null", id)
	}
	made, known := p.agent().(composite)
	if !known || isNil(made) {
		return x.resume(nil, part) // who takes part in a turn of another kind of agent only that agent knows
	}
	for _, member := range made.parts() {
		if member.Name == part.Speaker {
			return x.resume(&member, part)
		}
	}
	return fail(agui.CodeCheckpointIncompatible, "turn %s: participant %q is gone", part.ID, part.Speaker)
}

// deliver gives k, which is that of the turn called turn, the answers and results that came for it.
func (x *execution) deliver(turn string, k *keySpace) error {
	for key, id := range k.Asks {
		if id == "" {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: a question without an id", turn)
		}
		answer, ok := x.Answers[id]
		if _, had := k.Answers[key]; ok && !had {
			k.Answers = with(k.Answers, key, answer)
		}
	}
	for key, call := range k.Calls {
		if call.ID == "" {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: a call without an id", turn)
		}
		if result, ok := x.Results[call.ID]; ok && !call.Done {
			k.Calls[key] = frontendCall{ID: call.ID, Result: result, Done: true}
		}
	}
	return nil
}
