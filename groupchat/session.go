package groupchat

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/internal/hosting"
	"github.com/agui-gateway/gateway/internal/fence"
	"github.com/agui-gateway/gateway/state"
)

// Message is a message of the conversation.
type Message = agui.Message

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

// A result is how a run came to its end, other than by an error: what host.Result says.
type result struct {
	Pause      *Pause
	Checkpoint json.RawMessage
	Closings   []agui.Event
}

// validateSession reports everything that s lacks to run the agent.
func validateSession(root Agent, s *hosting.Session) error {
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

// maxTurns is the default of a session's MaxTurns: far more than a sane team needs, few enough to end a loop.
const maxTurns = 1000

func init() {
	hosting.Execute = func(ctx context.Context, root Agent, in Input, s hosting.Session) (*Pause, json.RawMessage, []agui.Event, error) {
		r, err := execute(ctx, root, in, s)
		return r.Pause, r.Checkpoint, r.Closings, err
	}
	hosting.ForwardsOf = forwardsOf
}

// execute is host.Execute.
func execute(ctx context.Context, root Agent, in Input, s hosting.Session) (result, error) {
	if err := validateSession(root, &s); err != nil {
		return result{}, err
	}
	if s.MaxTurns == 0 {
		s.MaxTurns = maxTurns
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	ctx = fence.With(ctx, s.Fence)
	x := &execution{Session: s, Input: in, ctx: ctx, signature: signatureOf(root)}
	x.names = namesOf(x.signature)
	if err := protect(func() error { return x.enter(root) }); err != nil {
		return result{}, err
	}
	t := &Turn{x: x, ctx: ctx, run: s.Run, out: s.Run.As(""), clientWriter: s.Run.As(""), scope: state.Shared(s.State)}
	t.begin(x.root)
	err := t.work(root)
	if over := x.endCause(); over != nil && (err != nil || ctx.Err() == nil) {
		return result{}, over
	}
	pause := pauseOf(err)
	if err != nil && pause == nil {
		return result{}, err
	}
	if err := t.out.CloseOpen(); err != nil || pause == nil {
		return result{}, err
	}
	checkpoint, err := x.checkpoint()
	if err != nil {
		return result{}, err
	}
	return result{Pause: pause, Checkpoint: checkpoint, Closings: x.closings()}, nil
}
