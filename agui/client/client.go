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

// Options configures a [Client]. Only URL is required; a limit of 0 means the default, a negative one no limit.
type Options struct {
	// URL is where runs are posted.
	URL string
	// Agent is the name of an agent of the CopilotKit runtime at URL. It requires [ServerCopilotKit] as Server.
	Agent string
	// Headers go with every request. They are never logged and in no error.
	Headers http.Header
	// Server is the kind of the server; empty means detection.
	Server ServerKind
	// HTTP sends the requests; nil means a client that refuses link-local addresses and those of cloud metadata
	// services. Redirects are not followed, because they would forward secret headers.
	HTTP *http.Client

	Connect time.Duration // until the answer begins; 1 minute
	Idle    time.Duration // between two bytes of the response, comments included; 5 minutes
	Timeout time.Duration // for the whole response; 10 minutes

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

// byDefault replaces 0 by the default, and a negative value by 0, which means no limit from here on.
func byDefault[T ~int | ~int64](v *T, d T) {
	switch {
	case *v == 0:
		*v = d
	case *v < 0:
		*v = 0
	}
}

// A Client runs an agent on another server, of any version of AG-UI. It is safe for concurrent use.
type Client struct {
	o    Options
	url  *url.URL
	http *http.Client

	// older is set when the server has refused additions of 1.0 in a request.
	older atomic.Bool
	// single is set when a CopilotKit runtime has one route, at its base.
	single atomic.Bool

	// hinting is held while the server is probed for a hint, which happens once.
	hinting   lock.Lock
	hintTried bool
	found     string

	mu   sync.Mutex
	kind ServerKind // detected; empty while unknown
}

// New returns a client. It sends no request yet.
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
	httpClient := *o.HTTP
	c := &Client{o: o, url: u, kind: o.Server, http: &httpClient, hinting: lock.New()}
	c.http.Transport = telemetry.Transport(httpClient.Transport)
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if c.kind == ServerAuto {
		c.kind = kindByPath(u)
	}
	return c, nil
}

// A Request is one run request.
type Request struct {
	// Input is the input of the agent. The client adds the version, and translates it for older servers.
	Input agui.RunAgentInput
	// Header is sent with this request only, and overrides headers of [Options] with the same names.
	Header http.Header
	// Note is called for ignored or repaired parts of the response; it may be nil. Warnings never quote a value.
	Note func(agui.Warning)
	// Leave is called when the context is done before the run; if true, the run is left running where possible. Nil
	// stops it.
	Leave func(cause error) bool

	// The remaining fields are for protocols with requests without a client's id, or without the whole conversation.

	// Begun is the argument of Begins from an earlier attempt at this request that did not see the end; or "".
	Begun string
	// Begins is called once with the server's name for the begun work. It stores the name; its errors end the run. It
	// may be nil.
	Begins func(name string) error
	// Known is the number of leading messages of the input that the agent has answered in earlier runs.
	Known int
}

// Run returns a sequence, for one use, that posts a run and yields the events of the response in order. They are
// complete and have passed the [agui.Verifier]; chunks are expanded to starts, contents and ends; deviations of older
// servers are repaired: retired events and nulls are accepted, unknown events ignored. The last event is terminal,
// unless an error follows, which is then the last item: an [*Error], or the cause of ctx. A response may contain
// earlier runs before the requested one.
//
// A run is stopped if its context is done, its events are not read to the end, or its response is invalid: by the
// server's stop route if it has one, and by hanging up. A stop that is not answered immediately continues in the
// background for a few seconds. The agent's own failures are RUN_ERROR events, and no error of Run.
func (c *Client) Run(ctx context.Context, r Request) iter.Seq2[agui.Event, error] {
	return Once(func(yield func(agui.Event, error) bool) error {
		a := &answer{c: c, request: r, out: r.Writer(yield), chunks: agui.Expander{Forgiving: true}}
		return a.run(ctx)
	})
}

// Host returns the server's host name, without the port.
func (c *Client) Host() string { return c.url.Hostname() }

// String names the client's agent: its URL, without user, query and fragment, which may hold secrets.
func (c *Client) String() string { return c.url.Scheme + "://" + c.url.Host + c.url.EscapedPath() }
