package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/internal/lock"
	"github.com/agui-gateway/gateway/telemetry"
)

// Options say which agent a [Client] speaks to, and how much it takes from it. Only URL is required; a limit that
// is 0 has its default, one that is negative is none.
type Options struct {
	// URL is where runs are posted.
	URL string
	// Agent names an agent of a CopilotKit runtime, whose base URL then is. Server has to be [ServerCopilotKit].
	Agent string
	// Headers go with every request. They are never logged and in no error.
	Headers http.Header
	// Server says what answers there; empty finds it out.
	Server ServerKind
	// HTTP sends the requests; nil is a client of its own, which connects to no link-local address and none of a cloud's metadata.
	// Redirects are not followed, because headers that are somebody's secret would be, too.
	HTTP *http.Client

	Connect time.Duration // until the answer begins; 1 minute
	Idle    time.Duration // between two bytes of it, comments included; 5 minutes
	Timeout time.Duration // for the whole of it; 10 minutes

	MaxEvent  int   // bytes of one event; 8 MiB
	MaxEvents int   // events of one answer; 100,000
	MaxBytes  int64 // bytes of one answer; 64 MiB
}

func (o *Options) fill() {
	byDefault(&o.Connect, time.Minute)
	byDefault(&o.Idle, 5*time.Minute)
	byDefault(&o.Timeout, 10*time.Minute)
	byDefault(&o.MaxEvent, 8<<20)
	byDefault(&o.MaxEvents, 100_000)
	byDefault(&o.MaxBytes, 64<<20)
}

// byDefault gives what is 0 its default, and what is negative no limit, which is 0 from here on.
func byDefault[T ~int | ~int64](v *T, d T) {
	switch {
	case *v == 0:
		*v = d
	case *v < 0:
		*v = 0
	}
}

// A Client runs an agent on another server, whichever version of AG-UI that speaks, and reads its answer. It is safe for
// concurrent use.
type Client struct {
	o    Options
	url  *url.URL
	http *http.Client

	// older says that the server refused a request for what 1.0 added.
	older atomic.Bool
	// single says that a CopilotKit runtime takes everything at its base.
	single atomic.Bool

	// hinting is held while the server is asked for a hint, which it is once.
	hinting lock.Lock
	asked   bool
	found   string

	mu   sync.Mutex
	kind ServerKind // found out, empty as long as it is not known
}

// New returns a client. It asks the server nothing yet.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, errors.New("client: the URL cannot be read") // the cause quotes it, and it may hold a secret
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("client: the URL must begin with http:// or https:// and name a host")
	}
	switch o.Server {
	case ServerAuto, ServerGateway, ServerCopilotKit, ServerOther:
	default:
		return nil, fmt.Errorf("client: unknown kind of server %q", o.Server)
	}
	if u, err = runsURL(u, o.Server, o.Agent); err != nil {
		return nil, err
	}
	o.fill()
	o.Headers = o.Headers.Clone()
	if o.HTTP == nil {
		o.HTTP = egress.New()
	}
	own := *o.HTTP
	c := &Client{o: o, url: u, kind: o.Server, http: &own, hinting: lock.New()}
	c.http.Transport = telemetry.Transport(own.Transport)
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if c.kind == ServerAuto {
		c.kind = kindByPath(u)
	}
	return c, nil
}

// A Request is one run to be asked for.
type Request struct {
	// Input is what the agent is sent. The client says which version it speaks, and says it in the terms of older
	// servers where it has to.
	Input agui.RunAgentInput
	// Header goes with this request only, and replaces what [Options] has under the same names.
	Header http.Header
	// Note is told of what was passed over or repaired in the answer; nil is told nothing. It never quotes a value.
	Note func(agui.Warning)
	// Leave is asked when the context is done before the run is; if it returns true, the run is left to go on, where
	// the server lets it. Nil stops it.
	Leave func(cause error) bool

	// What follows is for clients of protocols in which a request has no id by which its server knows it again, or a conversation is
	// not sent anew with each request.

	// Begun is what Begins was told when this very request was sent before, by a process that did not see the end; empty if it was not.
	Begun string
	// Begins is told, once, what the server calls the work that the request has begun. It returns when that is on record, or an error
	// that ends the run. It is nil if nobody keeps it.
	Begins func(name string) error
	// Known is how many of the input's messages, from the first, the agent has answered in earlier runs.
	Known int
}

// Run posts a run when its result is ranged over, once, and yields the events of the answer, in order. They are whole
// and have passed the [agui.Verifier]; chunks come as the starts, contents and ends they stand for; what older servers do
// differently is repaired: retired events and nulls are read, unknown events passed over. The last one is terminal, unless
// an error follows, which is then the last thing: a [*Error], or the cause of ctx. An answer may hold earlier runs
// before the one that was asked for.
//
// A run whose context is done, whose events are not read to the end, or whose answer cannot be used is stopped, by the
// server's stop route if it has one, and by hanging up. A stop that is not answered at once goes on by itself for a few
// seconds. What the agent says about its own failure is RUN_ERROR, and no error of Run.
func (c *Client) Run(ctx context.Context, r Request) iter.Seq2[agui.Event, error] {
	var asked atomic.Bool
	return func(yield func(agui.Event, error) bool) {
		if asked.Swap(true) {
			yield(nil, errReadTwice)
			return
		}
		a := &answer{c: c, request: r, chunks: agui.Expander{Forgiving: true}}
		if err := a.run(ctx, yield); err != nil {
			yield(nil, err)
		}
	}
}

var errReadTwice = errors.New("client: the answer was read already")

// Host is the name of the server that is asked, without its port.
func (c *Client) Host() string { return c.url.Hostname() }

// String names the client's agent: its URL, without user, query and fragment, which may hold secrets.
func (c *Client) String() string { return c.url.Scheme + "://" + c.url.Host + c.url.EscapedPath() }
