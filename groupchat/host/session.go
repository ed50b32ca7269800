package host

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/internal/hosting"
	"github.com/agui-gateway/gateway/state"
)

// A Journal keeps what a run must not lose.
type Journal interface {
	// Commit is called at every turn boundary with the checkpoint to go on from. The conversation and the
	// state are as the run's view and document have them. An error ends the run.
	Commit(ctx context.Context, checkpoint json.RawMessage) error
	// Once records the result of an effect before it is used. An error ends the run.
	Once(ctx context.Context, key string, result json.RawMessage) error
}

// Approvals remembers what people approved of beforehand.
type Approvals interface {
	// Covers returns the approval, of one of the scopes, under which a call may be made; false: there is none. It is asked right before
	// the call of this id is made, once for it. An error has a person asked.
	Covers(ctx context.Context, call string, about state.ApprovalSubject, scopes []state.ApprovalScope) (state.Approval, bool, error)
	// Remember adds an approval. One that is there, or was there and was revoked, is not added again.
	Remember(ctx context.Context, a state.Approval) error
}

// A Session is what one run works with: what its turns read, and where what they do goes to. Run, State, Journal, NewID and
// Origin are required.
type Session struct {
	Run     *run.Run        // the only writer of the run's events
	State   *state.Document // the shared state; its changes are emitted by its owner
	Journal Journal
	Input   groupchat.Input
	// Fence is asked before the run does something in the world outside; see [groupchat.Fence]. It returns nil, or the cause of
	// ctx when that is done. Nil allows everything.
	Fence func(ctx context.Context) error

	// Checkpoint is what a resumed run, or one that is taken over, goes on from; nil starts at the top.
	Checkpoint json.RawMessage
	// Answers are those of the resume, by interrupt id; Results those of frontend calls, by call id.
	Answers map[string]state.Answer
	Results map[string]agui.Content
	// Takeover says that a process that is gone had begun this run: its invocations are announced under new ids.
	Takeover bool
	// Memo are the effects that were recorded and not yet committed when the run's last process died.
	Memo map[string]json.RawMessage

	// Origin names the run for its whole life, takeovers included. Turn ids begin with it.
	Origin string
	NewID  func() string
	// Pace is the pause between the pieces of a scripted text.
	Pace time.Duration
	// Usage counts what the run's models use, also while it goes on and if it fails. What earlier attempts at the run used
	// ([EarlierUsage]) is in it from the start. Nil counts for the checkpoint alone.
	Usage *Usage
	// Notes are those of the thread. Nil forgets them with the run.
	Notes *Notes
	// MaxTurns is the budget of turns for the whole run, nested chats included; 0 means 1000.
	MaxTurns int
	// Approvals are those that people gave beforehand; see [groupchat.Approvals]. With nil nothing is remembered, and nobody is offered it.
	Approvals Approvals
	// AtLimit is called with the path of each chat that ends because its turns are used up; nil is not.
	AtLimit func(chat string)
	// Hooks hold for everything that is done in the run.
	Hooks []groupchat.Hooks
	// Log gets what no client is told: the supervisor's reasons (at debug) and the causes of failures that a policy
	// passed over. Nil keeps silent.
	Log *slog.Logger
}

// A Result is how a run came to its end, other than by an error.
type Result struct {
	// Pause is what the run waits for; nil means it is done.
	Pause *groupchat.Pause
	// Checkpoint is what a paused run goes on from.
	Checkpoint json.RawMessage
	// Closings are the events that follow the snapshots of a paused run: its subagents are suspended and
	// its steps end.
	Closings []agui.Event
}

var execute = hosting.Execute.(func(context.Context, groupchat.Agent, *groupchat.Input, *hosting.Session, []groupchat.Hooks) (
	*groupchat.Pause, json.RawMessage, []agui.Event, error))

// Execute runs the root agent to its end, or to a pause. It returns when the agent and everything it started
// with [groupchat.Turn.Go] has returned. A panic is an error. Every error has a code (package errcode), except one that ended the
// run from outside: the cause of ctx, or what the journal or the run's sink returned. A session that lacks what a run needs is
// an error before anything is done.
func Execute(ctx context.Context, root groupchat.Agent, s *Session) (Result, error) {
	in, h := s.parts()
	pause, checkpoint, closings, err := execute(ctx, root, in, h, s.Hooks)
	if err != nil {
		return Result{}, err
	}
	return Result{Pause: pause, Checkpoint: checkpoint, Closings: closings}, nil
}

// parts are what the run is given for as long as it lasts.
func (s *Session) parts() (*groupchat.Input, *hosting.Session) {
	in := s.Input
	h := &hosting.Session{
		Run: s.Run, State: s.State, Fence: s.Fence, Journal: s.Journal,
		Checkpoint: s.Checkpoint, Answers: s.Answers, Results: s.Results, Takeover: s.Takeover, Memo: s.Memo,
		Origin: s.Origin, NewID: s.NewID, Pace: s.Pace, MaxTurns: s.MaxTurns, Log: s.Log,
		Approvals: s.Approvals, AtLimit: s.AtLimit,
	}
	if s.Usage != nil {
		h.Usage = &s.Usage.counted
	}
	if s.Notes != nil {
		h.Notes = &s.Notes.kept
	}
	return &in, h
}

var forwardsOf = hosting.ForwardsOf.(func(groupchat.Agent) []string)

// ForwardsOf names the headers that an agent, or anybody in its team, passes on to other servers: what Header of the session's
// input is to hold. See [groupchat.HeaderForwarder].
func ForwardsOf(a groupchat.Agent) []string { return forwardsOf(a) }
