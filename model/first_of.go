package model

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/fence"
)

// A FirstOf is a list of models that is a model itself: it asks the first, and the next one where that is away or
// refuses for good. It is safe for concurrent use, and must not be changed once it is in use.
//
// The next model is asked after model_unavailable, model_auth, model_request, model_response and model_context_length,
// because another server may be there, have another key, take the request, or have room for it. It is not asked
//
//   - once anything of a reply was handed on, which the words of another model do not continue;
//   - after model_content_filter: what one provider withholds is not got from another without anybody's decision;
//   - after an error with another code, or none, and after the end of ctx;
//   - when the run is not this process' any more, which is asked before each but the first.
//
// The usage of the reply is that of the model that answered, [Reply.Earlier] has that of the models before it, and the
// cost is that of all. If every model fails, the error is that of the last one; the log has those before.
type FirstOf struct {
	Models []Model
	// Log gets a warning for each model that failed and was followed by another; nil keeps silent.
	Log *slog.Logger
}

var (
	_ Model    = (*FirstOf)(nil)
	_ Reasoner = (*FirstOf)(nil)
	_ Named    = (*FirstOf)(nil)
)

// Stream asks one model after the other until one replies, as [Model.Stream] does.
func (f *FirstOf) Stream(ctx context.Context, r Request, on Deltas) (Reply, error) {
	if err := f.Validate(); err != nil {
		return Reply{}, &errcode.Error{Code: errcode.Internal, Err: err}
	}
	var earlier []agui.TokenUsage
	var cost *float64
	for i, m := range f.Models {
		if i > 0 {
			if err := fence.Ask(ctx); err != nil {
				return Reply{Earlier: earlier, Cost: cost}, err
			}
		}
		said := false
		reply, err := m.Stream(ctx, r, on.noting(&said))
		usage := append(reply.Earlier, earlier...)
		reply.Earlier, reply.Cost = usage, sum(cost, reply.Cost)
		if err == nil || said || i == len(f.Models)-1 || ctx.Err() != nil || !anotherMayHelp(err) {
			return reply, err
		}
		if reply.Usage != (agui.TokenUsage{}) {
			usage = append(usage, reply.Usage)
		}
		earlier, cost = usage, reply.Cost
		if f.Log != nil {
			provider, name := Identify(m)
			f.Log.WarnContext(ctx, "model: asking the next one", "provider", provider, "model", name, "code",
				string(errcode.Of(err)), "error", err)
		}
	}
	return Reply{}, nil // unreachable: the last model's reply is returned
}

// anotherMayHelp reports whether a model that failed with err may be followed by another one.
func anotherMayHelp(err error) bool {
	return slices.Contains([]errcode.Code{
		errcode.ModelUnavailable, errcode.ModelAuth, errcode.ModelRequest, errcode.ModelResponse,
		errcode.ModelContextLength,
	}, errcode.Of(err))
}

// sum adds up costs; nil is one that is not known.
func sum(a, b *float64) *float64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	all := rounded(*a + *b)
	return &all
}

// Validate reports a list without models, and a member that is none.
func (f *FirstOf) Validate() error {
	if len(f.Models) == 0 {
		return errors.New("model: a list of models without any")
	}
	for i, m := range f.Models {
		if m == nil {
			return fmt.Errorf("model: number %d of a list of models is nil", i+1)
		}
	}
	return nil
}

// Reasons reports whether any of the models does.
func (f *FirstOf) Reasons() bool { return slices.ContainsFunc(f.Models, Reasons) }

// Echoes reports whether one of the models wants back what it thought. The others ignore it.
func (f *FirstOf) Echoes() bool { return slices.ContainsFunc(f.Models, Echoes) }

// Identity is that of the first model. Which one has answered is in the usage of each reply.
func (f *FirstOf) Identity() (provider, model string) {
	if len(f.Models) == 0 {
		return "", ""
	}
	return Identify(f.Models[0])
}

// String names the models in their order.
func (f *FirstOf) String() string {
	names := make([]string, len(f.Models))
	for i, m := range f.Models {
		provider, name := Identify(m)
		names[i] = provider + "/" + name
	}
	return "first of " + strings.Join(names, ", ")
}
