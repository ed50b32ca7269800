package groupchat

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// Message is a message of the conversation.
type Message = agui.Message

// A Journal keeps what a run must not lose. The gateway's writes to the store, fenced.
type Journal interface {
	// Commit is called at every turn boundary with the checkpoint to go on from. The conversation and the
	// state are as the run's view and document have them.
	Commit(ctx context.Context, checkpoint json.RawMessage) error
	// Once records the result of an effect before it is used.
	Once(ctx context.Context, key string, result json.RawMessage) error
}

// A Session is the surroundings of one run: what the turns read, and where what they do goes to. Run, State, Journal, NewID and
// Origin are required.
type Session struct {
	Run     *agui.Run       // the only writer of the run's events
	State   *state.Document // the shared state; its changes are emitted by its owner
	Journal Journal
	Input   Input
	// Fence is asked before the run does something in the world outside; see [Fence]. It returns nil, or the cause of ctx when
	// that is done. Nil allows everything.
	Fence func(ctx context.Context) error

	// Checkpoint is what a resumed run, or one that is taken over, goes on from; nil starts at the top.
	Checkpoint json.RawMessage
	// Answers are those of the resume, by interrupt id; Results those of frontend calls, by call id.
	Answers map[string]state.Answer
	Results map[string]agui.Content
	// Takeover says that an owner that is gone had begun this run: its invocations are announced under new ids.
	Takeover bool
	// Memo are the effects that were recorded and not yet committed when the run's last owner died.
	Memo map[string]json.RawMessage

	// Origin names the run for its whole life, takeovers included. Turn ids begin with it.
	Origin string
	NewID  func() string
	// Pace is the pause between the pieces of a scripted text.
	Pace time.Duration
	// Usage counts what the run's models use, also while it goes on and if it fails. What earlier attempts at the run used
	// ([EarlierUsage]) is in it from the start. Nil counts for the checkpoint alone.
	Usage *Usage
	// MaxTurns is the budget of turns for the whole run, nested chats included; 0 means 1000.
	MaxTurns int
	// Log gets what no client is told: the supervisor's reasons (at debug) and the causes of failures that a policy
	// passed over. Nil keeps silent.
	Log *slog.Logger
}

// Input is what the caller sent along.
type Input struct {
	ThreadID, RunID string
	// Agent is the name of the thread's agent, Principal whose thread it is.
	Agent, Principal string
	Tools            []agui.Tool
	Context          []agui.Context
	ForwardedProps   json.RawMessage
	// Header is what the caller's request had of the headers that agents pass on by name. It is stored nowhere: nil
	// says that the request is not here, because the run was taken over.
	Header http.Header
	// Hops is over how many remote agents the request came that began the run, and Chain names the run that the first of them
	// worked for: what [HopsHeader] and [ChainHeader] said.
	Hops  int
	Chain string
}

// A Result is how a run came to its end, other than by an error.
type Result struct {
	// Pause is what the run waits for; nil means it is done.
	Pause *Pause
	// Checkpoint is what a paused run goes on from.
	Checkpoint json.RawMessage
	// Closings are the events that follow the snapshots of a paused run: its subagents are suspended and
	// its steps end.
	Closings []agui.Event
}

// validate reports everything that s lacks to run the agent.
func (s *Session) validate(root Agent) error {
	var missing []string
	lacks := func(what string, is bool) {
		if is {
			missing = append(missing, what)
		}
	}
	lacks("root agent", isNil(root))
	lacks("Run", s.Run == nil)
	lacks("State", s.State == nil)
	lacks("Journal", s.Journal == nil)
	lacks("NewID", s.NewID == nil)
	lacks("Origin", s.Origin == "") // the turns of all runs would have the same ids
	if missing == nil {
		return nil
	}
	return fail(agui.CodeInternal, "a session without %s", strings.Join(missing, ", "))
}

// maxTurns is the default of Session.MaxTurns: far more than a sane team needs, few enough to end a loop.
const maxTurns = 1000

// Execute runs the root agent to its end, or to a pause. It returns when the agent and everything it started
// with [Turn.Go] has returned. A panic is an error. Every error has a code ([agui.CodeOf]), except one that ended the
// run from outside: the cause of ctx, or what the journal or the run's sink returned. A session that lacks what a run needs is
// an error before anything is done.
func Execute(ctx context.Context, root Agent, s Session) (Result, error) {
	if err := s.validate(root); err != nil {
		return Result{}, err
	}
	if s.MaxTurns == 0 {
		s.MaxTurns = maxTurns
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	ctx = withFence(ctx, s.Fence)
	x := &execution{Session: s, ctx: ctx, signature: SignatureOf(root)}
	x.names = namesOf(x.signature)
	if err := protect(func() error { return x.enter(root) }); err != nil {
		return Result{}, err
	}
	t := &Turn{x: x, ctx: ctx, run: s.Run, out: s.Run.As(""), face: s.Run.As(""), scope: state.Shared(s.State)}
	t.begin(x.root)
	err := t.work(root)
	if over := x.over(); over != nil && (err != nil || ctx.Err() == nil) {
		return Result{}, over
	}
	pause := pauseOf(err)
	if err != nil && pause == nil {
		return Result{}, err
	}
	if err := t.out.CloseOpen(); err != nil || pause == nil {
		return Result{}, err
	}
	checkpoint, err := x.checkpoint()
	if err != nil {
		return Result{}, err
	}
	return Result{Pause: pause, Checkpoint: checkpoint, Closings: x.closings()}, nil
}
