package openai

import (
	"bytes"
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

	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// Options say where a model is and how it is asked. Only Name is required.
type Options struct {
	// Provider names who serves the model, in the usage of runs; empty means the host of BaseURL. "azure" also says that
	// BaseURL is an Azure OpenAI resource, and Name a deployment there.
	Provider string
	// BaseURL is the root of an OpenAI-compatible API; empty means OpenAI's own, which needs a Key.
	BaseURL string
	Key     string // the API key; it is in no log and no error
	Name    string // by which the server knows the model
	// APIVersion is Azure's; empty means 2024-10-21.
	APIVersion string

	// Temperature is sent if it is set, 0 included; Effort likewise ("low", "medium", "high", … of models that reason).
	Temperature *float64
	Effort      string
	// MaxTokens limits what the model generates in one call; 0 leaves that to the server.
	MaxTokens int

	// Price is what the model's tokens cost; nil if that is not known.
	Price *model.Price

	// Timeout is how long one call may take, its retries included; 0 means 2 minutes.
	Timeout time.Duration
	// Idle is how long the server may send nothing once it has answered; comments in its stream count as something. 0 means
	// 1 minute.
	Idle time.Duration
	// Retries is how often a call is made again when the server is busy or away and nothing of its reply was passed on
	// yet; 0 means 2, -1 none.
	Retries int
	// MaxReply is the most bytes of one reply, decompressed; 0 means 64 MiB.
	MaxReply int64

	// HTTP makes the requests; nil means a client of the model's own, which connects to no link-local address and none of a cloud's
	// metadata. Redirects are not followed: the key is for one server.
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

// azureAPIVersion is the version of Azure's API that is asked for unless the options name one.
const azureAPIVersion = "2024-10-21"

// A Model is a language model behind an OpenAI-compatible API, a [model.Model]. It is safe for concurrent use; its errors have one of
// the codes model_auth, model_request, model_response, model_content_filter and model_unavailable.
type Model struct {
	o        Options // without the key
	official bool
	provider *provider.Client
	client   func(goopenai.HTTPDoer) *goopenai.Client // it knows the key, which nothing may print
}

var (
	_ model.Model    = (*Model)(nil)
	_ model.Reasoner = (*Model)(nil)
	_ model.Named    = (*Model)(nil)
)

// New checks the options. It opens no connection.
func New(o Options) (*Model, error) {
	m, err := newModel(o)
	if err != nil {
		return nil, fmt.Errorf("model: %q: %w", o.Name, err)
	}
	return m, nil
}

func newModel(o Options) (*Model, error) {
	base, err := o.normalize()
	if err != nil {
		return nil, err
	}
	config := goopenai.DefaultConfig(o.Key)
	if o.Provider == "azure" {
		config = goopenai.DefaultAzureConfig(o.Key, o.BaseURL)
		config.APIVersion = o.APIVersion
		config.AzureModelMapperFunc = func(string) string { return url.PathEscape(strings.ReplaceAll(o.Name, ":", "")) }
	}
	config.BaseURL = o.BaseURL
	config.EmptyMessagesLimit = 1 << 30 // any number of comments is right; MaxReply bounds a reply
	secrets := []string{o.Key, base.RawQuery}
	if password, ok := base.User.Password(); ok {
		secrets = append(secrets, password)
	}
	client, err := provider.NewClient(provider.Options{
		Provider: o.Provider, Model: o.Name, Price: o.Price, Secrets: secrets, HTTP: o.HTTP, Log: o.Log,
		Limits: provider.Limits{Timeout: o.Timeout, Idle: o.Idle, Retries: o.Retries, MaxReply: o.MaxReply},
	})
	if err != nil {
		return nil, err
	}
	o.Key = ""
	return &Model{
		o: o, official: o.Provider == "azure" || base.Hostname() == "api.openai.com", provider: client,
		client: func(doer goopenai.HTTPDoer) *goopenai.Client {
			c := config
			c.HTTPClient = doer
			return goopenai.NewClientWithConfig(c)
		},
	}, nil
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
		return nil, errors.New("base URL is not an http or https URL") // it may hold a password, so it is not quoted
	}
	if strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, errors.New("key holds white space or control characters")
	}
	if t := o.Temperature; t != nil && (*t < 0 || *t > 2) {
		return nil, fmt.Errorf("temperature is %v, want 0 to 2", *t)
	}
	if o.MaxTokens < 0 {
		return nil, errors.New("a limit is negative")
	}
	if o.Price != nil {
		if err := o.Price.Check(); err != nil {
			return nil, err
		}
	}
	o.Provider = cmp.Or(o.Provider, base.Hostname())
	o.APIVersion = cmp.Or(o.APIVersion, azureAPIVersion)
	return base, nil
}

// String names the model.
func (m *Model) String() string { return m.o.String() }

// Identity returns the provider, and the name by which it knows the model.
func (m *Model) Identity() (provider, model string) { return m.o.Provider, m.o.Name }

// Reasons reports whether the options ask the model to reason: their Effort is set.
func (m *Model) Reasons() bool { return m.o.Effort != "" }

// Stream asks the model once and hands what it says to on while it comes, as [model.Model] wants it.
func (m *Model) Stream(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	body, err := m.body(r)
	if err != nil {
		return m.provider.Refuse(err)
	}
	return m.provider.Call(ctx, r, on, func(ctx context.Context, t *provider.Try) error { return m.try(ctx, body, t) })
}

// placeholder is the name of the model in the request that go-openai writes, whose body [transport.Do] replaces.
const placeholder = "model"

// try makes one request and reads its reply.
func (m *Model) try(ctx context.Context, body []byte, t *provider.Try) error {
	client := m.client(&transport{try: t, body: body})
	stream, err := client.CreateChatCompletionStream(ctx, goopenai.ChatCompletionRequest{Model: placeholder})
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }() // the reply is read, or given up
	for {
		raw, err := stream.RecvRaw()
		if errors.Is(err, io.EOF) || err != nil && t.Finished() != "" {
			return endReply(&t.Draft) // what comes after the finish reason may be missing
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if err := addChunk(&t.Draft, raw); err != nil {
			return err
		}
		if t.Finished() != "" {
			t.WaitForUsage()
		}
	}
}

// A transport sends one request of go-openai's to a model's server, with the body that it should have, and gives what comes back to
// go-openai as that can read it.
type transport struct {
	try  *provider.Try
	body []byte
}

// Do sends the request. An answer that is no reply becomes an error, and its body is closed.
func (t *transport) Do(r *http.Request) (*http.Response, error) {
	r.Body = io.NopCloser(bytes.NewReader(t.body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(t.body)), nil }
	r.ContentLength = int64(len(t.body))
	response, err := t.try.Send(r, statusFault)
	if err != nil {
		return nil, err
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{newEventLines(response.Body), response.Body}
	return response, nil
}
