package gateway

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// Options say what a gateway serves and how. The zero value of every field is a usable default.
type Options struct {
	// Agents are served under their names: letters, digits, '-' and '_'.
	Agents map[string]groupchat.Agent
	// Agent holds what differs from these options for one agent, by name.
	Agent map[string]AgentOptions
	// Legacy is the agent that POST /subgraphs speaks to; empty means the one with [AgentOptions].Subgraphs, else the only one there is, else the
	// one called travel.
	Legacy string
	// Store keeps the threads; nil means a [memstore.New] of the gateway's own.
	Store state.Store

	// Shared says that other replicas use the same store, now or when this process has ended: they continue a run that
	// is live when this process has to end. Otherwise it ends with the error draining.
	Shared bool

	// Disconnect says what hanging up does to a run of the plain endpoint; empty means [Cancel].
	Disconnect Disconnect
	// DetachGrace is how long an untied run goes on without a reader; 0 means 10 minutes.
	DetachGrace time.Duration
	// HangUpGrace is how long a tied run waits, after its connection closed, for a reader to attach; 0
	// means 2 seconds.
	HangUpGrace time.Duration
	// OnBusy says what happens to a request that finds a live run in its way; empty means [Reject].
	OnBusy OnBusy
	// SubagentEvents says which clients are sent the SUBAGENT_* events if they do not say themselves; empty means [SubagentsAuto].
	SubagentEvents SubagentEvents
	InterruptTTL   time.Duration // how long a question stays open; 0 means 24 hours
	RunTimeout     time.Duration // from the run's first start; 0 means 10 minutes
	Heartbeat      time.Duration // an SSE comment on quiet streams; 0 means 15 seconds
	WriteTimeout   time.Duration // a reader that takes longer for 64 KiB of any answer is cut; 0 means 30 seconds
	StopGrace      time.Duration // a stopped run waits so long for its agent to notice; 0 means 1 second
	Lease          time.Duration // a replica that renews nothing for so long loses its runs; 0 means 10 seconds
	RunAttempts    int           // how many attempts a run may have, takeovers included; 0 means 3
	StoreBuffer    time.Duration // how long a run waits for a store that is away; 0 means 20 seconds
	Pace           time.Duration // between the pieces of scripted texts

	// Hooks are called around everything that agents do; see [groupchat.WithHooks] for those of one agent.
	Hooks []groupchat.Hooks

	// Webhook is called when a run waits for answers.
	Webhook WebhookOptions

	// Principal says who has sent a request, for example by what a middleware before the gateway has put into the request's
	// context. Nil means that all requests come from one principal, whose id is "local". Each principal has threads of its own, and
	// those of others do not exist for it.
	//
	// Principal is called concurrently, once for each request, before anything of the body is read, which it must leave alone. A stream
	// that has begun goes on, also after the credentials have expired. It is not called for what belongs to nobody: /healthz,
	// /readyz, /openapi.json, the page, preflights of CORS, and paths and methods that do not exist.
	//
	// An [*errcode.Error] with [errcode.Unauthorized] or [errcode.Forbidden] is answered with 401 or 403, one with [errcode.AuthUnavailable],
	// which is for credentials that nobody can check at the moment, with 503; all with their Text if they have one. Every other error, a panic, and an invalid [Principal] are answered with 401. The log, and nothing else, has the cause.
	//
	// Browsers send cookies along with requests of other sites too. A program that authenticates by cookies is protected by
	// Origins, as long as that is not "*".
	Principal func(*http.Request) (Principal, error)
	// Auth is what GET /me calls the way in which callers prove who they are, for pages that ask for a key or a token; empty means "custom",
	// or "none" without Principal. With "header", which is a proxy's word, a 401 does not ask for a bearer token.
	Auth string

	// Page is served at / and /assets/; nil means a few words about the API.
	Page http.Handler

	Limits Limits
	// TokenWindow is the time for which Limits.TokensPerPrincipal holds. It begins with the first tokens that a principal uses, and then
	// anew; 0 means 24 hours.
	TokenWindow time.Duration
	// TrustedProxies are the networks of the proxies before the gateway. What they say in X-Forwarded-For counts as the address of a
	// client, and nobody else's word does. Nil means that a client's address is that of its connection.
	TrustedProxies []netip.Prefix
	// AllowAddresses are the networks that are not of the internet, such as this machine's, to which URLs of files in messages may lead: models'
	// servers may fetch them. Nil means none.
	AllowAddresses []netip.Prefix
	// Origins may call from a browser: exact origins, or "*". Nil means loopback origins. The origin null is never allowed, and with "*"
	// browsers send no credentials of their own. A request that changes something and comes from a page of another origin than these
	// and the gateway's own is refused with 403, also if the page could not read the answer.
	Origins []string
	// Hosts are the host names that requests may be for, such as "gateway.example", or "*" for all; for others they are refused with 421.
	// Requests that come to a loopback address may also be for this machine's names. Nil means only those on a loopback address; and
	// elsewhere every name if there is a Principal, else every IP address and this machine's names, because the names of an
	// attacker can be made to point here. /healthz and /readyz are answered for every host.
	Hosts []string

	// Log gets a line for the start and the end of each run, for each refused request, for what is done to threads, and
	// for causes of failures; never a prompt or a secret. Nil means slog.Default.
	Log *slog.Logger
	// Telemetry is where runs and what is done in them are told; nil means OpenTelemetry's global providers, which do nothing until
	// the program sets them.
	Telemetry *telemetry.Telemetry
	// Audit is told of what people decide and change: answers, stops, edits, deletions and so on. It is called concurrently, when the
	// store has what it is told of and before the client is answered, so it should be quick. Its errors and panics keep nobody from
	// anything: the server log has the entry then. Nil means that there is no audit log.
	Audit func(AuditEntry) error
	// AuditContent adds to the entries what the decisions on calls of tools say: the arguments that a call is made with, edited ones
	// included, and the person's reason. Deleting a thread does not delete them from a log.
	AuditContent bool
	// Now and NewID are the clock and the source of ids; nil means the system's.
	Now   func() time.Time
	NewID func() string
}

// AgentOptions are the options that an agent may have for itself. Zero fields mean the gateway's.
type AgentOptions struct {
	Description string
	// Allow names the roles of which a principal needs one; empty lets everybody in. To others the agent does not exist, on any route. It
	// concerns who asks the gateway for the agent, and not the teams that the agent is part of.
	Allow          []string
	Edits          bool // a changed message replaces what followed
	Disconnect     Disconnect
	OnBusy         OnBusy
	SubagentEvents SubagentEvents
	InterruptTTL   time.Duration
	RunTimeout     time.Duration
	MaxTurns       int // of one run, nested ones included
	// LegacyInterrupts asks in the dialect before AG-UI 1.0's interrupts, CUSTOM on_interrupt, where a request does not say which.
	LegacyInterrupts bool
	// Subgraphs makes this the agent that POST /subgraphs speaks to, if [Options].Legacy names none. One agent may be it.
	Subgraphs bool
	// Attachments say which files it takes; nil means those that [Limits] allow, and that pages are told of none.
	Attachments *Attachments
	// TypedAnswers lets people answer the one question that is open by a message. Nil refuses messages while a question is open.
	TypedAnswers *TypedAnswers
}

// TypedAnswers say how messages are read that may be answers. The zero value knows answers by their names and their places in the list,
// yes and no, and takes any text for a question that offers nothing to choose from. What is not understood is said back, and
// leaves the question as it was.
type TypedAnswers struct {
	// Model is asked which answer a message means that is not known without it; nil asks nobody. It is never asked about approvals, and
	// what it says is held against the question's schema.
	Model model.Model
}

// Disconnect says what happens to a run when the connection that it was posted on closes.
type Disconnect string

// The settings of Disconnect.
const (
	Cancel Disconnect = "cancel" // the run stops, unless another reader has attached
	Detach Disconnect = "detach" // the run goes on
)

// OnBusy says what happens to a request that finds a live run in its way.
type OnBusy string

// The settings of OnBusy.
const (
	Reject    OnBusy = "reject"    // RUN_ERROR run_in_progress
	Queue     OnBusy = "queue"     // wait for the run's end
	Supersede OnBusy = "supersede" // end the run
)

// Limits bound what callers and agents may use. A zero field means the default beside it; a negative one
// means no limit.
type Limits struct {
	Header   int   // bytes of a request's line and headers; 32 KiB. The program's [http.Server] has a limit of its own
	Body     int64 // bytes of a request; 8 MiB
	Bodies   int64 // bytes of all requests that are being read or admitted, a quarter of them of one principal; 256 MiB
	Answers  int64 // bytes that are being written of all answers, in parts of more than 64 KiB, a quarter of them to one principal; 256 MiB
	Event    int   // bytes of an event; 8 MiB
	Thread   int   // bytes of a thread's messages; 6 MiB
	State    int   // bytes of the shared state; 1 MiB
	Depth    int   // nesting of JSON; 64
	Values   int   // JSON values of a request; 500,000
	Messages int   // per input; 2000
	File     int64 // bytes of a file of a message; 4 MiB
	Files    int   // per message; 16
	PatchOps int   // per delta, a snapshot is sent beyond; 1000
	Runs     int   // live at once; 10000
	Readers  int   // per thread; 64
	Queue    int   // requests waiting per thread; 8
	Turns    int   // of one run, nested ones included, in one attempt at it; 1000

	ReadersTotal int // of all threads; 10000
	// StoredPerPrincipal is how many bytes the threads of a principal may take, as the store counts them; no limit. Live runs go on
	// beyond it.
	StoredPerPrincipal int64

	// Limits of each principal, which hold on this replica and only if [Options].Principal is set.

	RunsPerPrincipal    int   // live at once, with requests that wait in queues and suggestions; 100
	ReadersPerPrincipal int   // of all its threads; 1000
	TokensPerPrincipal  int64 // of models in each TokenWindow; no limit
	// Rate is how many requests a principal may make in a second, and RateBurst how many at once; 20 and 40. The same holds for
	// requests without valid credentials from one client's address. Both have to be positive to limit anything.
	Rate, RateBurst int
}

func orDefault[T ~int | ~int64](v *T, d T) {
	switch {
	case *v == 0:
		*v = d
	case *v < 0:
		*v = 0
	}
}

func (l *Limits) fill() {
	orDefault(&l.Header, 32<<10)
	orDefault(&l.Body, 8<<20)
	orDefault(&l.Event, 8<<20)
	orDefault(&l.Thread, 6<<20)
	orDefault(&l.State, 1<<20)
	orDefault(&l.Depth, 64)
	orDefault(&l.Values, 500_000)
	orDefault(&l.Messages, 2000)
	orDefault(&l.File, 4<<20)
	orDefault(&l.Files, 16)
	orDefault(&l.PatchOps, 1000)
	orDefault(&l.Runs, 10000)
	orDefault(&l.Readers, 64)
	orDefault(&l.Queue, 8)
	orDefault(&l.Turns, 1000)
	orDefault(&l.Bodies, 256<<20)
	orDefault(&l.Answers, 256<<20)
	orDefault(&l.ReadersTotal, 10000)
	orDefault(&l.StoredPerPrincipal, 0)
	orDefault(&l.RunsPerPrincipal, 100)
	orDefault(&l.ReadersPerPrincipal, 1000)
	orDefault(&l.TokensPerPrincipal, 0)
	orDefault(&l.Rate, 20)
	orDefault(&l.RateBurst, 40)
}

// check returns what is wrong with limits that are filled in.
func (l *Limits) check() error {
	if l.Bodies > 0 && l.Bodies/8 < l.Body {
		return fmt.Errorf("gateway: Limits.Bodies, %d, is less than eight times Limits.Body, %d", l.Bodies, l.Body)
	}
	if most := max(int64(l.Event), int64(l.Thread)+int64(l.State)); l.Answers > 0 && l.Answers/8 < most {
		return fmt.Errorf("gateway: Limits.Answers, %d, is less than eight times what one may have, %d", l.Answers, most)
	}
	return nil
}

// atLeast replaces a value that is not positive by its default: none of these durations and counts can be zero.
func atLeast[T ~int | ~int64](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Defaults returns the options that the zero value of [Options] stands for.
func Defaults() Options {
	var o Options
	o.fill()
	return o
}

func (o *Options) fill() {
	atLeast(&o.DetachGrace, 10*time.Minute)
	atLeast(&o.HangUpGrace, 2*time.Second)
	atLeast(&o.InterruptTTL, 24*time.Hour)
	atLeast(&o.RunTimeout, 10*time.Minute)
	atLeast(&o.Heartbeat, 15*time.Second)
	atLeast(&o.WriteTimeout, 30*time.Second)
	atLeast(&o.StopGrace, time.Second)
	atLeast(&o.Lease, 10*time.Second)
	atLeast(&o.RunAttempts, 3)
	atLeast(&o.StoreBuffer, 20*time.Second)
	atLeast(&o.TokenWindow, 24*time.Hour)
	atLeast(&o.Webhook.Timeout, 10*time.Second)
	atLeast(&o.Webhook.Retry, 10*time.Second)
	o.Limits.fill()
	if o.SubagentEvents == "" {
		o.SubagentEvents = SubagentsAuto
	}
	if o.Disconnect == "" {
		o.Disconnect = Cancel
	}
	if o.OnBusy == "" {
		o.OnBusy = Reject
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.Log = slog.New(BoundedLog(o.Log.Handler()))
	if o.Telemetry == nil {
		o.Telemetry = telemetry.New(telemetry.Options{})
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = uuid.NewString
	}
}

// SubagentEvents says which clients are sent SUBAGENT_* events. Clients before @ag-ui/client 0.0.59 refuse a stream that has them.
// With every setting a request can ask for them, or for none.
type SubagentEvents string

// The settings of SubagentEvents.
const (
	// SubagentsAuto sends them to clients that state a protocol version, as those since 1.0 do, on every route.
	SubagentsAuto SubagentEvents = "auto"
	// SubagentsOn sends them to everybody.
	SubagentsOn SubagentEvents = "on"
	// SubagentsOff sends them only to clients that ask.
	SubagentsOff SubagentEvents = "off"
)

// WebhookOptions say which webhook is called when a run waits for people's answers. The zero value calls none.
//
// The receiver gets a POST of {"thread", "agent", "interrupts"}, the interrupts as in AG-UI, at least once: each has an id in
// X-Gateway-Delivery, the same whenever it is sent again. X-Gateway-Signature is t=<unix seconds>,v1=<hex HMAC-SHA256 of
// "<t>.<body>" with the secret>. A status of 2xx takes it; after anything else, and after Timeout, it is sent again until
// the last of its questions has expired.
type WebhookOptions struct {
	// URL is where to; what in it may be a secret is never logged.
	URL string
	// Secret signs what is sent. It is required, and never logged.
	Secret string
	// Timeout is how long the receiver may take; 0 means 10 seconds.
	Timeout time.Duration
	// Retry is the pause before the second attempt; each pause is twice the one before, up to 10 minutes. 0 means 10 seconds.
	// Attempts but the first wait for the next look at the store, which is twice per lease.
	Retry time.Duration
	// Client sends it; nil means one of the gateway's own, which connects to no link-local address and none of a cloud's metadata.
	// Redirects are not followed.
	Client *http.Client
}
