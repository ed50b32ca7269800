package openai

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// probeTokens is the most that a model may say when it is asked for the sake of an answer. Some servers refuse fewer.
const probeTokens = 16

// A Probe is what [Model.Probe] has found out.
type Probe struct {
	// Listed says that the server has the model in its list of models. Then it was asked for nothing else, and nothing
	// was paid for.
	Listed bool
	// Models are the names of that list, in order; nil if the server has none.
	Models []string
	// Asked says that the model was asked to say a word, and for what Usage.
	Asked bool
	Usage agui.TokenUsage
}

// Probe finds out whether the server can be reached, takes the key and has the model. It asks for the list of models,
// which costs nothing; only if the model is not in it, or there is none, the model itself is asked to say a word of at
// most 16 tokens. Azure lists models and not deployments, so there the deployment is always asked. The error has a code
// as that of [Model.Stream], or is the cause of ctx.
func (m *Model) Probe(ctx context.Context) (Probe, error) {
	var p Probe
	var err error
	if p.Models, err = m.models(ctx); err != nil {
		return p, err
	}
	if m.o.Provider != "azure" &&
		(slices.Contains(p.Models, m.o.Name) || slices.Contains(p.Models, m.o.Name+":latest")) {
		p.Listed = true
		return p, nil
	}
	small := *m
	small.o.MaxTokens, small.o.Effort = probeTokens, ""
	p.Asked = true
	reply, err := small.Stream(ctx, model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: "Say ok."}}},
		model.Deltas{})
	p.Usage = reply.Usage
	return p, err
}

// models asks the server for its models. Nil means that it has no list, or none that can be read: whether the model is
// there, only that itself can say.
func (m *Model) models(ctx context.Context) ([]string, error) {
	var names []string
	_, err := m.provider.Call(ctx, &model.Request{}, model.Deltas{}, func(ctx context.Context, t *provider.Try) error {
		var sent error
		list, err := m.client(doer(func(r *http.Request) (*http.Response, error) {
			var response *http.Response
			response, sent = t.Send(r, statusFault)
			return response, sent
		})).ListModels(ctx)
		if f, ok := errors.AsType[*provider.Fault](sent); ok && f.Kind == provider.Request {
			return nil
		}
		if sent != nil {
			return sent
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return nil
		}
		names = nil
		for _, entry := range list.Models {
			names = append(names, entry.ID)
		}
		slices.Sort(names)
		return nil
	})
	return names, err
}

// doer makes a function the client of go-openai.
type doer func(*http.Request) (*http.Response, error)

// Do calls it.
func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }
