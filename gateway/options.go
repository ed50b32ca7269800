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

// Options configures a gateway. The zero value of every field is a usable default.
type Options struct {
	// Agents are served under their names: letters, digits, '-' and '_'.
	Agents map[string]groupchat.Agent
	// Agent holds what differs from these options for one agent, by name.
	Agent map[string]AgentOptions
	// Legacy is the agent of POST /subgraphs; empty means the one with Subgraphs, else the only one, else travel.
	Legacy string
	// Store keeps the threads; nil means a [memstore.New] of the gateway's own.
	Store state.Store

	// Shared means that other replicas use the same store, now or after this process ends: they continue a run that is
	// live when this process has to end. Otherwise it ends with the error draining.
	Shared bool

	// Disconnect is the effect of a hang-up on a run of the plain endpoint; empty means [Cancel].
	Disconnect Disconnect
	// DetachGrace is how long an untied run continues without a reader; 0 means 10 minutes.
	DetachGrace time.Duration
	// HangUpGrace is how long a tied run waits for a reader after a hang-up; 0 means 2 seconds.
	HangUpGrace time.Duration
	// OnBusy is the treatment of a request that finds a live run in its way; empty means [Reject].
	OnBusy OnBusy
	// SubagentEvents is the default for clients that do not choose SUBAGENT_* events; empty means [SubagentsAuto].
	SubagentEvents SubagentEvents
	InterruptTTL   time.Duration // how long a question stays open; 0 means 24 hours
	RunTimeout     time.Duration // from the run's first start; 0 means 10 minutes
	Heartbeat      time.Duration // an SSE comment on quiet streams; 0 means 15 seconds
	WriteTimeout   time.Duration // a reader that takes longer for 64 KiB of any answer is cut; 0 means 30 seconds
	StopGrace      time.Duration // a stopped run waits so long for its agent to notice; 0 means 1 second
	Lease          time.Duration // a replica that does not renew for so long loses its runs; 0 means 10 seconds
	RunAttempts    int           // how many attempts a run may have, takeovers included; 0 means 3
	StoreBuffer    time.Duration // how long a run waits for a store that is away; 0 means 20 seconds
	Pace           time.Duration // between the pieces of scripted texts

	// Hooks are called around everything that agents do; see [groupchat.WithHooks] for those of one agent.
	Hooks []groupchat.Hooks

	// Webhook is called when a run waits for answers.
	Webhook WebhookOptions

	// Principal identifies the sender of a request, for example from a value that middleware has put into the request's
	// context. Nil means that all requests come from one principal with the id "local". Principals have separate
	// threads; those of others do not exist for them.
	//
	// Principal is called concurrently, once for each request, before the body is read, and must not read the body. A
	// stream continues after the credentials have expired. Principal is not called for public resources: /healthz,
	// /readyz, /openapi.json, the page, CORS preflights, and unknown paths and methods.
	//
	// An [*errcode.Error] with [errcode.Unauthorized] or [errcode.Forbidden] is answered with 401 or 403, one with
	// [errcode.AuthUnavailable], for credentials that cannot be checked at the moment, with 503; all with their Text if
	// they have one. Any other error, a panic, and an invalid [Principal] are answered with 401, and only the log has
	// the cause.
	//
	// Browsers also send cookies with requests from other sites. Origins protects a program that authenticates by
	// cookies, unless it is "*".
	Principal func(*http.Request) (Principal, error)
	// Auth is the name of the authentication method in GET /me, for pages that ask for a key or a token; empty means
	// "custom", or "none" without Principal. With "header", set by a proxy, a 401 does not request a bearer token.
	Auth string

	// Page is served at / and /assets/; nil means a few words about the API.
	Page http.Handler

	Limits Limits
	// TokenWindow is the window of Limits.TokensPerPrincipal. It begins with the first tokens that a principal uses,
	// and restarts with the first use after its end; 0 means 24 hours.
	TokenWindow time.Duration
	// TrustedProxies are the networks of the proxies in front of the gateway. Only their X-Forwarded-For determines a
	// client's address. Nil means that a client's address is that of its connection.
	TrustedProxies []netip.Prefix
	// AllowAddresses are the non-public networks, such as loopback, that URLs of files may lead to. Nil means none.
	AllowAddresses []netip.Prefix
	// Origins may call from a browser: exact origins, or "*". Nil means loopback origins. The origin null is never
	// allowed, and with "*" browsers send no credentials. A request with side effects from a page of any origin except
	// these and the gateway's is refused with 403, even if the page could not read the response.
	Origins []string
	// Hosts are the host names that are served, such as "gateway.example", or "*" for all; requests for others are
	// refused with 421. Requests to a loopback address may also name this machine. Nil means only this machine's names
	// on a loopback address; on others, all names if there is a Principal, else all IP addresses and this machine's
	// names, because an attacker's names can be made to point here. /healthz and /readyz are served for every host.
	Hosts []string

	// Log gets a line for the start and the end of each run, for each refused request, for actions on threads, and for
	// causes of failures; never a prompt or a secret. Nil means slog.Default.
	Log *slog.Logger
	// Telemetry receives spans and metrics of runs; nil means OpenTelemetry's global providers, no-ops by default.
	Telemetry *telemetry.Telemetry
	// Audit is called for people's decisions and changes: answers, stops, edits, deletions and so on. It is called
	// concurrently, after the store has committed the entry's action and before the client gets the response, so it
	// should be quick. Its errors and panics stop no action: the server log gets the entry. Nil means no audit.
	Audit func(AuditEntry) error
	// AuditContent adds the content of decisions on tool calls to the entries: the arguments of the call, edited or
	// not, and the person's reason. Deleting a thread does not delete them from a log.
	AuditContent bool
	// Now and NewID are the clock and the source of ids; nil means the system's.
	Now   func() time.Time
	NewID func() string
}

// AgentOptions are the options that an agent may have for itself. Zero fields mean the gateway's.
type AgentOptions struct {
	Description string
	// Allow names roles of which a principal needs one; empty admits every principal. For others the agent does not
	// exist, on any route. It restricts callers of the gateway, and not the teams that include the agent.
	Allow          []string
	Edits          bool // a changed message replaces what followed
	Disconnect     Disconnect
	OnBusy         OnBusy
	SubagentEvents SubagentEvents
	InterruptTTL   time.Duration
	RunTimeout     time.Duration
	MaxTurns       int // of one run, nested ones included
	// LegacyInterrupts sends interrupts as CUSTOM on_interrupt events, from before AG-UI 1.0, unless a request chooses.
	LegacyInterrupts bool
	// Subgraphs makes this the agent of POST /subgraphs if [Options].Legacy is empty. At most one agent may have it.
	Subgraphs bool
	// Attachments selects the files that the agent accepts; nil means all of [Limits], without a description.
	Attachments *Attachments
	// TypedAnswers allows an answer to the only open question by a message. Nil refuses such messages.
	TypedAnswers *TypedAnswers
}

// TypedAnswers configures how messages are read as answers. The zero value recognises options by name and position in
// the list, yes and no, and accepts any text for a question without options. After an unclear message the agent replies
// with a text, and the question stays open.
type TypedAnswers struct {
	// Model interprets other messages; nil means none. It is never used for approvals.
	Model model.Model
}

// Disconnect is the effect on a run of closing the connection that it was posted on.
type Disconnect string

// The settings of Disconnect.
const (
	Cancel Disconnect = "cancel" // the run stops, unless another reader has attached
	Detach Disconnect = "detach" // the run continues
)

// OnBusy is the treatment of a request that finds a live run in its way.
type OnBusy string

// The settings of OnBusy.
const (
	Reject    OnBusy = "reject"    // RUN_ERROR run_in_progress
	Queue     OnBusy = "queue"     // wait for the run's end
	Supersede OnBusy = "supersede" // end the run
)

// Limits bounds callers and agents. A zero field means the default given in its comment; a negative one means no limit.
type Limits struct {
	Header int   // bytes of a request's line and headers; 32 KiB. [http.Server] has a separate limit
	Body   int64 // bytes of a request; 8 MiB
	Bodies int64 // bytes of all requests that are being read or admitted, a quarter of them of one principal; 256 MiB
	// bytes of all responses being written, for parts over 64 KiB; one principal may have a quarter; 256 MiB
	Answers  int64
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
	// StoredPerPrincipal is the size of a principal's threads in bytes; no limit. Live runs may exceed it.
	StoredPerPrincipal int64

	// Limits of each principal, which hold on this replica and only if [Options].Principal is set.

	RunsPerPrincipal    int   // live at once, with queued requests and suggestions; 100
	ReadersPerPrincipal int   // of all its threads; 1000
	TokensPerPrincipal  int64 // of models in each TokenWindow; no limit
	// Rate is a principal's requests per second, and RateBurst its greatest burst; 20 and 40. The same limits hold for
	// the requests without valid credentials from one client address. There is no limit unless both are positive.
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

// check returns the errors in limits with defaults filled in.
func (l *Limits) check() error {
	if l.Bodies > 0 && l.Bodies/8 < l.Body {
		return fmt.Errorf("gateway: Limits.Bodies, %d, is less than eight times Limits.Body, %d", l.Bodies, l.Body)
	}
	if most := max(int64(l.Event), int64(l.Thread)+int64(l.State)); l.Answers > 0 && l.Answers/8 < most {
		return fmt.Errorf("gateway: Limits.Answers, %d, is less than eight times what one may have, %d", l.Answers,
			most)
	}
	return nil
}

// atLeast replaces a value that is not positive by its default: none of these durations and counts can be zero.
func atLeast[T ~int | ~int64](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Defaults returns the options that the zero value of [Options] means.
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

// SubagentEvents selects the clients that are sent SUBAGENT_* events. Clients before @ag-ui/client 0.0.59 refuse a
// stream that has them. With any setting, a request can select or deselect them.
type SubagentEvents string

// The settings of SubagentEvents.
const (
	// SubagentsAuto sends them to clients that state a protocol version, as those since 1.0 do, on every route.
	SubagentsAuto SubagentEvents = "auto"
	// SubagentsOn sends them to all clients.
	SubagentsOn SubagentEvents = "on"
	// SubagentsOff sends them only to clients that ask.
	SubagentsOff SubagentEvents = "off"
)

// WebhookOptions configures the webhook that is called when a run waits for people's answers. The zero value has none.
//
// The receiver gets a POST of {"thread", "agent", "interrupts"}, the interrupts as in AG-UI, at least once: each
// delivery has an id in X-Gateway-Delivery, which stays the same in retries. X-Gateway-Signature is t=<unix
// seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>" with the secret>. A 2xx status acknowledges it; after anything else, and
// after Timeout, it is retried until the last of its questions has expired.
type WebhookOptions struct {
	// URL is the receiver's address; parts that may be secret are never logged.
	URL string
	// Secret signs the deliveries. It is required, and never logged.
	Secret string
	// Timeout limits the receiver's response time; 0 means 10 seconds.
	Timeout time.Duration
	// Retry is the delay before the first retry; each delay is twice the previous one, up to 10 minutes. 0 means 10
	// seconds. Retries wait for the next scan of the store, of which there are two per lease.
	Retry time.Duration
	// Client sends the requests; nil means one without link-local and metadata addresses. It follows no redirects.
	Client *http.Client
}
