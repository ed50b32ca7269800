package state

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// A Key names a thread. Two principals, or two agents, may use the same ID and never meet.
type Key struct {
	Principal string `json:"principal"`
	Agent     string `json:"agent"`
	ID        string `json:"id"`
}

// A Status is what a thread is doing, as clients see it.
type Status string

// The statuses of a thread. One with open frontend calls is idle.
const (
	StatusIdle        Status = "idle"
	StatusRunning     Status = "running"
	StatusInterrupted Status = "interrupted"
	StatusFailed      Status = "failed"
)

// A Thread is what every transition of a conversation looks at. What may be large or grows is kept beside it: its
// state, its messages, its log, its earlier runs and states. Stores hand out copies; whoever holds one may read it from
// any goroutine and change nothing in it.
type Thread struct {
	Key Key `json:"key"`
	// Rev counts the atomic transitions that changed the thread. Messages remember the revision they came and left at.
	Rev int64 `json:"rev"`
	// Fence is the newest one given out; 0 means the thread never ran.
	Fence uint64 `json:"fence"`
	// Last is the newest frame of the log, also after the log was trimmed.
	Last FrameID `json:"last"`

	Title     string    `json:"title,omitempty"` // as set by PATCH, else from the first user message
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`

	// StateRev is the revision of the transition that made the state; 0 means that there is none.
	StateRev int64 `json:"stateRev,omitempty"`
	// Shown is the newest revision that frames of the log name: what it held can be asked for as long as the log
	// is kept.
	Shown int64 `json:"shown,omitempty"`
	// Checkpoint is as committed; nil means that there is no turn to continue.
	Checkpoint json.RawMessage `json:"checkpoint,omitempty"`
	// Open lists the tokens that are open or claimed: the questions of the checkpoint.
	Open []string `json:"open,omitempty"`
	// Calls are the frontend calls of the checkpoint, answered ones included while others are missing.
	Calls []Call `json:"calls,omitempty"`
	// Answered are the questions that were answered, oldest first, see [MaxAnswered].
	Answered []Answered `json:"answered,omitempty"`
	// Settled are the ids of the kept tokens of closed questions that are no longer shown, oldest first, see
	// [MaxSettled].
	Settled []string `json:"settled,omitempty"`
	// Kept has the effects of a failed turn with answers that are open again; nil if there are none.
	Kept *Kept `json:"kept,omitempty"`
	// Notes are what agents keep of the thread between its runs and no client is shown; see [Commit.Notes].
	Notes json.RawMessage `json:"notes,omitempty"`
	// Failed says that the newest run ended in an error. Answers it left open can still be given: [StatusOf]
	// then says interrupted.
	Failed bool `json:"failed,omitempty"`

	Run   *Run              `json:"run,omitempty"` // the newest; nil if nothing ever ran
	Usage []agui.TokenUsage `json:"usage,omitempty"`
	// Cost is the known cost of its runs, in the currency of the models' prices; nil if unknown.
	Cost *float64 `json:"cost,omitempty"`
	Live *Live    `json:"live,omitempty"`
	// Queue are the requests that wait, in the order they came.
	Queue []Ticket `json:"queue,omitempty"`

	// Pending are the patches of the state that wait for the turn that is going on, in the order they came. Patched is
	// what became of the newest that are done, oldest first.
	Pending []PatchRequest `json:"pending,omitempty"`
	Patched []PatchResult  `json:"patched,omitempty"`
	// EndMarked says that the state was patched since the newest run ended, or since the fork that made the thread: the
	// past has a mark of what it was then.
	EndMarked bool `json:"endMarked,omitempty"`
	// Approximate says of a fork that the state which belongs to its last message is not kept any more: it has the
	// oldest one that is.
	Approximate bool `json:"approximate,omitempty"`

	// Approvals are what people approved of beforehand, oldest first; see [Approvals]. Revoked are the ids of those
	// that were taken back.
	Approvals []Approval `json:"approvals,omitempty"`
	Revoked   []string   `json:"revokedApprovals,omitempty"`

	// Initial names the members that the state is known to have, see [Commit.Initial]; empty if unknown.
	Initial string `json:"initial,omitempty"`
	// Count is the number of messages in the conversation, LastMessage and LastUser the ids of its ends. Size is how
	// many bytes their encodings take, Left about how many the ids of those that left, and Slots the slot of the next
	// one.
	Count       int    `json:"count"`
	Size        int    `json:"size,omitempty"`
	Left        int    `json:"left,omitempty"`
	Slots       int    `json:"slots,omitempty"`
	LastMessage string `json:"lastMessage,omitempty"`
	LastUser    string `json:"lastUser,omitempty"`
}

// MaxRuns is how many of its runs a thread remembers, the newest included.
const MaxRuns = 50

// A Run is the record of one run, its takeovers included.
type Run struct {
	RunID string `json:"runId"`
	// Number counts the runs of the thread from 1. No other run of the thread has it, or had it.
	Number      int          `json:"number,omitempty"`
	ParentRunID string       `json:"parentRunId,omitempty"`
	Origin      uint64       `json:"origin"` // the fence of its first attempt: the run's real identity
	Hash        string       `json:"hash"`   // of the input it was started with
	Status      RunStatus    `json:"status"`
	Code        errcode.Code `json:"code,omitempty"`
	Text        string       `json:"text,omitempty"` // the error's, if it is not the code's own sentence
	StartedAt   time.Time    `json:"startedAt"`
	EndedAt     time.Time    `json:"endedAt,omitzero"`
	// Committed says whether anything of it, beyond its request, outlived it.
	Committed bool `json:"committed,omitempty"`
	// After is the message that the conversation ended with when it began, with what its request brought; LastMessage
	// the last one that it added, empty if none.
	After       string `json:"after,omitempty"`
	LastMessage string `json:"lastMessage,omitempty"`
	// Trace is as in [Intent].
	Trace string `json:"trace,omitempty"`
	// Cost is its known cost; nil if unknown, and while it is live.
	Cost *float64 `json:"cost,omitempty"`
}

// A RunStatus says how a run stands or ended.
type RunStatus string

// The statuses of a run.
const (
	RunRunning   RunStatus = "running"
	RunSuccess   RunStatus = "success"
	RunInterrupt RunStatus = "interrupt"
	RunCancelled RunStatus = "cancelled"
	RunError     RunStatus = "error"
)

// Live is the attempt that holds a thread.
type Live struct {
	Attempt string    `json:"attempt"`
	Fence   uint64    `json:"fence"`
	Until   time.Time `json:"until"` // end of the lease
	// Tied says that hanging up stops the run; HungUp that its connection has closed.
	Tied   bool `json:"tied,omitempty"`
	HungUp bool `json:"hungUp,omitempty"`
	// Stopped says that its end was requested; a takeover gets the signal again.
	Stopped bool `json:"stopped,omitempty"`
	// ReadUntil is the end of the last known reading of the run; zero if there was none.
	ReadUntil time.Time `json:"readUntil,omitzero"`
	// Number and Committed are the newest commit's number and its last frame, by which a repeated one is known.
	Number    int     `json:"number,omitempty"`
	Committed FrameID `json:"committed,omitzero"`
	// StartRev is the StateRev that the run started with.
	StartRev int64 `json:"startRev,omitempty"`
	// Memo holds the recorded results of the turn that is not committed yet, by groupchat.Once key.
	Memo   map[string]json.RawMessage `json:"memo,omitempty"`
	Intent Intent                     `json:"intent"`
}

// An Intent is what a run was asked to do: with the thread, all that a takeover needs. It holds no secret, and none of
// the headers that agents pass on.
type Intent struct {
	Origin      uint64    `json:"origin"` // fence of the first attempt
	Attempts    int       `json:"attempts"`
	StartedAt   time.Time `json:"startedAt"` // first start
	RunID       string    `json:"runId"`
	ParentRunID string    `json:"parentRunId,omitempty"`
	Hash        string    `json:"hash"`
	// Resumed says that the run continues the checkpoint: with answers, or with the results of frontend calls.
	Resumed bool `json:"resumed,omitempty"`
	// Meaning and Row are the verdict's, for a caller that lost the first answer.
	Meaning Meaning `json:"meaning"`
	Row     int     `json:"row"`
	// Claims are the answers, each with its token's id. The first commit uses their tokens up and empties the
	// list: a takeover then has them in its checkpoint.
	Claims []Answer `json:"claims,omitempty"`
	// Questions are the interrupts they answer, for a failure that opens them again.
	Questions []agui.Interrupt `json:"questions,omitempty"`
	// Effects are the recorded results of an earlier run that failed with the same answers, by groupchat.Once key.
	Effects map[string]json.RawMessage `json:"effects,omitempty"`
	// Added or Cut say that the conversation is not what it was before the request.
	Added bool `json:"added,omitempty"`
	Cut   bool `json:"cut,omitempty"`
	// Approximate says that the state which the run was to start from is not kept any more: it started from the oldest
	// one that is.
	Approximate bool `json:"approximate,omitempty"`

	Era            agui.Era        `json:"era"`
	Tools          []agui.Tool     `json:"tools,omitempty"`
	Context        []agui.Context  `json:"context,omitempty"`
	ForwardedProps json.RawMessage `json:"forwardedProps,omitempty"`
	// Caller is the request's: a takeover tells agents the same.
	Caller Caller `json:"caller,omitzero"`
	// Hops and Chain are the request's.
	Hops  int    `json:"hops,omitempty"`
	Chain string `json:"chain,omitempty"`
	// Trace is the traceparent of the newest attempt that has committed, or of the request, and Earlier that of the run
	// before on the thread.
	Trace   string `json:"trace,omitempty"`
	Earlier string `json:"earlier,omitempty"`
}

// A Call is a frontend tool call a turn waits for.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Answer is the tool message that answered it; nil while it is open.
	Answer *agui.Message `json:"answer,omitempty"`
}

// A Place has the known facts about a message that the thread has, or had. Its JSON form is for stores.
type Place struct {
	Role agui.Role `json:"o"`
	Run  uint64    `json:"r,omitempty"` // Origin of the run that brought it
	Left bool      `json:"l,omitempty"` // it left the conversation
	// Slot is where it stands, Added the revision that brought its present version, and Size that one's bytes.
	Slot  int   `json:"s"`
	Added int64 `json:"a"`
	Size  int   `json:"z"`
}

// OpenCalls returns the frontend calls that are not answered.
func (t *Thread) OpenCalls() []Call {
	var open []Call
	for _, c := range t.Calls {
		if c.Answer == nil {
			open = append(open, c)
		}
	}
	return open
}

// Digest is a short text that only equal keys have, whatever is in them: letters, digits, dashes and underscores.
func (k Key) Digest() string { return Digest(k.Principal, k.Agent, k.ID) }

// Digest returns a short name that only equal lists of texts have, whatever is in them: letters, digits, dashes and
// underscores.
func Digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:24])
}

// NextFrame is the id that the live attempt's next frame has.
func (t *Thread) NextFrame() FrameID {
	if t.Last.Fence == t.Live.Fence {
		return FrameID{Fence: t.Live.Fence, Seq: t.Last.Seq + 1}
	}
	return FrameID{Fence: t.Live.Fence, Seq: 1}
}
