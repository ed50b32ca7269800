package provider

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/internal/fence"
	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/internal/wait"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/telemetry"
)

// Limits bound one call. The zero value has the defaults.
type Limits struct {
	Timeout  time.Duration // of the call, its retries included; 0 means 2 minutes
	Idle     time.Duration // how long a reply that has begun may keep silent; 0 means 1 minute
	Retries  int           // how often a call is made again; 0 means 2, -1 none
	MaxReply int64         // bytes of one reply, decompressed; 0 means 64 MiB
}

func (l Limits) withDefaults() (Limits, error) {
	if l.Timeout < 0 || l.Idle < 0 || l.Retries < -1 || l.MaxReply < 0 {
		return l, errors.New("a limit is negative")
	}
	l.Timeout = cmp.Or(l.Timeout, 2*time.Minute)
	l.Idle = cmp.Or(l.Idle, time.Minute)
	l.Retries = cmp.Or(l.Retries, 2)
	l.MaxReply = cmp.Or(l.MaxReply, 64<<20)
	return l, nil
}

// Options make a [Client].
type Options struct {
	// Provider and Model name the model in errors, logs and the usage of runs.
	Provider, Model string
	Limits          Limits
	// Price is what the model's tokens cost; nil if that is not known.
	Price *model.Price
	// Secrets are removed from log records.
	Secrets []string
	// HTTP makes the requests; nil means a client of the model's own. Redirects are not followed: keys are for one
	// server.
	HTTP *http.Client
	// Log gets the retries; nil keeps silent.
	Log *slog.Logger
}

// A Client makes the calls of one model. It is safe for concurrent use, and nothing prints its secrets.
type Client struct {
	usage  agui.TokenUsage // of which nothing is known
	name   string
	limits Limits
	price  *model.Price
	http   *http.Client
	log    *slog.Logger
	// quote returns a text of the server for the log, without secrets and texts of the request.
	quote func(said string, told []string) string
}

// NewClient checks the limits. It opens no connection.
func NewClient(o Options) (*Client, error) {
	limits, err := o.Limits.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &Client{
		usage: agui.TokenUsage{Provider: o.Provider, Model: o.Model}, name: "model " + o.Provider + "/" + o.Model,
		limits: limits, price: o.Price, log: o.Log,
		quote: func(said string, told []string) string { return redact.Line(said, o.Secrets, told) },
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if o.HTTP == nil {
		o.HTTP = egress.New()
	}
	client := *o.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Transport = telemetry.Transport(client.Transport)
	c.http = &client
	return c, nil
}

// String names the model.
func (c *Client) String() string { return c.name }

// Call asks the model r, by as many tries as it takes and the limits allow. A try is made again only if nothing of the
// reply was handed on. If ctx ends, its cause is returned; an error of on is returned as it is; any other has a code.
// The reply is there beside an error, too.
func (c *Client) Call(ctx context.Context, r *model.Request, on model.Deltas,
	try func(context.Context, *Try) error) (*model.Reply, error) {
	limited, cancel := context.WithTimeoutCause(ctx, c.limits.Timeout, errTimeout)
	defer cancel()
	for n := 0; ; {
		t := &Try{Draft: Draft{on: on, reply: model.Reply{Usage: c.usage}}, client: c}
		if err := fence.Ask(ctx); err != nil {
			return c.priced(&t.reply), err
		}
		fault := t.run(limited, try)
		if fault == nil {
			return c.priced(&t.reply), nil
		}
		again, err := c.waitForRetry(ctx, limited, r, t, fault, n)
		if err != nil {
			return c.priced(&t.reply), err
		}
		n += again
	}
}

func (c *Client) priced(reply *model.Reply) *model.Reply {
	reply.Cost = c.price.Cost(reply.Usage)
	return reply
}

// waitForRetry waits before the next attempt of a call after n+1 failed ones, the last with fault. It returns the new
// n, or the error of the call if there is no further attempt.
func (c *Client) waitForRetry(ctx, limited context.Context, r *model.Request, t *Try, fault *Fault,
	n int) (tries int, err error) {
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case t.refused != nil:
		return 0, t.refused
	}
	fault.asked, fault.quoted, fault.Words = cmp.Or(fault.asked, t.asked),
		cmp.Or(fault.quoted, c.quote(fault.Words, texts(r))), ""
	if fault.Reshaped && !t.delivered && limited.Err() == nil {
		return 0, nil
	}
	pause, again := fault.retryDelay(n, c.limits.Retries)
	if t.delivered || !again {
		return 0, fault.withCode(c.name)
	}
	telemetry.Current(ctx).Retry(fault.withCode(c.name), pause)
	c.log.WarnContext(ctx, "model: trying again", "model", c.name, "wait", pause, "error", fault)
	if wait.For(limited, pause) != nil {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return 0, fault.withCode(c.name) // the time is up: what went wrong before says more
	}
	return 1, nil
}

// texts are all that a request tells the server of a conversation.
func texts(r *model.Request) []string {
	var all []string
	for _, m := range r.Messages {
		all = append(all, m.Text, m.Reasoning, string(m.Opaque))
		for _, p := range m.Parts {
			all = append(all, p.Text)
		}
		for _, c := range m.Calls {
			all = append(all, c.Arguments)
		}
	}
	return all
}
