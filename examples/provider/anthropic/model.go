package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// version is the version of the API that is spoken here.
const version = "2023-06-01"

// A Model is a language model behind the Messages API. It is safe for concurrent use, and nothing prints its key.
type Model struct {
	s                Settings
	messages, models string // URLs
	http             *http.Client
	log              *slog.Logger
	price            *model.Price
}

var (
	_ model.Model    = (*Model)(nil)
	_ model.Reasoner = (*Model)(nil)
	_ model.Named    = (*Model)(nil)
	_ model.Checker  = (*Model)(nil)
)

// Identity returns the provider and the model's name.
func (m *Model) Identity() (provider, name string) { return Name, m.s.Model }

// String names the model without its key.
func (m *Model) String() string { return "model " + Name + "/" + m.s.Model }

// Reasons reports whether the model thinks before it speaks.
func (m *Model) Reasons() bool { return m.s.Thinking > 0 }

// errTimeout is the cause of a call that took too long.
var errTimeout = errors.New("anthropic: the model took too long")

// Stream asks the model, and again if its server is busy or away before anything was said.
func (m *Model) Stream(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	body, answer, err := m.body(r)
	if err != nil {
		return model.Reply{}, &errcode.Error{Code: errcode.ModelRequest, Err: err}
	}
	limited, cancel := context.WithTimeoutCause(ctx, m.s.Timeout, errTimeout)
	defer cancel()
	for n := 0; ; n++ {
		if n > 0 {
			if err := groupchat.Fence(ctx); err != nil { // another replica may have the run by now
				return model.Reply{}, err
			}
		}
		d := &draft{on: on, answer: answer, usage: agui.TokenUsage{Provider: Name, Model: m.s.Model}}
		err := m.try(limited, body, d)
		reply := d.reply()
		reply.Cost = m.price.Cost(reply.Usage)
		switch {
		case err == nil:
			return reply, nil
		case ctx.Err() != nil:
			return reply, context.Cause(ctx)
		case d.refused != nil:
			return reply, d.refused
		}
		f := faultOf(limited, err)
		wait, again := f.wait(n)
		if d.delivered || !again || n >= m.s.Retries {
			return reply, f.coded(m.String())
		}
		m.log.WarnContext(ctx, "anthropic: trying again", "model", m.s.Model, "wait", wait, "error", f)
		select {
		case <-limited.Done():
			if ctx.Err() != nil {
				return reply, context.Cause(ctx)
			}
			return reply, f.coded(m.String()) // the time is up; what went wrong before says more
		case <-time.After(wait):
		}
	}
}

// try makes one request and reads its reply.
func (m *Model) try(ctx context.Context, body []byte, d *draft) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.messages, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := m.send(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // the reply is read, or given up
	return d.read(response.Body)
}

// send sends a request with the key. An answer other than 200 is a fault, and its body is closed.
func (m *Model) send(request *http.Request) (*http.Response, error) {
	request.Header.Set("X-Api-Key", m.s.Key)
	request.Header.Set("Anthropic-Version", version)
	request.Header.Set("Content-Type", "application/json")
	response, err := m.http.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer func() { _ = response.Body.Close() }() // what it says has been read
		return nil, statusFault(response)
	}
	return response, nil
}

// jitter is d, or up to half as much: not all callers come back at the same moment.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d/2+1) }

// object is raw if it is a JSON object, and an empty one otherwise: the API takes nothing else as the input of a tool.
func object(raw string) json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &o) != nil || o == nil {
		return json.RawMessage("{}")
	}
	return json.RawMessage(raw)
}
