package teamfile

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
)

// defaultModel is the name of the model of agents that name none.
const defaultModel = "default"

// noModel is the hint if there is neither a URL nor a key.
const noModel = "set OPENAI_BASE_URL (-model-url), OPENAI_API_KEY (-model-key), or both"

// buildModels makes every model that n describes, and the default model of the settings if n does not describe one.
func (b *builder) buildModels(n *Value) {
	b.models = map[string]model.Model{}
	b.brokenModels = map[string]bool{}
	keys, values := n.Pairs("models")
	var lists []*modelList
	defer func() { b.buildModelLists(lists) }() // after the models that they name
	for i, key := range keys {
		if values[i].member("first_of") != nil {
			lists = append(lists, &modelList{key: key, node: values[i]})
			continue
		}
		m := b.substituted(key.text, b.buildModel(key, values[i]))
		if m != nil {
			b.team.Parts.Models = append(b.team.Parts.Models, ModelPart{Name: key.text, Model: m, Line: key.line})
		}
		b.addModel(key.text, b.cached(m, values[i]))
	}
	if n.member(defaultModel) != nil || !configured(b.o.Model) {
		return
	}
	m, err := openai.New(b.o.Model)
	if err != nil {
		b.badAt(1, 1, "the model of the settings cannot be used: %s; see -model-url, -model and -model-key",
			reason(err))
		return
	}
	b.models[defaultModel] = b.substituted(defaultModel, m)
	b.team.Parts.Models = append(b.team.Parts.Models, ModelPart{Name: defaultModel, Model: m})
}

// addModel adds a model of the file. A nil model has a mistake, which is noted.
func (b *builder) addModel(name string, m model.Model) {
	if m == nil {
		b.brokenModels[name] = true
		return
	}
	b.models[name] = m
}

// configured reports whether o has a URL or a key.
func configured(o openai.Options) bool { return o.BaseURL != "" || o.Key != "" }

// buildModel reads one entry of models. It returns nil after a mistake, which is noted. Options that the entry lacks
// come from the settings, but a key of the settings is sent to no other server than theirs.
func (b *builder) buildModel(key, n *Value) model.Model {
	f := n.Fields(fmt.Sprintf("model %q", key.text), "model")
	f.Take("cache") // see cached
	switch kind, named := b.modelType(f); kind {
	case "":
		return nil
	case builtIn:
	default:
		return b.providedModel(key, n, kind, []string{named, "cache"})
	}
	o := b.readModel(f, key.text)
	switch {
	case !f.ok():
		return nil
	case !configured(o):
		key.Bad("model %q has neither a base_url nor an api_key; %s, or write them here", key.text, noModel)
		return nil
	case o.Name == "":
		key.Bad("model %q needs model; write the name its server knows it by, such as `model: gpt-4.1-mini`", key.text)
		return nil
	}
	m, err := openai.New(o)
	if err != nil {
		key.Bad("model %q cannot be used: %s; mend what it says", key.text, reason(err))
		return nil
	}
	return m
}

// readModel reads the keys of a model behind an API like OpenAI's.
func (b *builder) readModel(f *Fields, name string) openai.Options {
	o := b.o.Model
	b.optionalModelSettings = true
	o.BaseURL, o.Key = f.Take("base_url").httpURL(), f.Take("api_key").secret()
	b.optionalModelSettings = false
	o.Provider = b.presetProvider(f.v.member("provider"), f.v.member("base_url"), &o)
	if !configured(o) && f.ok() {
		o.BaseURL, o.Key = b.o.Model.BaseURL, b.o.Model.Key
	}
	if v := f.Take("model"); v != nil {
		o.Name = v.Text()
	}
	f.Take("provider") // see above
	o.APIVersion = f.Take("api_version").Text()
	o.Price = price(f.Take("price"))
	if o.Price == nil && name == defaultModel {
		o.Price = b.o.Model.Price
	}
	o.Temperature = f.Take("temperature").number("not a temperature; write a number from 0 to 2, such as 0.2",
		func(t float64) bool { return t >= 0 && t <= 2 })
	o.Effort = f.Take("effort").Text()
	o.MaxTokens = f.Take("max_tokens").Count(1)
	if d := f.Take("timeout").duration(); d > 0 {
		o.Timeout = d
	}
	if d := f.Take("idle").duration(); d > 0 {
		o.Idle = d
	}
	o.Retries = f.Take("retries").retries()
	o.API = oneOf(f.Take("api"), openai.ChatCompletions, openai.Responses)
	o.Structured = oneOf(f.Take("structured"), openai.StructuredSchema, openai.StructuredObject, openai.StructuredNone)
	o.Echo = oneOf(f.Take("echo_reasoning"), "on", openai.EchoOff, openai.EchoReasoningContent, openai.EchoReasoning)
	if o.Echo == "on" {
		o.Echo = openai.EchoReasoningContent
	}
	o.MaxTokensField = f.Take("max_tokens_field").OneOf("max_tokens", "max_completion_tokens")
	o.AcceptUnfinished = f.Take("accept_unfinished").on()
	f.End()
	return o
}

// reason returns the reason why a model cannot be used, without the model's name, which may come from the environment.
func reason(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		return inner.Error()
	}
	return "its settings do not fit together"
}

// model returns the model that an agent names with n, or the default one if n is nil. It returns nil if there is none:
// the mistake is noted here, or at the description of the model.
func (b *builder) model(n, agent *Value) model.Model {
	name, at := defaultModel, agent
	if n != nil {
		name, at = n.Text(), n
	}
	m := b.models[name]
	if m == nil && !b.brokenModels[name] {
		b.unknownModel(at, name)
	}
	return m
}

// unknownModel notes that n names no model of this file.
func (b *builder) unknownModel(n *Value, name string) {
	if name == defaultModel {
		n.Bad("there is no default model; %s, or describe one under `models:`", noModel)
		return
	}
	known := slices.AppendSeq(slices.Collect(maps.Keys(b.models)), maps.Keys(b.brokenModels))
	unknown(n, "model", slices.AppendSeq(known, maps.Keys(b.modelLists)))
}

// modelOff is the value of model for an agent without a model, unless a model has that name.
const modelOff = "off"

// optionalModel is model for an agent that can work without one.
func (b *builder) optionalModel(n *Value) model.Model {
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
func (v *Value) httpURL() string {
	if v.Text() == "" {
		return ""
	}
	const hint = "not a URL that can be asked; write http://host/path or https://host/path"
	return parsed(v, hint, func(s string) (string, bool) {
		u, err := url.Parse(s)
		return s, err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
	})
}

// secret reads a text that is sent in a header.
func (v *Value) secret() string {
	const hint = "the value holds line ends, control characters or white space around it; look where it comes from"
	return parsed(v, hint, func(s string) (string, bool) {
		control := strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
		return s, !control && strings.TrimSpace(s) == s
	})
}

// price reads the price of a million tokens; nil if n is nil or no price.
func price(n *Value) *model.Price {
	if n == nil {
		return nil
	}
	f := n.Fields("a price", "")
	p := &model.Price{}
	const hint = "write what a million tokens cost: `price: { input: 0.40, output: 1.60 }`"
	if amount := f.Need("input", hint).amount(); amount != nil {
		p.Input = *amount
	}
	if amount := f.Need("output", hint).amount(); amount != nil {
		p.Output = *amount
	}
	p.CachedInput = f.Take("cached_input").amount()
	f.End()
	return p
}

// amount reads a price; nil if v is absent or none.
func (v *Value) amount() *float64 {
	return v.number("not a price; write what a million tokens cost, a number from 0 up, such as 0.40",
		func(amount float64) bool { return (model.Price{Input: amount}).Check() == nil })
}

// retries reads a number of retries in the form of options: 0 means the default, -1 none.
func (v *Value) retries() int {
	n := v.Count(0)
	if v != nil && n == 0 {
		return -1
	}
	return n
}
