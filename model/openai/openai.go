package openai

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// A Model is a language model behind an OpenAI-compatible API, a [model.Model]. It is safe for concurrent use; its
// errors have one of the codes model_auth, model_request, model_response, model_content_filter, model_context_length
// and model_unavailable.
type Model struct {
	o        Options // without the key
	provider *provider.Client
	learned  *learned                                 // what the server takes, as far as it was found out
	client   func(goopenai.HTTPDoer) *goopenai.Client // lists models; it knows the key, which nothing may print
	sign     func(*http.Request)                      // adds the key
}

var (
	_ model.Model    = (*Model)(nil)
	_ model.Reasoner = (*Model)(nil)
	_ model.Echoer   = (*Model)(nil)
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
	}
	config.BaseURL = o.BaseURL
	client, err := provider.NewClient(provider.Options{
		Provider: o.Provider, Model: o.Name, Price: o.Price, HTTP: o.HTTP, Log: o.Log,
		Secrets: redact.Secrets(base, o.Key),
		Limits:  provider.Limits{Timeout: o.Timeout, Idle: o.Idle, Retries: o.Retries, MaxReply: o.MaxReply},
	})
	if err != nil {
		return nil, err
	}
	meant := o.withoutKey()
	meant.MaxTokensField = cmp.Or(o.MaxTokensField, maxTokensField(o, base))
	return &Model{
		o: meant, provider: client, learned: newLearned(o.withoutKey(), client.String()), sign: signer(o),
		client: func(doer goopenai.HTTPDoer) *goopenai.Client {
			c := config
			c.HTTPClient = doer
			return goopenai.NewClientWithConfig(c)
		},
	}, nil
}

// String names the model.
func (m *Model) String() string { return m.o.String() }

// Identity returns the provider, and the name by which it knows the model.
func (m *Model) Identity() (provider, model string) { return m.o.Provider, m.o.Name }

// Reasons reports whether the options say that the model reasons: they set an Effort, or have reasoning sent back.
func (m *Model) Reasons() bool { return m.o.Effort != "" || m.o.Echo != EchoOff }

// Echoes reports whether the options say that reasoning is sent back.
func (m *Model) Echoes() bool { return m.o.Echo != EchoOff }

// Stream asks the model once and hands what it says to on while it comes, as [model.Model] wants it.
func (m *Model) Stream(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	a := m.learned.ask(&r)
	var body []byte
	var written form
	reply, err := m.provider.Call(ctx, &r, on, func(ctx context.Context, t *provider.Try) error {
		if body == nil || written != a.form {
			var err error
			if body, err = m.body(r, a.form); err != nil {
				return provider.NewFault(provider.Request, err)
			}
			written = a.form
		}
		return a.handleRefusal(m.try(ctx, body, t))
	})
	if err == nil {
		a.accepted(ctx, reply)
	}
	return *reply, err
}

// A replyReader adds the events of a reply to its draft.
type replyReader interface {
	add(event []byte) error
	// end completes the reply, or returns the error of an incomplete one. eof says that the stream ended as it should,
	// done that the server had said that nothing follows.
	end(eof, done bool) error
}

// newReader returns the reader of a reply. It is not inlined, so that the stacks of runs that wait for a server have no
// room for it.
//
//go:noinline
func (m *Model) newReader(draft *provider.Draft) replyReader {
	if m.o.API == Responses {
		return &responsesReader{Draft: draft, origin: m.origin(), items: map[string]*outputItem{}}
	}
	return &chunkReader{Draft: draft, echo: m.o.Echo, origin: m.origin()}
}

// try makes one request and reads its reply.
func (m *Model) try(ctx context.Context, body []byte, t *provider.Try) error {
	r, err := m.request(ctx, body)
	if err != nil {
		return err
	}
	answer, err := t.Send(r, statusFault)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // the reply is read, or given up
	events, reply := newEventReader(answer.Body), m.newReader(&t.Draft)
	for {
		raw, err := events.next()
		if eof := errors.Is(err, io.EOF); eof || err != nil && t.Finished() != "" {
			return reply.end(eof, events.done || m.o.AcceptUnfinished) // data after the finish reason may be missing
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if err := reply.add(raw); err != nil {
			return err
		}
		if t.Finished() != "" {
			t.WaitForUsage()
		}
	}
}

// request returns the request with a body. It is sent by the provider's client and not by go-openai's, which reads the
// response with a second buffer.
func (m *Model) request(ctx context.Context, body []byte) (*http.Request, error) {
	address, err := m.address()
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("model: the request cannot be made") // the error may quote a password
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Cache-Control", "no-cache")
	m.sign(r)
	return r, nil
}

// address returns the URL of requests. Azure has responses beside its deployments.
func (m *Model) address() (string, error) {
	base, err := url.Parse(m.o.BaseURL)
	if err != nil {
		return "", errors.New("model: the base URL is none")
	}
	azure := m.o.Provider == "azure"
	switch {
	case m.o.API == Responses && azure && !strings.HasSuffix(strings.TrimRight(base.Path, "/"), "/openai/v1"):
		base = base.JoinPath("openai", "v1", "responses")
	case m.o.API == Responses:
		base = base.JoinPath("responses")
	case azure:
		base = base.JoinPath("openai", "deployments", m.deployment(), "chat", "completions")
	default:
		base = base.JoinPath("chat", "completions")
	}
	if azure && m.o.APIVersion != "" {
		query := base.Query()
		query.Set("api-version", m.o.APIVersion)
		base.RawQuery = query.Encode()
	}
	return base.String(), nil
}

// deployment is the name of an Azure deployment as an element of a path.
func (m *Model) deployment() string { return url.PathEscape(strings.ReplaceAll(m.o.Name, ":", "")) }
