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
	client   func(goopenai.HTTPDoer) *goopenai.Client // it knows the key, which nothing may print
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
		config.AzureModelMapperFunc = func(string) string { return url.PathEscape(strings.ReplaceAll(o.Name, ":", "")) }
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
		if m.o.API == Responses {
			return a.handleRefusal(m.tryResponses(ctx, body, t))
		}
		return a.handleRefusal(m.try(ctx, body, t))
	})
	if err == nil {
		a.accepted(ctx, reply)
	}
	return *reply, err
}

// placeholder is the name of the model in go-openai's request. [Model.request] replaces its body.
const placeholder = "model"

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
	events, chunks := newEventReader(answer.Body), newChunkReader(&t.Draft, m.o.Echo, m.origin())
	for {
		raw, err := events.next()
		if errors.Is(err, io.EOF) && (events.done || chunks.summed || m.o.AcceptUnfinished) {
			t.Complete()
		}
		if errors.Is(err, io.EOF) || err != nil && t.Finished() != "" {
			return chunks.end() // data after the finish reason may be missing
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if err := chunks.add(raw); err != nil {
			return err
		}
		if t.Finished() != "" {
			t.WaitForUsage()
		}
	}
}

// request returns the streaming request that go-openai builds, with body as its body. A taker keeps go-openai from
// sending it: this package reads the response itself, without a second buffer.
func (m *Model) request(ctx context.Context, body []byte) (*http.Request, error) {
	var taken taker
	_, err := m.client(&taken).CreateChatCompletionStream(ctx, goopenai.ChatCompletionRequest{Model: placeholder})
	r := taken.request
	if r == nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.ContentLength = int64(len(body))
	return r, nil
}

type taker struct{ request *http.Request }

var errTaken = errors.New("model: the request is sent by somebody else")

// Do takes the request.
func (t *taker) Do(r *http.Request) (*http.Response, error) {
	t.request = r
	return nil, errTaken
}
