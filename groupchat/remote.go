package groupchat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/state/document"
)

// ErrMoved is in the cause of a turn's context that is done because another process continues the run and repeats the
// turn. Do not undo external work then; the new owner continues it.
var ErrMoved = errors.New("groupchat: the run goes on elsewhere")

// A RemoteDialect says how a remote agent asks its questions.
type RemoteDialect string

// The dialects of remote agents.
const (
	// RemoteAuto takes either, and answers in the one that was asked in; CUSTOM on_interrupt with an interrupt of AG-UI
	// 1.0, which has a reason, is of the standard one.
	RemoteAuto RemoteDialect = ""
	// RemoteStandard is AG-UI 1.0's: an outcome, answered by resume. CUSTOM on_interrupt is no question.
	RemoteStandard RemoteDialect = "standard"
	// RemoteLegacy is the older one: answers are sent as forwardedProps.command.
	RemoteLegacy RemoteDialect = "legacy"
)

// RemoteState says where a remote agent's state lives in ours.
type RemoteState struct {
	// Path is a JSON Pointer. All of the remote's state is the value there, and nothing outside is ever sent or
	// changed. Empty, the remote is sent no state and what it sends is dropped; but if it is a thread's root agent, its
	// state is the thread's.
	Path string
}

// RemoteOptions say which agent on another server a [Remote] is. Only URL is required.
type RemoteOptions struct {
	URL         string
	Description string
	// Agent names an agent of a CopilotKit runtime at the base URL; see [client.Options].
	Agent string
	// Headers go with every request, as they are. They are never logged, stored or shown.
	Headers http.Header
	// Forward names headers of the caller's request that are passed on. Their values live with the request alone: a run
	// that another replica has taken over does not have them, and its remote turn fails with remote_failed rather than
	// act for somebody unnamed. Answers it was to deliver can then be given again.
	Forward []string
	State   RemoteState
	// Timeout is for one answer of the remote's, Idle for its silence; 0 means 10 and 5 minutes.
	Timeout, Idle time.Duration
	Dialect       RemoteDialect
	// Server says what answers there; empty finds it out.
	Server client.ServerKind
	// MaxEvent, MaxEvents and MaxBytes bound one answer, as in [client.Options].
	MaxEvent, MaxEvents int
	MaxBytes            int64
	// HTTP sends the requests, as in [client.Options]; nil is a new client.
	HTTP *http.Client
	// AllowAddresses are the non-public networks that URLs of files in results may lead to. Nil means none.
	AllowAddresses []netip.Prefix
	// Client speaks to the server, instead of an AG-UI client made of Timeout, Idle, Server, the limits and HTTP, which
	// are then its own settings. URL and Headers are still required: their secrets are kept out of logs.
	Client RemoteClient
}

// A Remote is an [Agent] on another server that speaks AG-UI, of whichever version, or what [RemoteOptions].Client
// speaks: a participant of a chat, or a thread's root agent. Its messages, calls and activities are in its
// participant's name, under ids that begin with the turn's path; what it makes of its state lives in the declared part
// of ours; its questions and frontend calls become ours, and our answers go back to it. Whatever is wrong with it fails
// its turn with remote_failed.
//
// It has a separate thread at the remote for each thread and path here.
type Remote struct {
	o      RemoteOptions
	client RemoteClient
}

// notForwarded are the headers that are the connection's own, or ours to set.
var notForwarded = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host",
	"Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	HopsHeader, ChainHeader,
}

// NewRemote returns the agent at o.URL. It reports every mistake of the options at once, and asks the server nothing
// yet.
func NewRemote(o RemoteOptions) (*Remote, error) {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("remote: "+format, args...)) }
	o.Forward = slices.Clone(o.Forward)
	for i, name := range o.Forward {
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			bad("%q is no name of a header", name)
		case slices.Contains(notForwarded, canonical):
			bad("the header %s is not the caller's to pass on", canonical)
		case slices.Contains(o.Forward[:i], canonical):
			bad("the header %s is there twice", canonical)
		}
		for set := range o.Headers {
			if http.CanonicalHeaderKey(set) == canonical {
				bad("the header %s is both given and the caller's", canonical)
			}
		}
		o.Forward[i] = canonical
	}
	switch o.Dialect {
	case RemoteAuto, RemoteStandard, RemoteLegacy:
	default:
		bad("unknown dialect %q", o.Dialect)
	}
	if err := document.CheckPointer(o.State.Path); err != nil {
		bad("state: %w", err)
	}
	if o.Client == nil {
		c, err := client.New(client.Options{
			URL: o.URL, Agent: o.Agent, Headers: o.Headers, Server: o.Server, HTTP: o.HTTP, Idle: o.Idle,
			Timeout:  o.Timeout,
			MaxEvent: o.MaxEvent, MaxEvents: o.MaxEvents, MaxBytes: o.MaxBytes,
		})
		if err != nil {
			errs = append(errs, err)
		}
		o.Client = c
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &Remote{o: o, client: o.Client}, nil
}

// Describe says that the agent may ask questions, and call the caller's tools, which it receives: this is unknown
// before it does.
func (r *Remote) Describe() profile.Info {
	description := r.o.Description
	if c, ok := r.client.(interface{ Description() string }); ok && description == "" {
		description = c.Description()
	}
	return profile.Info{Description: description, Interrupts: true, Abilities: profile.Abilities{ClientTools: true},
		Structure: profile.Structure{Kind: profile.KindRemote}}
}

// Forwards names the headers of the caller's request that the agent passes on.
func (r *Remote) Forwards() []string { return slices.Clone(r.o.Forward) }

// A HeaderForwarder is an [Agent] that passes headers of the caller's request on to others.
type HeaderForwarder interface {
	// Forwards names them.
	Forwards() []string
}

// ForwardsOf names the headers that an agent, or anybody in its team, passes on: what [Input.Header] is to hold.
func ForwardsOf(a Agent) []string {
	var names []string
	forwards(a, nil, &names)
	slices.Sort(names)
	return slices.Compact(names)
}

func forwards(a Agent, above []Agent, names *[]string) {
	a = unwrap(a)
	if isNil(a) || len(above) > maxDepth {
		return
	}
	if f, ok := a.(HeaderForwarder); ok {
		*names = append(*names, f.Forwards()...)
	}
	for _, p := range partsOf(a) {
		forwards(p.Agent, append(slices.Clip(above), a), names)
	}
}

// Run lets the remote agent take the turn: as many runs there as it takes to have its questions answered.
func (r *Remote) Run(ctx context.Context, t *Turn) error {
	return t.exclusive("remote", r, func() error { return r.run(ctx, t) })
}

func (r *Remote) run(ctx context.Context, t *Turn) error {
	f, err := recallRemote(t)
	if err != nil {
		return err
	}
	var last *exchange
	for !f.Done {
		var given *delivery
		if f.Pause != nil {
			given, err = f.Pause.collect(t)
			if err = last.settled(err); err != nil {
				return err
			}
		}
		next := &remoteFrame{N: f.N + 1}
		if given.deliverable() {
			last, next.Pause, err = r.exchange(ctx, t, f, given)
			if failed, ok := errors.AsType[*errcode.Error](err); ok && failed.Code == errcode.RemoteFailed &&
				given.onlyCancels() {
				// A person can always cancel. Otherwise a remote that has forgotten its question, or has stopped, would
				// ask for ever.
				t.x.Log.WarnContext(ctx, "groupchat: a remote agent could not be told that its question was called off",
					"turn", t.ID(), "error", err)
				err = nil
			}
			if err != nil {
				return err
			}
		} else {
			t.x.Log.InfoContext(ctx,
				"groupchat: a remote agent is not told that its question was called off, its dialect has no words "+
					"for it",
				"turn", t.ID())
		}
		next.Done = next.Pause == nil
		if err := next.keep(t); err != nil {
			return err
		}
		f = next
	}
	return nil
}

var (
	_ Agent             = (*Remote)(nil)
	_ profile.Describer = (*Remote)(nil)
	_ HeaderForwarder   = (*Remote)(nil)
)

// Probe asks the server whether an agent answers at the URL, and runs nothing there; see [client.Client.Probe] for
// AG-UI.
func (r *Remote) Probe(ctx context.Context) error { return r.client.Probe(ctx, nil) }

// String names the agent by its URL, without user, query and fragment.
func (r *Remote) String() string { return r.client.String() }
