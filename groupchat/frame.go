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
	// SubagentRunID is the turn's invocation on the wire.
	SubagentRunID string `json:"subagentRunId,omitempty"`
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
	// Failed counts the turns of each participant that failed and were skipped.
	Failed map[string]int `json:"failed,omitempty"`
}
