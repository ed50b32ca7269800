package teamfile

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
)

// defaultModel is the name of the model of agents that name none.
const defaultModel = "default"

// noModel tells users what to set if there is neither a URL nor a key.
const noModel = "set OPENAI_BASE_URL (-model-url), OPENAI_API_KEY (-model-key), or both"

// buildModels makes every model that n describes, and the default model of the settings if n does not describe one.
func (b *builder) buildModels(n *node) {
	b.models = map[string]model.Model{}
	b.brokenModels = map[string]bool{}
	keys, values := b.pairs(n, "models")
	var lists []*modelList
	defer func() { b.buildModelLists(lists) }() // of models that are there by then
	for i, key := range keys {
		if isModelList(values[i]) {
			lists = append(lists, &modelList{key: key, node: values[i]})
			continue
		}
		if m := b.insteadOfModel(key.text, b.buildModel(key, values[i])); m != nil {
			b.team.Parts.Models = append(b.team.Parts.Models, ModelPart{Name: key.text, Model: m, Line: key.line})
			b.models[key.text] = b.cached(m, values[i])
		}
		if b.models[key.text] == nil {
			delete(b.models, key.text)
			b.brokenModels[key.text] = true
		}
	}
	described := slices.ContainsFunc(lists, func(l *modelList) bool { return l.key.text == defaultModel })
	if described || b.models[defaultModel] != nil || b.brokenModels[defaultModel] || !configured(b.modelOptions) {
		return
	}
	m, err := openai.New(b.modelOptions)
	if err != nil {
		b.badAt(1, 1, "the model of the settings cannot be used: %s; see -model-url, -model and -model-key", reason(err))
		return
	}
	b.models[defaultModel] = b.insteadOfModel(defaultModel, m)
	b.team.Parts.Models = append(b.team.Parts.Models, ModelPart{Name: defaultModel, Model: m})
}

// configured reports whether o has a URL or a key.
func configured(o openai.Options) bool { return o.BaseURL != "" || o.Key != "" }

// buildModel reads one entry of models. Nil means that it has a mistake, which is noted. Options that the entry lacks come from the
// settings, except that a key of the settings is sent to no other server than theirs.
func (b *builder) buildModel(key, n *node) model.Model {
	before := len(b.problems)
	f := b.fields(n, fmt.Sprintf("model %q", key.text))
	f.kind = "model"
	f.take("cache") // see cached
	kind := b.modelType(f.take("type"))
	switch kind {
	case "":
		return nil
	case builtIn:
	default:
		return b.providedModel(key, n, kind, []string{"type", "cache"})
	}
	o := b.modelOptions
	b.optionalModelSettings = true
	o.BaseURL = b.httpURL(f.take("base_url"))
	o.Key = b.secret(f.take("api_key"))
	b.optionalModelSettings = false
	if !configured(o) {
		o.BaseURL, o.Key = b.modelOptions.BaseURL, b.modelOptions.Key
	}
	if name := f.take("model"); name != nil {
		o.Name = b.text(name)
	}
	o.Provider = b.text(f.take("provider"))
	o.APIVersion = b.text(f.take("api_version"))
	o.Price = b.price(f.take("price"))
	if o.Price == nil && key.text == defaultModel {
		o.Price = b.modelOptions.Price
	}
	o.Temperature = b.temperature(f.take("temperature"))
	o.Effort = b.text(f.take("effort"))
	o.MaxTokens = b.count(f.take("max_tokens"), 1)
	if d := b.duration(f.take("timeout")); d > 0 {
		o.Timeout = d
	}
	if d := b.duration(f.take("idle")); d > 0 {
		o.Idle = d
	}
	o.Retries = b.retries(f.take("retries"))
	b.dialect(f, &o)
	f.end()
	switch {
	case len(b.problems) > before:
		return nil
	case !configured(o):
		b.bad(key, "model %q has neither a base_url nor an api_key; %s, or write them here", key.text, noModel)
		return nil
	case o.Name == "":
		b.bad(key, "model %q needs model; write the name its server knows it by, such as `model: gpt-4.1-mini`", key.text)
		return nil
	}
	m, err := openai.New(o)
	if err != nil {
		b.bad(key, "model %q cannot be used: %s; mend what it says", key.text, reason(err))
		return nil
	}
	return m
}

// reason returns what is wrong with a model, without the model's name, which may come from the environment.
func reason(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		return inner.Error()
	}
	return "its settings do not fit together"
}

// model returns the model that an agent names with n, or the default one if n is nil. Nil means that there is none; the mistake is noted,
// here or at the description of the model.
func (b *builder) model(n, agent *node) model.Model {
	name, quotable, at := defaultModel, true, agent
	if n != nil {
		before := len(b.problems)
		if name, quotable = b.word(n); len(b.problems) > before {
			return nil
		}
		at = n
	}
	m := b.models[name]
	if m == nil && !b.brokenModels[name] {
		b.unknownModel(at, name, quotable)
	}
	return m
}

// unknownModel notes that n names no model of this file.
func (b *builder) unknownModel(n *node, name string, quotable bool) {
	if name == defaultModel {
		b.bad(n, "there is no default model; %s, or describe one under `models:`", noModel)
		return
	}
	known := slices.AppendSeq(slices.Collect(maps.Keys(b.models)), maps.Keys(b.brokenModels))
	b.unknown(n, name, quotable, "model", slices.AppendSeq(known, maps.Keys(b.modelLists)))
}

// modelOff is the value of model for an agent that shall work without one, unless a model has that name.
const modelOff = "off"

// optionalModel is model for an agent that can work without one.
func (b *builder) optionalModel(n *node) model.Model {
	switch {
	case n == nil:
		return b.models[defaultModel]
	case n.text == modelOff && b.models[modelOff] == nil:
		return nil
	default:
		return b.model(n, n)
	}
}

// httpURL reads a URL of http or https. Errors do not quote it, because it may have a password.
func (b *builder) httpURL(n *node) string {
	if n == nil {
		return ""
	}
	before := len(b.problems)
	s := b.text(n)
	if len(b.problems) > before || s == "" {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		b.bad(n, "not a URL that can be asked; write http://host/path or https://host/path")
		return ""
	}
	return s
}

// secret reads a text that is sent in a header.
func (b *builder) secret(n *node) string {
	s := b.text(n)
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) || strings.TrimSpace(s) != s {
		b.bad(n, "the value holds line ends, control characters or white space around it; look where it comes from")
		return ""
	}
	return s
}

// price reads what a million tokens cost; nil if n is nil or no price.
func (b *builder) price(n *node) *model.Price {
	if n == nil {
		return nil
	}
	before := len(b.problems)
	f := b.fields(n, "a price")
	p := &model.Price{}
	const hint = "write what a million tokens cost: `price: { input: 0.40, output: 1.60 }`"
	if amount := b.amount(f.need("input", hint)); amount != nil {
		p.Input = *amount
	}
	if amount := b.amount(f.need("output", hint)); amount != nil {
		p.Output = *amount
	}
	p.CachedInput = b.amount(f.take("cached_input"))
	f.end()
	if len(b.problems) > before {
		return nil
	}
	return p
}

// amount reads a price; nil if n is nil or none.
func (b *builder) amount(n *node) *float64 {
	return b.number(n, func(v float64) bool { return (model.Price{Input: v}).Check() == nil },
		"not a price; write what a million tokens cost, a number from 0 up, such as 0.40")
}

// temperature reads a number from 0 to 2; nil if n is nil or none.
func (b *builder) temperature(n *node) *float64 {
	return b.number(n, func(v float64) bool { return v >= 0 && v <= 2 }, "not a temperature; write a number from 0 to 2, such as 0.2")
}

// number reads a number that is allowed; nil if n is nil or none.
func (b *builder) number(n *node, allowed func(float64) bool, hint string) *float64 {
	if n == nil {
		return nil
	}
	before := len(b.problems)
	s := b.text(n)
	if len(b.problems) > before {
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !allowed(v) {
		b.bad(n, "%s", hint)
		return nil
	}
	return &v
}

// retries reads a number of retries in the form that options have it: 0 means the default, -1 none.
func (b *builder) retries(n *node) int {
	if n == nil {
		return 0
	}
	before := len(b.problems)
	if c := b.count(n, 0); c > 0 || len(b.problems) > before {
		return c
	}
	return -1
}
