package teamfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/model"
)

// builtIn is the type of models behind APIs like OpenAI's, which are read here.
const builtIn = "openai"

// providersOf are the providers that were registered, and those of the options, which count where both have a name.
func providersOf(o Options) map[string]model.Provider {
	all := model.Providers()
	maps.Copy(all, o.Providers)
	delete(all, builtIn)
	return all
}

// modelType reads the type of a model. It returns "" for one that is not known, which is noted.
func (b *builder) modelType(n *node) string {
	if n == nil {
		return builtIn
	}
	names := slices.Sorted(maps.Keys(b.providers))
	return b.oneOf(n, append([]string{builtIn}, names...)...)
}

// providedModel lets a provider open the model that n describes; own are the keys that are not the provider's. Nil means that there is
// a mistake, which is noted.
func (b *builder) providedModel(key, n *node, kind string, own []string) model.Model {
	before := len(b.problems)
	settings := &node{kind: mappingNode, line: n.line, column: n.column}
	for i, k := range n.keys {
		if !slices.Contains(own, k.text) {
			settings.keys, settings.items = append(settings.keys, k), append(settings.items, n.items[i])
		}
	}
	c := model.Config{Name: key.text, HTTP: b.modelOptions.HTTP, Log: b.log.With("model", key.text), Settings: map[string]any{}}
	if c.HTTP == nil {
		c.HTTP = egress.New()
	}
	decode := json.NewDecoder(bytes.NewReader(b.json(settings)))
	decode.UseNumber()
	if len(b.problems) > before {
		return nil
	}
	if err := decode.Decode(&c.Settings); err != nil {
		b.bad(key, "model %q: its description cannot be read", key.text)
		return nil
	}
	m, err := b.open(kind, c)
	for _, e := range settingErrors(err) {
		at := key
		if e.Path != nil {
			at = settings.at(e.Path)
		}
		b.bad(at, "model %q cannot be used: %s; see the manual of the provider %q", key.text, redact.Line(e.Text, b.valuesOf(settings), nil), kind)
	}
	if err != nil {
		return nil
	}
	if m == nil {
		b.bad(key, "model %q cannot be used: the provider %q opens nothing, and says nothing; this is a fault of the provider", key.text, kind)
		return nil
	}
	if c, ok := m.(io.Closer); ok {
		b.team.closers = append(b.team.closers, c)
	}
	return m
}

// open calls a provider. What a panic says may be a key, so only the log has where it was.
func (b *builder) open(kind string, c model.Config) (m model.Model, err error) {
	defer func() {
		if recover() != nil {
			b.log.Error("teamfile: the provider of a model panics", "model", c.Name, "type", kind, "stack", string(debug.Stack()))
			m, err = nil, &model.SettingError{Text: "the provider panics, the log says where"}
		}
	}()
	return b.providers[kind](c)
}

// settingErrors are the mistakes in err, one by one. What is none of a setting is one of the whole.
func settingErrors(err error) []*model.SettingError {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*model.SettingError
		for _, inner := range joined.Unwrap() {
			all = append(all, settingErrors(inner)...)
		}
		return all
	}
	if e, ok := errors.AsType[*model.SettingError](err); ok {
		return []*model.SettingError{e}
	}
	return []*model.SettingError{{Text: err.Error()}}
}

// at is the value that path leads to, or how far it leads.
func (n *node) at(path []string) *node {
	for _, name := range path {
		i := slices.IndexFunc(n.keys, func(k *node) bool { return k.text == name })
		if i < 0 {
			return n
		}
		if n.items[i].kind != scalarNode && len(path) > 1 {
			n, path = n.items[i], path[1:]
			continue
		}
		return n.items[i]
	}
	return n
}

// valuesOf are the texts below n with a value of the environment: errors quote none of them.
func (b *builder) valuesOf(n *node) []string {
	var values []string
	if n.kind == scalarNode {
		quiet := reader{env: b.env}
		if s, expanded := quiet.expand(n); expanded {
			values = append(values, s)
		}
	}
	for _, item := range n.items {
		values = append(values, b.valuesOf(item)...)
	}
	return values
}
