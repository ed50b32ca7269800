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
	"github.com/agui-gateway/gateway/model/anthropic"
	"github.com/agui-gateway/gateway/model/openai"
)

// builtIn is the type of models behind APIs like OpenAI's, which this package reads.
const builtIn = "openai"

// providersOf returns the providers of this module, the registered ones, which have precedence over them, and those of
// the options, which have precedence over both.
func providersOf(o Options) map[string]model.Provider {
	all := map[string]model.Provider{anthropic.Name: openAnthropic(o.Env)}
	maps.Copy(all, model.Providers())
	maps.Copy(all, o.Providers)
	delete(all, builtIn)
	return all
}

// openAnthropic returns the provider of Anthropic's models. A model without a key and a URL has the key of the
// environment.
func openAnthropic(env func(string) (string, bool)) model.Provider {
	return func(c model.Config) (model.Model, error) {
		key, _ := env(anthropic.KeyVariable)
		if key != "" && c.Settings["api_key"] == nil && c.Settings["base_url"] == nil {
			c.Settings = maps.Clone(c.Settings)
			c.Settings["api_key"] = key
		}
		return anthropic.Open(c)
	}
}

// modelType returns the type of a model, and the key of the file that says it: type, or provider if that names a
// provider with other keys. The type is "" for an unknown one, which is noted.
func (b *builder) modelType(f *Fields) (kind, key string) {
	n := f.Take("type")
	if n == nil {
		if name := f.v.member("provider").Text(); b.o.Providers[name] != nil {
			return name, "provider"
		}
		return builtIn, "type"
	}
	if _, preset := openai.PresetOf(n.Text()); preset && n.Text() != builtIn {
		n.Bad("%s is a provider with OpenAI's API; write `provider: %s`, and no type", n.quoted(), n.Text())
		return "", "type"
	}
	return n.OneOf(b.providerNames()...), "type"
}

// providerNames are the names that provider may have in an entry without a URL.
func (b *builder) providerNames() []string {
	names := slices.Collect(maps.Keys(b.o.Providers))
	for _, p := range openai.Presets() {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// presetProvider reads the provider of a model behind an API like OpenAI's. For an entry without a URL it fills in the
// URL and the key of a known one. A key of the environment is sent to that server only. With a URL, any name is good.
func (b *builder) presetProvider(n, url *Value, o *openai.Options) string {
	name := n.Text()
	preset, known := openai.PresetOf(name)
	switch {
	case name == "" || url != nil:
		return name
	case !known:
		return n.OneOf(b.providerNames()...)
	case preset.BaseURL == "" || name == builtIn: // the first needs a URL, and the other may have that of the settings
		return name
	}
	from := func(text string) *Value {
		return &Value{r: n.r, kind: scalarNode, line: n.line, column: n.column, text: text}
	}
	o.BaseURL = from(preset.BaseURL).httpURL()
	if preset.KeyVariable == "" || o.Key != "" {
		return name
	}
	if value, _ := b.env(preset.KeyVariable); value == "" {
		n.Bad("there is no key for %s; set %s in the environment, or write `api_key`", name, preset.KeyVariable)
	} else {
		o.Key = from("${" + preset.KeyVariable + "}").secret()
	}
	return name
}

// providedModel lets a provider open the model that n describes; own are the keys that are not the provider's. It
// returns nil after a mistake, which is noted.
func (b *builder) providedModel(key, n *Value, kind string, own []string) model.Model {
	before := len(b.problems)
	settings := &Value{r: &b.reader, kind: mappingNode, line: n.line, column: n.column, up: n.up, name: n.name}
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
