package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// An asking is one call, which asks in another form when the server refuses the request. A form is tried once, so their
// number is small.
type asking struct {
	learned *learned
	r       model.Request
	schema  uint64

	form, before  form
	plain, proven bool            // as of learned, when the call began; proven for this schema
	first         *provider.Fault // the refusal of the first form
	// guessed says that a step about something else came after all levels were refused, which therefore are not known
	// to be.
	guessed bool
}

// handleRefusal returns the error for the call. If another form may avoid the refusal, the call continues with it.
func (a *asking) handleRefusal(err error) error {
	f, ok := errors.AsType[*provider.Fault](err)
	if !ok || !a.mayBeForm(f) || !a.step(f) {
		if ok && a.first != nil && f.Kind == provider.Request {
			a.first.Reshaped = false
			return a.first // no form was accepted, so the first refusal counts
		}
		return err
	}
	if a.first == nil {
		a.first = f
	}
	f.Reshaped = true
	return f
}

// mayBeForm reports whether f may be about the form of the request: its status and codes leave that open.
func (a *asking) mayBeForm(f *provider.Fault) bool {
	if f.Kind != provider.Request {
		return false
	}
	for _, code := range strings.Fields(f.Said) {
		if slices.Contains([]string{"model_not_found", "not_found_error", "invalid_image", "string_above_max_length"},
			code) {
			return false
		}
	}
	switch f.Status {
	case 0, http.StatusBadRequest, http.StatusNotFound, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity,
		http.StatusNotImplemented:
		return true
	default:
		return false
	}
}

// step changes the form and reports whether to try it. If the server names a member of the request, that is omitted;
// otherwise the level of the schema falls first.
func (a *asking) step(f *provider.Fault) bool {
	if f.Param != "" {
		return a.stepNamed(f.Param)
	}
	if a.r.Schema != nil && !a.proven && a.lower() {
		return true
	}
	if a.plain {
		return false
	}
	was := a.form
	a.guessed = a.form.structured != a.before.structured
	if a.learned.options.API == Responses {
		a.form.noInclude, a.form.noSummary = true, true
	} else {
		a.form.noUsage = true
	}
	return a.form != was
}

// stepNamed leaves out the member of a path such as "response_format.type".
func (a *asking) stepNamed(path string) bool {
	was := a.form
	member, inner, _ := strings.Cut(path, ".")
	switch member {
	case "response_format", "text":
		return a.r.Schema != nil && a.lower()
	case "stream_options":
		a.form.noUsage = true
	case maxTokens, maxCompletionTokens:
		if a.learned.options.API != ChatCompletions || a.learned.options.MaxTokensField != "" ||
			a.form.otherMaxTokens != a.before.otherMaxTokens {
			return false
		}
		a.form.otherMaxTokens = !a.form.otherMaxTokens
	case "include", "include[0]":
		a.form.noInclude = true
	case "reasoning":
		a.form.noSummary = a.form.noSummary || inner == "summary" || inner == "generate_summary"
	}
	return a.form != was
}

// lower goes one level down. Options that name a level allow no other, but for a schema that is not enforced.
func (a *asking) lower() bool {
	l := a.form.structured
	if l == inWords || a.learned.options.Structured != "" && l != strictSchema {
		return false
	}
	if l++; l == anyObject && !isObjectSchema(a.r.Schema) {
		l = inWords
	}
	a.form.structured = l
	return true
}

func (a *asking) accepted(ctx context.Context, reply *model.Reply) {
	a.learned.remember(ctx, a, a.ignored(reply))
}

// ignored reports whether the server took the request and not the schema in it, of which the model then knows nothing:
// the reply is not even meant to be JSON.
func (a *asking) ignored(reply *model.Reply) bool {
	if a.r.Schema == nil || a.proven || a.learned.options.Structured != "" || a.form.structured == inWords ||
		reply.Text == "" || reply.Truncated() || len(reply.Calls) > 0 {
		return false
	}
	text := strings.TrimSpace(reply.Text)
	return !json.Valid([]byte(text)) && !strings.HasPrefix(text, "{") &&
		!strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "```")
}
