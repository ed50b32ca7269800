package teamfile

import (
	"errors"
	"io"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/model"
)

// builtIn is the type of models behind APIs like OpenAI's, which this package reads.
const builtIn = "openai"

// providersOf returns the registered providers and those of the options, which have precedence.
func providersOf(o Options) map[string]model.Provider {
	all := model.Providers()
	maps.Copy(all, o.Providers)
	delete(all, builtIn)
	return all
}

// modelType reads the type of a model. It returns "" for an unknown one, which is noted.
func (b *builder) modelType(n *Value) string {
	if n == nil {
		return builtIn
	}
	names := slices.Sorted(maps.Keys(b.o.Providers))
	return n.OneOf(append([]string{builtIn}, names...)...)
}

// providedModel lets a provider open the model that n describes; own are the keys that are not the provider's. It
// returns nil after a mistake, which is noted.
func (b *builder) providedModel(key, n *Value, kind string, own []string) model.Model {
	before := len(b.problems)
	settings := &Value{r: &b.reader, kind: mappingNode, line: n.line, column: n.column}
	for i, k := range n.keys {
		if !slices.Contains(own, k.text) {
			settings.keys, settings.items = append(settings.keys, k), append(settings.items, n.items[i])
		}
	}
	c := model.Config{
		Name: key.text, HTTP: b.o.Model.HTTP, Log: b.o.Log.With("model", key.text),
	}
	if c.HTTP == nil {
		c.HTTP = egress.New()
	}
	c.Settings, _ = settings.value().(map[string]any)
	if len(b.problems) > before {
		return nil
	}
	m, err := b.open(kind, c)
	for _, e := range settingErrors(err) {
		at := key
		if e.Path != nil {
			at = settings.at(e.Path)
		}
		text := redact.Line(e.Text, settings.expandedTexts(), nil)
		at.Bad("model %q cannot be used: %s; see the manual of the provider %q", key.text, text, kind)
	}
	if err != nil {
		return nil
	}
	if m == nil {
		key.Bad("model %q cannot be used: the provider %q opens nothing, and says nothing; "+
			"this is a fault of the provider",
			key.text, kind)
		return nil
	}
	if c, ok := m.(io.Closer); ok {
		b.team.closers = append(b.team.closers, c)
	}
	return m
}

// open calls a provider. The text of a panic may be a key, so only its stack is logged.
func (b *builder) open(kind string, c model.Config) (m model.Model, err error) {
	defer func() {
		if recover() != nil {
			stack := string(debug.Stack())
			b.o.Log.Error("teamfile: the provider of a model panics", "model", c.Name, "type", kind, "stack", stack)
			m, err = nil, &model.SettingError{Text: "the provider panics, the log says where"}
		}
	}()
	return b.o.Providers[kind](c)
}

// settingErrors returns the mistakes in err. An error that is about no setting is about the whole.
func settingErrors(err error) (all []*model.SettingError) {
	for _, inner := range joinedErrors(err) {
		e, ok := errors.AsType[*model.SettingError](inner)
		if !ok {
			e = &model.SettingError{Text: inner.Error()}
		}
		all = append(all, e)
	}
	return all
}

// at returns the value at path, or the deepest one on the way to it.
func (v *Value) at(path []string) *Value {
	for _, name := range path {
		inner := v.member(name)
		if inner == nil {
			return v
		}
		v = inner
	}
	return v
}

// expandedTexts returns the texts below v with a value of the environment: errors quote none of them.
func (v *Value) expandedTexts() (texts []string) {
	if v.kind == scalarNode {
		quiet := *v
		quiet.r = &reader{env: v.r.env}
		if s, expanded := quiet.expand(); expanded {
			texts = append(texts, s)
		}
	}
	for _, item := range v.items {
		texts = append(texts, item.expandedTexts()...)
	}
	return texts
}
