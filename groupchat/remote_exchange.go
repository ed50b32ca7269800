package groupchat

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/internal/translate"
	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/telemetry"
)

// An exchange is one run at a remote agent, as its events come in.
type exchange struct {
	*translate.Translator
	r      *Remote
	t      *Turn
	n      int // of the turn's
	thread string
	sent   remoteRequest
	given  *delivery // what the remote is answered
	begun  string    // what the remote calls the work that the same request has begun before
	header http.Header
	// sentInput is what the remote was sent. No log may repeat it, nor the secrets.
	sentInput agui.RunAgentInput
	secrets   []string

	answered    int               // messages of sentInput that the remote has answered in earlier turns
	notes       int               // on the answer so far
	questionIDs map[string]string // of its questions, theirs → ours
}

// exchange runs the remote once and folds in what it answers. It returns what the remote waits for; nil is nothing.
func (r *Remote) exchange(ctx context.Context, t *Turn, f *remoteFrame,
	given *delivery) (*exchange, *remotePause, error) {
	if given != nil {
		if err := t.x.countTurn(t.x.MaxTurns); err != nil { // code that answers for people might do so for ever
			return nil, nil, err
		}
	}
	sent, err := r.request(t, f.N)
	if err != nil {
		return nil, nil, err
	}
	x := &exchange{r: r, t: t, n: f.N, thread: remoteThread(t), sent: sent, given: given}
	if err := x.translate(); err != nil {
		return nil, nil, x.fault(err)
	}
	if x.begun, _, err = recalled[string](t, x.begunKey()); err != nil {
		return nil, nil, err
	}
	in, err := x.input(ctx, given)
	if err != nil {
		return nil, nil, x.fault(err)
	}
	x.sentInput = in
	pause, err := x.take(ctx, in, given == nil)
	if err != nil {
		return nil, nil, errors.Join(err, x.abandon())
	}
	return x, pause, nil
}

// translate prepares the translator of the remote's events, and the headers of its requests.
func (x *exchange) translate() error {
	t, o := x.t, &x.r.o
	options := translate.Options{
		Metadata: t.marked, Public: withoutReserved, AddInvocation: t.addInvocation, Use: x.use, Note: x.note,
		Reported: x.reportedFailure, Run: t.run, Out: t.out, Name: t.name(), Path: t.path,
		Legacy: o.Dialect != RemoteStandard, AllowAddresses: o.AllowAddresses,
	}
	if t.Path() != "" {
		options.Prefix = t.Path() + "/"
	}
	var stateErr error
	options.State, stateErr = translate.NewState(t.scope, o.State.Path, o.State.Path == "" && t.Path() != "")
	x.Translator = translate.New(t.ctx, options)
	x.Earlier(messages(t.run), t.record.After, x.n > 0)
	forwarded, err := x.r.header(t)
	at, _ := url.Parse(o.URL) // nil if it is none
	x.header, x.secrets = t.withHops(forwarded), redact.HeaderSecrets(at, o.Headers, forwarded)
	return cmp.Or(err, stateErr)
}

// take asks the remote, as a step of the turn's, and takes what it answers to the end.
func (x *exchange) take(ctx context.Context, in agui.RunAgentInput, fresh bool) (*remotePause, error) {
	ctx, step := telemetry.Begin(ctx, telemetry.Record{Kind: telemetry.KindRemote, Name: x.t.stepName()})
	step.Address(x.r.client.Host())
	err := x.ask(ctx, in, fresh)
	var pause *remotePause
	if err == nil {
		pause, err = x.end()
	}
	if err != nil {
		err = x.fault(err)
	}
	if err == nil && pause != nil {
		step.Suspend()
	}
	x.t.endStep(step, err)
	return pause, err
}

// ask sends the request. It does so again if the remote wants to be asked later, and once its questions are cancelled
// that no person here is asked any more.
func (x *exchange) ask(ctx context.Context, in agui.RunAgentInput, fresh bool) error {
	const tries, longest = 3, 30 * time.Second
	for try := 1; ; try++ {
		err := x.stream(ctx, in)
		if refused, ok := errors.AsType[*client.Error](err); ok && try < tries && refused.RetryAfter > 0 &&
			refused.RetryAfter <= longest {
			if err := x.t.Sleep(refused.RetryAfter); err != nil {
				return err
			}
			continue
		}
		if err != nil || !fresh || try > 1 || x.Failed == nil || x.Failed.Code != string(errcode.InterruptPending) {
			return err
		}
		open, err := x.interrupts(ctx)
		if err != nil || len(open) == 0 {
			return err
		}
		if err := x.cancelOpen(ctx, in, open); err != nil {
			return err
		}
		x.Failed, x.Finished = nil, nil
	}
}

// cancelOpen cancels questions of the remote's that are not asked here any more. The events of that run are not passed
// on.
func (x *exchange) cancelOpen(ctx context.Context, in agui.RunAgentInput, open []agui.Interrupt) error {
	x.note(agui.Warning{Reason: "it still asked what is not asked here any more, called off"})
	in.RunID += "-called-off"
	in.Messages, in.Resume, in.ForwardedProps = nil, nil, nil
	for _, i := range open {
		in.Resume = append(in.Resume, agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeCancelled})
	}
	if err := Fence(ctx); err != nil {
		return err
	}
	for _, err := range x.r.client.Run(ctx, x.request(in)) {
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) request(in agui.RunAgentInput) client.Request {
	return client.Request{
		Input: in, Header: x.header, Note: x.note, Begun: x.begun, Begins: x.begins, Known: x.answered,
		Leave: func(cause error) bool { return errors.Is(cause, ErrMoved) },
	}
}

// maxRemoteNotes is how many notes on one answer are in the log.
const maxRemoteNotes = 20

// note records omissions and repairs in an answer.
func (x *exchange) note(w agui.Warning) {
	if x.notes++; x.notes <= maxRemoteNotes {
		x.t.x.Log.Debug("groupchat: remote", "turn", x.t.ID(), "remote", x.r.client.String(), "at", w.Path, "note",
			w.Reason)
	}
}

// logOmittedNotes writes down how many other notes there were.
func (x *exchange) logOmittedNotes() {
	if more := x.notes - maxRemoteNotes; more > 0 {
		x.t.x.Log.Debug("groupchat: remote: more of the kind", "turn", x.t.ID(), "remote", x.r.client.String(), "notes",
			x.notes, "more", more)
	}
	x.notes = 0
}

func (x *exchange) stream(ctx context.Context, in agui.RunAgentInput) error {
	if err := Fence(ctx); err != nil {
		return err
	}
	defer x.logOmittedNotes()
	for e, err := range x.r.client.Run(ctx, x.request(in)) {
		if err != nil {
			return err
		}
		if err := x.Take(e); err != nil {
			return err
		}
	}
	return nil
}
