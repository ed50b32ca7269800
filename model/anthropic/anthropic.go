package anthropic

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// A Model is a language model behind the Messages API, a [model.Model]. It is safe for concurrent use.
type Model struct {
	o         Options // without the key
	base      *url.URL
	provider  *provider.Client
	sign      func(*http.Request) // adds the key and the version of the API
	wordsOnly atomic.Bool         // the model refuses schemas
}

var _ interface {
	model.Model
	model.Reasoner
	model.Named
	model.Checker
} = (*Model)(nil)

// New checks the options, and reports all mistakes as [*model.SettingError]s. It opens no connection.
func New(o Options) (*Model, error) {
	base, err := o.normalize()
	if err != nil {
		return nil, err
	}
	client, err := provider.NewClient(provider.Options{
		Provider: Name, Model: o.Name, Price: o.Price, HTTP: o.HTTP, Log: o.Log, Secrets: redact.Secrets(base, o.Key),
		Limits: provider.Limits{Timeout: o.Timeout, Idle: o.Idle, Retries: o.Retries},
	})
	if err != nil {
		return nil, err
	}
	key := o.Key
	o.Key = ""
	return &Model{o: o, base: base, provider: client, sign: func(r *http.Request) {
		r.Header.Set("X-Api-Key", key)
		r.Header.Set("Anthropic-Version", "2023-06-01")
	}}, nil
}

// String names the model.
func (m *Model) String() string { return m.o.String() }

// Identity returns the provider, and the name by which it knows the model.
func (m *Model) Identity() (provider, name string) { return Name, m.o.Name }

// Reasons reports whether the options ask the model to think.
func (m *Model) Reasons() bool { return m.o.thinks() }

// A form says which parts of a request are left out, because a model may refuse them.
type form struct {
	noSchema   bool // the schema is in words
	noThoughts bool // earlier thoughts of the turn are not sent back
}

// Stream asks the model once and hands the reply to on as it comes, as [model.Model] wants it.
func (m *Model) Stream(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	f := form{noSchema: m.wordsOnly.Load() || !r.Strict}
	reply, err := m.provider.Call(ctx, &r, on, func(ctx context.Context, t *provider.Try) error {
		body, thoughts, err := m.body(r, f)
		if err != nil {
			return provider.NewFault(provider.Request, err)
		}
		err = m.try(ctx, body, t)
		refused, ok := errors.AsType[*provider.Fault](err)
		if !ok || refused.Status != http.StatusBadRequest {
			return err
		}
		refused.Reshaped = thoughts || r.Schema != nil && !f.noSchema // otherwise it is not about the form
		f = form{noSchema: true, noThoughts: f.noSchema || r.Schema == nil}
		return refused
	})
	if err == nil && r.Strict && r.Schema != nil && f.noSchema {
		m.wordsOnly.Store(true)
	}
	return *reply, err
}

// try makes one request and reads its reply.
func (m *Model) try(ctx context.Context, body []byte, t *provider.Try) error {
	response, err := m.send(ctx, t, http.MethodPost, m.base.JoinPath("v1", "messages"), body)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // the reply is read, or given up
	s := stream{Try: t, kept: kept{Origin: m.String()}}
	if err := s.read(response.Body); err != nil {
		return err
	}
	return s.end()
}

// Check asks the API for the model, which costs nothing: whether it is there, takes the key and knows the name.
func (m *Model) Check(ctx context.Context) error {
	address := m.base.JoinPath("v1", "models", url.PathEscape(m.o.Name))
	_, err := m.provider.Call(ctx, &model.Request{}, model.Deltas{}, func(ctx context.Context, t *provider.Try) error {
		response, err := m.send(ctx, t, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		return response.Body.Close()
	})
	return err
}

// send makes a request with the key.
func (m *Model) send(ctx context.Context, t *provider.Try, method string, address *url.URL,
	body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("model: the request cannot be made") // the error may quote a password
	}
	m.sign(r)
	r.Header.Set("Content-Type", "application/json")
	return t.Send(r, statusFault)
}
