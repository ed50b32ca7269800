package openai

import (
	"context"
	"hash/maphash"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/model"
)

// maxSchemas is the most schemas of which a model remembers how replies by them are asked for.
const maxSchemas = 256

// A learned is what all calls of a model have found out about what its server takes. It is safe for concurrent use.
type learned struct {
	options Options
	model   string
	seed    maphash.Seed

	mu   sync.Mutex
	form form // of the next request
	// plain says that a request was accepted in this form, apart from how a reply by schema is asked for; proven that a
	// reply by schema was. Refusals that follow are about something else.
	plain, proven bool
	schemas       map[uint64]level // those with an accepted level
}

func newLearned(o Options, name string) *learned {
	l := &learned{options: o, model: name, seed: maphash.MakeSeed(), schemas: map[uint64]level{}}
	switch o.Structured {
	case StructuredObject:
		l.form.structured = anyObject
	case StructuredNone:
		l.form.structured = inWords
	default:
	}
	return l
}

func (l *learned) ask(r *model.Request) *asking {
	a := &asking{learned: l, r: *r}
	l.mu.Lock()
	defer l.mu.Unlock()
	a.form, a.plain = l.form, l.plain
	if r.Schema != nil {
		a.schema = maphash.Bytes(l.seed, r.Schema)
		known, ok := l.schemas[a.schema]
		if a.proven = ok; !ok {
			known = l.form.structured
		}
		a.form.structured = firstLevel(*r, known)
	}
	a.before = a.form
	return a
}

// remember keeps what a call has found out, and logs it once.
func (l *learned) remember(ctx context.Context, a *asking, ignored bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.form
	l.form.noUsage = l.form.noUsage || a.form.noUsage
	l.form.noInclude = l.form.noInclude || a.form.noInclude
	l.form.noSummary = l.form.noSummary || a.form.noSummary
	l.form.otherMaxTokens = a.form.otherMaxTokens
	l.plain = true
	if a.r.Schema != nil && !a.guessed {
		found := a.form.structured
		if ignored {
			found = inWords
		}
		if len(l.schemas) >= maxSchemas {
			clear(l.schemas)
		}
		l.schemas[a.schema] = found
		// Of a server that has answered by schema before, one schema that it refuses says nothing about others.
		if first := firstLevel(a.r, was.structured); found > first && !l.proven {
			l.form.structured = found
		} else if found == first && !ignored {
			l.proven = true
		}
	}
	if l.form != was && l.options.Log != nil {
		l.options.Log.WarnContext(ctx,
			"model: its server does not take everything it was sent, and is asked without from now on",
			"model", l.model, "without", strings.Join(l.form.omitted(was), ", "), "structured",
			l.form.structured.String())
	}
}

// omitted names the parameters in requests of the form was that those of f lack.
func (f form) omitted(was form) []string {
	var names []string
	for _, c := range []struct {
		left bool
		name string
	}{
		{f.structured != was.structured, "response_format " + was.structured.String()},
		{f.noUsage != was.noUsage, "stream_options"},
		{f.otherMaxTokens != was.otherMaxTokens, "the name of the greatest number of tokens"},
		{f.noInclude != was.noInclude, "include"},
		{f.noSummary != was.noSummary, "reasoning.summary"},
	} {
		if c.left {
			names = append(names, c.name)
		}
	}
	return names
}
