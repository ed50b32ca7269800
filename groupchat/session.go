package groupchat

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/internal/fence"
	"github.com/agui-gateway/gateway/internal/lock"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A Journal stores what a run must not lose.
type Journal interface {
	// Commit is called at every turn boundary with the checkpoint to continue from. The conversation and the state are
	// those of the run's view and document. An error ends the run.
	Commit(ctx context.Context, checkpoint json.RawMessage) error
	// Once records the result of an effect before it is used. An error ends the run.
	Once(ctx context.Context, key string, result json.RawMessage) error
}

// An ApprovalStore remembers calls that people approved in advance.
type ApprovalStore interface {
	// Covers returns the approval, of one of the scopes, under which a call may be made; false if there is none. It is
	// called once for each call id, right before the call. After an error a person is asked.
	Covers(ctx context.Context, call string, about state.ApprovalSubject, scopes []state.ApprovalScope) (state.Approval,
		bool, error)
	// Remember adds an approval. One that exists, or existed and was revoked, is not added again.
	Remember(ctx context.Context, a state.Approval) error
}

// A Session is what one run works with: the input of its turns and the destination of their output. Run, State,
// Journal, NewID and Origin are required.
type Session struct {
	Run     *run.Run           // the only writer of the run's events
	State   *document.Document // the shared state; its owner emits its changes
	Journal Journal
	Input   Input
	// Fence is called before the run does something outside of the process; see [Fence]. It returns nil, or the cause
	// of ctx when that is done. Nil allows everything.
	Fence func(ctx context.Context) error

	// Checkpoint is where a resumed run, or one that is taken over, continues; nil starts at the top.
	Checkpoint json.RawMessage
	// Answers are those of the resume, by interrupt id; Results those of frontend calls, by call id.
	Answers map[string]state.Answer
	Results map[string]agui.Content
	// Takeover says that another process had begun this run: its invocations are announced under new ids.
	Takeover bool
	// Memo has the effects that were recorded and not yet committed when the run's last process died.
	Memo map[string]json.RawMessage

	// Origin names the run for its whole life, takeovers included. Turn ids begin with it.
	Origin string
	NewID  func() string
	// Pace is the pause between the pieces of a scripted text.
	Pace time.Duration
	// Usage counts what the run's models use, also while the run is active and if it fails. It begins with what earlier
	// attempts at the run used ([EarlierUsage]). With nil only the checkpoint counts.
	Usage *Usage
	// Notes are those of the thread. With nil they are lost at the end of the run.
	Notes *history.Notes
	// MaxTurns is the budget of turns for the whole run, nested chats included; 0 means 1000.
	MaxTurns int
	// Approvals are those that people gave in advance; see [tools.Approvals]. With nil nothing is remembered, and no
	// question offers it.
	Approvals ApprovalStore
	// AtLimit is called with the path of each chat that ends because its turns are used up; nil is not.
	AtLimit func(chat string)
	// Hooks apply to the whole run.
	Hooks []Hooks
	// Log receives what clients do not: the supervisor's reasons (at debug) and the causes of failures that an error
	// policy skipped. Nil disables logging.
	Log *slog.Logger
}

// A Result describes how a run without an error ended.
type Result struct {
	// Pause is what the run waits for; nil means it is done.
	Pause *ask.Pause
	// Checkpoint is where a paused run continues.
	Checkpoint json.RawMessage
	// Closings are the events that follow the snapshots of a paused run: they suspend its subagents and end its steps.
	Closings []agui.Event
}

// maxTurns is the default of a session's MaxTurns: far more than a sane team needs, few enough to end a loop.
const maxTurns = 1000

// validate reports every required field that s lacks.
func (s *Session) validate(root Agent) error {
	var missing []string
	for _, field := range []struct {
		name string
		is   bool
	}{
		{"root agent", isNil(root)}, {"Run", s.Run == nil}, {"State", s.State == nil}, {"Journal", s.Journal == nil},
		// without an origin the turns of all runs have the same ids
		{"NewID", s.NewID == nil}, {"Origin", s.Origin == ""},
	} {
		if field.is {
			missing = append(missing, field.name)
		}
	}
	if missing == nil {
		return nil
	}
	return fail(errcode.Internal, "a session without %s", strings.Join(missing, ", "))
}

// Execute runs the root agent to its end, or to a pause. It returns when the agent and everything it started with
// [Turn.Go] has returned. It does not change s. A panic is an error. Every error has a code (package errcode), except
// one that ended the run from outside: the cause of ctx, or an error of the journal or of the run's sink. A session
// without a required field is an error before anything else happens.
//
// Execute sends no terminal event; its caller does:
//
//   - After an error the run has failed. Clients receive the error's code; [OpenMessages] names the messages that were
//     cut short and should not stay in the conversation.
//   - After a [Result] without a Pause the run is done.
//   - After a Result with a Pause the run waits for people or for tools of the client. The caller stores the questions,
//     the calls and the checkpoint, sends its snapshots, then the Closings, and ends the run with an interrupt outcome.
//
// The run that brings the answers is another call of Execute, with the checkpoint and the answers in its session. It
// enters the same turn again. After the death of its process a run continues in another from the last commit: its
// session has Takeover, and in Memo the effects recorded since. A process that may have lost its lease on the run
// reports so by the session's Fence, and cancels the context of a run that continues elsewhere with a cause that is
// [ErrMoved].
func Execute(ctx context.Context, root Agent, s *Session) (Result, error) {
	if err := s.validate(root); err != nil {
		return Result{}, err
	}
	x := newExecution(fence.With(ctx, s.Fence), root, s)
	if err := failure.Protect(func() error { return x.enter(root) }); err != nil {
		return Result{}, err
	}
	t := x.rootTurn()
	err := t.underRunHooks(x.ctx, s.Hooks,
		func(ctx context.Context) error { return t.underTurnHooks(ctx, s.Hooks, root) })
	return x.end(t, err)
}

// OpenMessages returns the ids of the messages that the failed turns in err left open. They were closed on the wire,
// because other turns may continue; if the run ends with err, they should not stay in the conversation.
func OpenMessages(err error) []string {
	switch e := err.(type) { //nolint:errorlint // walks the tree: there may be several
	case *openMessagesError:
		return append(OpenMessages(e.error), e.ids...)
	case interface{ Unwrap() error }:
		return OpenMessages(e.Unwrap())
	case interface{ Unwrap() []error }:
		var ids []string
		for _, inner := range e.Unwrap() {
			ids = append(ids, OpenMessages(inner)...)
		}
		return ids
	default:
		return nil
	}
}

// An openMessagesError is the failure of a turn that left messages open.
type openMessagesError struct {
	error
	ids []string // of the messages
}

// Unwrap returns the failure.
func (e *openMessagesError) Unwrap() error { return e.error }

// newExecution copies the session and fills in its defaults.
func newExecution(ctx context.Context, root Agent, s *Session) *execution {
	x := &execution{Session: *s, ctx: ctx, signature: signatureOf(root), keep: lock.New()}
	if x.MaxTurns == 0 {
		x.MaxTurns = maxTurns
	}
	if x.Log == nil {
		x.Log = slog.New(slog.DiscardHandler)
	}
	if x.Usage == nil {
		x.Usage = &Usage{}
	}
	if x.Notes == nil {
		x.Notes = &history.Notes{}
	}
	x.names, x.fans = namesOf(x.signature), map[string]*Concurrent{}
	fansOf(root, "", nil, x.fans)
	return x
}

func (x *execution) rootTurn() *Turn {
	t := &Turn{x: x, ctx: x.ctx, run: x.Run, out: x.Run.Writer, clientWriter: x.Run.Writer,
		scope: document.Shared(x.State), hooks: x.Hooks,
		filtered: &filteredWriters{}}
	t.begin(x.root)
	t.filter(x.Hooks)
	return t
}

// end returns the result of the run after its root turn ended with err.
func (x *execution) end(t *Turn, err error) (Result, error) {
	if cause := x.endCause(); cause != nil && (err != nil || x.ctx.Err() == nil) {
		return Result{}, cause
	}
	pause := ask.PauseOf(err)
	if err != nil && pause == nil && len(t.filtered.list) == 0 {
		return Result{}, failure.Coded(err)
	}
	err = t.closeOpen(err)
	if pause = ask.PauseOf(err); pause == nil {
		return Result{}, failure.Coded(err)
	}
	checkpoint, err := x.checkpoint()
	if err != nil {
		return Result{}, err
	}
	return Result{Pause: pause, Checkpoint: checkpoint, Closings: x.closings()}, nil
}

type execution struct {
	Session
	ctx       context.Context // the run's own: no turn has failed if it ends
	signature signature
	names     map[string]string // see namesOf

	keep lock.Lock // held while the run is committed, or what it commits is changed in two steps; locked before mu

	records
}

func (x *execution) enter(root Agent) error {
	if x.Checkpoint == nil {
		x.root = &turnRecord{ID: x.Origin, Form: (&Participant{Agent: root}).form()}
		return nil
	}
	var c checkpoint
	if err := json.Unmarshal(x.Checkpoint, &c); err != nil {
		return fail(errcode.CheckpointIncompatible, "checkpoint: %w", err)
	}
	if c.V != checkpointVersion || c.Root == nil {
		return fail(errcode.CheckpointIncompatible, "checkpoint of version %d", c.V)
	}
	if missing := x.signature.lacks(c.Signature); missing != "" {
		return fail(errcode.CheckpointIncompatible, "participant %q is gone", missing)
	}
	x.root = c.Root
	return x.resume(&Participant{Agent: root}, c.Root)
}

// checkpoint renders the records as they are now.
func (x *execution) checkpoint() (json.RawMessage, error) { return x.encode(x.signature) }

// commit keeps where the run is at a turn boundary.
func (x *execution) commit(ctx context.Context) error {
	raw, err := x.checkpoint()
	if err == nil {
		err = x.Journal.Commit(ctx, raw)
	}
	return x.fatal(err)
}

// endCause returns why the run must end whatever its agents do: a stop, a deadline, a failed writer or journal. It
// is nil while the run may continue.
func (x *execution) endCause() error {
	if x.ctx.Err() != nil {
		return context.Cause(x.ctx)
	}
	if err := x.failure(); err != nil {
		return err
	}
	if err := x.Run.Err(); err != nil {
		return err
	}
	if x.Run.Ended() {
		return run.ErrRunEnded
	}
	return nil
}

// addReply records the usage and cost of a model call.
func (x *execution) addReply(reply *model.Reply) error {
	return x.count(reply.Cost, append(slices.Clip(reply.Earlier), reply.Usage)...)
}

func (x *execution) addUsage(list ...agui.TokenUsage) error { return x.count(nil, list...) }

func (x *execution) count(cost *float64, list ...agui.TokenUsage) error {
	list = slices.DeleteFunc(slices.Clone(list), func(u agui.TokenUsage) bool {
		return u == agui.TokenUsage{Provider: u.Provider, Model: u.Model} // nothing is known
	})
	if len(list) == 0 { // then there is no cost either
		return nil
	}
	return x.records.addUsage(x.Usage, x.Origin, cost, list)
}

// commit keeps where the run is at a boundary in t, unless others are at work at the same time: of what they are in the
// middle of, half would be kept. The last of them to end is followed by a commit.
func (t *Turn) commit(ctx context.Context) error {
	if err := t.x.keep.LockContext(ctx); err != nil {
		return err
	}
	defer t.x.keep.Unlock()
	if t.othersAtWork() {
		return nil
	}
	return t.x.commit(ctx)
}
