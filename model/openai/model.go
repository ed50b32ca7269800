package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/agui-gateway/gateway/internal/fence"
	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/model"
)

// Options say where a model is and how it is asked. Only Name is required.
type Options struct {
	// Provider names who serves the model, in the usage of runs; empty means the host of BaseURL. "azure" also says that
	// BaseURL is an Azure OpenAI resource, and Name a deployment there.
	Provider string
	// BaseURL is the root of an OpenAI-compatible API; empty means OpenAI's own, which needs a Key.
	BaseURL string
	Key     string // never logged, and in no error
	Name    string // as the server knows the model
	// APIVersion is Azure's; empty means 2024-10-21.
	APIVersion string

	// Temperature is sent if it is set, 0 included; Effort likewise ("low", "medium", "high", … of models that reason).
	Temperature *float64
	Effort      string
	// MaxTokens limits what the model generates in one call; 0 leaves that to the server.
	MaxTokens int

	// Timeout is how long one call may take, its retries included; 0 means 2 minutes.
	Timeout time.Duration
	// Idle is how long a reply that has begun may keep silent, comments aside; 0 means 1 minute.
	Idle time.Duration
	// Retries is how often a call is made again when the server is busy or away and nothing of its reply was passed on
	// yet; 0 means 2, -1 none.
	Retries int
	// MaxReply is the most bytes of one reply, as they come over the wire; 0 means 64 MiB.
	MaxReply int64

	// HTTP makes the requests; nil means a client of the model's own. Redirects are not followed: the key is for one
	// server.
	HTTP *http.Client
	// Log gets the retries; nil keeps silent.
	Log *slog.Logger
}

// String names the model without its key.
func (o Options) String() string { return "model " + o.Provider + "/" + o.Name }

// GoString is String: no verb of fmt prints the key.
func (o Options) GoString() string { return o.String() }

// LogValue is String for a log.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// The defaults of [Options].
const (
	defaultTimeout  = 2 * time.Minute
	defaultIdle     = time.Minute
	defaultRetries  = 2
	defaultMaxReply = 64 << 20
	azureAPIVersion = "2024-10-21"
)

// A Model is a language model behind an OpenAI-compatible API, a [model.Model]. It is safe for concurrent use; its errors have one of
// the codes model_auth, model_request, model_response, model_content_filter and model_unavailable.
type Model struct {
	o        Options // without the key
	official bool
	http     *http.Client
	client   func(goopenai.HTTPDoer) *goopenai.Client
	// quote is what may be logged of what the server said that was told other texts. It knows the key, which nothing may print.
	quote func(said string, told []string) string
}

// New checks the options. It opens no connection.
func New(o Options) (*Model, error) {
	base, err := o.normalize()
	if err != nil {
		return nil, fmt.Errorf("model: %q: %w", o.Name, err)
	}
	config := goopenai.DefaultConfig(o.Key)
	if o.Provider == "azure" {
		config = goopenai.DefaultAzureConfig(o.Key, o.BaseURL)
		config.APIVersion = o.APIVersion
		config.AzureModelMapperFunc = func(string) string { return url.PathEscape(strings.ReplaceAll(o.Name, ":", "")) }
	}
	config.BaseURL = o.BaseURL
	config.EmptyMessagesLimit = 1 << 30 // comments are no fault; what bounds a reply is MaxReply
	secrets := []string{o.Key, base.RawQuery}
	if password, ok := base.User.Password(); ok {
		secrets = append(secrets, password)
	}
	o.Key = ""
	m := &Model{o: o, official: o.Provider == "azure" || base.Hostname() == "api.openai.com"}
	m.quote = func(said string, told []string) string { return redact.Line(said, secrets, told) }
	m.client = func(doer goopenai.HTTPDoer) *goopenai.Client {
		c := config
		c.HTTPClient = doer
		return goopenai.NewClientWithConfig(c)
	}
	var client http.Client
	if shared, ok := http.DefaultTransport.(*http.Transport); ok && o.HTTP == nil {
		own := shared.Clone()
		own.MaxIdleConnsPerHost = own.MaxIdleConns // all are to one host
		client.Transport = own
	}
	if o.HTTP != nil {
		client = *o.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	m.http = &client
	return m, nil
}

// normalize fills in the defaults and returns the parsed base URL.
func (o *Options) normalize() (*url.URL, error) {
	if o.Name == "" {
		return nil, errors.New("has no name")
	}
	if o.BaseURL == "" {
		if o.Key == "" || o.Provider == "azure" {
			return nil, errors.New("has neither a base URL nor a key for the default one")
		}
		o.BaseURL = "https://api.openai.com/v1"
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, errors.New("base URL is not an http or https URL") // which may hold a password
	}
	if strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, errors.New("key holds white space or control characters")
	}
	if t := o.Temperature; t != nil && (*t < 0 || *t > 2) {
		return nil, fmt.Errorf("temperature is %v, want 0 to 2", *t)
	}
	if o.MaxTokens < 0 || o.Timeout < 0 || o.Idle < 0 || o.Retries < -1 || o.MaxReply < 0 {
		return nil, errors.New("a limit is negative")
	}
	o.Provider = cmp.Or(o.Provider, base.Hostname())
	o.APIVersion = cmp.Or(o.APIVersion, azureAPIVersion)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.Idle = cmp.Or(o.Idle, defaultIdle)
	o.Retries = cmp.Or(o.Retries, defaultRetries)
	o.MaxReply = cmp.Or(o.MaxReply, defaultMaxReply)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return base, nil
}

var (
	_ model.Model    = (*Model)(nil)
	_ model.Reasoner = (*Model)(nil)
)

// String names the model.
func (m *Model) String() string { return m.o.String() }

// Reasons reports whether the options ask the model to reason: their Effort is set.
func (m *Model) Reasons() bool { return m.o.Effort != "" }

// Stream asks the model once and hands what it says to on while it comes. The reply is complete: a stream that broke
// off is an error, also if all its words seem to be there. If ctx ends, its cause is returned. What the call used is in
// the reply also when there is an error, as far as it is known.
func (m *Model) Stream(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	body, err := m.body(r)
	if err != nil {
		return model.Reply{Usage: m.usage()}, newFault(faultRequest, err)
	}
	limited, cancel := context.WithTimeoutCause(ctx, m.o.Timeout, errTimeout)
	defer cancel()
	for try := 0; ; try++ {
		a := &assembler{on: on, reply: model.Reply{Usage: m.usage()}}
		if err := fence.Ask(ctx); err != nil {
			return a.reply, err
		}
		err := m.try(limited, body, a)
		switch {
		case err == nil:
			return a.reply, nil
		case ctx.Err() != nil:
			return a.reply, context.Cause(ctx)
		case a.refused != nil:
			return a.reply, a.refused
		}
		fault := faultOf(limited, err)
		fault.asked, fault.quoted, fault.words = a.asked, m.quote(fault.words, texts(r)), ""
		wait, again := fault.again(try, m.o.Retries)
		if a.delivered || !again {
			return a.reply, fault.coded(m)
		}
		m.o.Log.WarnContext(ctx, "model: trying again", "model", m.String(), "wait", wait, "error", fault)
		if !sleepFor(limited, wait) {
			if ctx.Err() != nil {
				return a.reply, context.Cause(ctx)
			}
			return a.reply, fault.coded(m) // the time is up: what went wrong before says more
		}
	}
}

// placeholder is the name of the model in the request that go-openai writes, whose body [transport.Do] replaces.
const placeholder = "model"

// try makes one request and reads its reply into a.
func (m *Model) try(ctx context.Context, body []byte, a *assembler) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &transport{m: m, body: body, asked: &a.asked, idle: &idleTimer{idle: m.o.Idle, expired: func() { cancel(errIdle) }}}
	defer t.idle.stop()
	stream, err := m.client(t).CreateChatCompletionStream(ctx, goopenai.ChatCompletionRequest{Model: placeholder})
	if err != nil {
		return reasonOf(ctx, err)
	}
	defer func() { _ = stream.Close() }() // all that was wanted of it is read
	for {
		raw, err := stream.RecvRaw()
		if errors.Is(err, io.EOF) || err != nil && a.finished() {
			return a.end() // nothing was missing when the connection went
		}
		if err != nil || ctx.Err() != nil {
			return reasonOf(ctx, err)
		}
		if err := a.chunk(raw); err != nil {
			return err
		}
		if a.finished() {
			t.idle.shorten()
		}
	}
}

// reasonOf is err, or what made the context end if that came first.
func reasonOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// sleepFor waits for d and reports whether the context lasted so long.
func sleepFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
