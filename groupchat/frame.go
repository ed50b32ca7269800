package groupchat

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Checkpoint is where a run is: the frames of its open turns, from the root down. It is plain JSON.
type Checkpoint struct {
	V         int        `json:"v"`
	Signature Signature  `json:"signature,omitempty"`
	Root      *TurnFrame `json:"root"`
}

// checkpointVersion is the only version of [Checkpoint] there is.
const checkpointVersion = 1

// A TurnFrame is what one turn has to remember while it is paused.
type TurnFrame struct {
	// ID is stable over pauses and takeovers: the run's origin, the path and the round.
	ID          string `json:"id"`
	Speaker     string `json:"speaker,omitempty"`
	Instruction string `json:"instruction,omitempty"`
	// SubagentRunID is the turn's invocation on the wire; empty if it has to be announced under a new one.
	SubagentRunID string `json:"subagentRunId,omitempty"`
	// Begun says that the speaker has had the floor, Tries how often it failed there.
	Begun bool `json:"begun,omitempty"`
	Tries int  `json:"tries,omitempty"`
	// After is the last message there was when the turn was opened.
	After string `json:"after,omitempty"`
	// Acted says that the turn, or one in it, asked or called something: that is progress.
	Acted bool `json:"acted,omitempty"`
	// Asks are the questions asked so far and Answers what came back, by key.
	Asks    map[string]string       `json:"asks,omitempty"` // key → interrupt id
	Answers map[string]state.Answer `json:"answers,omitempty"`
	// Calls are the frontend calls made so far, by key.
	Calls map[string]FrontendCall `json:"calls,omitempty"`
	// Memo holds what Once and Say have done, by key.
	Memo map[string]json.RawMessage `json:"memo,omitempty"`
	// Chat is the frame of the chat that is taking this turn, if it is one.
	Chat *ChatFrame `json:"chat,omitempty"`
}

// A FrontendCall is a call to a tool the client runs.
type FrontendCall struct {
	ID     string       `json:"id"`
	Result agui.Content `json:"result,omitzero"`
	Done   bool         `json:"done,omitempty"`
}

// A ChatFrame is where a chat is.
type ChatFrame struct {
	Round   int             `json:"round"`
	Last    string          `json:"last,omitempty"`
	Manager json.RawMessage `json:"manager,omitempty"`
	Goto    string          `json:"goto,omitempty"`
	// Turn is the open turn; nil between turns.
	Turn *TurnFrame `json:"turn,omitempty"`
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

// resume makes the frames of a checkpoint ready to go on with: every answer and result goes to who asked for it, at
// once, because the first commit of any turn uses all of them up. It fails if the agents of today cannot take these
// frames.
func (x *execution) resume(agent Agent, f *TurnFrame) error {
	for f != nil {
		chat, isChat := agent.(*Chat)
		if isChat && len(f.Asks)+len(f.Calls) > 0 {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: a chat does not ask", f.ID)
		}
		if f.Tries < 0 {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: %d tries", f.ID, f.Tries)
		}
		if err := x.deliver(f); err != nil {
			return err
		}
		if x.Takeover {
			f.SubagentRunID = ""
		}
		if f.Chat == nil {
			return nil
		}
		if f.Chat.Round < 0 {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: round %d", f.ID, f.Chat.Round)
		}
		f, agent = f.Chat.Turn, nil
		if f == nil || !isChat {
			continue
		}
		p := chat.participant(f.Speaker)
		if p == nil {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: participant %q is gone", f.ID, f.Speaker)
		}
		agent = p.Agent
	}
	return nil
}

// deliver gives f the answers and results that came for it.
func (x *execution) deliver(f *TurnFrame) error {
	for key, id := range f.Asks {
		if id == "" {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: a question without an id", f.ID)
		}
		answer, ok := x.Answers[id]
		if _, had := f.Answers[key]; !ok || had {
			continue
		}
		if f.Answers == nil {
			f.Answers = map[string]state.Answer{}
		}
		f.Answers[key] = answer
	}
	for key, call := range f.Calls {
		if call.ID == "" {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: a call without an id", f.ID)
		}
		if result, ok := x.Results[call.ID]; ok && !call.Done {
			f.Calls[key] = FrontendCall{ID: call.ID, Result: result, Done: true}
		}
	}
	return nil
}
